// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/backlog"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// The clock is set forward and back while spans come, by an hour and by a day, and
// with it partitions end. What was accepted is there, once, with its pending evaluations, in
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
			require.Len(t, leased, len(sent), "no evaluation is pending twice")

			// At the latest when the longest retention of the class is over by the clock
			// that was furthest ahead, nothing is left on the disk.
			clk.pass(2000 * time.Hour)
			require.NoError(t, db.Expire(t.Context(), clk.now()))
			require.Empty(t, stored(t, db, env))
			require.Empty(t, files(t, cfg.Dir))
		})
	}
}

// A day passes, a week where TOUCHSTONE_SOAK_ROUNDS is set, while spans come every hour, of three retentions, their
// pending evaluations are done, and every day the process restarts. Each hour what is stored is what
// has not expired, once, and the disk has no more files than that needs.
func TestAWeekOfPartitions(t *testing.T) {
	t.Parallel()
	clk := newClock()
	cfg := Config{Dir: t.TempDir(), Now: clk.now}
	db := open(t, cfg)
	owed, err := backlog.Open(t.Context(), db, clk.now)
	require.NoError(t, err)
	kept := map[string]time.Duration{"day": 20 * time.Hour, "week": 100 * time.Hour, "month": 700 * time.Hour}
	sent := map[string][]time.Time{}
	done, hours := 0, 30
	if os.Getenv("TOUCHSTONE_SOAK_ROUNDS") != "" {
		hours = 7 * 24
	}
	for hour := range hours {
		if hour%24 == 23 {
			owed.Close()
			require.NoError(t, db.Close())
			db = open(t, cfg)
			owed, err = backlog.Open(t.Context(), db, clk.now)
			require.NoError(t, err)
		}
		var batch []store.Record
		for name, retention := range kept {
			for range 3 {
				r := numbered(testEnv(name, retention), len(sent[name]), clk.now())
				r.Evaluations = []eval.Evaluation{{SetupID: "s", Evaluator: "e", Status: eval.Deferred, Reason: eval.ReasonModel, Time: clk.Load(), Due: clk.Load()}}
				batch = append(batch, r)
				sent[name] = append(sent[name], clk.now())
			}
		}
		_, err := owed.Write(t.Context(), store.Batch{Records: batch})
		require.NoError(t, err)
		leased, err := owed.Lease(t.Context(), clk.now(), clk.now().Add(time.Minute), 100)
		require.NoError(t, err)
		for i := range leased {
			for k := range leased[i].Evaluations {
				e := &leased[i].Evaluations[k]
				e.Status, e.Reason, e.Time, e.Due = eval.Done, "", clk.Load(), 0
			}
		}
		require.NoError(t, owed.Complete(t.Context(), leased))
		done += len(leased)
		require.NoError(t, db.Expire(t.Context(), clk.now()))
		if hour%6 == 5 {
			for name, retention := range kept {
				want := 0
				for _, at := range sent[name] {
					if !at.Add(retention).Before(clk.now()) {
						want++
					}
				}
				require.Equal(t, want, len(stored(t, db, testEnv(name, retention))), "%s after %d hours", name, hour) //nolint:testifylint // a failure need not show them all
			}
		}
		clk.pass(time.Hour)
	}
	require.Equal(t, hours*9, done)
	require.LessOrEqual(t, len(files(t, cfg.Dir)), 3*80, "files of spans and their companions")
	owed.Close()
}
