// SPDX-License-Identifier: Apache-2.0

package backlogtest

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// reserve asks for money and expects an answer.
func (b *fixture) reserve(env tenant.Environment, limit float64, x store.Evaluated) store.Reserved {
	b.t.Helper()
	got, err := b.Reserve(b.t.Context(), store.Budget{
		Environment: env.ID, Setup: "set_1", Since: storetest.Epoch.Add(-time.Hour), Limit: limit,
	}, x.Location(), x.Evaluations[0].Evaluator)
	require.NoError(b.t, err)
	return got
}

// owedAndLeased returns pending evaluations on spans from 0 on, and leased.
func (b *fixture) owedAndLeased(env tenant.Environment, n int) []store.Evaluated {
	b.t.Helper()
	var records []store.Record
	for i := range n {
		records = append(records, storetest.Record(env, storetest.Span(env, i), storetest.Deferred("set_1", "tone", storetest.Epoch.Add(time.Duration(i-n)))))
	}
	b.write(records...)
	list := b.lease(n)
	require.Len(b.t, list, n)
	return list
}

// paid returns what becomes of a leased evaluation that took money.
func paid(x store.Evaluated, cost float64, at time.Time) store.Evaluated {
	v := storetest.Judged(x.Evaluations[0], at)
	v.Usage.Cost = cost
	x.Evaluations = []eval.Evaluation{v}
	return x
}

// exerciseMoney spends what setups may spend.
func exerciseMoney(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("is reserved until it is known what an evaluation takes", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		list := b.owedAndLeased(env, 5)
		require.Equal(t, store.Granted, b.reserve(env, 1, list[0]))
		require.Equal(t, store.Granted, b.reserve(env, 1, list[0]), "asked again, nothing more is reserved")
		require.Equal(t, store.Taken, b.reserve(env, 1, list[1]), "the first may take it all")
		b.complete(paid(list[0], 0.25, storetest.Epoch))
		for _, x := range list[1:4] {
			require.Equal(t, store.Granted, b.reserve(env, 1, x))
		}
		require.Equal(t, store.Taken, b.reserve(env, 1, list[4]))
		require.NoError(t, b.Release(t.Context(), list[1:2], time.Time{}))
		require.Equal(t, store.Granted, b.reserve(env, 1, list[4]), "what is given back is there for others")
		require.Equal(t, store.Taken, b.reserve(env, 1, list[1]), "it is not leased")
		b.complete(paid(list[2], 0.5, storetest.Epoch), paid(list[3], 0.25, storetest.Epoch), paid(list[4], 0, storetest.Epoch))
		require.Len(t, b.lease(1), 1)
		require.Equal(t, store.Spent, b.reserve(env, 1, list[1]))
		require.Equal(t, store.Granted, b.reserve(env, 10, list[1]))
	})
	t.Run("that runs out with a lease is there again", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		list := b.owedAndLeased(env, 2)
		require.Equal(t, store.Granted, b.reserve(env, 1, list[0]))
		require.Equal(t, store.Taken, b.reserve(env, 1, list[1]))
		b.pass(time.Minute)
		list = b.lease(2)
		require.Equal(t, store.Granted, b.reserve(env, 1, list[1]))
	})
	t.Run("that was spent before the process is counted", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		list := b.owedAndLeased(env, 4)
		b.complete(paid(list[0], 0.5, storetest.Epoch), paid(list[1], 0.25, storetest.Epoch.Add(-2*time.Hour)))
		tried := storetest.PutOff(list[2].Evaluations[0], "no", storetest.Epoch)
		b.complete(store.Evaluated{Environment: env.ID, Span: list[2].Span, Evaluations: []eval.Evaluation{tried}})
		b.reopen()
		list = b.lease(2)
		require.Equal(t, store.Spent, b.reserve(env, 0.625, list[0]), "what ended today, and the try that was put off")
		require.Equal(t, store.Granted, b.reserve(env, 1.25, list[0]))
		require.Equal(t, store.Taken, b.reserve(env, 1.25, list[1]), "the average is what is known of all days")
	})
	t.Run("of a setup is its own, and so is what an evaluation without a price takes", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		list := b.owedAndLeased(env, 3)
		require.Equal(t, store.Granted, b.reserve(env, 1, list[0]))
		b.complete(paid(list[0], 0, storetest.Epoch))
		require.Equal(t, store.Granted, b.reserve(env, 1, list[1]))
		require.Equal(t, store.Granted, b.reserve(env, 1, list[2]))
		other, err := b.Reserve(t.Context(), store.Budget{Environment: env.ID, Setup: "set_2", Limit: 1}, list[1].Location(), "tone")
		require.NoError(t, err)
		require.Equal(t, store.Taken, other, "it has not leased anything")
	})
	t.Run("holds with several workers at once", func(t *testing.T) { t.Parallel(); exercisePayers(t, open) })
}

// exercisePayers has workers that spend whatever they are granted.
func exercisePayers(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	b := newFixture(t, open)
	const spans, workers, limit, price = 120, 6, 10.0, 0.25
	list := b.owedAndLeased(env, spans)
	b.complete(paid(list[0], price, storetest.Epoch)) // from which the price is known
	work := make(chan store.Evaluated, spans)
	for _, x := range list[1:] {
		work <- x
	}
	close(work)
	var mu sync.Mutex
	granted, refused := 1, 0
	var wg sync.WaitGroup
	errs := make(chan error, spans)
	for range workers {
		wg.Go(func() {
			for x := range work {
				got, err := b.Reserve(t.Context(), store.Budget{
					Environment: env.ID, Setup: "set_1", Since: storetest.Epoch.Add(-time.Hour), Limit: limit,
				}, x.Location(), "tone")
				mu.Lock()
				if got == store.Granted {
					granted++
				} else {
					refused++
				}
				mu.Unlock()
				if err == nil && got == store.Granted {
					err = b.Complete(t.Context(), []store.Evaluated{paid(x, price, storetest.Epoch)})
				}
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	require.Equal(t, int(limit/price), granted, "refused: "+strconv.Itoa(refused))
	spent, err := store.ReadSpent(t.Context(), b, env.ID, "set_1", storetest.Epoch)
	require.NoError(t, err)
	require.InDelta(t, limit, spent, 1e-9)
}
