// SPDX-License-Identifier: Apache-2.0

package backlogtest

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// exerciseBacklogLife has spans replaced and expire while evaluations are pending on
// them, and many work on pending evaluations at once.
func exerciseBacklogLife(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("a span that differs takes its pending evaluations with it", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		x, y := storetest.Deferred("set_1", "tone", storetest.Epoch), storetest.Deferred("set_1", "relevancy", storetest.Epoch)
		b.write(storetest.Record(env, s, x, y), storetest.Record(env, storetest.Span(env, 2), x))
		require.Len(t, b.lease(10), 2)
		for i, name := range []string{"second", "third", "fourth"} {
			s.Name = name
			y.Time += int64(i)
			b.write(storetest.Record(env, s, y))
			require.EqualValues(t, 2, b.stats().Evaluations)
			require.Equal(t, []store.Evaluated{storetest.Owed(env, s, y)}, b.lease(10), "leased again, whatever became of the old one")
			b.pass(time.Second)
		}
		b.complete(storetest.Evaluated(env, s, storetest.Judged(y, storetest.Epoch)))
		require.Equal(t, []eval.Evaluation{storetest.Judged(y, storetest.Epoch)}, b.evaluations(env, s))
		s.Name = "fifth"
		b.write(storetest.Record(env, s))
		require.Empty(t, b.evaluations(env, s))
		b.pass(time.Minute)
		require.Equal(t, []store.Evaluated{storetest.Owed(env, storetest.Span(env, 2), x)}, b.lease(10))
		require.EqualValues(t, 1, b.stats().Evaluations)
	})
	t.Run("a span that differs takes it along from where it lay long before", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		x := storetest.Deferred("set_1", "tone", storetest.Epoch)
		b.write(storetest.Record(env, s, x, storetest.Deferred("set_1", "relevancy", storetest.Epoch)), storetest.Record(env, storetest.Span(env, 2), x))
		b.pass(50 * time.Hour)
		b.reopen()
		require.Len(t, b.lease(10), 2)
		s.Name = "changed"
		b.write(storetest.Record(env, s, x))
		require.EqualValues(t, 2, b.stats().Evaluations)
		require.Equal(t, []store.Evaluated{storetest.Owed(env, s, x)}, b.lease(10))
		b.complete(storetest.Evaluated(env, s, storetest.Judged(x, storetest.Epoch)))
		b.reopen()
		require.Equal(t, []eval.Evaluation{storetest.Judged(x, storetest.Epoch)}, b.evaluations(env, s))
		require.Equal(t, []store.Evaluated{storetest.Owed(env, storetest.Span(env, 2), x)}, b.lease(10))
	})
	t.Run("a span that is sent again as it was has nothing more pending", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		x := storetest.Deferred("set_1", "tone", storetest.Epoch)
		b.write(storetest.Record(env, s, x))
		b.complete(storetest.Evaluated(env, s, storetest.Judged(x, storetest.Epoch)))
		b.write(storetest.Record(env, s, x))
		require.Empty(t, b.lease(1))
		require.Zero(t, b.stats())
	})
	t.Run("nothing is pending past the retention", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		short := storetest.Environment("short")
		short.Retention = 2 * time.Hour
		x := storetest.Deferred("set_1", "tone", storetest.Epoch)
		b.write(storetest.Record(short, storetest.Span(short, 1), x), storetest.Record(short, storetest.Span(short, 2), x), storetest.Record(env, storetest.Span(env, 1), x))
		b.complete(storetest.Evaluated(short, storetest.Span(short, 2), storetest.PutOff(x, "later", storetest.Epoch.Add(2*time.Hour))))
		b.pass(time.Hour + time.Second)
		require.Len(t, b.lease(10), 2, "it ends an hour after now, exactly")
		b.pass(1)
		require.NoError(t, b.Release(t.Context(), []store.Evaluated{storetest.Owed(short, storetest.Span(short, 1), x), storetest.Owed(env, storetest.Span(env, 1), x)}, time.Time{}))
		require.Equal(t, []store.Evaluated{storetest.Owed(env, storetest.Span(env, 1), x)}, b.lease(10))
		b.complete(storetest.Evaluated(short, storetest.Span(short, 1), storetest.Judged(x, storetest.Epoch)), storetest.Evaluated(env, storetest.Span(env, 1), x))
		p, err := store.ReadProgress(t.Context(), b, short)
		require.NoError(t, err)
		require.EqualValues(t, 1, p.OwedSpans)
		b.pass(time.Second)
		require.NoError(t, b.Expire(t.Context(), b.now()))
		require.EqualValues(t, 1, b.stats().Evaluations)
		p, err = store.ReadProgress(t.Context(), b, short)
		require.NoError(t, err)
		require.Zero(t, p)
		b.pass(100 * time.Hour)
		require.NoError(t, b.Expire(t.Context(), b.now()))
		require.Equal(t, []store.Evaluated{storetest.Owed(env, storetest.Span(env, 1), x)}, b.lease(10))
		b.complete(storetest.Evaluated(short, storetest.Span(short, 2), storetest.Judged(x, storetest.Epoch)))
		b.pass(1000 * time.Hour)
		require.NoError(t, b.Expire(t.Context(), b.now()))
		require.Zero(t, b.stats())
		require.Empty(t, b.lease(10))
		b.reopen()
		require.Empty(t, b.lease(10))
		require.Zero(t, b.stats())
	})
	t.Run("what is past its retention is not counted with what is kept longer", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		short, long := storetest.Environment("short"), storetest.Environment("long")
		short.Retention, long.Retention = 2*time.Hour, 20*time.Hour
		x := storetest.Deferred("set_1", "tone", storetest.Epoch)
		b.write(storetest.Record(short, storetest.Span(short, 1), x), storetest.Record(short, storetest.Span(short, 2), x), storetest.Record(long, storetest.Span(long, 1), x))
		b.pass(time.Hour + 1500*time.Millisecond)
		require.NoError(t, b.Expire(t.Context(), b.now()))
		require.EqualValues(t, 2, b.stats().Evaluations)
		b.pass(time.Hour)
		b.complete(storetest.Evaluated(short, storetest.Span(short, 1), storetest.Judged(x, storetest.Epoch)), storetest.Evaluated(long, storetest.Span(long, 1), storetest.PutOff(x, "no", storetest.Epoch)))
		require.NoError(t, b.Expire(t.Context(), b.now()))
		require.EqualValues(t, 1, b.stats().Evaluations)
		require.Equal(t, []store.Evaluated{storetest.Owed(long, storetest.Span(long, 1), storetest.PutOff(x, "no", storetest.Epoch))}, b.lease(10))
	})
	t.Run("no two hold the same, and all is completed once", func(t *testing.T) { t.Parallel(); exerciseWorkers(t, open) })
}

