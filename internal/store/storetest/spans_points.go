// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// everyPoint asks for all points there are, up to the limit.
func everyPoint(filters ...store.PointFilter) store.PointQuery {
	return store.PointQuery{From: math.MinInt64, To: math.MaxInt64, All: filters, By: store.PointByStart, Limit: query.MaxLimit}
}

// points asks for a page of points and expects an answer.
func (b *bench) points(env tenant.Environment, q store.PointQuery) store.PointPage {
	b.t.Helper()
	page, err := b.Points(b.t.Context(), env, q)
	require.NoError(b.t, err)
	return page
}

// requirePoints expects points that are equal; one that is not a number is
// equal to itself.
func requirePoints(t *testing.T, want, got []store.Point, about ...any) {
	t.Helper()
	plain := func(list []store.Point) []store.Point {
		list = append([]store.Point{}, list...)
		for i := range list {
			if n, ok := list[i].Output.Value.(float64); ok && math.IsNaN(n) {
				list[i].Output.Value = "not a number"
			}
		}
		return list
	}
	require.Equal(t, plain(want), plain(got), about...)
}

func exercisePoints(t *testing.T, open OpenSpans) {
	env := environment("prd")
	t.Run("are the outputs of what is done, with what is known of the span", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s, plain := rich(env, 1), simple(env, 2)
		done := eval.Evaluation{
			SetupID: "set_2", Evaluator: "tone-detection", Status: eval.Done, Backend: eval.Judge, Version: "v-3", Time: 70, Duration: 5,
			Outputs: []eval.Output{{Name: "tone", Value: `so "so"`}, {Name: "score", Value: 0.25}},
		}
		bare := eval.Evaluation{SetupID: "set_3", Evaluator: "empty", Status: eval.Done, Time: 71}
		list := []eval.Evaluation{done, bare, verdict("set_1", "tone-detection", 60, "score", int64(1<<60)), verdict("set_1", "pii-detector", 61, "has_pii", true)}
		for i, status := range []eval.Status{eval.Failed, eval.Skipped, eval.Deferred} {
			e := verdict("set_4", string(status), int64(i), "o", 1.0)
			e.Status, e.Reason, e.Due = status, "for a reason", 1
			list = append(list, e)
		}
		b.write(record(env, s, list...), record(env, plain, verdict("set_1", "e", 80, "o", math.Inf(-1))))
		of := func(s span.Span, e eval.Evaluation, i int) store.Point {
			p := store.Point{
				SetupID: e.SetupID, Evaluator: e.Evaluator, Output: e.Outputs[i], Backend: e.Backend, Time: e.Time,
				Span: keyOf(s), Start: s.Start, SpanName: s.Name,
			}
			if s.Service != "" {
				p.Service, p.Vendor, p.Model, p.Workflow, p.Entity = "shop", "openai", "gpt-4o-2024-08-06", "checkout", "answer"
			}
			return p
		}
		want := []store.Point{
			of(s, list[3], 0), of(s, list[2], 0), of(s, done, 1), of(s, done, 0),
			of(plain, verdict("set_1", "e", 80, "o", math.Inf(-1)), 0),
		}
		for range 2 {
			page := b.points(env, everyPoint())
			requirePoints(t, want, page.Points)
			require.EqualValues(t, 5, page.Total)
			require.Nil(t, page.Next)
			require.Empty(t, b.points(environment("stg"), everyPoint()).Points)
			b.reopen()
		}
	})
	t.Run("end with the retention of their span", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		short := environment("short")
		short.Retention = 10 * time.Hour
		for i := range 3 {
			s := simple(short, i)
			s.Start = epoch.UnixNano() + int64(i)
			b.write(record(short, s, verdict("s", "e", 1, "o", int64(i))))
		}
		b.pass(short.Retention + 1)
		q := everyPoint()
		q.Limit = 1
		page := b.points(short, q)
		require.EqualValues(t, 2, page.Total)
		require.Equal(t, int64(1), page.Points[0].Output.Value)
		b.pass(2)
		require.Zero(t, b.points(short, everyPoint()).Total)
		require.NoError(t, b.Expire(t.Context(), b.now().Add(time.Hour)))
		require.Zero(t, b.points(short, everyPoint()).Total)
	})
	t.Run("follow what is settled later", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		owed := eval.Evaluation{SetupID: "s", Evaluator: "e", Status: eval.Deferred, Reason: eval.ReasonModel, Time: 1, Due: 1}
		b.write(record(env, simple(env, 1), owed))
		require.Zero(t, b.points(env, everyPoint()).Total)
		b.pass(50 * time.Hour)
		b.write(record(env, simple(env, 2)))
		require.NoError(t, b.Settle(t.Context(), []store.Settlement{
			{Environment: env.ID, Span: keyOf(simple(env, 1)), Evaluations: []eval.Evaluation{verdict("s", "e", 2, "o", 2.0)}},
			{Environment: env.ID, Span: keyOf(simple(env, 2)), Evaluations: []eval.Evaluation{verdict("s", "e", 3, "o", 3.0)}},
		}))
		page := b.points(env, everyPoint())
		require.EqualValues(t, 2, page.Total)
		require.Equal(t, []any{2.0, 3.0}, []any{page.Points[0].Output.Value, page.Points[1].Output.Value})
	})
	t.Run("a query that makes no sense is invalid", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		b.write(record(env, simple(env, 1), verdict("s", "e", 1, "o", 1.0)))
		for _, change := range []func(q *store.PointQuery){
			func(q *store.PointQuery) { q.Limit = 0 },
			func(q *store.PointQuery) { q.Limit = query.MaxLimit + 1 },
			func(q *store.PointQuery) { q.By = "" },
			func(q *store.PointQuery) { q.By = "start; DROP TABLE spans" },
			func(q *store.PointQuery) { q.All = []store.PointFilter{{Field: "x", Operator: query.OpExists}} },
			func(q *store.PointQuery) { q.Any = []store.PointFilter{{Field: "x", Operator: query.OpExists}} },
			func(q *store.PointQuery) { q.All = []store.PointFilter{{Field: store.PointText, Operator: "like"}} },
			func(q *store.PointQuery) {
				q.Any = []store.PointFilter{{Field: store.PointSpan, Span: query.Field{Kind: query.FieldColumn, Name: "seq"}, Operator: query.OpExists}}
			},
			func(q *store.PointQuery) {
				q.All = []store.PointFilter{{
					Field: store.PointSpan, Span: query.Field{Kind: query.FieldEvaluation, Name: "e", Output: "o"}, Operator: query.OpExists,
				}}
			},
		} {
			q := everyPoint()
			change(&q)
			_, err := b.Points(t.Context(), env, q)
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%+v", q)
		}
	})
	t.Run("hostile texts are texts", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		hostile := []string{`'; DROP TABLE spans; --`, `%`, `_`, `\`, `"`, "a\x00b", "\U0001F600", "$1", strings.Repeat("é", 3000)}
		for i, text := range hostile {
			b.write(record(env, simple(env, i), verdict(text, text, 1, text, text)))
		}
		for i, text := range hostile {
			var any []store.PointFilter
			for _, field := range []store.PointField{store.PointSetup, store.PointEvaluator, store.PointOutput, store.PointText} {
				f := store.PointFilter{Field: field, Operator: query.OpEquals, Value: text}
				any = append(any, f, store.PointFilter{Field: field, Operator: query.OpIn, Values: []string{"\xff", text}})
				page := b.points(env, everyPoint(f))
				require.EqualValues(t, 1, page.Total, "%s %q", field, text)
				require.Equal(t, text, page.Points[0].Output.Value)
				f.Operator = query.OpNotEquals
				require.EqualValues(t, len(hostile)-1, b.points(env, everyPoint(f)).Total)
				f.Value = "\xff"
				require.EqualValues(t, len(hostile), b.points(env, everyPoint(f)).Total)
			}
			q := everyPoint()
			q.Any = any
			require.Equal(t, keyOf(simple(env, i)), b.points(env, q).Points[0].Span)
		}
		for _, key := range pointKeys {
			q := everyPoint()
			q.By, q.Limit = key, 2
			require.Len(t, b.walkPoints(env, q, nil), len(hostile))
		}
	})
	t.Run("of spans that have their messages from elsewhere", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s := simple(env, 1)
		b.write(record(env, s, verdict("s", "e", 1, "o", 1.0)), record(env, simple(env, 2), verdict("s", "e", 1, "o", 2.0)))
		require.NoError(t, b.WriteMessages(t.Context(), []store.Messages{{
			Environment: env, TraceID: s.TraceID, SpanID: s.SpanID, Time: s.Start, Prompts: attributes("llm.prompts.0.content", "hello"),
		}}))
		f := store.PointFilter{
			Field: store.PointSpan, Span: query.Field{Kind: query.FieldColumn, Name: "prompts"}, Operator: query.OpContains, Value: "ell",
		}
		require.EqualValues(t, 1, b.points(env, everyPoint(f)).Total)
		q := everyPoint()
		q.Any = []store.PointFilter{f, {Field: store.PointNumber, Operator: query.OpEquals, Value: "2.0"}}
		require.EqualValues(t, 2, b.points(env, q).Total)
	})
	t.Run("points that come between pages move no other", func(t *testing.T) {
		t.Parallel()
		exercisePointPages(t, open)
	})
	t.Run("are those of the model, whatever there is and is asked", func(t *testing.T) {
		t.Parallel()
		exercisePointModel(t, open)
	})
	t.Run("a closed store has none", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		requireNoAnswer(t, b, func() error { _, err := b.Points(t.Context(), env, everyPoint()); return err })
	})
}

