// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// exerciseProgress asks for figures.
func exerciseProgress(t *testing.T, open OpenSpans) {
	env, other := environment("prd"), environment("stg")
	t.Run("tells how far evaluations got", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		progress := func() store.Progress {
			p, err := store.ReadProgress(t.Context(), b, env)
			require.NoError(t, err)
			return p
		}
		require.Zero(t, progress())
		b.write(record(other, simple(other, 500), verdict("set_9", "tone", epoch.Add(time.Hour).UnixNano(), "x", "x"), deferred("set_9", "tone2", epoch.Add(-time.Hour))))
		require.Zero(t, progress())
		x := deferred("set_1", "tone", epoch)
		y := deferred("set_1", "relevancy", epoch.Add(-time.Second))
		y.Due = epoch.Add(time.Hour).UnixNano()
		b.write(
			record(env, simple(env, 3), x, y), record(env, simple(env, 2), x, verdict("set_1", "count", 7, "n", int64(1))),
			record(env, simple(env, 1), verdict("set_1", "count", 5, "n", int64(1))),
		)
		want := store.Progress{
			LatestSpan: simple(env, 3).Start, LatestEvaluation: 7,
			OldestOwed: y.Time, OwedEvaluations: 3, OwedSpans: 2,
		}
		for range 2 {
			require.Equal(t, want, progress())
			b.reopen()
		}
		failed := eval.Evaluation{SetupID: "set_1", Evaluator: "relevancy", Status: eval.Failed, Time: epoch.Add(time.Minute).UnixNano()}
		b.settle(evaluated(env, simple(env, 3), failed))
		want.LatestEvaluation, want.OldestOwed, want.OwedEvaluations = failed.Time, x.Time, 2
		require.Equal(t, want, progress())
		b.pass(30 * time.Hour)
		late := simple(env, 9)
		late.Start = b.now().UnixNano()
		b.write(record(env, late))
		want.LatestSpan = late.Start
		require.Equal(t, want, progress())
		b.settle(evaluated(env, simple(env, 1), judged(x, b.now())))
		want.LatestEvaluation = b.now().UnixNano()
		for range 2 {
			require.Equal(t, want, progress())
			b.reopen()
		}
		b.settle(evaluated(env, simple(env, 2), judged(x, epoch)), evaluated(env, simple(env, 3), judged(x, epoch)))
		want.OldestOwed, want.OwedEvaluations, want.OwedSpans = 0, 0, 0
		require.Equal(t, want, progress())
		p, err := store.ReadProgress(t.Context(), b, other)
		require.NoError(t, err)
		require.Equal(t, store.Progress{
			LatestSpan: simple(other, 500).Start, LatestEvaluation: epoch.Add(time.Hour).UnixNano(),
			OldestOwed: epoch.Add(-time.Hour).UnixNano(), OwedEvaluations: 1, OwedSpans: 1,
		}, p)
	})
	t.Run("sums up costs of a setup", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		spent := func(setup string, since time.Time) float64 {
			sum, err := store.ReadSpent(t.Context(), b, env.ID, setup, since)
			require.NoError(t, err)
			return sum
		}
		require.Zero(t, spent("set_1", epoch))
		x, y := deferred("set_1", "tone", epoch), deferred("set_1", "relevancy", epoch)
		b.write(
			record(env, simple(env, 1), x, y, verdict("set_1", "count", epoch.UnixNano(), "n", int64(1))), record(env, simple(env, 2), x),
			record(env, simple(env, 3), judged(x, epoch.Add(-1))), record(other, simple(other, 1), judged(x, epoch)),
			record(env, simple(env, 4), judged(deferred("set_2", "tone", epoch), epoch)),
		)
		require.Zero(t, spent("set_1", epoch))
		require.InDelta(t, 0.25, spent("set_1", epoch.Add(-1)), 0)
		b.settle(evaluated(env, simple(env, 1), judged(x, epoch), putOff(y, "no", epoch)))
		require.InDelta(t, 0.375, spent("set_1", epoch), 0, "a try costs whatever comes of it")
		require.InDelta(t, 0.125, spent("set_1", epoch.Add(time.Hour)), 0)
		failed := putOff(y, "no", epoch)
		failed.Status, failed.Time, failed.Due = eval.Failed, epoch.Add(time.Second).UnixNano(), 0
		b.settle(evaluated(env, simple(env, 1), failed), evaluated(env, simple(env, 2), judged(x, epoch.Add(time.Second))))
		for range 2 {
			require.InDelta(t, 0.625, spent("set_1", epoch), 0)
			require.InDelta(t, 0.375, spent("set_1", epoch.Add(1)), 0)
			require.InDelta(t, 0.875, spent("set_1", epoch.Add(-time.Hour)), 0)
			require.Zero(t, spent("set_1", epoch.Add(2*time.Second)))
			require.InDelta(t, 0.25, spent("set_2", epoch), 0)
			require.Zero(t, spent("set_3' OR true --", epoch))
			b.reopen()
		}
		// What is evaluated late, of spans that came long before, counts too.
		b.pass(50 * time.Hour)
		b.write(record(env, simple(env, 5)))
		b.settle(evaluated(env, simple(env, 4), judged(y, b.now())))
		require.InDelta(t, 0.25, spent("set_1", b.now().Add(-time.Hour)), 0)
	})
}
