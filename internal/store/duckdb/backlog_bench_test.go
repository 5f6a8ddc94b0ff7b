// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

// BenchmarkBacklog loads a store with spans on each of which one evaluation is
// pending, then measures what the backlog costs: idle leases, leases of a hundred,
// their completion, figures, and spans with the rest of their traces.
func BenchmarkBacklog(b *testing.B) {
	n := benchSpans(b)
	db, err := Open(b.Context(), Config{Dir: b.TempDir(), MinFreeBytes: -1})
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()
	src := newRecordSource(time.Duration(n)*300*time.Millisecond, n)
	for done := 0; done < n; done += 1000 {
		batch := src.batch(1000)
		for i := range batch {
			batch[i].Evaluations = append(batch[i].Evaluations, eval.Evaluation{
				SetupID: "set_1", Evaluator: "answer-relevancy", Status: eval.Deferred, Reason: eval.ReasonModel,
				Time: batch[i].Span.Start, Due: batch[i].Span.Start,
			})
		}
		require.NoError(b, storetest.Write(b.Context(), db, batch))
	}
	now := time.Now().Add(time.Hour)
	owed := backlogOf(b, db)
	require.EqualValues(b, n, owed.stats().Evaluations)
	env := src.Environments()[0]
	lease := func(b *testing.B, at time.Time, limit int) []store.Evaluated {
		b.Helper()
		list, err := owed.Lease(b.Context(), at, now.Add(time.Hour), limit)
		require.NoError(b, err)
		return list
	}

	b.Run("lease nothing", func(b *testing.B) {
		for b.Loop() {
			require.Empty(b, lease(b, time.Unix(0, 0), 100))
		}
	})
	b.Run("lease and release 100", func(b *testing.B) {
		cpu(b, 100, func() {
			list := lease(b, now, 100)
			require.Len(b, list, 100)
			require.NoError(b, owed.Release(b.Context(), list, time.Time{}))
		})
	})
	var keys []span.Key
	for _, siblings := range []int{0, 50} {
		b.Run("get 100 and siblings "+[]string{"0", "50"}[min(siblings, 1)], func(b *testing.B) {
			cpu(b, 100, func() {
				if len(keys) == 0 {
					list := lease(b, now, 1000)
					require.NoError(b, owed.Release(b.Context(), list, time.Time{}))
					for _, o := range list {
						if o.Environment == env.ID && len(keys) < 100 {
							keys = append(keys, o.Span)
						}
					}
				}
				list, err := db.Get(b.Context(), env, keys, siblings)
				require.NoError(b, err)
				require.GreaterOrEqual(b, len(list), 100)
			})
		})
	}
	b.Run("progress", func(b *testing.B) {
		cpu(b, 1, func() {
			p, err := store.ReadProgress(b.Context(), db, env)
			require.NoError(b, err)
			require.NotZero(b, p.OwedSpans)
		})
	})
	for _, size := range []int{100, 1000} {
		b.Run("lease and complete "+map[int]string{100: "100", 1000: "1000"}[size], func(b *testing.B) {
			cpu(b, size, func() {
				var batch []store.Evaluated
				for _, o := range lease(b, now, size) {
					for i, v := range o.Evaluations {
						v.Status, v.Reason, v.Due, v.Backend, v.Version = eval.Done, "", 0, eval.Judge, "v1"
						v.Outputs = []eval.Output{{Name: "score", Value: 0.5}, {Name: "reasoning", Value: "The answer is about the question."}}
						v.Usage = eval.Usage{PromptTokens: 500, CompletionTokens: 20, Cost: 0.001}
						v.Time = now.UnixNano()
						o.Evaluations[i] = v
					}
					batch = append(batch, o)
				}
				require.Len(b, batch, size)
				require.NoError(b, owed.Complete(b.Context(), batch))
			})
		})
	}
	b.Run("spent", func(b *testing.B) {
		cpu(b, 1, func() {
			sum, err := store.ReadSpent(b.Context(), db, env.ID, "set_1", now.Add(-time.Hour))
			require.NoError(b, err)
			require.NotZero(b, sum)
		})
	})
	b.Run("reopen", func(b *testing.B) {
		cpu(b, 1, func() {
			dir := db.cfg.Dir
			require.NoError(b, db.Close())
			db, err = Open(b.Context(), Config{Dir: dir, MinFreeBytes: -1})
			require.NoError(b, err)
			backlogOf(b, db)
		})
	})
}

// cpu runs f and reports the CPU time of each of its n pieces.
func cpu(b *testing.B, n int, f func()) {
	b.Helper()
	var times []time.Duration
	before := usage.CPUTime()
	for b.Loop() {
		began := time.Now()
		f()
		times = append(times, time.Since(began))
	}
	b.ReportMetric(float64((usage.CPUTime()-before).Nanoseconds())/1e3/float64(len(times)*n), "cpu-µs/each")
	slices.Sort(times)
	b.ReportMetric(ms(times[len(times)/2]), "p50-ms")
}
