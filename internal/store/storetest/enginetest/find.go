// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func exerciseFind(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("both ends of the time range are in it", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		for i := range 5 {
			b.write(storetest.Record(env, storetest.Span(env, i)))
		}
		q := everything()
		q.From, q.To = storetest.Span(env, 1).Start, storetest.Span(env, 3).Start
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
		b := newFixture(t, open)
		other := storetest.Environment("stg")
		b.write(storetest.Record(env, storetest.RichSpan(env, 1)), storetest.Record(other, storetest.RichSpan(other, 2)))
		require.Len(t, b.all(env), 1)
		require.Len(t, b.all(other), 1)
		require.Empty(t, b.all(storetest.Environment("none")))
		// The slug is shown and nothing more: the id decides.
		twin := storetest.Environment("twin")
		twin.Slug = env.Slug
		require.Empty(t, b.all(twin))
		s := storetest.RichSpan(env, 1)
		list, err := storetest.EvaluationsOf(t.Context(), b, other, s)
		require.NoError(t, err)
		require.Empty(t, list)
	})
	t.Run("brief spans are the same ones without their texts, and more of a page", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		for i := range 5 {
			b.write(storetest.Record(env, storetest.RichSpan(env, i), storetest.Verdict("s", "e", 1, "o", int64(i))))
			b.pass(25 * time.Hour)
		}
		for _, o := range orders() {
			q := everything()
			q.Order, q.Limit = o, 3
			whole := b.find(env, q)
			q.Brief = true
			brief := b.find(env, q)
			require.Equal(t, whole.Total, brief.Total)
			require.Equal(t, whole.Next, brief.Next)
			for i, s := range whole.Spans {
				s.Resource, s.Attributes, s.Prompts, s.Completions, s.Events, s.Links = nil, nil, nil, nil, nil, nil
				s.Input, s.Output, s.StatusMessage, s.TraceState = "", "", "", ""
				require.Equal(t, s, brief.Spans[i])
			}
		}
		q := everything()
		q.Brief, q.Limit = true, query.MaxBrief
		require.Len(t, b.find(env, q).Spans, 5)
	})
	t.Run("a total is there if it is asked for, and alone if nothing else is", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		for i := range 5 {
			b.write(storetest.Record(env, storetest.RichSpan(env, i), storetest.Verdict("s", "e", 1, "o", int64(i)), storetest.Verdict("s", "e2", 1, "o", int64(i))))
			b.pass(25 * time.Hour)
		}
		named := filter(query.FieldColumn, "span_name", query.OpEquals, storetest.RichSpan(env, 0).Name)
		later := everything(named)
		later.From = storetest.RichSpan(env, 2).Start
		for _, c := range []struct {
			q    query.Query
			want int64
		}{{everything(), 5}, {everything(named), 5}, {later, 3}, {everyOutput(), 10}, {everyOutput(named), 10}} {
			q := c.q
			q.Limit = 2
			first := b.find(env, q)
			require.Equal(t, c.want, first.Total)
			q.Total = false
			again := b.find(env, q)
			require.Zero(t, again.Total)
			require.Equal(t, first.Next, again.Next)
			require.Equal(t, storetest.IDs(first.Spans), storetest.IDs(again.Spans))
			require.Equal(t, first.Outputs, again.Outputs)
			q.Limit, q.Total = 0, true
			count := b.find(env, q)
			require.Equal(t, c.want, count.Total)
			require.Empty(t, count.Spans)
			require.Empty(t, count.Outputs)
			require.Nil(t, count.Next)
		}
	})
	t.Run("a query that makes no sense is invalid", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		b.write(storetest.Record(env, storetest.RichSpan(env, 1)))
		for _, change := range []func(q *query.Query){
			func(q *query.Query) { q.Limit, q.Total = 0, false },
			func(q *query.Query) { q.Limit = -1 },
			func(q *query.Query) { q.Subject = "x" },
			func(q *query.Query) { q.Order.By = query.SortMetric },
			func(q *query.Query) { q.Brief, q.Limit = true, query.MaxBrief+1 },
			func(q *query.Query) { q.Filters = []query.Filter{ofOutput(query.OutputText, query.OpExists, "")} },
			func(q *query.Query) { q.Limit = query.MaxLimit + 1 },
			func(q *query.Query) { q.Order.By = "start; DROP TABLE spans" },
			func(q *query.Query) { q.Order = query.Order{By: query.SortEvaluation, Slug: "e1"} },
			func(q *query.Query) { q.Order = query.Order{By: query.SortEvaluation, Output: "o1"} },
			func(q *query.Query) {
				q.Filters = []query.Filter{filter(query.FieldColumn, "seq", query.OpEquals, "1")}
			},
			func(q *query.Query) { q.Filters = []query.Filter{filter(query.FieldAlias, "x", query.OpEquals, "1")} },
			func(q *query.Query) { q.Filters = []query.Filter{filter("x", "x", query.OpEquals, "1")} },
			func(q *query.Query) { q.Filters = []query.Filter{filter(query.FieldAttribute, "x", "like", "1")} },
		} {
			q := everything()
			change(&q)
			_, err := b.Search(t.Context(), env, q)
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%+v", q)
		}
	})
}