// exerciseWorkers has workers lease, complete, put off and forget pending evaluations
// while spans are written, and the clock goes on.
func exerciseWorkers(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	b := newFixture(t, open)
	const writers, workers, calls, perCall = 2, 4, 12, 10
	type name struct {
		span       span.Key
		setup, has string
	}
	var mu sync.Mutex
	held := map[name]bool{}
	finished := map[name]bool{}
	var left atomic.Int64
	left.Store(writers * calls * perCall * 2)
	errs := make(chan error, writers*calls+workers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for c := range calls {
				var list []store.Record
				for i := range perCall {
					x := storetest.Deferred("set_1", "tone", b.now())
					list = append(list, storetest.Record(env, storetest.Span(env, (w*calls+c)*perCall+i), x, storetest.Deferred("set_2", "tone", b.now())))
				}
				errs <- storetest.Write(t.Context(), b, list)
			}
		})
	}
	work := func(r *rand.Rand) error {
		for left.Load() > 0 {
			now := b.clock.Add(int64(10 * time.Millisecond))
			until := now + int64(time.Hour)
			forget := r.IntN(8) == 0
			if forget {
				until = now + int64(30*time.Millisecond)
			}
			list, err := b.Lease(t.Context(), time.Unix(0, now), time.Unix(0, until), 7)
			if err != nil {
				return err
			}
			if forget {
				continue // the leases run out
			}
			mu.Lock()
			for _, o := range list {
				for _, x := range o.Evaluations {
					n := name{o.Span, x.SetupID, x.Evaluator}
					if held[n] || finished[n] {
						mu.Unlock()
						return fault.New(fault.Internal, "leased twice, or after it was done")
					}
					held[n] = true
				}
			}
			mu.Unlock()
			var made []store.Evaluated
			mu.Lock()
			for _, o := range list {
				for i, x := range o.Evaluations {
					n := name{o.Span, x.SetupID, x.Evaluator}
					delete(held, n)
					if r.IntN(4) == 0 {
						o.Evaluations[i] = storetest.PutOff(x, "again", time.Unix(0, now).Add(50*time.Millisecond))
						continue
					}
					o.Evaluations[i] = storetest.Judged(x, time.Unix(0, now))
					finished[n] = true
				}
				made = append(made, o)
			}
			mu.Unlock()
			if err := b.Complete(t.Context(), made); err != nil {
				return err
			}
			mu.Lock()
			left.Store(int64(writers*calls*perCall*2 - len(finished)))
			mu.Unlock()
		}
		return nil
	}
	for w := range workers {
		wg.Go(func() { errs <- work(rand.New(rand.NewPCG(uint64(w), 7))) })
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	for range 2 {
		require.Zero(t, b.stats())
		for i := range writers * calls * perCall {
			list := b.evaluations(env, storetest.Span(env, i))
			require.Len(t, list, 2)
			for _, x := range list {
				require.Equal(t, eval.Done, x.Status)
			}
		}
		b.reopen()
	}
}
