// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// exerciseComplete stores what became of what was owed.
func exerciseComplete(t *testing.T, open OpenBacklog) {
	env := environment("prd")
	t.Run("replaces what is owed, however often it is called", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := rich(env, 1)
		x, y := deferred("set_1", "tone", epoch), deferred("set_2", "tone", epoch)
		b.write(record(env, s, x, verdict("set_1", "count", 1, "n", int64(1)), y))
		b.lease(1)
		want := []eval.Evaluation{verdict("set_1", "count", 1, "n", int64(1)), y, judged(x, epoch.Add(time.Second))}
		for range 2 {
			b.complete(evaluated(env, s, want[2]))
			require.Equal(t, want, b.evaluations(env, s))
			b.reopen()
			require.Equal(t, want, b.evaluations(env, s))
		}
		b.pass(time.Minute)
		require.Equal(t, []store.Evaluated{owed(env, s, y)}, b.lease(10))
	})
	t.Run("leaves alone what is done", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := simple(env, 1)
		was := verdict("set_1", "tone", 1, "tone", "sad")
		b.write(record(env, s, was))
		other := judged(was, epoch)
		failed := was
		failed.Status, failed.Reason, failed.Outputs = eval.Failed, "no", nil
		for _, x := range []eval.Evaluation{other, failed, deferred("set_1", "tone", epoch)} {
			b.complete(evaluated(env, s, x))
			require.Equal(t, []eval.Evaluation{was}, b.evaluations(env, s))
		}
		require.Empty(t, b.lease(1))
		require.Zero(t, b.stats())
	})
	t.Run("replaces what failed or was skipped", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := simple(env, 1)
		skipped := eval.Evaluation{SetupID: "set_1", Evaluator: "tone", Status: eval.Skipped, Reason: eval.ReasonSampledOut, Time: 5}
		failed := eval.Evaluation{SetupID: "set_1", Evaluator: "relevancy", Status: eval.Failed, Reason: "garbage", Time: 6}
		b.write(record(env, s, skipped, failed))
		b.complete(evaluated(env, s, judged(skipped, epoch)))
		require.Equal(t, []eval.Evaluation{failed, judged(skipped, epoch)}, b.evaluations(env, s))
		again := deferred("set_1", "relevancy", epoch)
		b.complete(evaluated(env, s, again))
		again.Revision = 1
		require.Equal(t, []store.Evaluated{owed(env, s, again)}, b.lease(10))
		b.complete(evaluated(env, s, failed))
		failed.Revision = 1
		require.Equal(t, []eval.Evaluation{failed, judged(skipped, epoch)}, b.evaluations(env, s))
		require.Zero(t, b.stats())
	})
	t.Run("adds what is not there, long after", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := rich(env, 1)
		b.write(record(env, s, verdict("set_1", "count", 1, "n", int64(1))))
		for i := range 3 {
			b.pass(50 * time.Hour)
			b.reopen()
			b.write(record(env, simple(env, 2+i)))
		}
		x, y := deferred("set_2", "tone", b.now()), judged(deferred("set_2", "relevancy", epoch), b.now())
		b.complete(evaluated(env, s, x, y), evaluated(env, simple(env, 3), y))
		require.Equal(t, []eval.Evaluation{verdict("set_1", "count", 1, "n", int64(1)), x, y}, b.evaluations(env, s))
		b.reopen()
		require.Equal(t, []store.Evaluated{owed(env, s, x)}, b.lease(10))
		b.complete(evaluated(env, s, judged(x, b.now().Add(1))))
		require.Equal(t, []eval.Evaluation{verdict("set_1", "count", 1, "n", int64(1)), y, judged(x, b.now().Add(1))}, b.evaluations(env, s))
		require.Equal(t, []eval.Evaluation{y}, b.evaluations(env, simple(env, 3)))
	})
	t.Run("passes over spans that are not there", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		x := judged(deferred("set_1", "tone", epoch), epoch)
		b.complete(evaluated(env, simple(env, 1), x))
		b.write(record(env, simple(env, 1)))
		b.complete(
			evaluated(env, simple(env, 2), x), evaluated(environment("none"), simple(env, 1), x),
			evaluated(env, simple(env, 1), x), evaluated(env, span.Span{}, x),
		)
		require.Equal(t, []eval.Evaluation{x}, b.evaluations(env, simple(env, 1)))
		b.write(record(env, simple(env, 2)))
		require.Empty(t, b.evaluations(env, simple(env, 2)))
		require.NoError(t, b.Complete(t.Context(), nil))
	})
	t.Run("puts off what is to be tried again", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := simple(env, 1)
		x := deferred("set_1", "tone", epoch)
		b.write(record(env, s, x))
		for i := range 3 {
			require.Equal(t, []store.Evaluated{owed(env, s, x)}, b.lease(1))
			x = putOff(x, "the model's answer was \"\x00\"", b.now().Add(10*time.Second))
			b.complete(evaluated(env, s, x))
			require.Equal(t, []eval.Evaluation{x}, b.evaluations(env, s))
			require.Equal(t, i+1, x.Attempts)
			require.Empty(t, b.lease(1))
			b.pass(10*time.Second - 1)
			require.Empty(t, b.lease(1))
			b.pass(1)
		}
		require.Len(t, b.lease(1), 1)
	})
	t.Run("leaves alone what is deferred if it would be deferred anew", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := simple(env, 1)
		x := putOff(deferred("set_1", "tone", epoch), "down", epoch.Add(time.Hour))
		b.write(record(env, s, x))
		for _, reason := range []string{eval.ReasonModel, eval.ReasonTrace, eval.ReasonOverBudget} {
			anew := deferred("set_1", "tone", epoch.Add(time.Minute))
			anew.Reason = reason
			b.complete(evaluated(env, s, anew))
			got := b.evaluations(env, s)
			require.Equal(t, []eval.Evaluation{x}, got)
			require.Equal(t, int64(1), b.stats().Evaluations)
		}
		poor := deferred("set_1", "tone", epoch)
		poor.Reason, poor.Due = eval.ReasonCost, epoch.Add(24*time.Hour).UnixNano()
		b.complete(evaluated(env, s, poor))
		got := b.evaluations(env, s)
		require.Equal(t, []eval.Evaluation{poor}, got)
	})
	t.Run("ends the lease", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := simple(env, 1)
		x, y := deferred("set_1", "tone", epoch), deferred("set_1", "relevancy", epoch)
		b.write(record(env, s, x, y))
		for range 3 {
			require.Equal(t, x.Attempts, b.lease(1)[0].Evaluations[0].Attempts)
			x = putOff(x, "again", epoch)
			y = putOff(y, "again", epoch)
			b.complete(evaluated(env, s, x), evaluated(env, s, y))
		}
		require.Equal(t, []store.Evaluated{owed(env, s, x, y)}, b.lease(1))
		b.complete(evaluated(env, s, x))
		require.Equal(t, []store.Evaluated{owed(env, s, x)}, b.lease(1), "the other is leased still")
	})
	t.Run("takes the last of a pair in a call, unless one is done", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s, other := simple(env, 1), simple(env, 2)
		x := deferred("set_1", "tone", epoch)
		b.write(record(env, s, x), record(env, other))
		failed := x
		failed.Status, failed.Due = eval.Failed, 0
		done := judged(x, epoch)
		b.complete(evaluated(env, s, putOff(x, "a", epoch), failed), evaluated(env, other, done), evaluated(env, other, failed))
		require.Equal(t, []eval.Evaluation{failed}, b.evaluations(env, s))
		require.Equal(t, []eval.Evaluation{done}, b.evaluations(env, other))
	})
	t.Run("of thousands at once", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		const spans = 3000
		var records []store.Record
		var made []store.Evaluated
		for i := range spans {
			x := deferred("set_1", "tone", epoch)
			records = append(records, record(env, simple(env, i), x, deferred("set_1", "relevancy", epoch)))
			made = append(made, evaluated(env, simple(env, i), judged(x, epoch)))
		}
		b.write(records...)
		b.complete(made...)
		require.EqualValues(t, spans, b.stats().Evaluations)
		for range 2 {
			tallies, err := store.ReadTallies(t.Context(), b, env, "set_1")
			require.NoError(t, err)
			require.Equal(t, []int64{spans, spans}, []int64{tallies[0].Count, tallies[1].Count})
			for i := 0; i < spans; i += 997 {
				require.Len(t, b.evaluations(env, simple(env, i)), 2)
			}
			b.reopen()
		}
		require.Len(t, b.lease(2*spans), spans)
	})
	t.Run("of one evaluation by many leaves one", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		x := deferred("set_1", "tone", epoch)
		b.write(record(env, simple(env, 1), x), record(env, simple(env, 2), x))
		var wg sync.WaitGroup
		errs := make(chan error, 60)
		for i := range 20 {
			wg.Go(func() {
				errs <- b.Complete(t.Context(), []store.Evaluated{evaluated(env, simple(env, 1), judged(x, epoch))})
				errs <- b.Complete(t.Context(), []store.Evaluated{evaluated(env, simple(env, 2), putOff(x, "no", epoch))})
				errs <- Write(t.Context(), b, []store.Record{record(env, simple(env, 10+i), x)})
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
		require.Equal(t, []eval.Evaluation{judged(x, epoch)}, b.evaluations(env, simple(env, 1)))
		require.Equal(t, []eval.Evaluation{putOff(x, "no", epoch)}, b.evaluations(env, simple(env, 2)))
		require.EqualValues(t, 21, b.stats().Evaluations)
		require.Len(t, b.lease(100), 21)
	})
	t.Run("that was cancelled before it began does nothing", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		x := deferred("set_1", "tone", epoch)
		b.write(record(env, simple(env, 1), x))
		require.ErrorIs(t, b.Complete(ctx, []store.Evaluated{evaluated(env, simple(env, 1), judged(x, epoch))}), context.Canceled)
		require.Equal(t, []eval.Evaluation{x}, b.evaluations(env, simple(env, 1)))
	})
}
