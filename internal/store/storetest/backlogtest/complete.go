// SPDX-License-Identifier: Apache-2.0

package backlogtest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// exerciseComplete stores what became of evaluations that were pending.
func exerciseComplete(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("replaces pending evaluations, however often it is called", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		x, y := storetest.Deferred("set_1", "tone", storetest.Epoch), storetest.Deferred("set_2", "tone", storetest.Epoch)
		b.write(storetest.Record(env, s, x, storetest.Verdict("set_1", "count", 1, "n", int64(1)), y))
		b.lease(1)
		want := []eval.Evaluation{storetest.Verdict("set_1", "count", 1, "n", int64(1)), y, storetest.Judged(x, storetest.Epoch.Add(time.Second))}
		for range 2 {
			b.complete(storetest.Evaluated(env, s, want[2]))
			require.Equal(t, want, b.evaluations(env, s))
			b.reopen()
			require.Equal(t, want, b.evaluations(env, s))
		}
		b.pass(time.Minute)
		require.Equal(t, []store.Evaluated{storetest.Owed(env, s, y)}, b.lease(10))
	})
	t.Run("leaves alone what is done", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		was := storetest.Verdict("set_1", "tone", 1, "tone", "sad")
		b.write(storetest.Record(env, s, was))
		other := storetest.Judged(was, storetest.Epoch)
		failed := was
		failed.Status, failed.Reason, failed.Outputs = eval.Failed, "no", nil
		for _, x := range []eval.Evaluation{other, failed, storetest.Deferred("set_1", "tone", storetest.Epoch)} {
			b.complete(storetest.Evaluated(env, s, x))
			require.Equal(t, []eval.Evaluation{was}, b.evaluations(env, s))
		}
		require.Empty(t, b.lease(1))
		require.Zero(t, b.stats())
	})
	t.Run("replaces what failed or was skipped", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		skipped := eval.Evaluation{SetupID: "set_1", Evaluator: "tone", Status: eval.Skipped, Reason: eval.ReasonSampledOut, Time: 5}
		failed := eval.Evaluation{SetupID: "set_1", Evaluator: "relevancy", Status: eval.Failed, Reason: "garbage", Time: 6}
		b.write(storetest.Record(env, s, skipped, failed))
		b.complete(storetest.Evaluated(env, s, storetest.Judged(skipped, storetest.Epoch)))
		require.Equal(t, []eval.Evaluation{failed, storetest.Judged(skipped, storetest.Epoch)}, b.evaluations(env, s))
		again := storetest.Deferred("set_1", "relevancy", storetest.Epoch)
		b.complete(storetest.Evaluated(env, s, again))
		again.Revision = 1
		require.Equal(t, []store.Evaluated{storetest.Owed(env, s, again)}, b.lease(10))
		b.complete(storetest.Evaluated(env, s, failed))
		failed.Revision = 1
		require.Equal(t, []eval.Evaluation{failed, storetest.Judged(skipped, storetest.Epoch)}, b.evaluations(env, s))
		require.Zero(t, b.stats())
	})
	t.Run("adds what is not there, long after", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		b.write(storetest.Record(env, s, storetest.Verdict("set_1", "count", 1, "n", int64(1))))
		for i := range 3 {
			b.pass(50 * time.Hour)
			b.reopen()
			b.write(storetest.Record(env, storetest.Span(env, 2+i)))
		}
		x, y := storetest.Deferred("set_2", "tone", b.now()), storetest.Judged(storetest.Deferred("set_2", "relevancy", storetest.Epoch), b.now())
		b.complete(storetest.Evaluated(env, s, x, y), storetest.Evaluated(env, storetest.Span(env, 3), y))
		require.ElementsMatch(t, []eval.Evaluation{storetest.Verdict("set_1", "count", 1, "n", int64(1)), x, y}, b.evaluations(env, s), "of which two were made at one time")
		b.reopen()
		require.Equal(t, []store.Evaluated{storetest.Owed(env, s, x)}, b.lease(10))
		b.complete(storetest.Evaluated(env, s, storetest.Judged(x, b.now().Add(1))))
		require.Equal(t, []eval.Evaluation{storetest.Verdict("set_1", "count", 1, "n", int64(1)), y, storetest.Judged(x, b.now().Add(1))}, b.evaluations(env, s))
		require.Equal(t, []eval.Evaluation{y}, b.evaluations(env, storetest.Span(env, 3)))
	})
	t.Run("passes over spans that are not there", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		x := storetest.Judged(storetest.Deferred("set_1", "tone", storetest.Epoch), storetest.Epoch)
		b.complete(storetest.Evaluated(env, storetest.Span(env, 1), x))
		b.write(storetest.Record(env, storetest.Span(env, 1)))
		b.complete(
			storetest.Evaluated(env, storetest.Span(env, 2), x), storetest.Evaluated(storetest.Environment("none"), storetest.Span(env, 1), x),
			storetest.Evaluated(env, storetest.Span(env, 1), x), storetest.Evaluated(env, span.Span{}, x),
		)
		require.Equal(t, []eval.Evaluation{x}, b.evaluations(env, storetest.Span(env, 1)))
		b.write(storetest.Record(env, storetest.Span(env, 2)))
		require.Empty(t, b.evaluations(env, storetest.Span(env, 2)))
		require.NoError(t, b.Complete(t.Context(), nil))
	})
	t.Run("puts off what is to be tried again", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		x := storetest.Deferred("set_1", "tone", storetest.Epoch)
		b.write(storetest.Record(env, s, x))
		for i := range 3 {
			require.Equal(t, []store.Evaluated{storetest.Owed(env, s, x)}, b.lease(1))
			x = storetest.PutOff(x, "the model's answer was \"\x00\"", b.now().Add(10*time.Second))
			b.complete(storetest.Evaluated(env, s, x))
			require.Equal(t, []eval.Evaluation{x}, b.evaluations(env, s))
			require.Equal(t, i+1, x.Attempts)
			require.Empty(t, b.lease(1))
			b.pass(10*time.Second - 1)
			require.Empty(t, b.lease(1))
			b.pass(1)
		}
		require.Len(t, b.lease(1), 1)
	})
	t.Run("leaves alone what is deferred if it would be deferred again", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		x := storetest.PutOff(storetest.Deferred("set_1", "tone", storetest.Epoch), "down", storetest.Epoch.Add(time.Hour))
		b.write(storetest.Record(env, s, x))
		for _, reason := range []string{eval.ReasonModel, eval.ReasonTrace, eval.ReasonOverBudget} {
			anew := storetest.Deferred("set_1", "tone", storetest.Epoch.Add(time.Minute))
			anew.Reason = reason
			b.complete(storetest.Evaluated(env, s, anew))
			got := b.evaluations(env, s)
			require.Equal(t, []eval.Evaluation{x}, got)
			require.Equal(t, int64(1), b.stats().Evaluations)
		}
		poor := storetest.Deferred("set_1", "tone", storetest.Epoch)
		poor.Reason, poor.Due = eval.ReasonCost, storetest.Epoch.Add(24*time.Hour).UnixNano()
		b.complete(storetest.Evaluated(env, s, poor))
		got := b.evaluations(env, s)
		require.Equal(t, []eval.Evaluation{poor}, got)
	})
	t.Run("ends the lease", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		x, y := storetest.Deferred("set_1", "tone", storetest.Epoch), storetest.Deferred("set_1", "relevancy", storetest.Epoch)
		b.write(storetest.Record(env, s, x, y))
		for range 3 {
			require.Equal(t, x.Attempts, b.lease(1)[0].Evaluations[0].Attempts)
			x = storetest.PutOff(x, "again", storetest.Epoch)
			y = storetest.PutOff(y, "again", storetest.Epoch)
			b.complete(storetest.Evaluated(env, s, x), storetest.Evaluated(env, s, y))
		}
		leased := b.lease(1)
		require.Len(t, leased, 1)
		require.ElementsMatch(t, []eval.Evaluation{x, y}, leased[0].Evaluations, "which were made at one time")
		b.complete(storetest.Evaluated(env, s, x))
		require.Equal(t, []store.Evaluated{storetest.Owed(env, s, x)}, b.lease(1), "the other is leased still")
	})
	t.Run("takes the last of a pair in a call, unless one is done", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s, other := storetest.Span(env, 1), storetest.Span(env, 2)
		x := storetest.Deferred("set_1", "tone", storetest.Epoch)
		b.write(storetest.Record(env, s, x), storetest.Record(env, other))
		failed := x
		failed.Status, failed.Due = eval.Failed, 0
		done := storetest.Judged(x, storetest.Epoch)
		b.complete(storetest.Evaluated(env, s, storetest.PutOff(x, "a", storetest.Epoch), failed), storetest.Evaluated(env, other, done), storetest.Evaluated(env, other, failed))
		require.Equal(t, []eval.Evaluation{failed}, b.evaluations(env, s))
		require.Equal(t, []eval.Evaluation{done}, b.evaluations(env, other))
	})
	t.Run("of thousands at once", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		const spans = 3000
		var records []store.Record
		var made []store.Evaluated
		for i := range spans {
			x := storetest.Deferred("set_1", "tone", storetest.Epoch)
			records = append(records, storetest.Record(env, storetest.Span(env, i), x, storetest.Deferred("set_1", "relevancy", storetest.Epoch)))
			made = append(made, storetest.Evaluated(env, storetest.Span(env, i), storetest.Judged(x, storetest.Epoch)))
		}
		b.write(records...)
		b.complete(made...)
		require.EqualValues(t, spans, b.stats().Evaluations)
		for range 2 {
			counts, err := store.ReadEvaluationCounts(t.Context(), b, env, "set_1")
			require.NoError(t, err)
			require.Equal(t, []int64{spans, spans}, []int64{counts[0].Count, counts[1].Count})
			for i := 0; i < spans; i += 997 {
				require.Len(t, b.evaluations(env, storetest.Span(env, i)), 2)
			}
			b.reopen()
		}
		require.Len(t, b.lease(2*spans), spans)
	})
	t.Run("of one evaluation by many leaves one", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		x := storetest.Deferred("set_1", "tone", storetest.Epoch)
		b.write(storetest.Record(env, storetest.Span(env, 1), x), storetest.Record(env, storetest.Span(env, 2), x))
		var wg sync.WaitGroup
		errs := make(chan error, 60)
		for i := range 20 {
			wg.Go(func() {
				errs <- b.Complete(t.Context(), []store.Evaluated{storetest.Evaluated(env, storetest.Span(env, 1), storetest.Judged(x, storetest.Epoch))})
				errs <- b.Complete(t.Context(), []store.Evaluated{storetest.Evaluated(env, storetest.Span(env, 2), storetest.PutOff(x, "no", storetest.Epoch))})
				errs <- storetest.Write(t.Context(), b, []store.Record{storetest.Record(env, storetest.Span(env, 10+i), x)})
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
		require.Equal(t, []eval.Evaluation{storetest.Judged(x, storetest.Epoch)}, b.evaluations(env, storetest.Span(env, 1)))
		require.Equal(t, []eval.Evaluation{storetest.PutOff(x, "no", storetest.Epoch)}, b.evaluations(env, storetest.Span(env, 2)))
		require.EqualValues(t, 21, b.stats().Evaluations)
		require.Len(t, b.lease(100), 21)
	})
	t.Run("that was cancelled before it began does nothing", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		x := storetest.Deferred("set_1", "tone", storetest.Epoch)
		b.write(storetest.Record(env, storetest.Span(env, 1), x))
		require.ErrorIs(t, b.Complete(ctx, []store.Evaluated{storetest.Evaluated(env, storetest.Span(env, 1), storetest.Judged(x, storetest.Epoch))}), context.Canceled)
		require.Equal(t, []eval.Evaluation{x}, b.evaluations(env, storetest.Span(env, 1)))
	})
}
