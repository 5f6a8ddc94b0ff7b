// SPDX-License-Identifier: Apache-2.0

package ngram

import "math/bits"

// table finds entries by their hashes: an open one of which at most half is
// taken. A slot without a count is free.
type table struct {
	slots []slot
	shift uint8
}

type slot struct {
	hash uint32
	entry
}

func newTable(entries map[uint32]entry) table {
	size := bits.Len(uint(2*len(entries) + 1))
	t := table{slots: make([]slot, 1<<size), shift: uint8(32 - min(size, 32))}
	for h, e := range entries {
		if e.count == 0 {
			continue
		}
		i := h >> t.shift
		for t.slots[i].count != 0 {
			i = (i + 1) & uint32(len(t.slots)-1)
		}
		t.slots[i] = slot{h, e}
	}
	return t
}

func (t *table) find(h uint32) entry {
	for i := h >> t.shift; t.slots[i].count != 0; i = (i + 1) & uint32(len(t.slots)-1) {
		if t.slots[i].hash == h {
			return t.slots[i].entry
		}
	}
	return entry{}
}

// entries returns what the table holds.
func (t *table) entries() map[uint32]entry {
	all := make(map[uint32]entry, len(t.slots)/2)
	for _, s := range t.slots {
		if s.count != 0 {
			all[s.hash] = s.entry
		}
	}
	return all
}
