// SPDX-License-Identifier: Apache-2.0

package storetest

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
)

// exerciseLease takes what is owed.
func exerciseLease(t *testing.T, open OpenBacklog) {
	env := environment("prd")
	t.Run("gives the deferred evaluations of a span together, and those once", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := rich(env, 1)
		one, two, three := deferred("set_1", "tone", epoch), deferred("set_2", "tone", epoch), deferred("set_1", "relevancy", epoch)
		failed := verdict("set_1", "regex", 1, "x", "x")
		failed.Status, failed.Outputs = eval.Failed, nil
		b.write(record(env, s, one, verdict("set_1", "count", 1, "n", int64(1)), two, failed, three), record(env, simple(env, 2)))
		require.Equal(t, []store.Evaluated{owed(env, s, one, two, three)}, b.lease(10))
		require.Empty(t, b.lease(10))
	})
	t.Run("gives what is due first first, and nothing before it is due", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		var records []store.Record
		due := []time.Duration{3 * time.Second, -time.Second, 0, -2 * time.Second, 1, time.Second}
		for i, d := range due {
			records = append(records, record(env, simple(env, i), deferred("set_1", "tone", epoch.Add(d))))
		}
		b.write(records...)
		key := func(i int) span.Key { return keyOf(simple(env, i)) }
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
		b := newDesk(t, open)
		s := simple(env, 1)
		soon, late := deferred("set_1", "tone", epoch), deferred("set_1", "relevancy", epoch)
		late.Reason, late.Due = eval.ReasonTrace, epoch.Add(30*time.Second).UnixNano()
		b.write(record(env, s, soon, late))
		require.Equal(t, []store.Evaluated{owed(env, s, soon)}, b.lease(10))
		b.pass(30 * time.Second)
		require.Equal(t, []store.Evaluated{owed(env, s, late)}, b.lease(10), "while the other is leased")
		b.pass(30 * time.Second)
		require.Equal(t, []store.Evaluated{owed(env, s, soon)}, b.lease(10))
	})
	t.Run("ends by the clock", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := simple(env, 1)
		x := deferred("set_1", "tone", epoch)
		b.write(record(env, s, x))
		for range 3 {
			require.Len(t, b.lease(1), 1)
			b.pass(time.Minute - 1)
			require.Empty(t, b.lease(1))
			b.pass(1)
		}
	})
	t.Run("ends when it is released", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		one, two := simple(env, 1), simple(env, 2)
		x, y := deferred("set_1", "tone", epoch), deferred("set_1", "relevancy", epoch)
		b.write(record(env, one, x, y), record(env, two, x))
		require.Len(t, b.lease(10), 2)
		require.NoError(t, b.Release(t.Context(), []store.Evaluated{owed(env, one, y), owed(env, simple(env, 3), y)}, time.Time{}))
		require.Equal(t, []store.Evaluated{owed(env, one, y)}, b.lease(10))
		require.NoError(t, b.Release(t.Context(), []store.Evaluated{owed(env, one, y, x), owed(env, two, x)}, time.Time{}))
		require.NoError(t, b.Release(t.Context(), []store.Evaluated{owed(env, one, y, x), owed(env, two, x)}, time.Time{}))
		require.Len(t, b.lease(10), 2)
	})
	t.Run("ends with the process, what is owed does not", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := rich(env, 1)
		x := putOff(deferred("set_1", "tone", epoch), "the model is away", epoch.Add(time.Second))
		b.write(record(env, s, deferred("set_1", "tone", epoch)), record(env, simple(env, 2), deferred("set_1", "tone", epoch)))
		require.Len(t, b.lease(10), 2)
		b.complete(evaluated(env, s, x))
		b.reopen()
		require.EqualValues(t, 2, b.stats().Evaluations)
		require.Equal(t, []span.Key{keyOf(simple(env, 2))}, spansOf(b.lease(10)))
		b.pass(time.Second)
		require.Equal(t, []store.Evaluated{owed(env, s, x)}, b.lease(10))
	})
	t.Run("keeps environments apart", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		other := environment("stg")
		other.Retention = 10 * time.Hour
		mine, theirs := deferred("set_1", "tone", epoch), deferred("set_1", "tone", epoch.Add(-1))
		b.write(record(env, simple(env, 1), mine), record(other, simple(other, 1), theirs))
		require.ElementsMatch(t, []store.Evaluated{owed(other, simple(other, 1), theirs), owed(env, simple(env, 1), mine)}, b.lease(10))
		b.complete(evaluated(env, simple(env, 1), judged(mine, epoch)))
		b.pass(time.Minute)
		require.Equal(t, []store.Evaluated{owed(other, simple(other, 1), theirs)}, b.lease(10))
		require.Equal(t, eval.Done, b.evaluations(env, simple(env, 1))[0].Status)
	})
	t.Run("gives texts as they were", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		var list []eval.Evaluation
		for i, text := range []string{"a\x00b", `it's "broken" \ %s $1 --`, "\u2028\U0001F600", "", "a,b);('"} {
			x := deferred("set_"+text, "slug-"+strconv.Itoa(i), epoch)
			x.Reason = text
			list = append(list, x)
		}
		s := simple(env, 1)
		b.write(record(env, s, list...))
		require.Equal(t, []store.Evaluated{owed(env, s, list...)}, b.lease(1))
		require.NoError(t, b.Release(t.Context(), []store.Evaluated{owed(env, s, list...)}, time.Time{}))
		require.Len(t, b.lease(1), 1)
		var settled []eval.Evaluation
		for _, x := range list {
			settled = append(settled, judged(x, epoch.Add(time.Second)))
		}
		b.complete(evaluated(env, s, settled...))
		require.Equal(t, settled, b.evaluations(env, s))
	})
	t.Run("gives texts that are no texts in another spelling, and takes either", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		s := simple(env, 1)
		x := deferred("set_\xff", "slug\xc3", epoch)
		x.Reason = "\xf0\x28"
		b.write(record(env, s, x))
		list := b.lease(1)
		require.Equal(t, "\uFFFD(", list[0].Evaluations[0].Reason)
		require.NoError(t, b.Release(t.Context(), []store.Evaluated{owed(env, s, x)}, time.Time{}))
		require.Len(t, b.lease(1), 1)
		b.complete(evaluated(env, s, judged(x, epoch)))
		require.Len(t, b.evaluations(env, s), 1)
		b.pass(time.Hour)
		require.Empty(t, b.lease(1))
	})
	t.Run("gives thousands, each once", func(t *testing.T) {
		t.Parallel()
		b := newDesk(t, open)
		const spans = 3000
		var records []store.Record
		for i := range spans {
			at := epoch.Add(-time.Duration(i%7) * time.Second)
			records = append(records, record(env, simple(env, i), deferred("set_1", "tone", at), deferred("set_1", "relevancy", at)))
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
		b := newDesk(t, open)
		require.Empty(t, b.lease(10))
		b.write(record(env, simple(env, 1), deferred("set_1", "tone", epoch)))
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
		b := newDesk(t, open)
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
