// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// twins returns spans of the same ids that start in buckets which follow one
// another, each with an output of its own.
func twins(env tenant.Environment, n int) []span.Span {
	first, _ := span.BucketOf(storetest.Epoch.Add(-time.Hour).UnixNano()).Bounds()
	list := make([]span.Span, n)
	for i := range list {
		list[i] = storetest.Span(env, 1)
		list[i].Start = first + int64(i)*int64(span.BucketLength) + int64(time.Minute)
		list[i].Output = string(rune('a' + i))
	}
	return list
}

func exerciseIdentity(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	unknown := func(s span.Span) span.Key { return span.Key{TraceID: s.TraceID, SpanID: s.SpanID} }
	t.Run("spans of the same ids that start in two buckets are two", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		list := twins(env, 3)
		for i := range list {
			b.write(storetest.Record(env, list[i], storetest.Verdict("set", "e", int64(i+1), "o", int64(i))))
		}
		b.write(storetest.Record(env, list[1])) // once more
		for range 2 {
			storetest.RequireSpans(t, list, withoutVerdicts(b.all(env)))
			for i, s := range list {
				got, err := b.Get(t.Context(), env, []span.Key{s.Key()}, 0)
				require.NoError(t, err)
				require.Len(t, got, 1)
				require.Equal(t, s.Output, got[0].Output)
				made := b.evaluationsOf(env, s.Key())
				require.Len(t, made, 1)
				require.EqualValues(t, i+1, made[0].Time)
			}
			got, err := b.Get(t.Context(), env, []span.Key{unknown(list[0])}, 0)
			require.NoError(t, err)
			storetest.RequireSpans(t, list, withoutVerdicts(got))
			got, err = b.Get(t.Context(), env, []span.Key{list[2].Key()}, 1)
			require.NoError(t, err)
			storetest.RequireSpans(t, []span.Span{list[0], list[2]}, withoutVerdicts(got))
			made, err := b.Evaluations(t.Context(), []store.Location{{Environment: env.ID, Span: unknown(list[0])}}, 0, store.Latest)
			require.NoError(t, err)
			require.Len(t, made, 3)
			for i := range made {
				require.Equal(t, list[i].Key(), made[i].Span, "earliest first")
				require.Len(t, made[i].Evaluations, 1)
			}
			b.reopen()
		}
	})
	t.Run("a span whose start moves within its bucket is one", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := twins(env, 1)[0]
		first, last := span.BucketOf(s.Start).Bounds()
		for i, start := range []int64{s.Start, first, last} {
			s.Start = start
			written, err := b.Write(t.Context(), store.Batch{Records: []store.Record{storetest.Record(env, s)}})
			require.NoError(t, err)
			require.Len(t, written.Replaced, min(i, 1))
			storetest.RequireSpans(t, []span.Span{s}, b.all(env))
			b.reopen()
		}
		other := s
		other.Start++
		written, err := b.Write(t.Context(), store.Batch{Records: []store.Record{storetest.Record(env, other)}})
		require.NoError(t, err)
		require.Empty(t, written.Replaced)
		storetest.RequireSpans(t, []span.Span{s, other}, b.all(env))
	})
	t.Run("an evaluation goes to the span of its bucket", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		list := twins(env, 2)
		b.write(storetest.Record(env, list[0]), storetest.Record(env, list[1]))
		b.complete(storetest.Evaluated(env, list[1], storetest.Verdict("set", "e", 7, "o", true)))
		require.Empty(t, b.evaluationsOf(env, list[0].Key()))
		require.Len(t, b.evaluationsOf(env, list[1].Key()), 1)
		third := twins(env, 3)[2]
		b.complete(storetest.Evaluated(env, third, storetest.Verdict("set", "e", 8, "o", true)))
		require.Len(t, b.evaluationsOf(env, list[1].Key()), 1, "what is of no span is passed over")
	})
	t.Run("no order loses or repeats one of them between pages", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		list := twins(env, 5)
		for _, s := range list {
			b.write(storetest.Record(env, s))
		}
		for _, by := range []query.SortKey{query.SortTimestamp, query.SortDuration, query.SortName, query.SortTraceID} {
			for _, descending := range []bool{false, true} {
				q := everything()
				q.Order, q.Limit = query.Order{By: by, Descending: descending}, 2
				var outputs []string
				for page, err := range storetest.Pages(t.Context(), b, env, q) {
					require.NoError(t, err)
					require.EqualValues(t, 5, page.Total)
					for i := range page.Spans {
						outputs = append(outputs, page.Spans[i].Output)
					}
				}
				if descending {
					slices.Reverse(outputs)
				}
				require.Equal(t, []string{"a", "b", "c", "d", "e"}, outputs, "%s", by)
			}
		}
	})
	t.Run("what comes late is recognised, whatever its clock and the others'", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		r := rand.New(rand.NewPCG(5, 6))
		want := map[span.Identity]span.Span{}
		var sent []span.Span
		for round := range 30 {
			var records []store.Record
			for i := range 20 {
				s := storetest.Span(env, 20*round+i)
				at := storetest.Epoch.Add(-time.Duration(r.IntN(40)) * time.Hour)
				if r.IntN(4) == 0 {
					at = storetest.Epoch.Add(time.Duration(r.IntN(400)) * 24 * time.Hour) // a clock that is ahead
				}
				s.Start = at.UnixNano()
				if len(sent) > 0 && r.IntN(2) == 0 { // one of before, as it was or changed
					s = sent[r.IntN(len(sent))]
					if r.IntN(2) == 0 {
						s.Output = string(rune('a' + round))
					}
				}
				sent = append(sent, s)
				want[s.Key().Identity()] = s
				records = append(records, storetest.Record(env, s))
			}
			b.write(records...)
			b.pass(20 * time.Minute)
			if round%10 == 5 {
				b.reopen()
			}
		}
		got := map[span.Identity]span.Span{}
		for _, s := range b.all(env) {
			require.NotContains(t, got, s.Key().Identity())
			got[s.Key().Identity()] = s
		}
		oldest := b.now().Add(-env.Retention).UnixNano()
		for id, s := range want {
			if s.Start < oldest {
				require.NotContains(t, got, id)
				continue
			}
			require.Equal(t, s.Output, got[id].Output)
			delete(got, id)
		}
		require.Empty(t, got)
	})
}

// evaluationsOf returns those of the span that a key with a start means.
func (b *fixture) evaluationsOf(env tenant.Environment, k span.Key) []eval.Evaluation {
	b.t.Helper()
	list, err := b.Evaluations(b.t.Context(), []store.Location{{Environment: env.ID, Span: k}}, 0, store.Latest)
	require.NoError(b.t, err)
	require.Len(b.t, list, 1)
	return list[0].Evaluations
}

// withoutVerdicts returns spans without what evaluators said of them.
func withoutVerdicts(list []span.Span) []span.Span {
	list = slices.Clone(list)
	for i := range list {
		list[i].Attributes = slices.DeleteFunc(slices.Clone(list[i].Attributes), func(a span.Attribute) bool { return a.Key == "evaluation.e.o" })
		if len(list[i].Attributes) == 0 {
			list[i].Attributes = nil
		}
	}
	return list
}
