// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func exerciseFind(t *testing.T, open OpenSpans) {
	env := environment("prd")
	t.Run("both ends of the time range are in it", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		for i := range 5 {
			b.write(record(env, simple(env, i)))
		}
		q := everything()
		q.From, q.To = simple(env, 1).Start, simple(env, 3).Start
		require.Len(t, b.find(env, q).Spans, 3)
		q.From, q.To = q.From+1, q.To-1
		require.Len(t, b.find(env, q).Spans, 1)
		q.From, q.To = q.To, q.From
		require.Empty(t, b.find(env, q).Spans)
		q.From, q.To = 0, 1
		require.Equal(t, int64(0), b.find(env, q).Total)
	})
	t.Run("an environment sees its own spans only", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		other := environment("stg")
		b.write(record(env, rich(env, 1)), record(other, rich(other, 2)))
		require.Len(t, b.all(env), 1)
		require.Len(t, b.all(other), 1)
		require.Empty(t, b.all(environment("none")))
		// The slug is shown and nothing more: the id decides.
		twin := environment("twin")
		twin.Slug = env.Slug
		require.Empty(t, b.all(twin))
		s := rich(env, 1)
		list, err := b.Evaluations(t.Context(), other, s.TraceID, s.SpanID)
		require.NoError(t, err)
		require.Empty(t, list)
	})
	t.Run("a query that makes no sense is invalid", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		b.write(record(env, rich(env, 1)))
		for _, change := range []func(q *span.Query){
			func(q *span.Query) { q.Limit = 0 },
			func(q *span.Query) { q.Limit = span.MaxLimit + 1 },
			func(q *span.Query) { q.Order.By = "start; DROP TABLE spans" },
			func(q *span.Query) { q.Filters = []span.Filter{filter(span.FieldColumn, "seq", span.OpEquals, "1")} },
			func(q *span.Query) { q.Filters = []span.Filter{filter(span.FieldAlias, "x", span.OpEquals, "1")} },
			func(q *span.Query) { q.Filters = []span.Filter{filter("x", "x", span.OpEquals, "1")} },
			func(q *span.Query) { q.Filters = []span.Filter{filter(span.FieldAttribute, "x", "like", "1")} },
		} {
			q := everything()
			change(&q)
			_, err := b.Find(t.Context(), env, q)
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%+v", q)
		}
	})
}

var sortKeys = []span.SortKey{
	span.SortTimestamp, span.SortDuration, span.SortName, span.SortTraceID, span.SortTotalTokens,
	span.SortWorkflow, span.SortEntity, span.SortResponseModel,
}

// exercisePages walks through pages in every order.
func exercisePages(t *testing.T, open OpenSpans) {
	env := environment("prd")
	t.Run("every order is total", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		spans := alike(env, 60)
		for i, s := range spans {
			b.write(record(env, s))
			if i%20 == 19 {
				b.pass(25 * time.Hour) // wherever an engine cuts, some lie on either side
			}
		}
		for _, key := range sortKeys {
			for _, descending := range []bool{false, true} {
				want := sorted(spans, key, descending)
				q := everything()
				q.Order = span.Order{By: key, Descending: descending}
				require.Equal(t, ids(want), ids(b.find(env, q).Spans), "%v", q.Order)
				q.Limit = 7
				require.Equal(t, ids(want), ids(walk(b, env, q, nil)), "%v", q.Order)
			}
		}
	})
	t.Run("the last page has no next", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		for i := range 10 {
			b.write(record(env, simple(env, i)))
		}
		q := everything()
		q.Limit = 5
		first := b.find(env, q)
		require.NotNil(t, first.Next)
		require.EqualValues(t, 10, first.Total)
		require.Equal(t, span.PositionOf(&first.Spans[4], span.SortTimestamp), *first.Next)
		q.After = first.Next
		second := b.find(env, q)
		require.Nil(t, second.Next)
		require.Len(t, second.Spans, 5)
		require.EqualValues(t, 10, second.Total)
		last := span.PositionOf(&second.Spans[4], span.SortTimestamp)
		q.After = &last
		third := b.find(env, q)
		require.Nil(t, third.Next)
		require.Empty(t, third.Spans)
		require.EqualValues(t, 10, third.Total)
	})
	t.Run("spans that arrive between pages move no other", func(t *testing.T) {
		t.Parallel()
		for _, key := range sortKeys {
			for _, descending := range []bool{false, true} {
				b := newBench(t, open)
				spans := alike(env, 40)
				var records []store.Record
				for _, s := range spans[:20] {
					records = append(records, record(env, s))
				}
				b.write(records...)
				q := everything()
				q.Order, q.Limit = span.Order{By: key, Descending: descending}, 4
				next := 20
				got := walk(b, env, q, func() {
					if next < len(spans) {
						b.write(record(env, spans[next]), record(env, spans[next+1]))
						next += 2
					}
				})
				seen := map[string]int{}
				for _, id := range ids(got) {
					seen[id]++
				}
				for id, times := range seen {
					require.Equal(t, 1, times, id)
				}
				for _, id := range ids(spans[:20]) {
					require.Equal(t, 1, seen[id], "%v %s", q.Order, id)
				}
				require.NoError(t, b.Close())
			}
		}
	})
}

// walk gives the spans of all pages; between them it calls meanwhile.
func walk(b *bench, env tenant.Environment, q span.Query, meanwhile func()) []span.Span {
	var list []span.Span
	for {
		page := b.find(env, q)
		list = append(list, page.Spans...)
		if page.Next == nil {
			return list
		}
		if meanwhile != nil {
			meanwhile()
		}
		q.After = page.Next
	}
}

// alike makes spans of which many share every sort value.
func alike(env tenant.Environment, n int) []span.Span {
	texts := []string{"", "A", "a", "b", "é", "z", "\U0001F600"}
	var list []span.Span
	for i := range n {
		s := simple(env, i*37%n)
		s.Start = epoch.Add(-time.Hour).UnixNano() + int64(i%5)
		s.Duration = int64(i % 3)
		s.Name = texts[i%7]
		s.Workflow, s.Entity, s.ResponseModel = texts[i%4], texts[i%6], texts[i%2]
		s.TotalTokens = int64(i%4) - 1
		s.TraceID[0], s.SpanID[0] = byte(i*67), byte(i*91)
		list = append(list, s)
	}
	return list
}

// sorted gives the spans in an order, as the contract has it.
func sorted(list []span.Span, key span.SortKey, descending bool) []span.Span {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b span.Span) int {
		order := comparePositions(span.PositionOf(&a, key), span.PositionOf(&b, key))
		if descending {
			return -order
		}
		return order
	})
	return list
}
