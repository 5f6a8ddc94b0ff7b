// SPDX-License-Identifier: Apache-2.0

package keyfilter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bits-and-blooms/bloom/v3"
	"github.com/cespare/xxhash/v2"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sidecar"
)

// Stamp says which rows of which partition a file is about. Rows are only added
// at the end of a partition: a file with the partition's stamp has all of them.
type Stamp struct {
	Serial uint64 // of the partition
	Next   uint64 // how many rows it ever had
}

const (
	// magic names the format of a file; another layout gets another number.
	magic = "touchstone keys 1\n"
	// maxLayers is more than a partition of any size needs.
	maxLayers = 16
)

var errUnusable = errors.New("the file of keys cannot be used")

// Write writes the filter into a file, whole or not at all. A file that is lost
// in a crash is made again from the partition.
func (f *Filter) Write(path string, s Stamp) error {
	var b bytes.Buffer
	b.WriteString(magic)
	head := binary.LittleEndian.AppendUint64(nil, s.Serial)
	head = binary.LittleEndian.AppendUint64(head, s.Next)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(f.layers)))
	b.Write(head)
	for _, l := range f.layers {
		b.Write(binary.LittleEndian.AppendUint32(nil, l.room))
		if _, err := l.bits.WriteTo(&b); err != nil {
			return err
		}
	}
	b.Write(binary.LittleEndian.AppendUint64(nil, xxhash.Sum64(b.Bytes())))
	return sidecar.Write(path, b.Bytes())
}

// Read reads the filter of a file with a stamp. It returns an error if there is
// none, if it is damaged, or if it is of other rows.
func Read(path string, want Stamp) (*Filter, error) {
	whole, err := sidecar.Read(path)
	if err != nil {
		return nil, err
	}
	const head, tail = len(magic) + 8 + 8 + 4, 8
	if len(whole) < head+tail || string(whole[:len(magic)]) != magic {
		return nil, errUnusable
	}
	body, sum := whole[:len(whole)-tail], whole[len(whole)-tail:]
	if xxhash.Sum64(body) != binary.LittleEndian.Uint64(sum) {
		return nil, fmt.Errorf("%w: its digest is another", errUnusable)
	}
	numbers := body[len(magic):head]
	got := Stamp{Serial: binary.LittleEndian.Uint64(numbers), Next: binary.LittleEndian.Uint64(numbers[8:])}
	if got != want {
		return nil, fmt.Errorf("%w: it is of other rows", errUnusable)
	}
	return readLayers(bytes.NewReader(body[head:]), binary.LittleEndian.Uint32(numbers[16:]))
}

func readLayers(r *bytes.Reader, layers uint32) (*Filter, error) {
	if layers > maxLayers {
		return nil, errUnusable
	}
	f := &Filter{}
	for range layers {
		l := layer{bits: new(bloom.BloomFilter)}
		if err := binary.Read(r, binary.LittleEndian, &l.room); err != nil {
			return nil, err
		}
		if !sound(r) {
			return nil, errUnusable
		}
		if _, err := l.bits.ReadFrom(r); err != nil {
			return nil, err
		}
		f.layers = append(f.layers, l)
	}
	return f, nil
}

// sound reports whether what the library says of its bits at the head of a layer, in
// 64-bit numbers (bits, hashes, bits), fits what is left of the file. The library
// allocates what it reads there, and divides by it.
func sound(r *bytes.Reader) bool {
	var head [24]byte
	if _, err := r.ReadAt(head[:], r.Size()-int64(r.Len())); err != nil {
		return false
	}
	bits, hashes := binary.BigEndian.Uint64(head[:]), binary.BigEndian.Uint64(head[8:])
	return bits > 0 && bits <= 8*uint64(r.Len()-len(head)) && bits == binary.BigEndian.Uint64(head[16:]) && hashes > 0 && hashes <= 64
}
