// SPDX-License-Identifier: Apache-2.0

package backlog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/fake"
)

// A lease lasts as long as it was meant to, whatever happens to the wall clock: what
// is leased is not given to another caller, and no lease is kept for longer.
func TestLeasesKnowNoStepsOfTheClock(t *testing.T) {
	t.Parallel()
	for _, step := range []time.Duration{time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour} {
		t.Run(step.String(), func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			now := begun
			e := fake.New(func() time.Time { return now })
			b, err := open(t.Context(), e, func() time.Time { return now }, keptDue)
			require.NoError(t, err)
			defer b.Close()
			env := storetest.Environment("prd")
			s := storetest.Span(env, 1)
			s.Start = begun.UnixNano()
			_, err = watched{Engine: e, backlog: b}.Write(t.Context(), store.Batch{Records: []store.Record{
				storetest.Record(env, s, storetest.Deferred("set_1", "tone", begun.Add(-48*time.Hour))),
			}})
			require.NoError(t, err)
			lease := func() []store.Evaluated {
				list, err := b.Lease(t.Context(), now, now.Add(time.Minute), 10)
				require.NoError(t, err)
				return list
			}
			require.Len(t, lease(), 1)
			now = storetest.Stepped(t, begun, step)
			require.Empty(t, lease(), "it is leased")
			now = now.Add(time.Minute - 1)
			require.Empty(t, lease())
			stats, err := b.Stats(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 1, stats.Leased)
			now = now.Add(1)
			again := lease()
			require.Len(t, again, 1, "its time is over")

			// Who gives it back for later is heard by the same clock.
			require.NoError(t, b.Release(t.Context(), again, now.Add(time.Second)))
			now = storetest.Stepped(t, now, -step)
			require.Empty(t, lease())
			now = now.Add(time.Second)
			require.Len(t, lease(), 1)
		})
	}
}