// orders are all orders there are, in both directions.
func orders() []query.Order {
	list := []query.Order{
		{By: query.SortEvaluation, Slug: "e1", Output: "o1"},
		{By: query.SortEvaluation, Slug: "e2", Output: "o1"},
	}
	for i := range span.Fields {
		if f := &span.Fields[i]; f.Sort != nil {
			list = append(list, query.Order{By: query.SortKey(f.Sort[0])})
		}
	}
	for _, o := range list {
		o.Descending = true
		list = append(list, o)
	}
	return list
}

// exercisePages walks through pages in every order.
func exercisePages(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("every order is total", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		records := alike(env, 60)
		for some := range slices.Chunk(records, 20) {
			b.write(some...)
			b.pass(25 * time.Hour) // wherever an engine cuts, some lie on either side
		}
		for _, order := range orders() {
			want := sorted(records, order)
			q := everything()
			q.Order = order
			require.Equal(t, storetest.IDs(want), storetest.IDs(b.find(env, q).Spans), "%v", q.Order)
			q.Limit = 7
			require.Equal(t, storetest.IDs(want), storetest.IDs(walk(b, env, q, nil)), "%v", q.Order)
		}
	})
	t.Run("the last page has no next", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		for i := range 10 {
			b.write(storetest.Record(env, storetest.Span(env, i)))
		}
		q := everything()
		q.Limit = 5
		first := b.find(env, q)
		require.NotNil(t, first.Next)
		require.EqualValues(t, 10, first.Total)
		require.Equal(t, q.Order.Position(&first.Spans[4]), *first.Next)
		q.After = first.Next
		second := b.find(env, q)
		require.Nil(t, second.Next)
		require.Len(t, second.Spans, 5)
		require.EqualValues(t, 10, second.Total)
		last := q.Order.Position(&second.Spans[4])
		q.After = &last
		third := b.find(env, q)
		require.Nil(t, third.Next)
		require.Empty(t, third.Spans)
		require.EqualValues(t, 10, third.Total)
	})
	t.Run("a page goes on behind a time at which no span is", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		for i := range 3 {
			b.write(storetest.Record(env, storetest.RichSpan(env, i)))
		}
		q := everything(filter(query.FieldColumn, "span_name", query.OpExists, ""))
		all := b.find(env, q).Spans
		for i, s := range all {
			for _, at := range []int64{s.Start, s.Start + 1, s.Start - 1} {
				behind := query.Order{By: query.SortTimestamp}.Beyond(at)
				q.Order, q.After = query.Order{By: query.SortTimestamp}, &behind
				rest := i + 1
				if at < s.Start {
					rest = i
				}
				page := b.find(env, q)
				require.Equal(t, storetest.IDs(all[rest:]), storetest.IDs(page.Spans))
				require.Equal(t, int64(len(all)), page.Total)

				q.Order.Descending = true
				behind = q.Order.Beyond(at)
				rest = i
				if at > s.Start {
					rest = i + 1
				}
				want := slices.Clone(all[:rest])
				slices.Reverse(want)
				require.Equal(t, storetest.IDs(want), storetest.IDs(b.find(env, q).Spans))
			}
		}
	})
	t.Run("spans that arrive between pages move no other", func(t *testing.T) {
		t.Parallel()
		for _, order := range orders() {
			b := newFixture(t, open)
			records := alike(env, 40)
			b.write(records[:20]...)
			q := everything()
			q.Order, q.Limit = order, 4
			next := 20
			got := walk(b, env, q, func() {
				if next < len(records) {
					b.write(records[next : next+2]...)
					next += 2
				}
			})
			seen := map[string]int{}
			for _, id := range storetest.IDs(got) {
				seen[id]++
			}
			for id, times := range seen {
				require.Equal(t, 1, times, id)
			}
			for i := range records[:20] {
				id := storetest.IDs([]span.Span{records[i].Span})[0]
				require.Equal(t, 1, seen[id], "%v %s", q.Order, id)
			}
			require.NoError(t, b.Close())
		}
	})
}

