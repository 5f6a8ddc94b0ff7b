// SPDX-License-Identifier: Apache-2.0

package recent

import (
	"hash/maphash"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// keys are entries in the order in which they were added, found by their sums. They lie
// in a ring of blocks, which are made when they are first needed. Places in it are counted
// from 1, and 0 is none.
type keys struct {
	seeds  [2]maphash.Seed
	limit  int
	blocks [][]entry
	slots  slots
	next   int // the place that is used next, counted from 0: of all that are used the oldest
	groups groups
}

// entry is a key in 32 bytes.
type entry struct {
	sum     sum
	content uint64
	seq     uint32
	group   uint32 // 0 for one that is not used
}

const entriesOfBlock = 4096

// sum stands for a key: two hashes of 64 bits that no one else can compute. That two of
// a window's keys have the same one does not happen.
type sum [2]uint64

func (s sum) tag() uint32 { return uint32(s[0] >> 32) }

func newKeys(limit int) keys {
	return keys{
		seeds:  [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		limit:  limit,
		blocks: make([][]entry, (limit+entriesOfBlock-1)/entriesOfBlock),
		slots:  newSlots(),
		groups: newGroups(),
	}
}

func (k *keys) sumOf(key Key) sum {
	return sum{maphash.Comparable(k.seeds[0], key), maphash.Comparable(k.seeds[1], key)}
}

func (k *keys) entry(at uint32) *entry {
	return &k.blocks[(at-1)/entriesOfBlock][(at-1)%entriesOfBlock]
}

// find returns the entry with a sum.
func (k *keys) find(s sum) uint32 {
	return k.slots.find(s.tag(), func(at uint32) bool { return k.entry(at).sum == s })
}

func (k *keys) place(at uint32) Place {
	e := k.entry(at)
	return Place{Serial: k.groups.all[e.group].serial, Seq: e.seq, Content: e.content}
}

// isFull reports whether the oldest entry, or what is left of it, must go before one of a
// group can be added.
func (k *keys) isFull(g group) bool {
	return k.blocks[k.next/entriesOfBlock] != nil && k.entry(uint32(k.next+1)).group != 0 || k.groups.isFull(g)
}

// removeOldest removes the oldest entry, and returns its group if there was one in its place.
func (k *keys) removeOldest() (g group, was bool) {
	if k.blocks[k.next/entriesOfBlock] != nil {
		at := uint32(k.next + 1)
		if e := k.entry(at); e.group != 0 {
			g, was = k.groups.all[e.group].group, true
			k.remove(at)
			return g, was
		}
	}
	k.advance() // to what is older than what comes now
	return g, false
}

func (k *keys) advance() {
	if k.next++; k.next == k.limit {
		k.next = 0
	}
}

func (k *keys) remove(at uint32) {
	e := k.entry(at)
	k.slots.remove(e.sum.tag(), at)
	k.groups.leave(e.group)
	*e = entry{}
}

// add adds an entry where isFull reports that there is room for it.
func (k *keys) add(s sum, g group, p Place) {
	if block := &k.blocks[k.next/entriesOfBlock]; *block == nil {
		*block = make([]entry, min(entriesOfBlock, k.limit-k.next/entriesOfBlock*entriesOfBlock))
	}
	at := uint32(k.next + 1)
	*k.entry(at) = entry{sum: s, content: p.Content, seq: p.Seq, group: k.groups.join(g)}
	k.slots.add(s.tag(), at)
	k.advance()
}

// group is what many entries have in common.
type group struct {
	serial, env uint32
	bucket      span.Bucket
}

// groups numbers groups, from 1, for as long as they have members.
type groups struct {
	all     []numbered
	free    []uint32 // numbers without members
	numbers map[group]uint32
	last    uint32 // whose member came last
}

type numbered struct {
	group
	members uint32
}

// mostGroups bounds what groups take, wherever the starts of spans lie.
const mostGroups = 1 << 16

func newGroups() groups { return groups{all: make([]numbered, 1), numbers: map[group]uint32{}} }

// isFull reports whether one must lose its last member before another can be joined.
func (x *groups) isFull(g group) bool {
	if len(x.numbers) < mostGroups {
		return false
	}
	_, known := x.numbers[g]
	return !known
}

// join adds a member to a group, and returns its number.
func (x *groups) join(g group) uint32 {
	n := x.last
	if at := &x.all[n]; at.group != g || at.members == 0 {
		n = x.number(g)
	}
	x.all[n].members++
	x.last = n
	return n
}

func (x *groups) number(g group) uint32 {
	n, known := x.numbers[g]
	switch {
	case known:
		return n
	case len(x.free) > 0:
		n = x.free[len(x.free)-1]
		x.free = x.free[:len(x.free)-1]
	default:
		n = uint32(len(x.all))
		x.all = append(x.all, numbered{})
	}
	x.all[n].group = g
	x.numbers[g] = n
	return n
}

func (x *groups) leave(n uint32) {
	at := &x.all[n]
	if at.members--; at.members == 0 {
		delete(x.numbers, at.group)
		x.free = append(x.free, n)
	}
}