// requireNoAnswer closes the store and expects it to be unavailable.
func requireNoAnswer(t *testing.T, b *bench, call func() error) {
	t.Helper()
	require.NoError(t, call())
	require.NoError(t, b.Close())
	require.Equal(t, fault.Unavailable, fault.KindOf(call()))
}

// walkPoints gives the points of all pages; between them it calls meanwhile.
func (b *bench) walkPoints(env tenant.Environment, q store.PointQuery, meanwhile func()) []store.Point {
	b.t.Helper()
	var list []store.Point
	for {
		page := b.points(env, q)
		list = append(list, page.Points...)
		if page.Next == nil {
			return list
		}
		require.Equal(b.t, placeOf(page.Points[len(page.Points)-1]).Span, page.Next.Span)
		if meanwhile != nil {
			meanwhile()
		}
		q.After = page.Next
	}
}

func exercisePointPages(t *testing.T, open OpenSpans) {
	env := environment("prd")
	for _, key := range pointKeys {
		for _, descending := range []bool{false, true} {
			b := newBench(t, open)
			records := alike(env, 40)
			b.write(records[:20]...)
			q := everyPoint()
			q.By, q.Descending, q.Limit = key, descending, 5
			want := model{slug: env.Slug, records: records[:20]}.findPoints(q)
			next := 20
			got := b.walkPoints(env, q, func() {
				if next < len(records) {
					b.write(records[next : next+2]...)
					next += 2
				}
			})
			early := map[span.Key]bool{}
			for _, x := range records[:20] {
				early[keyOf(x.Span)] = true
			}
			var kept []store.Point
			seen := map[store.PointPosition]bool{}
			for _, p := range got {
				require.False(t, seen[placeOf(p)], "%v", p)
				seen[placeOf(p)] = true
				if early[p.Span] {
					kept = append(kept, p)
				}
			}
			requirePoints(t, want, kept)
			require.NoError(t, b.Close())
		}
	}
}

