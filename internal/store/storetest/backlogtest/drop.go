// SPDX-License-Identifier: Apache-2.0

package backlogtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// exerciseBacklogDrop drops an environment that has pending evaluations.
func exerciseBacklogDrop(t *testing.T, open Open) {
	gone, kept := storetest.Environment("gone"), storetest.Environment("kept")
	t.Run("ends pending evaluations, leased or not", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		for n := range 6 {
			b.write(storetest.Record(gone, storetest.Span(gone, n), storetest.Deferred("set_1", "tone", storetest.Epoch)))
		}
		held := b.lease(2)
		require.Len(t, held, 2)
		b.write(storetest.Record(kept, storetest.Span(kept, 1), storetest.Deferred("set_2", "tone", storetest.Epoch.Add(time.Second))))
		require.NoError(t, b.Delete(t.Context(), gone.ID, store.Part{Everything: true}))
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
		b := newFixture(t, open)
		b.write(storetest.Record(gone, storetest.Span(gone, 1), storetest.Deferred("set_1", "tone", storetest.Epoch)))
		held := b.lease(1)
		require.NoError(t, b.Delete(t.Context(), gone.ID, store.Part{Everything: true}))
		held[0].Evaluations[0] = storetest.Judged(held[0].Evaluations[0], storetest.Epoch)
		b.complete(held...)
		b.write(storetest.Record(gone, storetest.Span(gone, 2), storetest.Deferred("set_1", "tone", storetest.Epoch)), storetest.Record(kept, storetest.Span(kept, 1)))
		require.Empty(t, b.lease(10))
		for n := range 3 {
			require.Empty(t, b.evaluations(gone, storetest.Span(gone, n)))
		}
		require.Zero(t, b.stats())
		b.reopen()
		require.Zero(t, b.stats())
		require.NoError(t, b.Delete(t.Context(), gone.ID, store.Part{Everything: true}))
	})
}