// walk returns the spans of all pages; between them it calls meanwhile.
func walk(b *fixture, env tenant.Environment, q query.Query, meanwhile func()) []span.Span {
	var list []span.Span
	for page, err := range storetest.Pages(b.t.Context(), b, env, q) {
		require.NoError(b.t, err)
		list = append(list, page.Spans...)
		if meanwhile != nil && page.Next != nil {
			meanwhile()
		}
	}
	return list
}

// alike returns spans of which many share every sort value.
func alike(env tenant.Environment, n int) []store.Record {
	texts := []string{"", "A", "a", "b", "é", "z", "\U0001F600"}
	values := []any{true, false, int64(1), 1.5, "2", "none", math.Inf(1)}
	var list []store.Record
	for i := range n {
		s := storetest.Span(env, i*37%n)
		s.Start = storetest.Epoch.Add(-time.Hour).UnixNano() + int64(i%5)
		s.Duration = int64(i % 3)
		s.Name = texts[i%7]
		s.Workflow, s.Entity, s.ResponseModel = texts[i%4], texts[i%6], texts[i%2]
		s.TotalTokens = int64(i%4) - 1
		s.TraceID[0], s.SpanID[0] = byte(i*67), byte(i*91)
		x := storetest.Record(env, s)
		if i%3 > 0 {
			x.Evaluations = append(x.Evaluations, storetest.Verdict("set_1", "e1", int64(i), "o1", values[i%7]))
		}
		if i%5 > 0 {
			x.Evaluations = append(x.Evaluations, storetest.Verdict("set_1", "e2", int64(i), "o1", values[i%6]), storetest.Verdict("set_2", "e2", int64(i*13%n), "o1", values[i%4]))
		}
		list = append(list, x)
	}
	return list
}

// sorted returns the spans in an order.
func sorted(list []store.Record, order query.Order) []span.Span {
	var spans []span.Span
	for _, x := range list {
		spans = append(spans, shown(x))
	}
	sortSpans(spans, order)
	return spans
}

func sortSpans(spans []span.Span, order query.Order) {
	slices.SortFunc(spans, func(a, b span.Span) int {
		x, y := order.Position(&a), order.Position(&b)
		return order.Compare(&x, &y)
	})
}

// shown returns the span of a record with its verdicts.
func shown(x store.Record) span.Span {
	s := x.Span
	s.Attributes = slices.Clone(s.Attributes)
	done := slices.DeleteFunc(slices.Clone(x.Evaluations), func(e eval.Evaluation) bool { return e.Status != eval.Done })
	slices.SortStableFunc(done, func(a, b eval.Evaluation) int { return cmp.Compare(a.Time, b.Time) })
	for _, e := range done {
		for _, o := range e.Outputs {
			s.Attributes = s.Attributes.With(tenant.EvaluationPrefix+e.Evaluator+"."+o.Name, o.Text())
		}
	}
	return s
}
