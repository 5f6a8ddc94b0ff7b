// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// exerciseStats asks what is owed in all.
func exerciseStats(t *testing.T, open OpenBacklog) {
	env, other := environment("prd"), environment("stg")
	t.Run("tells what is owed in all", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		require.Zero(t, b.stats())
		x, later := deferred("set_1", "tone", epoch), deferred("set_1", "relevancy", epoch.Add(-time.Hour))
		later.Due = epoch.Add(time.Hour).UnixNano()
		b.write(record(env, simple(env, 1), x, later), record(other, simple(other, 2), deferred("set_2", "tone", epoch.Add(-1))))
		for range 2 {
			require.Equal(t, store.BacklogStats{Evaluations: 3, OldestOwed: epoch.UnixNano() - 1}, b.stats())
			b.reopen()
		}
		require.Len(t, b.lease(1), 1)
		require.Equal(t, store.BacklogStats{Evaluations: 3, Leased: 1, OldestOwed: epoch.UnixNano() - 1}, b.stats())
		require.Len(t, b.lease(1), 1)
		b.complete(evaluated(other, simple(other, 2), judged(deferred("set_2", "tone", epoch), epoch)))
		require.Equal(t, store.BacklogStats{Evaluations: 2, Leased: 1, OldestOwed: epoch.UnixNano()}, b.stats())
		b.complete(evaluated(env, simple(env, 1), judged(x, epoch)))
		require.Equal(t, store.BacklogStats{Evaluations: 1}, b.stats())
		b.pass(time.Hour)
		require.Equal(t, store.BacklogStats{Evaluations: 1, OldestOwed: later.Time}, b.stats())
	})
}
