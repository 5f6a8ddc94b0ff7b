// SPDX-License-Identifier: Apache-2.0

package backlogtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// exerciseStats asks for all pending evaluations.
func exerciseStats(t *testing.T, open Open) {
	env, other := storetest.Environment("prd"), storetest.Environment("stg")
	t.Run("tells what is pending in all", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		require.Zero(t, b.stats())
		x, later := storetest.Deferred("set_1", "tone", storetest.Epoch), storetest.Deferred("set_1", "relevancy", storetest.Epoch.Add(-time.Hour))
		later.Due = storetest.Epoch.Add(time.Hour).UnixNano()
		b.write(storetest.Record(env, storetest.Span(env, 1), x, later), storetest.Record(other, storetest.Span(other, 2), storetest.Deferred("set_2", "tone", storetest.Epoch.Add(-1))))
		for range 2 {
			require.Equal(t, store.BacklogStats{Evaluations: 3, OldestOwed: storetest.Epoch.UnixNano() - 1}, b.stats())
			b.reopen()
		}
		require.Len(t, b.lease(1), 1)
		require.Equal(t, store.BacklogStats{Evaluations: 3, Leased: 1, OldestOwed: storetest.Epoch.UnixNano() - 1}, b.stats())
		require.Len(t, b.lease(1), 1)
		b.complete(storetest.Evaluated(other, storetest.Span(other, 2), storetest.Judged(storetest.Deferred("set_2", "tone", storetest.Epoch), storetest.Epoch)))
		require.Equal(t, store.BacklogStats{Evaluations: 2, Leased: 1, OldestOwed: storetest.Epoch.UnixNano()}, b.stats())
		b.complete(storetest.Evaluated(env, storetest.Span(env, 1), storetest.Judged(x, storetest.Epoch)))
		require.Equal(t, store.BacklogStats{Evaluations: 1}, b.stats())
		b.pass(time.Hour)
		require.Equal(t, store.BacklogStats{Evaluations: 1, OldestOwed: later.Time}, b.stats())
	})
	t.Run("says that something is pending and due, once for all that is stored", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		added := func() bool {
			select {
			case <-b.Added():
				return true
			default:
				return false
			}
		}
		now := storetest.Deferred("set_1", "tone", storetest.Epoch)
		later := now
		later.Due = storetest.Epoch.Add(time.Hour).UnixNano()
		b.write(storetest.Record(env, storetest.Span(env, 1)))
		b.write(storetest.Record(env, storetest.Span(env, 2), storetest.Judged(now, storetest.Epoch)))
		b.write(storetest.Record(env, storetest.Span(env, 3), later))
		require.False(t, added(), "nothing is due")
		b.write(storetest.Record(env, storetest.Span(env, 4), later, now))
		b.write(storetest.Record(other, storetest.Span(other, 5), now))
		require.True(t, added())
		require.False(t, added())
		_, err := b.Write(t.Context(), store.Batch{Evaluations: []store.Evaluated{storetest.Evaluated(env, storetest.Span(env, 1), now)}})
		require.NoError(t, err)
		require.True(t, added(), "of a stored span, too")
	})
}
