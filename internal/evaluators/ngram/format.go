// SPDX-License-Identifier: Apache-2.0

package ngram

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

var magic = []byte("ngram1\n")

// Encode writes a model: the steps between the sorted hashes, then the counts,
// then how many bytes follow.
func (m *Model) Encode() ([]byte, error) {
	var out []byte
	for _, n := range []uint32{m.root.count, m.root.kinds, uint32(len(m.table.packed))} {
		out = binary.AppendUvarint(out, uint64(n))
	}
	last := uint32(0)
	for h := range m.table.all() {
		out = binary.AppendUvarint(out, uint64(h-last))
		last = h
	}
	for _, e := range m.table.all() {
		out = binary.AppendUvarint(out, uint64(e.count))
	}
	for _, e := range m.table.all() {
		out = binary.AppendUvarint(out, uint64(e.kinds))
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
	t := newTable(hashes, func(i int) entry { return entry{counts[i], r.next()} })
	if r.broken || r.r.Len() > 0 {
		return nil, errBroken
	}
	return &Model{root, t}, nil
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
