// SPDX-License-Identifier: Apache-2.0

package ngram

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
)

var magic = []byte("ngram1\n")

// Encode writes a model: the steps between the sorted hashes, then the counts,
// then how many bytes follow.
func (m *Model) Encode() ([]byte, error) {
	entries := m.table.entries()
	hashes := slices.Sorted(maps.Keys(entries))
	var out []byte
	for _, n := range []uint32{m.root.count, m.root.kinds, uint32(len(hashes))} {
		out = binary.AppendUvarint(out, uint64(n))
	}
	last := uint32(0)
	for _, h := range hashes {
		out = binary.AppendUvarint(out, uint64(h-last))
		last = h
	}
	for _, h := range hashes {
		out = binary.AppendUvarint(out, uint64(rough(entries[h].count)))
	}
	for _, h := range hashes {
		out = binary.AppendUvarint(out, uint64(entries[h].kinds))
	}
	var b bytes.Buffer
	b.Write(magic)
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(out); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// rough keeps the four highest bits of a number: it is then some percent off,
// and takes much less room.
func rough(n uint32) uint32 {
	shift := 0
	for n>>shift >= 16 {
		shift++
	}
	return n >> shift << shift
}

// largest is how many pieces a model may have when it is read.
const largest = 1 << 22

var errBroken = errors.New("ngram: the model is broken")

// Decode reads a model.
func Decode(data []byte) (*Model, error) {
	packed, ok := bytes.CutPrefix(data, magic)
	if !ok {
		return nil, errBroken
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("ngram: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(z, 16*largest))
	if err != nil {
		return nil, fmt.Errorf("ngram: %w", err)
	}
	r := numbers{r: bytes.NewReader(plain)}
	root := entry{r.next(), r.next()}
	n := r.next()
	if r.broken || n > largest || root.count == 0 {
		return nil, errBroken
	}
	hashes := make([]uint32, n)
	last := uint32(0)
	for i := range hashes {
		step := r.next()
		if step > math.MaxUint32-last {
			return nil, errBroken
		}
		last += step
		hashes[i] = last
	}
	counts := make([]uint32, n)
	for i := range counts {
		counts[i] = r.next()
	}
	entries := make(map[uint32]entry, n)
	for i, h := range hashes {
		entries[h] = entry{counts[i], r.next()}
	}
	if r.broken || r.r.Len() > 0 {
		return nil, errBroken
	}
	return &Model{root, newTable(entries)}, nil
}

// numbers reads one number after another.
type numbers struct {
	r      *bytes.Reader
	broken bool
}

func (n *numbers) next() uint32 {
	v, err := binary.ReadUvarint(n.r)
	if err != nil || v > math.MaxUint32 {
		n.broken = true
		return 0
	}
	return uint32(v)
}
