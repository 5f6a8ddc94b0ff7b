// SPDX-License-Identifier: Apache-2.0

package backlog

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// TestTheIndexHoldsABoundedNumber pushes and takes at random and expects everything
// in order, the index never being larger than it may, and what came while the
// engine was read not lost. Entries are pushed without their place among those of
// one time, as they are when they are written.
func TestTheIndexHoldsABoundedNumber(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		x := newDueIndex(1 + r.IntN(10))
		var table []store.Due // all that is pending, sorted
		ref := uint64(0)
		add := func() store.Due {
			ref++
			d := store.Due{At: int64(r.IntN(20)), Ref: ref, Since: int64(1 + r.IntN(50))}
			d.Span.Start = int64(ref) // by which the test knows it
			i, _ := slices.BinarySearchFunc(table, d, compareDue)
			table = slices.Insert(table, i, d)
			d.Ref = 0
			return d
		}
		load := func() {
			x.loading = true
			i, there := slices.BinarySearchFunc(table, x.mark, compareDue)
			if there {
				i++
			}
			behind := slices.Clone(table[i:])
			for range r.IntN(3) {
				x.push(add())
			}
			if r.IntN(3) == 0 { // the engine could not be read
				x.takeIncoming()
				return
			}
			n := min(x.limit, len(behind))
			page := store.OwedPage{List: behind[:n], More: n == x.limit}
			if page.More {
				page.Last = behind[n-1]
			}
			for _, d := range behind[n:] {
				page.Oldest = earlier(page.Oldest, d.Since)
			}
			x.loaded(&page)
		}
		take := func() bool {
			d, unread, there := x.first()
			switch {
			case !there:
				return false
			case unread:
				load()
				return true
			}
			heap.Pop(&x.entries)
			i := slices.IndexFunc(table, func(o store.Due) bool { return o.Span.Start == d.Span.Start })
			if i >= 0 {
				require.Equal(t, table[0].At, d.At, "first is what falls due first")
				table = slices.Delete(table, i, i+1)
			}
			return true
		}
		for range 300 {
			if r.IntN(5) < 3 {
				x.push(add())
			} else {
				take()
			}
			require.LessOrEqual(t, len(x.entries), 2*x.limit)
			if len(table) > 0 {
				require.NotZero(t, x.waiting(100))
			}
		}
		for more := true; more; {
			more = take()
		}
		require.Empty(t, table)
		require.Zero(t, x.waiting(100))
	}
}
