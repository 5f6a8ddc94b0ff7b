// SPDX-License-Identifier: Apache-2.0

package storetest

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
)

// exerciseBacklogLife has spans replaced and expire while something is owed on
// them, and many work on what is owed at once.
func exerciseBacklogLife(t *testing.T, open OpenBacklog) {
	env := environment("prd")
	t.Run("a span that differs takes what was owed with it", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := rich(env, 1)
		x, y := deferred("set_1", "tone", epoch), deferred("set_1", "relevancy", epoch)
		b.write(record(env, s, x, y), record(env, simple(env, 2), x))
		require.Len(t, b.lease(10), 2)
		for i, name := range []string{"second", "third", "fourth"} {
			s.Name = name
			y.Time += int64(i)
			b.write(record(env, s, y))
			require.EqualValues(t, 2, b.stats().Evaluations)
			require.Equal(t, []store.Evaluated{owed(env, s, y)}, b.lease(10), "leased anew, whoever had the old one")
			b.pass(time.Second)
		}
		b.complete(evaluated(env, s, judged(y, epoch)))
		require.Equal(t, []eval.Evaluation{judged(y, epoch)}, b.evaluations(env, s))
		s.Name = "fifth"
		b.write(record(env, s))
		require.Empty(t, b.evaluations(env, s))
		b.pass(time.Minute)
		require.Equal(t, []store.Evaluated{owed(env, simple(env, 2), x)}, b.lease(10))
		require.EqualValues(t, 1, b.stats().Evaluations)
	})
	t.Run("a span that differs takes it along from where it lay long before", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := rich(env, 1)
		x := deferred("set_1", "tone", epoch)
		b.write(record(env, s, x, deferred("set_1", "relevancy", epoch)), record(env, simple(env, 2), x))
		b.pass(50 * time.Hour)
		b.reopen()
		require.Len(t, b.lease(10), 2)
		s.Name = "changed"
		b.write(record(env, s, x))
		require.EqualValues(t, 2, b.stats().Evaluations)
		require.Equal(t, []store.Evaluated{owed(env, s, x)}, b.lease(10))
		b.complete(evaluated(env, s, judged(x, epoch)))
		b.reopen()
		require.Equal(t, []eval.Evaluation{judged(x, epoch)}, b.evaluations(env, s))
		require.Equal(t, []store.Evaluated{owed(env, simple(env, 2), x)}, b.lease(10))
	})
	t.Run("a span that is sent again as it was is owed no more", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := rich(env, 1)
		x := deferred("set_1", "tone", epoch)
		b.write(record(env, s, x))
		b.complete(evaluated(env, s, judged(x, epoch)))
		b.write(record(env, s, x))
		require.Empty(t, b.lease(1))
		require.Zero(t, b.stats())
	})
	t.Run("nothing is owed past the retention", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		short := environment("short")
		short.Retention = 2 * time.Hour
		x := deferred("set_1", "tone", epoch)
		b.write(record(short, simple(short, 1), x), record(short, simple(short, 2), x), record(env, simple(env, 1), x))
		b.complete(evaluated(short, simple(short, 2), putOff(x, "later", epoch.Add(2*time.Hour))))
		b.pass(time.Hour + time.Second)
		require.Len(t, b.lease(10), 2, "it ends an hour after now, exactly")
		b.pass(1)
		require.NoError(t, b.Release(t.Context(), []store.Evaluated{owed(short, simple(short, 1), x), owed(env, simple(env, 1), x)}, time.Time{}))
		require.Equal(t, []store.Evaluated{owed(env, simple(env, 1), x)}, b.lease(10))
		b.complete(evaluated(short, simple(short, 1), judged(x, epoch)), evaluated(env, simple(env, 1), x))
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
		require.Equal(t, []store.Evaluated{owed(env, simple(env, 1), x)}, b.lease(10))
		b.complete(evaluated(short, simple(short, 2), judged(x, epoch)))
		b.pass(1000 * time.Hour)
		require.NoError(t, b.Expire(t.Context(), b.now()))
		require.Zero(t, b.stats())
		require.Empty(t, b.lease(10))
		b.reopen()
		require.Empty(t, b.lease(10))
		require.Zero(t, b.stats())
	})
	t.Run("what is past its retention is not counted beside what is kept longer", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		short, long := environment("short"), environment("long")
		short.Retention, long.Retention = 2*time.Hour, 20*time.Hour
		x := deferred("set_1", "tone", epoch)
		b.write(record(short, simple(short, 1), x), record(short, simple(short, 2), x), record(long, simple(long, 1), x))
		b.pass(time.Hour + 1500*time.Millisecond)
		require.NoError(t, b.Expire(t.Context(), b.now()))
		require.EqualValues(t, 2, b.stats().Evaluations)
		b.pass(time.Hour)
		b.complete(evaluated(short, simple(short, 1), judged(x, epoch)), evaluated(long, simple(long, 1), putOff(x, "no", epoch)))
		require.NoError(t, b.Expire(t.Context(), b.now()))
		require.EqualValues(t, 1, b.stats().Evaluations)
		require.Equal(t, []store.Evaluated{owed(long, simple(long, 1), putOff(x, "no", epoch))}, b.lease(10))
	})
	t.Run("no two hold the same, and all is settled once", func(t *testing.T) { t.Parallel(); exerciseWorkers(t, open) })
}

// exerciseWorkers has workers lease, settle, put off and forget what is owed
// while spans are written, and the clock goes on.
func exerciseWorkers(t *testing.T, open OpenBacklog) {
	env := environment("prd")
	b := newDesk(t, open)
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
					x := deferred("set_1", "tone", b.now())
					list = append(list, record(env, simple(env, (w*calls+c)*perCall+i), x, deferred("set_2", "tone", b.now())))
				}
				errs <- Write(t.Context(), b, list)
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
						o.Evaluations[i] = putOff(x, "again", time.Unix(0, now).Add(50*time.Millisecond))
						continue
					}
					o.Evaluations[i] = judged(x, time.Unix(0, now))
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
			list := b.evaluations(env, simple(env, i))
			require.Len(t, list, 2)
			for _, x := range list {
				require.Equal(t, eval.Done, x.Status)
			}
		}
		b.reopen()
	}
}
