// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPileHoldsABoundedNumber pushes and takes at random and expects everything
// in order, the piles never being larger than they may, and what came while
// the tables were read not lost.
func TestPileHoldsABoundedNumber(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		p := &pile{limit: 1 + r.IntN(10)}
		var table []hint // all that is owed, sorted
		add := func() hint {
			h := hint{due: int64(r.IntN(20)), seq: int64(r.IntN(1000)), time: int64(1 + r.IntN(50))}
			if i, there := slices.BinarySearchFunc(table, h, hint.compare); !there {
				table = slices.Insert(table, i, h)
			}
			return h
		}
		load := func() {
			p.loading = true
			i, there := slices.BinarySearchFunc(table, p.mark, hint.compare)
			if there {
				i++
			}
			behind := slices.Clone(table[i:])
			for range r.IntN(3) {
				p.push(add())
			}
			if r.IntN(3) == 0 { // the tables could not be read
				p.takeIncoming()
				return
			}
			n := min(p.limit, len(behind))
			var oldest int64
			for _, h := range behind[n:] {
				oldest = earlier(oldest, h.time)
			}
			p.load(behind[:n], n == p.limit, oldest)
		}
		take := func() bool {
			h, unread, there := p.first()
			switch {
			case !there:
				return false
			case unread:
				load()
				return true
			}
			heap.Pop(&p.hints)
			if i, there := slices.BinarySearchFunc(table, h, hint.compare); there {
				require.Zero(t, i, "first is what is due first")
				table = slices.Delete(table, 0, 1)
			}
			return true
		}
		for range 300 {
			if r.IntN(5) < 3 {
				p.push(add())
			} else {
				take()
			}
			require.LessOrEqual(t, len(p.hints), 2*p.limit)
			if len(table) > 0 {
				require.NotZero(t, p.waiting(100))
			}
		}
		for more := true; more; {
			more = take()
		}
		require.Empty(t, table)
		require.Zero(t, p.waiting(100))
	}
}