// exercisePointModel compares the engine with a model of the contract, as
// exerciseModel does.
func exercisePointModel(t *testing.T, open OpenSpans) {
	r := rand.New(rand.NewPCG(7, 8))
	b := newBench(t, open)
	env, other := environment("prd"), environment("stg")
	m := model{slug: env.Slug}
	for range 4 {
		var batch []store.Record
		for range 40 {
			x := m.record(r, env, len(m.records))
			m.records = append(m.records, x)
			batch = append(batch, x, record(other, x.Span, randomEvaluations(r)...))
		}
		b.write(batch...)
		b.pass(7 * time.Hour)
	}
	for range 300 {
		q := randomPointQuery(r)
		want := m.findPoints(q)
		page := b.points(env, q)
		require.EqualValues(t, len(want), page.Total, "%+v", q)
		requirePoints(t, want[:min(len(want), q.Limit)], page.Points, "%+v", q)
		if page.Next == nil {
			require.LessOrEqual(t, len(want), q.Limit)
			continue
		}
		if q.By == store.PointByNumber {
			require.Equal(t, placeOf(want[q.Limit-1]), *page.Next)
		}
		q.After = page.Next
		again := b.points(env, q)
		require.EqualValues(t, len(want), again.Total)
		requirePoints(t, want[q.Limit:min(len(want), 2*q.Limit)], again.Points, "%+v", q)
	}
}
