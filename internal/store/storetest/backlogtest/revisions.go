// SPDX-License-Identifier: Apache-2.0

package backlogtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// exerciseRevised completes evaluations of spans that were judged before.
func exerciseRevised(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	failedAt := func(at time.Time) eval.Evaluation {
		return eval.Evaluation{SetupID: "set_1", Evaluator: "tone", Status: eval.Failed, Reason: "it broke", Time: at.UnixNano()}
	}
	made := func(revision int64, v eval.Evaluation) eval.Evaluation {
		v.Revision = revision
		return v
	}
	t.Run("what failed and is tried again has a predecessor, attempts have none", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		x := storetest.Deferred("set_1", "tone", storetest.Epoch)
		b.write(storetest.Record(env, s, x))
		b.lease(1)
		x = storetest.PutOff(x, "down", storetest.Epoch)
		b.complete(storetest.Evaluated(env, s, x))
		b.lease(1)
		failed := failedAt(storetest.Epoch)
		for range 2 {
			b.complete(storetest.Evaluated(env, s, failed))
			require.Equal(t, []eval.Evaluation{failed}, storetest.RevisionsOf(t, b, env, s), "an attempt is no revision, and neither is the same said again")
		}
		again := storetest.Deferred("set_1", "tone", storetest.Epoch)
		for range 2 {
			b.complete(storetest.Evaluated(env, s, again))
			require.Equal(t, []eval.Evaluation{failed, made(1, again)}, storetest.RevisionsOf(t, b, env, s))
			b.reopen()
		}
		require.Equal(t, []store.Evaluated{storetest.Owed(env, s, made(1, again))}, b.lease(1))
		late := storetest.PutOff(again, "down again", storetest.Epoch.Add(time.Second))
		b.complete(storetest.Evaluated(env, s, late))
		require.Equal(t, []eval.Evaluation{failed, made(1, late)}, storetest.RevisionsOf(t, b, env, s))
		b.pass(time.Hour)
		for range 2 {
			done := storetest.Judged(late, storetest.Epoch.Add(time.Hour))
			b.complete(storetest.Evaluated(env, s, made(7, done)))
			require.Equal(t, []eval.Evaluation{made(1, done)}, b.evaluations(env, s), "whatever the caller calls it")
			require.Equal(t, []eval.Evaluation{failed, made(1, done)}, storetest.RevisionsOf(t, b, env, s))
		}
		require.Zero(t, b.stats())
	})
	t.Run("every failure is one", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		b.write(storetest.Record(env, s, failedAt(storetest.Epoch)))
		var want []eval.Evaluation
		for i := range 3 {
			x := failedAt(storetest.Epoch.Add(time.Duration(i)))
			b.complete(storetest.Evaluated(env, s, x))
			want = append(want, made(int64(i), x))
			require.Equal(t, want, storetest.RevisionsOf(t, b, env, s))
			require.Equal(t, want[i:], b.evaluations(env, s))
		}
	})
	t.Run("what was skipped was not judged", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		skipped := eval.Evaluation{SetupID: "set_1", Evaluator: "tone", Status: eval.Skipped, Reason: eval.ReasonSampledOut, Time: 5}
		b.write(storetest.Record(env, s, skipped))
		b.complete(storetest.Evaluated(env, s, failedAt(storetest.Epoch)))
		require.Equal(t, []eval.Evaluation{failedAt(storetest.Epoch)}, storetest.RevisionsOf(t, b, env, s))
		b.complete(storetest.Evaluated(env, s, skipped))
		require.Equal(t, []eval.Evaluation{made(1, skipped), failedAt(storetest.Epoch)}, storetest.RevisionsOf(t, b, env, s))
	})
	t.Run("a verdict stays, but for another one of a later generation", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		of := func(generation, at int64, value string) eval.Evaluation {
			v := storetest.Verdict("set_1", "tone", at, "tone", value)
			v.Generation = generation
			return v
		}
		was := of(2, 10, "sad")
		b.write(storetest.Record(env, s, was), storetest.Record(env, storetest.Span(env, 2), of(0, 10, "sad")))
		failed, owes := failedAt(storetest.Epoch), storetest.Deferred("set_1", "tone", storetest.Epoch)
		failed.Generation, owes.Generation = 3, 3
		for name, v := range map[string]eval.Evaluation{
			"of the same generation": of(2, 20, "glad"), "of an earlier one": of(1, 20, "glad"), "of an unknown one": of(0, 20, "glad"),
			"the same verdict": of(3, 20, "sad"), "no verdict": failed, "none yet": owes, "tried": storetest.PutOff(owes, "down", storetest.Epoch),
		} {
			b.complete(storetest.Evaluated(env, s, v))
			require.Equal(t, []eval.Evaluation{was}, storetest.RevisionsOf(t, b, env, s), name)
		}
		require.Zero(t, b.stats(), "no work is made")
		for range 2 {
			b.complete(storetest.Evaluated(env, s, of(3, 20, "glad")), storetest.Evaluated(env, storetest.Span(env, 2), of(3, 20, "glad")))
			require.Equal(t, []eval.Evaluation{was, made(1, of(3, 20, "glad"))}, storetest.RevisionsOf(t, b, env, s))
			require.Equal(t, []eval.Evaluation{of(0, 10, "sad")}, b.evaluations(env, storetest.Span(env, 2)), "whose generation is not known")
			b.reopen()
		}
		other := of(4, 30, "glad")
		other.Version = "v2"
		b.complete(storetest.Evaluated(env, s, other))
		require.Equal(t, []eval.Evaluation{was, made(1, of(3, 20, "glad")), made(2, other)}, storetest.RevisionsOf(t, b, env, s))
	})
}
