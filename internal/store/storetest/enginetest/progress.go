// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// exerciseProgress asks for figures.
func exerciseProgress(t *testing.T, open Open) {
	env, other := storetest.Environment("prd"), storetest.Environment("stg")
	t.Run("tells how far evaluations got", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		progress := func() store.Progress {
			p, err := store.ReadProgress(t.Context(), b, env)
			require.NoError(t, err)
			return p
		}
		require.Zero(t, progress())
		b.write(storetest.Record(other, storetest.Span(other, 500), storetest.Verdict("set_9", "tone", storetest.Epoch.Add(time.Hour).UnixNano(), "x", "x"), storetest.Deferred("set_9", "tone2", storetest.Epoch.Add(-time.Hour))))
		require.Zero(t, progress())
		x := storetest.Deferred("set_1", "tone", storetest.Epoch)
		y := storetest.Deferred("set_1", "relevancy", storetest.Epoch.Add(-time.Second))
		y.Due = storetest.Epoch.Add(time.Hour).UnixNano()
		b.write(
			storetest.Record(env, storetest.Span(env, 3), x, y), storetest.Record(env, storetest.Span(env, 2), x, storetest.Verdict("set_1", "count", 7, "n", int64(1))),
			storetest.Record(env, storetest.Span(env, 1), storetest.Verdict("set_1", "count", 5, "n", int64(1))),
		)
		want := store.Progress{
			LatestSpan: storetest.Span(env, 3).Start, LatestEvaluation: 7,
			OldestOwed: y.Time, OwedEvaluations: 3, OwedSpans: 2,
		}
		for range 2 {
			require.Equal(t, want, progress())
			b.reopen()
		}
		failed := eval.Evaluation{SetupID: "set_1", Evaluator: "relevancy", Status: eval.Failed, Time: storetest.Epoch.Add(time.Minute).UnixNano()}
		b.complete(storetest.Evaluated(env, storetest.Span(env, 3), failed))
		want.LatestEvaluation, want.OldestOwed, want.OwedEvaluations = failed.Time, x.Time, 2
		require.Equal(t, want, progress())
		b.pass(30 * time.Hour)
		late := storetest.Span(env, 9)
		late.Start = b.now().UnixNano()
		b.write(storetest.Record(env, late))
		want.LatestSpan = late.Start
		require.Equal(t, want, progress())
		b.complete(storetest.Evaluated(env, storetest.Span(env, 1), storetest.Judged(x, b.now())))
		want.LatestEvaluation = b.now().UnixNano()
		for range 2 {
			require.Equal(t, want, progress())
			b.reopen()
		}
		b.complete(storetest.Evaluated(env, storetest.Span(env, 2), storetest.Judged(x, storetest.Epoch)), storetest.Evaluated(env, storetest.Span(env, 3), storetest.Judged(x, storetest.Epoch)))
		want.OldestOwed, want.OwedEvaluations, want.OwedSpans = 0, 0, 0
		require.Equal(t, want, progress())
		p, err := store.ReadProgress(t.Context(), b, other)
		require.NoError(t, err)
		require.Equal(t, store.Progress{
			LatestSpan: storetest.Span(other, 500).Start, LatestEvaluation: storetest.Epoch.Add(time.Hour).UnixNano(),
			OldestOwed: storetest.Epoch.Add(-time.Hour).UnixNano(), OwedEvaluations: 1, OwedSpans: 1,
		}, p)
	})
	t.Run("sums up costs of a setup", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		spent := func(setup string, since time.Time) float64 {
			sum, err := store.ReadSpent(t.Context(), b, env.ID, setup, since)
			require.NoError(t, err)
			each, err := store.ReadSpentEach(t.Context(), b, env.ID, []string{"set_0", setup}, since)
			require.NoError(t, err)
			require.InDelta(t, sum, each[setup], 1e-12)
			require.NotContains(t, each, "set_0")
			return sum
		}
		require.Zero(t, spent("set_1", storetest.Epoch))
		x, y := storetest.Deferred("set_1", "tone", storetest.Epoch), storetest.Deferred("set_1", "relevancy", storetest.Epoch)
		b.write(
			storetest.Record(env, storetest.Span(env, 1), x, y, storetest.Verdict("set_1", "count", storetest.Epoch.UnixNano(), "n", int64(1))), storetest.Record(env, storetest.Span(env, 2), x),
			storetest.Record(env, storetest.Span(env, 3), storetest.Judged(x, storetest.Epoch.Add(-1))), storetest.Record(other, storetest.Span(other, 1), storetest.Judged(x, storetest.Epoch)),
			storetest.Record(env, storetest.Span(env, 4), storetest.Judged(storetest.Deferred("set_2", "tone", storetest.Epoch), storetest.Epoch)),
		)
		require.Zero(t, spent("set_1", storetest.Epoch))
		require.InDelta(t, 0.25, spent("set_1", storetest.Epoch.Add(-1)), 0)
		b.complete(storetest.Evaluated(env, storetest.Span(env, 1), storetest.Judged(x, storetest.Epoch), storetest.PutOff(y, "no", storetest.Epoch)))
		require.InDelta(t, 0.375, spent("set_1", storetest.Epoch), 0, "a try costs whatever comes of it")
		require.InDelta(t, 0.125, spent("set_1", storetest.Epoch.Add(time.Hour)), 0)
		failed := storetest.PutOff(y, "no", storetest.Epoch)
		failed.Status, failed.Time, failed.Due = eval.Failed, storetest.Epoch.Add(time.Second).UnixNano(), 0
		b.complete(storetest.Evaluated(env, storetest.Span(env, 1), failed), storetest.Evaluated(env, storetest.Span(env, 2), storetest.Judged(x, storetest.Epoch.Add(time.Second))))
		for range 2 {
			require.InDelta(t, 0.625, spent("set_1", storetest.Epoch), 0)
			require.InDelta(t, 0.375, spent("set_1", storetest.Epoch.Add(1)), 0)
			require.InDelta(t, 0.875, spent("set_1", storetest.Epoch.Add(-time.Hour)), 0)
			require.Zero(t, spent("set_1", storetest.Epoch.Add(2*time.Second)))
			require.InDelta(t, 0.25, spent("set_2", storetest.Epoch), 0)
			require.Zero(t, spent("set_3' OR true --", storetest.Epoch))
			b.reopen()
		}
		// What is evaluated late, of spans that came long before, counts too.
		b.pass(50 * time.Hour)
		b.write(storetest.Record(env, storetest.Span(env, 5)))
		b.complete(storetest.Evaluated(env, storetest.Span(env, 4), storetest.Judged(y, b.now())))
		require.InDelta(t, 0.25, spent("set_1", b.now().Add(-time.Hour)), 0)
	})
	t.Run("tells what all setups come to", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		begin := storetest.Epoch.Add(-time.Hour)
		figures := func() map[string]*store.SetupFigures {
			list, err := store.ReadSetupFigures(t.Context(), b, env, begin.UnixNano(), begin.Add(2*time.Minute).UnixNano()-1, time.Minute, storetest.Epoch)
			require.NoError(t, err)
			for _, f := range list {
				slices.SortFunc(f.Steps, func(a, b store.SetupStep) int { return cmp.Compare(a.Time, b.Time) })
			}
			return list
		}
		require.Empty(t, figures())
		owed := storetest.Deferred("set_1", "tone", storetest.Epoch)
		older := storetest.Deferred("set_1", "relevancy", storetest.Epoch.Add(-time.Second))
		done := func(setup, slug string, at time.Time) eval.Evaluation {
			return storetest.Judged(storetest.Deferred(setup, slug, storetest.Epoch), at)
		}
		bad := func(e eval.Evaluation) eval.Evaluation {
			e.Outputs = []eval.Output{{Name: "score", Value: 0.5}, {Name: "is_valid", Value: true}, {Name: "has_pii", Value: true}}
			return e
		}
		failed := done("set_1", "relevancy", storetest.Epoch.Add(time.Second))
		failed.Status, failed.Reason, failed.Backend, failed.Outputs = eval.Failed, "no", "", nil
		b.write(
			storetest.Record(env, storetest.Span(env, 0), done("set_1", "tone", storetest.Epoch.Add(-1)), storetest.Deferred("set_1", "count", storetest.Epoch)),
			storetest.Record(env, storetest.Span(env, 59), owed, failed, bad(done("set_2", "tone", storetest.Epoch)), bad(done("set_2", "relevancy", storetest.Epoch))),
			storetest.Record(env, storetest.Span(env, 60), done("set_1", "tone", storetest.Epoch)),
			// Behind the period, and of another environment.
			storetest.Record(env, storetest.Span(env, 120), older, done("set_1", "tone", storetest.Epoch.Add(time.Minute)), done("set_3", "tone", storetest.Epoch.Add(-1))),
			storetest.Record(other, storetest.Span(other, 1), owed, done("set_1", "relevancy", storetest.Epoch)),
		)
		at := func(n int) int64 { return begin.Add(time.Duration(n) * time.Minute).UnixNano() }
		want := map[string]*store.SetupFigures{
			"set_1": {
				Steps: []store.SetupStep{{Time: at(0), Spans: 2, Cost: 0.5}, {Time: at(1), Spans: 1, Cost: 0.25}},
				Ended: map[eval.Status]store.SetupCount{
					eval.Done: {Evaluations: 2, Spans: 2}, eval.Failed: {Evaluations: 1, Spans: 1}, eval.Deferred: {Evaluations: 2, Spans: 2},
				},
				LastRun: failed.Time,
				Owed:    store.SetupCount{Evaluations: 3, Spans: 3}, OwedSince: older.Time,
				Spent: 0.75,
			},
			"set_2": {
				Steps: []store.SetupStep{{Time: at(0), Spans: 1, Cost: 0.5}}, Ended: map[eval.Status]store.SetupCount{eval.Done: {Evaluations: 2, Spans: 1}},
				LastRun: storetest.Epoch.UnixNano(), Against: 1, Spent: 0.5,
			},
		}
		for range 2 {
			require.Equal(t, want, figures())
			b.reopen()
		}
	})
}
