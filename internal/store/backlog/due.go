// SPDX-License-Identifier: Apache-2.0

package backlog

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// keptDue is how many entries all indexes together keep at least, if as much is
// pending; they may have twice as many, of about 90 bytes each.
const keptDue = 8192

// dueIndex knows, without looking, what of an environment falls due first. It holds a bounded number
// of entries; what falls due later than those is in the engine alone, and read
// when its time has come. Entries may be out of date and may repeat.
type dueIndex struct {
	env     tenant.EnvironmentID
	limit   int
	entries dueHeap
	// rest says that there may be more, all of it behind mark; none of that was
	// deferred before oldest, 0 while there is none.
	rest   bool
	mark   store.Due
	oldest int64
	// What comes while the engine is being read is not forgotten.
	loading  bool
	incoming []store.Due
}

// newDueIndex returns an index that has all yet to be read.
func newDueIndex(limit int) dueIndex {
	return dueIndex{limit: limit, rest: true, mark: store.Due{At: math.MinInt64}}
}

func compareDue(a, b store.Due) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Ref, b.Ref))
}

// first returns what falls due first, and whether that is yet to be read.
func (x *dueIndex) first() (d store.Due, unread, there bool) {
	if len(x.entries) > 0 {
		return x.entries[0], false, true
	}
	return x.mark, true, x.rest
}

// pop takes the first entry.
func (x *dueIndex) pop() { heap.Pop(&x.entries) }

// push takes in an entry. Its place among those that fall due at one time is not
// known: where reading goes on within such a time, it is kept.
func (x *dueIndex) push(d store.Due) {
	switch {
	case x.loading:
		x.incoming = append(x.incoming, d)
		return
	case x.rest && (d.At > x.mark.At || d.At == x.mark.At && x.mark.Ref == 0):
		x.oldest = earlier(x.oldest, d.Since)
		return
	}
	heap.Push(&x.entries, d)
	if len(x.entries) > 2*x.limit {
		x.spill()
	}
}

// spill forgets the half that falls due last. Reading goes on with the first of
// that, and with all that falls due at its time.
func (x *dueIndex) spill() {
	slices.SortFunc(x.entries, compareDue) // which is a heap, too
	for _, d := range x.entries[x.limit:] {
		x.oldest = earlier(x.oldest, d.Since)
	}
	x.rest, x.mark = true, store.Due{At: x.entries[x.limit].At}
	x.entries = slices.Clone(x.entries[:x.limit])
}

// loaded takes in what the engine has behind mark.
func (x *dueIndex) loaded(page *store.OwedPage) {
	x.loading = false
	x.entries = append(x.entries, page.List...)
	heap.Init(&x.entries)
	x.rest, x.oldest = page.More, page.Oldest
	if page.More {
		x.mark = page.Last
	}
	x.takeIncoming()
}

func (x *dueIndex) takeIncoming() {
	x.loading = false
	list := x.incoming
	x.incoming = nil
	for _, d := range list {
		x.push(d)
	}
}

// waiting returns when the oldest was deferred of what is due by now; 0 if
// nothing is.
func (x *dueIndex) waiting(now int64) int64 {
	var oldest int64
	for i := range x.entries {
		if x.entries[i].At <= now {
			oldest = earlier(oldest, x.entries[i].Since)
		}
	}
	if x.rest && x.mark.At <= now {
		oldest = earlier(oldest, x.oldest)
	}
	return oldest
}

// earlier returns the earlier of two times of which either may be 0 for none.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// dueHeap implements heap.Interface, what falls due first on top.
type dueHeap []store.Due

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return compareDue(h[i], h[j]) < 0 }
func (h dueHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *dueHeap) Push(x any) { *h = append(*h, x.(store.Due)) } //nolint:forcetypeassert // ours

// Pop implements heap.Interface.
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
