// SPDX-License-Identifier: Apache-2.0

package backlogtest

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// exerciseLease takes pending evaluations.
func exerciseLease(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("gives the deferred evaluations of a span together, and those once", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		one, two, three := storetest.Deferred("set_1", "tone", storetest.Epoch), storetest.Deferred("set_2", "tone", storetest.Epoch), storetest.Deferred("set_1", "relevancy", storetest.Epoch)
		failed := storetest.Verdict("set_1", "regex", 1, "x", "x")
		failed.Status, failed.Outputs = eval.Failed, nil
		b.write(storetest.Record(env, s, one, storetest.Verdict("set_1", "count", 1, "n", int64(1)), two, failed, three), storetest.Record(env, storetest.Span(env, 2)))
		require.Equal(t, []store.Evaluated{storetest.Owed(env, s, one, two, three)}, b.lease(10))
		require.Empty(t, b.lease(10))
	})
	t.Run("gives what is due first first, and nothing before it is due", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		var records []store.Record
		due := []time.Duration{3 * time.Second, -time.Second, 0, -2 * time.Second, 1, time.Second}
		for i, d := range due {
			records = append(records, storetest.Record(env, storetest.Span(env, i), storetest.Deferred("set_1", "tone", storetest.Epoch.Add(d))))
		}
		b.write(records...)
		key := func(i int) span.Key { return storetest.KeyOf(storetest.Span(env, i)) }
		require.Equal(t, []span.Key{key(3), key(1)}, spansOf(b.lease(2)))
		require.Equal(t, []span.Key{key(2)}, spansOf(b.lease(10)))
		require.Empty(t, b.lease(10))
		b.pass(time.Second)
		require.Equal(t, []span.Key{key(4), key(5)}, spansOf(b.lease(10)))
		b.pass(time.Second)
		require.Empty(t, b.lease(10))
		b.pass(time.Second)
		require.Equal(t, []span.Key{key(0)}, spansOf(b.lease(10)))
	})
	t.Run("gives evaluations of one span apart when they are due apart", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		soon, late := storetest.Deferred("set_1", "tone", storetest.Epoch), storetest.Deferred("set_1", "relevancy", storetest.Epoch)
		late.Reason, late.Due = eval.ReasonTrace, storetest.Epoch.Add(30*time.Second).UnixNano()
		b.write(storetest.Record(env, s, soon, late))
		require.Equal(t, []store.Evaluated{storetest.Owed(env, s, soon)}, b.lease(10))
		b.pass(30 * time.Second)
		require.Equal(t, []store.Evaluated{storetest.Owed(env, s, late)}, b.lease(10), "while the other is leased")
		b.pass(30 * time.Second)
		require.Equal(t, []store.Evaluated{storetest.Owed(env, s, soon)}, b.lease(10))
	})
	t.Run("ends by the clock", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		x := storetest.Deferred("set_1", "tone", storetest.Epoch)
		b.write(storetest.Record(env, s, x))
		for range 3 {
			require.Len(t, b.lease(1), 1)
			b.pass(time.Minute - 1)
			require.Empty(t, b.lease(1))
			b.pass(1)
		}
	})
	t.Run("is renewed by the process that has it", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		one, two := storetest.Span(env, 1), storetest.Span(env, 2)
		x, y := storetest.Deferred("set_1", "tone", storetest.Epoch), storetest.Deferred("set_1", "relevancy", storetest.Epoch)
		b.write(storetest.Record(env, one, x, y), storetest.Record(env, two, x))
		list := b.lease(10)
		require.Len(t, list, 2)
		held := b.now().Add(time.Minute)
		for range 3 {
			b.pass(time.Minute - 1)
			require.Empty(t, b.lease(10))
			until := b.now().Add(time.Minute)
			require.NoError(t, b.Renew(t.Context(), list, held, until))
			held = until
		}
		require.EqualValues(t, 3, b.stats().Leased)
		b.complete(storetest.Evaluated(env, two, storetest.Judged(x, b.now())))
		require.NoError(t, b.Release(t.Context(), []store.Evaluated{storetest.Owed(env, one, y)}, time.Time{}))
		require.NoError(t, b.Renew(t.Context(), list, held, held.Add(time.Hour)))
		b.pass(time.Second)
		require.Equal(t, []store.Evaluated{storetest.Owed(env, one, y)}, b.lease(10), "what was released and what is done is passed over")
		require.NoError(t, b.Renew(t.Context(), list, held, held.Add(time.Hour)), "of a lease that another process has")
		b.pass(time.Minute)
		require.Equal(t, []store.Evaluated{storetest.Owed(env, one, y)}, b.lease(10))
		require.NoError(t, b.Renew(t.Context(), nil, held, held))
	})
	t.Run("ends when it is released", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		one, two := storetest.Span(env, 1), storetest.Span(env, 2)
		x, y := storetest.Deferred("set_1", "tone", storetest.Epoch), storetest.Deferred("set_1", "relevancy", storetest.Epoch)
		b.write(storetest.Record(env, one, x, y), storetest.Record(env, two, x))
		require.Len(t, b.lease(10), 2)
		require.NoError(t, b.Release(t.Context(), []store.Evaluated{storetest.Owed(env, one, y), storetest.Owed(env, storetest.Span(env, 3), y)}, time.Time{}))
		require.Equal(t, []store.Evaluated{storetest.Owed(env, one, y)}, b.lease(10))
		require.NoError(t, b.Release(t.Context(), []store.Evaluated{storetest.Owed(env, one, y, x), storetest.Owed(env, two, x)}, time.Time{}))
		require.NoError(t, b.Release(t.Context(), []store.Evaluated{storetest.Owed(env, one, y, x), storetest.Owed(env, two, x)}, time.Time{}))
		require.Len(t, b.lease(10), 2)
	})
	t.Run("ends with the process, pending evaluations do not", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		x := storetest.PutOff(storetest.Deferred("set_1", "tone", storetest.Epoch), "the model is away", storetest.Epoch.Add(time.Second))
		b.write(storetest.Record(env, s, storetest.Deferred("set_1", "tone", storetest.Epoch)), storetest.Record(env, storetest.Span(env, 2), storetest.Deferred("set_1", "tone", storetest.Epoch)))
		require.Len(t, b.lease(10), 2)
		b.complete(storetest.Evaluated(env, s, x))
		b.reopen()
		require.EqualValues(t, 2, b.stats().Evaluations)
		require.Equal(t, []span.Key{storetest.KeyOf(storetest.Span(env, 2))}, spansOf(b.lease(10)))
		b.pass(time.Second)
		require.Equal(t, []store.Evaluated{storetest.Owed(env, s, x)}, b.lease(10))
	})
	t.Run("keeps environments apart", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		other := storetest.Environment("stg")
		other.Retention = 10 * time.Hour
		mine, theirs := storetest.Deferred("set_1", "tone", storetest.Epoch), storetest.Deferred("set_1", "tone", storetest.Epoch.Add(-1))
		b.write(storetest.Record(env, storetest.Span(env, 1), mine), storetest.Record(other, storetest.Span(other, 1), theirs))
		require.ElementsMatch(t, []store.Evaluated{storetest.Owed(other, storetest.Span(other, 1), theirs), storetest.Owed(env, storetest.Span(env, 1), mine)}, b.lease(10))
		b.complete(storetest.Evaluated(env, storetest.Span(env, 1), storetest.Judged(mine, storetest.Epoch)))
		b.pass(time.Minute)
		require.Equal(t, []store.Evaluated{storetest.Owed(other, storetest.Span(other, 1), theirs)}, b.lease(10))
		require.Equal(t, eval.Done, b.evaluations(env, storetest.Span(env, 1))[0].Status)
	})
	t.Run("gives texts as they were", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		var list []eval.Evaluation
		for i, text := range []string{"a\x00b", `it's "broken" \ %s $1 --`, "\u2028\U0001F600", "", "a,b);('"} {
			x := storetest.Deferred("set_"+text, "slug-"+strconv.Itoa(i), storetest.Epoch)
			x.Reason = text
			list = append(list, x)
		}
		s := storetest.Span(env, 1)
		b.write(storetest.Record(env, s, list...))
		require.Equal(t, []store.Evaluated{storetest.Owed(env, s, list...)}, b.lease(1))
		require.NoError(t, b.Release(t.Context(), []store.Evaluated{storetest.Owed(env, s, list...)}, time.Time{}))
		require.Len(t, b.lease(1), 1)
		var judged []eval.Evaluation
		for _, x := range list {
			judged = append(judged, storetest.Judged(x, storetest.Epoch.Add(time.Second)))
		}
		b.complete(storetest.Evaluated(env, s, judged...))
		require.ElementsMatch(t, judged, b.evaluations(env, s), "which were made at one time")
	})
	t.Run("gives texts that are no texts in another spelling, and takes either", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		x := storetest.Deferred("set_\xff", "slug\xc3", storetest.Epoch)
		x.Reason = "\xf0\x28"
		b.write(storetest.Record(env, s, x))
		list := b.lease(1)
		require.Equal(t, "\uFFFD(", list[0].Evaluations[0].Reason)
		require.NoError(t, b.Release(t.Context(), []store.Evaluated{storetest.Owed(env, s, x)}, time.Time{}))
		require.Len(t, b.lease(1), 1)
		b.complete(storetest.Evaluated(env, s, storetest.Judged(x, storetest.Epoch)))
		require.Len(t, b.evaluations(env, s), 1)
		b.pass(time.Hour)
		require.Empty(t, b.lease(1))
	})
	t.Run("gives thousands, each once", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		const spans = 3000
		var records []store.Record
		for i := range spans {
			at := storetest.Epoch.Add(-time.Duration(i%7) * time.Second)
			records = append(records, storetest.Record(env, storetest.Span(env, i), storetest.Deferred("set_1", "tone", at), storetest.Deferred("set_1", "relevancy", at)))
		}
		b.write(records...)
		seen := map[span.Key]bool{}
		last := int64(0)
		for list := b.lease(700); len(list) > 0; list = b.lease(700) {
			for _, x := range list {
				require.False(t, seen[x.Span])
				require.Len(t, x.Evaluations, 2)
				require.GreaterOrEqual(t, x.Evaluations[0].Due, last)
				last = x.Evaluations[0].Due
				seen[x.Span] = true
			}
		}
		require.Len(t, seen, spans)
	})
	t.Run("of nothing is nothing", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		require.Empty(t, b.lease(10))
		b.write(storetest.Record(env, storetest.Span(env, 1), storetest.Deferred("set_1", "tone", storetest.Epoch)))
		require.Empty(t, b.lease(0))
		require.NoError(t, b.Release(t.Context(), nil, time.Time{}))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := b.Lease(ctx, b.now(), b.now(), 1)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, b.Release(ctx, nil, time.Time{}), context.Canceled)
		require.Len(t, b.lease(10), 1)
	})
	t.Run("of a closed store is unavailable", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		require.NoError(t, b.Close())
		_, err := b.Lease(t.Context(), b.now(), b.now(), 1)
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.Equal(t, fault.Unavailable, fault.KindOf(b.Complete(t.Context(), []store.Evaluated{{}})))
		require.Equal(t, fault.Unavailable, fault.KindOf(b.Release(t.Context(), nil, time.Time{})))
		_, err = b.Stats(t.Context())
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		_, err = b.Reserve(t.Context(), store.Budget{}, store.Location{}, "")
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
	})
}
