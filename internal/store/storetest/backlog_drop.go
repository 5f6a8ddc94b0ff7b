// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// exerciseBacklogDrop drops an environment that is owed something.
func exerciseBacklogDrop(t *testing.T, open OpenBacklog) {
	gone, kept := environment("gone"), environment("kept")
	t.Run("ends what is owed, leased or not", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		for n := range 6 {
			b.write(record(gone, simple(gone, n), deferred("set_1", "tone", epoch)))
		}
		held := b.lease(2)
		require.Len(t, held, 2)
		b.write(record(kept, simple(kept, 1), deferred("set_2", "tone", epoch.Add(time.Second))))
		require.NoError(t, b.Drop(t.Context(), gone.ID))
		require.Equal(t, store.BacklogStats{Evaluations: 1}, b.stats())
		require.NoError(t, b.Release(t.Context(), held, time.Time{}))
		b.pass(time.Hour)
		list := b.lease(100)
		require.Len(t, list, 1)
		require.Equal(t, kept.ID, list[0].Environment)
		b.complete(list[0])
	})
	t.Run("passes over what comes late", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		b.write(record(gone, simple(gone, 1), deferred("set_1", "tone", epoch)))
		held := b.lease(1)
		require.NoError(t, b.Drop(t.Context(), gone.ID))
		held[0].Evaluations[0] = judged(held[0].Evaluations[0], epoch)
		b.complete(held...)
		b.write(record(gone, simple(gone, 2), deferred("set_1", "tone", epoch)), record(kept, simple(kept, 1)))
		require.Empty(t, b.lease(10))
		for n := range 3 {
			require.Empty(t, b.evaluations(gone, simple(gone, n)))
		}
		require.Zero(t, b.stats())
		b.reopen()
		require.Zero(t, b.stats())
		require.NoError(t, b.Drop(t.Context(), gone.ID))
	})
}
