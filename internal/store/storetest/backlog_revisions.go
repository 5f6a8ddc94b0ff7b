// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// exerciseRevised completes evaluations of spans that were judged before.
func exerciseRevised(t *testing.T, open OpenBacklog) {
	env := environment("prd")
	failedAt := func(at time.Time) eval.Evaluation {
		return eval.Evaluation{SetupID: "set_1", Evaluator: "tone", Status: eval.Failed, Reason: "it broke", Time: at.UnixNano()}
	}
	made := func(revision int64, v eval.Evaluation) eval.Evaluation {
		v.Revision = revision
		return v
	}
	t.Run("what failed and is tried again has a predecessor, attempts have none", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := rich(env, 1)
		x := deferred("set_1", "tone", epoch)
		b.write(record(env, s, x))
		b.lease(1)
		x = putOff(x, "down", epoch)
		b.complete(evaluated(env, s, x))
		b.lease(1)
		failed := failedAt(epoch)
		for range 2 {
			b.complete(evaluated(env, s, failed))
			require.Equal(t, []eval.Evaluation{failed}, revisionsOf(t, b, env, s), "an attempt is no revision, and neither is the same said again")
		}
		again := deferred("set_1", "tone", epoch)
		for range 2 {
			b.complete(evaluated(env, s, again))
			require.Equal(t, []eval.Evaluation{failed, made(1, again)}, revisionsOf(t, b, env, s))
			b.reopen()
		}
		require.Equal(t, []store.Evaluated{owed(env, s, made(1, again))}, b.lease(1))
		late := putOff(again, "down again", epoch.Add(time.Second))
		b.complete(evaluated(env, s, late))
		require.Equal(t, []eval.Evaluation{failed, made(1, late)}, revisionsOf(t, b, env, s))
		b.pass(time.Hour)
		for range 2 {
			done := judged(late, epoch.Add(time.Hour))
			b.complete(evaluated(env, s, made(7, done)))
			require.Equal(t, []eval.Evaluation{made(1, done)}, b.evaluations(env, s), "whatever the caller calls it")
			require.Equal(t, []eval.Evaluation{failed, made(1, done)}, revisionsOf(t, b, env, s))
		}
		require.Zero(t, b.stats())
	})
	t.Run("every failure is one", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := rich(env, 1)
		b.write(record(env, s, failedAt(epoch)))
		var want []eval.Evaluation
		for i := range 3 {
			x := failedAt(epoch.Add(time.Duration(i)))
			b.complete(evaluated(env, s, x))
			want = append(want, made(int64(i), x))
			require.Equal(t, want, revisionsOf(t, b, env, s))
			require.Equal(t, want[i:], b.evaluations(env, s))
		}
	})
	t.Run("what was skipped was not judged", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := rich(env, 1)
		skipped := eval.Evaluation{SetupID: "set_1", Evaluator: "tone", Status: eval.Skipped, Reason: eval.ReasonSampledOut, Time: 5}
		b.write(record(env, s, skipped))
		b.complete(evaluated(env, s, failedAt(epoch)))
		require.Equal(t, []eval.Evaluation{failedAt(epoch)}, revisionsOf(t, b, env, s))
		b.complete(evaluated(env, s, skipped))
		require.Equal(t, []eval.Evaluation{made(1, skipped), failedAt(epoch)}, revisionsOf(t, b, env, s))
	})
	t.Run("a verdict stays, but for another one of a later generation", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := rich(env, 1)
		of := func(generation, at int64, value string) eval.Evaluation {
			v := verdict("set_1", "tone", at, "tone", value)
			v.Generation = generation
			return v
		}
		was := of(2, 10, "sad")
		b.write(record(env, s, was), record(env, simple(env, 2), of(0, 10, "sad")))
		failed, owes := failedAt(epoch), deferred("set_1", "tone", epoch)
		failed.Generation, owes.Generation = 3, 3
		for name, v := range map[string]eval.Evaluation{
			"of the same generation": of(2, 20, "glad"), "of an earlier one": of(1, 20, "glad"), "of an unknown one": of(0, 20, "glad"),
			"the same verdict": of(3, 20, "sad"), "no verdict": failed, "none yet": owes, "tried": putOff(owes, "down", epoch),
		} {
			b.complete(evaluated(env, s, v))
			require.Equal(t, []eval.Evaluation{was}, revisionsOf(t, b, env, s), name)
		}
		require.Zero(t, b.stats(), "no work is made")
		for range 2 {
			b.complete(evaluated(env, s, of(3, 20, "glad")), evaluated(env, simple(env, 2), of(3, 20, "glad")))
			require.Equal(t, []eval.Evaluation{was, made(1, of(3, 20, "glad"))}, revisionsOf(t, b, env, s))
			require.Equal(t, []eval.Evaluation{of(0, 10, "sad")}, b.evaluations(env, simple(env, 2)), "whose generation is not known")
			b.reopen()
		}
		other := of(4, 30, "glad")
		other.Version = "v2"
		b.complete(evaluated(env, s, other))
		require.Equal(t, []eval.Evaluation{was, made(1, of(3, 20, "glad")), made(2, other)}, revisionsOf(t, b, env, s))
	})
}
