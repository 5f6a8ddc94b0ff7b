// SPDX-License-Identifier: Apache-2.0

package recent

// slots finds the places of entries by the first 32 bits of their sums: an open table
// with linear probing, of which four fifths are taken at most. A slot has these bits and
// the place of the entry, so that entries need not be looked at to move it; 0 is free.
type slots struct {
	all   []uint64
	shift uint // of the 32 bits, to tell where a slot should be
	used  int
}

const fewestSlots = 16

func newSlots() slots { return slots{all: make([]uint64, fewestSlots), shift: 32 - 4} }

func slotOf(tag, at uint32) uint64 { return uint64(tag)<<32 | uint64(at) }

func (x *slots) home(slot uint64) int { return int(uint32(slot>>32) >> x.shift) }

func (x *slots) after(i int) int { return (i + 1) & (len(x.all) - 1) }

// add adds a place that is not there.
func (x *slots) add(tag, at uint32) {
	if 5*(x.used+1) > 4*len(x.all) {
		x.grow()
	}
	x.insert(slotOf(tag, at))
	x.used++
}

func (x *slots) insert(slot uint64) {
	i := x.home(slot)
	for x.all[i] != 0 {
		i = x.after(i)
	}
	x.all[i] = slot
}

func (x *slots) grow() {
	before := x.all
	x.all = make([]uint64, 2*len(before))
	x.shift--
	for _, slot := range before {
		if slot != 0 {
			x.insert(slot)
		}
	}
}

// remove removes a place that is there. What follows it moves up as far as it may.
func (x *slots) remove(tag, at uint32) {
	gone := slotOf(tag, at)
	free := x.home(gone)
	for x.all[free] != gone {
		free = x.after(free)
	}
	for i := x.after(free); x.all[i] != 0; i = x.after(i) {
		if mask := len(x.all) - 1; (i-x.home(x.all[i]))&mask >= (i-free)&mask {
			x.all[free] = x.all[i]
			free = i
		}
	}
	x.all[free] = 0
	x.used--
}

// find returns the place with these bits of which is holds, 0 if there is none.
func (x *slots) find(tag uint32, is func(at uint32) bool) uint32 {
	for i := int(tag >> x.shift); x.all[i] != 0; i = x.after(i) {
		if slot := x.all[i]; uint32(slot>>32) == tag && is(uint32(slot)) {
			return uint32(slot)
		}
	}
	return 0
}
