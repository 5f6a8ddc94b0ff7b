// SPDX-License-Identifier: Apache-2.0

package fair

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waits is how many wait in b.
func waits(b *Budget) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

func TestACallerHasAtMostHalfWhileOthersMayCome(t *testing.T) {
	t.Parallel()
	b := NewBudget(100, time.Millisecond, nil)
	one := b.Lease("acme")
	require.NoError(t, one.Grow(t.Context(), 90), "alone it may have all")
	other := b.Lease("acme")
	require.ErrorIs(t, other.Grow(t.Context(), 1), ErrFull)
	require.ErrorIs(t, other.Take(1), ErrFull)
	beside := b.Lease("globex")
	require.NoError(t, beside.Grow(t.Context(), 10))
	require.ErrorIs(t, beside.Grow(t.Context(), 1), ErrFull)
	one.Shrink(50)
	require.NoError(t, other.Grow(t.Context(), 10), "40 and 10 are half")
	require.ErrorIs(t, other.Grow(t.Context(), 1), ErrFull)
	for _, l := range []*Lease{one, other, beside} {
		l.Release()
	}
	require.Zero(t, b.InUse())
	require.Empty(t, b.callers)
}

func TestWhoHoldsLeastIsServedFirst(t *testing.T) {
	t.Parallel()
	b := NewBudget(100, time.Minute, nil)
	full := b.Lease("acme")
	require.NoError(t, full.Grow(t.Context(), 100))
	order := make(chan string, 2)
	var wg sync.WaitGroup
	for i, name := range []string{"acme", "globex"} {
		l := b.Lease(name)
		wg.Go(func() {
			if err := l.Grow(t.Context(), 40); err != nil {
				order <- err.Error()
				return
			}
			order <- name
			l.Release()
		})
		require.Eventually(t, func() bool { return waits(b) == i+1 }, time.Minute, time.Millisecond)
	}
	full.Shrink(45) // enough for one
	require.Equal(t, "globex", <-order, "it came later and holds nothing")
	full.Release()
	require.Equal(t, "acme", <-order)
	wg.Wait()
}

func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	b := NewBudget(10, time.Minute, nil)
	l := b.Lease("acme")
	require.NoError(t, l.Grow(t.Context(), 10))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, b.Lease("globex").Grow(ctx, 1), context.Canceled)
	require.Zero(t, waits(b))
}

// Many senders of several callers at once: what is held never exceeds the
// total, each gets on, and in the end nothing is held.
func TestBudgetUnderLoad(t *testing.T) {
	t.Parallel()
	const total = 1000
	b := NewBudget(total, time.Minute, nil)
	var most atomic.Int64
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			for round := range 200 {
				l := b.Lease(string(rune('a' + i%4)))
				for _, n := range []int64{int64(1 + (i+round)%50), 60} {
					if err := l.Grow(t.Context(), n); err != nil {
						t.Error(err)
					}
					most.Store(max(most.Load(), b.InUse()))
				}
				l.Release()
			}
		})
	}
	wg.Wait()
	require.LessOrEqual(t, most.Load(), int64(total))
	require.Zero(t, b.InUse())
	require.Empty(t, b.callers)
}

func TestTheBudgetReportsWhatIsUsed(t *testing.T) {
	t.Parallel()
	var most int64
	b := NewBudget(1000, time.Second, func(held, total int64) {
		require.EqualValues(t, 1000, total)
		most = max(most, held)
	})
	l := b.Lease("acme")
	require.NoError(t, l.Grow(t.Context(), 300))
	require.NoError(t, l.Take(100))
	l.Release()
	require.EqualValues(t, 400, most)
}

// Requests of one kind leave the rest of the budget to others, whatever their environment.
func TestAPartLeavesTheRestToOthers(t *testing.T) {
	t.Parallel()
	b := NewBudget(100, time.Millisecond, nil)
	p := b.Part(60)
	one, two := p.Lease("acme"), p.Lease("globex")
	require.NoError(t, one.Grow(t.Context(), 40))
	require.NoError(t, two.Grow(t.Context(), 20))
	require.ErrorIs(t, two.Grow(t.Context(), 1), ErrFull)
	require.ErrorIs(t, two.Take(1), ErrFull)
	other := b.Lease("initech")
	require.NoError(t, other.Grow(t.Context(), 40))
	require.EqualValues(t, 60, p.InUse())
	require.EqualValues(t, 100, b.InUse())
	one.Release()
	require.NoError(t, two.Grow(t.Context(), 40))
	two.Release()
	other.Release()
	require.Zero(t, p.InUse())
	require.Zero(t, b.InUse())
}
