// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/backlog"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// The clock is set forward and back while spans come, by an hour and by a day, and
// with it partitions end. What was taken is there, once, with what it is owed, in
// the process that went on and in the next one, and when its time has come its space
// is given back.
func TestTheClockIsSetWhileSpansCome(t *testing.T) {
	t.Parallel()
	for _, step := range []time.Duration{time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour} {
		t.Run(step.String(), func(t *testing.T) {
			t.Parallel()
			clk := newClock()
			begun := clk.now()
			cfg := Config{Dir: t.TempDir(), Now: clk.now}
			db := open(t, cfg)
			env := testEnv("prd", 100*time.Hour)
			var sent []store.Record
			send := func() {
				t.Helper()
				for range 20 {
					// Who sends has a clock of its own, which is right.
					r := numbered(env, len(sent)+1, begun)
					r.Evaluations = []eval.Evaluation{{SetupID: "s", Evaluator: "e", Status: eval.Deferred, Reason: eval.ReasonModel, Time: begun.UnixNano(), Due: begun.UnixNano()}}
					sent = append(sent, r)
				}
				require.NoError(t, storetest.Write(t.Context(), db, sent), "all that was sent before comes again")
				require.NoError(t, db.Expire(t.Context(), clk.now()))
				require.Len(t, stored(t, db, env), len(sent))
			}
			for _, d := range []time.Duration{0, step, 10 * time.Minute, -step, time.Minute, step, -step, -step, step} {
				clk.pass(d)
				send()
			}
			require.NoError(t, db.Close())
			db = open(t, cfg)
			send()

			owed, err := backlog.Open(t.Context(), db, clk.now)
			require.NoError(t, err)
			defer owed.Close()
			now := begun.Add(48 * time.Hour)
			leased, err := owed.Lease(t.Context(), now, now.Add(time.Minute), 10*len(sent))
			require.NoError(t, err)
			seen := map[int]int{}
			for i := range leased {
				require.Len(t, leased[i].Evaluations, 1)
				for j := range sent {
					if storetest.KeyOf(sent[j].Span) == leased[i].Span {
						seen[j]++
					}
				}
			}
			require.Len(t, seen, len(sent))
			require.Len(t, leased, len(sent), "no evaluation is owed twice")

			// At the latest when the longest retention of the class is over by the clock
			// that was furthest ahead, nothing is left on the disk.
			clk.pass(2000 * time.Hour)
			require.NoError(t, db.Expire(t.Context(), clk.now()))
			require.Empty(t, stored(t, db, env))
			require.Empty(t, files(t, cfg.Dir))
		})
	}
}
