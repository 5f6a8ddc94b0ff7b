// SPDX-License-Identifier: Apache-2.0

package ngram

import (
	"iter"
	"maps"
	"math/bits"
	"slices"
)

// table finds entries by their hashes: those whose hashes begin with the same bits lie
// together, in the order of the rest. An entry takes four bytes.
type table struct {
	starts []uint32 // by the first bits, where their entries begin; one more for the end
	packed []packed
}

// restBits are as many bits of a hash as do not tell where its entry is looked for. With
// 14 of them there are one or two entries to look at.
const (
	restBits = 14
	groups   = 1 << (32 - restBits)
)

// packed is the rest of a hash, a count as short has it, and kinds.
type packed uint32

func pack(h uint32, e entry) packed {
	kinds := min(e.kinds, 255) // of 256 bytes that can follow
	return packed(h%(1<<restBits)<<16 | uint32(short(e.count))<<8 | kinds)
}

func (p packed) rest() uint32 { return uint32(p >> 16) }

func (p packed) entry() entry { return entry{longs[uint8(p>>8)], uint32(uint8(p))} }

// newTable returns a table of entries, of which counts are kept roughly. The hashes
// must be sorted; each has the entry of the same number.
func newTable(hashes []uint32, at func(i int) entry) table {
	t := table{starts: make([]uint32, groups+1), packed: make([]packed, len(hashes))}
	for i, h := range hashes {
		t.starts[h>>restBits+1] = uint32(i + 1)
		t.packed[i] = pack(h, at(i))
	}
	for i := range groups {
		t.starts[i+1] = max(t.starts[i+1], t.starts[i]) // where none begins with these bits
	}
	return t
}

func tableOf(entries map[uint32]entry) table {
	hashes := slices.Sorted(maps.Keys(entries))
	return newTable(hashes, func(i int) entry { return entries[hashes[i]] })
}

func (t *table) find(h uint32) entry {
	group := h >> restBits
	for _, p := range t.packed[t.starts[group]:t.starts[group+1]] {
		if p.rest() == h%(1<<restBits) {
			return p.entry()
		}
	}
	return entry{}
}

// all gives what the table holds, in the order of the hashes.
func (t *table) all() iter.Seq2[uint32, entry] {
	return func(yield func(uint32, entry) bool) {
		for group := range uint32(groups) {
			for _, p := range t.packed[t.starts[group]:t.starts[group+1]] {
				if !yield(group<<restBits|p.rest(), p.entry()) {
					return
				}
			}
		}
	}
}

// short keeps the four highest bits of a number and how many follow them: it is then
// some percent off, and takes a byte.
func short(n uint32) uint8 {
	shift := max(bits.Len32(n), 4) - 4
	return uint8(shift<<3) + uint8(n>>shift)
}

// longs has by what short made of a number what it kept of it, with zeros for the rest.
var longs = func() (all [256]uint32) {
	for s := range uint32(256) {
		all[s] = s
		if s >= 16 {
			all[s] = (s&7 | 8) << (s>>3 - 1)
		}
	}
	return all
}()
