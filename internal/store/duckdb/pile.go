// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"container/heap"
	"slices"
)

// hint says that a span of a partition has, or had, an evaluation that is owed
// and due then. Hints may be out of date and may repeat; only the tables tell.
type hint struct {
	due  int64
	time int64 // when it was deferred first
	seq  int64
}

func (h hint) compare(o hint) int {
	return cmp.Or(cmp.Compare(h.due, o.due), cmp.Compare(h.seq, o.seq))
}

// hintHeap implements heap.Interface, what is due first on top.
type hintHeap []hint

func (h hintHeap) Len() int           { return len(h) }
func (h hintHeap) Less(i, j int) bool { return h[i].compare(h[j]) < 0 }
func (h hintHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *hintHeap) Push(x any) { *h = append(*h, x.(hint)) } //nolint:forcetypeassert // ours

// Pop implements heap.Interface.
func (h *hintHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// pile is what is known, without looking, of what one partition owes: how much,
// and what is due first. It holds a bounded number of hints; what is due later
// than those is in the tables alone, and read when its time has come.
type pile struct {
	serial int64
	owed   int64 // evaluations
	limit  int
	hints  hintHeap
	// rest says that there may be more, all of it behind mark; none of that was
	// deferred before oldest, 0 while there is none.
	rest   bool
	mark   hint
	oldest int64
	// What comes while the tables are being read is not forgotten.
	loading  bool
	incoming []hint
}

// first gives what is due first, and whether that is yet to be read.
func (p *pile) first() (h hint, load, there bool) {
	if len(p.hints) > 0 {
		return p.hints[0], false, true
	}
	return p.mark, true, p.rest
}

func (p *pile) push(h hint) {
	switch {
	case p.loading:
		p.incoming = append(p.incoming, h)
		return
	case p.rest && h.compare(p.mark) > 0:
		p.oldest = earlier(p.oldest, h.time)
		return
	}
	heap.Push(&p.hints, h)
	if len(p.hints) > 2*p.limit {
		p.spill()
	}
}

// spill forgets the half that is due last.
func (p *pile) spill() {
	slices.SortFunc(p.hints, hint.compare) // which is a heap, too
	for _, h := range p.hints[p.limit:] {
		p.oldest = earlier(p.oldest, h.time)
	}
	p.rest, p.mark = true, p.hints[p.limit-1]
	p.hints = slices.Clone(p.hints[:p.limit])
}

// load takes in what the tables have behind mark: list, in order, and if there
// is more, when the oldest of that was deferred.
func (p *pile) load(list []hint, more bool, oldest int64) {
	p.loading = false
	p.hints = append(p.hints, list...)
	heap.Init(&p.hints)
	p.rest, p.oldest = more, oldest
	if more {
		p.mark = list[len(list)-1]
	}
	p.takeIncoming()
}

func (p *pile) takeIncoming() {
	p.loading = false
	list := p.incoming
	p.incoming = nil
	for _, h := range list {
		p.push(h)
	}
}

// waiting gives when the oldest was deferred of what is due by now; 0 if
// nothing is.
func (p *pile) waiting(now int64) int64 {
	var oldest int64
	for _, h := range p.hints {
		if h.due <= now {
			oldest = earlier(oldest, h.time)
		}
	}
	if p.rest && p.mark.due <= now {
		oldest = earlier(oldest, p.oldest)
	}
	return oldest
}

// earlier gives the earlier of two times of which either may be 0 for none.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
