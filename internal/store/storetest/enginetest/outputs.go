// SPDX-License-Identifier: Apache-2.0

package enginetest

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
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/pools"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// everyOutput asks for all outputs there are, up to the limit.
func everyOutput(filters ...query.Filter) query.Query {
	q := everything(filters...)
	q.Subject = query.Outputs
	return q
}

// ofOutput returns a filter on a field of the output itself.
func ofOutput(name string, op query.Operator, value string) query.Filter {
	return filter(query.FieldOutput, name, op, value)
}

// requireOutputs expects outputs that are equal; one that is not a number is
// equal to itself.
func requireOutputs(t *testing.T, want, got []query.Output, about ...any) {
	t.Helper()
	plain := func(list []query.Output) []query.Output {
		list = append([]query.Output{}, list...)
		for i := range list {
			if n, ok := list[i].Output.Value.(float64); ok && math.IsNaN(n) {
				list[i].Output.Value = "not a number"
			}
		}
		return list
	}
	require.Equal(t, plain(want), plain(got), about...)
}

func exerciseOutputs(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("are the outputs of what is done, with what is known of the span", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s, plain := storetest.RichSpan(env, 1), storetest.Span(env, 2)
		done := eval.Evaluation{
			SetupID: "set_2", Evaluator: "tone-detection", Status: eval.Done, Backend: eval.Judge, Version: "v-3", Time: 70, Duration: 5,
			Outputs: []eval.Output{{Name: "tone", Value: `so "so"`}, {Name: "score", Value: 0.25}},
		}
		bare := eval.Evaluation{SetupID: "set_3", Evaluator: "empty", Status: eval.Done, Time: 71}
		list := []eval.Evaluation{done, bare, storetest.Verdict("set_1", "tone-detection", 60, "score", int64(1<<60)), storetest.Verdict("set_1", "pii-detector", 61, "has_pii", true)}
		for i, status := range []eval.Status{eval.Uncertain, eval.Failed, eval.Skipped, eval.Deferred} {
			e := storetest.Verdict("set_4", string(status), int64(i), "o", 1.0)
			e.Status, e.Reason, e.Due = status, "for a reason", 1
			list = append(list, e)
		}
		b.write(storetest.Record(env, s, list...), storetest.Record(env, plain, storetest.Verdict("set_1", "e", 80, "o", math.Inf(-1))))
		of := func(s span.Span, e eval.Evaluation, i int) query.Output {
			p := query.Output{
				SetupID: e.SetupID, Evaluator: e.Evaluator, Output: e.Outputs[i], Backend: e.Backend, Source: e.Source, Version: e.Version, Judge: e.Model, Time: e.Time,
				Span: s.Key(), Start: s.Start, SpanName: s.Name,
			}
			if s.Service != "" {
				p.Service, p.Vendor, p.Model, p.Workflow, p.Entity = "shop", "openai", "gpt-4o-2024-08-06", "checkout", "answer"
			}
			return p
		}
		want := []query.Output{
			of(s, list[3], 0), of(s, list[2], 0), of(s, done, 1), of(s, done, 0),
			of(plain, storetest.Verdict("set_1", "e", 80, "o", math.Inf(-1)), 0),
		}
		for range 2 {
			page := b.find(env, everyOutput())
			requireOutputs(t, want, page.Outputs)
			require.EqualValues(t, 5, page.Total)
			require.Nil(t, page.Next)
			require.Empty(t, b.find(storetest.Environment("stg"), everyOutput()).Outputs)
			b.reopen()
		}
	})
	t.Run("end with the retention of their span", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		short := storetest.Environment("short")
		short.Retention = 10 * time.Hour
		for i := range 3 {
			s := storetest.Span(short, i)
			s.Start = storetest.Epoch.UnixNano() + int64(i)
			b.write(storetest.Record(short, s, storetest.Verdict("s", "e", 1, "o", int64(i))))
		}
		b.pass(short.Retention + 1)
		q := everyOutput()
		q.Limit = 1
		page := b.find(short, q)
		require.EqualValues(t, 2, page.Total)
		require.Equal(t, int64(1), page.Outputs[0].Output.Value)
		b.pass(2)
		require.Zero(t, b.find(short, everyOutput()).Total)
		require.NoError(t, b.Expire(t.Context(), b.now().Add(time.Hour)))
		require.Zero(t, b.find(short, everyOutput()).Total)
	})
	t.Run("follow what is completed later", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		owed := eval.Evaluation{SetupID: "s", Evaluator: "e", Status: eval.Deferred, Reason: eval.ReasonModel, Time: 1, Due: 1}
		b.write(storetest.Record(env, storetest.Span(env, 1), owed))
		require.Zero(t, b.find(env, everyOutput()).Total)
		b.pass(50 * time.Hour)
		b.write(storetest.Record(env, storetest.Span(env, 2)))
		b.complete([]store.Evaluated{
			{Environment: env.ID, Span: storetest.KeyOf(storetest.Span(env, 1)), Evaluations: []eval.Evaluation{storetest.Verdict("s", "e", 2, "o", 2.0)}},
			{Environment: env.ID, Span: storetest.KeyOf(storetest.Span(env, 2)), Evaluations: []eval.Evaluation{storetest.Verdict("s", "e", 3, "o", 3.0)}},
		}...)
		page := b.find(env, everyOutput())
		require.EqualValues(t, 2, page.Total)
		require.Equal(t, []any{2.0, 3.0}, []any{page.Outputs[0].Output.Value, page.Outputs[1].Output.Value})
	})
	t.Run("a query that makes no sense is invalid", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		b.write(storetest.Record(env, storetest.Span(env, 1), storetest.Verdict("s", "e", 1, "o", 1.0)))
		for _, change := range []func(q *query.Query){
			func(q *query.Query) { q.Limit, q.Total = 0, false },
			func(q *query.Query) { q.Limit = query.MaxLimit + 1 },
			func(q *query.Query) { q.Order.By = "" },
			func(q *query.Query) { q.Order.By = "start; DROP TABLE spans" },
			func(q *query.Query) { q.Order.By = query.SortDuration },
			func(q *query.Query) { q.Filters = []query.Filter{ofOutput("x", query.OpExists, "")} },
			func(q *query.Query) { q.Filters = []query.Filter{query.Any(ofOutput("x", query.OpExists, ""))} },
			func(q *query.Query) { q.Filters = []query.Filter{ofOutput(query.OutputText, "like", "")} },
			func(q *query.Query) {
				q.Filters = []query.Filter{query.All(query.Any(filter(query.FieldColumn, "seq", query.OpExists, "")))}
			},
		} {
			q := everyOutput()
			change(&q)
			_, err := b.Search(t.Context(), env, q)
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%+v", q)
		}
	})
	t.Run("hostile texts are texts", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		hostile := []string{`'; DROP TABLE spans; --`, `%`, `_`, `\`, `"`, "a\x00b", "\U0001F600", "$1", strings.Repeat("é", 3000)}
		for i, text := range hostile {
			b.write(storetest.Record(env, storetest.Span(env, i), storetest.Verdict(text, text, 1, text, text)))
		}
		for i, text := range hostile {
			var any []query.Filter
			for _, field := range []string{query.OutputSetup, query.OutputEvaluator, query.OutputName, query.OutputText} {
				f := ofOutput(field, query.OpEquals, text)
				any = append(any, f, query.Filter{Field: f.Field, Operator: query.OpIn, Values: []string{"\xff", text}})
				page := b.find(env, everyOutput(f))
				require.EqualValues(t, 1, page.Total, "%s %q", field, text)
				require.Equal(t, text, page.Outputs[0].Output.Value)
				f.Operator = query.OpNotEquals
				require.EqualValues(t, len(hostile)-1, b.find(env, everyOutput(f)).Total)
				f.Value = "\xff"
				require.EqualValues(t, len(hostile), b.find(env, everyOutput(f)).Total)
			}
			require.Equal(t, storetest.KeyOf(storetest.Span(env, i)), b.find(env, everyOutput(query.Any(any...))).Outputs[0].Span)
		}
		for _, key := range outputKeys {
			q := everyOutput()
			q.Order.By, q.Limit = key, 2
			require.Len(t, b.walkOutputs(env, q, nil), len(hostile))
		}
	})
	t.Run("of spans that have their messages from elsewhere", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		b.write(storetest.Record(env, s, storetest.Verdict("s", "e", 1, "o", 1.0)), storetest.Record(env, storetest.Span(env, 2), storetest.Verdict("s", "e", 1, "o", 2.0)))
		require.NoError(t, storetest.WriteMessages(t.Context(), b, []store.Messages{{
			Environment: env, TraceID: s.TraceID, SpanID: s.SpanID, Time: s.Start, Prompts: storetest.Attributes("llm.prompts.0.content", "hello"),
		}}))
		f := filter(query.FieldColumn, "prompts", query.OpContains, "ell")
		require.EqualValues(t, 1, b.find(env, everyOutput(f)).Total)
		q := everyOutput(query.Any(f, ofOutput(query.OutputNumber, query.OpEquals, "2.0")))
		require.EqualValues(t, 2, b.find(env, q).Total)
	})
	t.Run("outputs that come between pages move no other", func(t *testing.T) {
		t.Parallel()
		exerciseOutputPages(t, open)
	})
	t.Run("are those of the model, whatever there is and is asked", func(t *testing.T) {
		t.Parallel()
		exerciseOutputModel(t, open)
	})
	t.Run("a closed store has none", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		requireNoAnswer(t, b, func() error { _, err := b.Search(t.Context(), env, everyOutput()); return err })
	})
}

// requireNoAnswer closes the store and expects it to be unavailable.
func requireNoAnswer(t *testing.T, b *fixture, call func() error) {
	t.Helper()
	require.NoError(t, call())
	require.NoError(t, b.Close())
	require.Equal(t, fault.Unavailable, fault.KindOf(call()))
}

// walkOutputs returns the outputs of all pages; between them it calls meanwhile.
func (b *fixture) walkOutputs(env tenant.Environment, q query.Query, meanwhile func()) []query.Output {
	b.t.Helper()
	var list []query.Output
	for page, err := range storetest.Pages(b.t.Context(), b, env, q) {
		require.NoError(b.t, err)
		list = append(list, page.Outputs...)
		if page.Next == nil {
			break
		}
		require.Equal(b.t, q.Order.PositionOf(&page.Outputs[len(page.Outputs)-1]), *page.Next)
		if meanwhile != nil {
			meanwhile()
		}
	}
	return list
}

func exerciseOutputPages(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	for _, key := range outputKeys {
		for _, descending := range []bool{false, true} {
			b := newFixture(t, open)
			records := alike(env, 40)
			b.write(records[:20]...)
			q := everyOutput()
			q.Order, q.Limit = query.Order{By: key, Descending: descending}, 5
			want := model{slug: env.Slug, records: records[:20]}.findOutputs(q)
			next := 20
			got := b.walkOutputs(env, q, func() {
				if next < len(records) {
					b.write(records[next : next+2]...)
					next += 2
				}
			})
			early := map[span.Key]bool{}
			for _, x := range records[:20] {
				early[storetest.KeyOf(x.Span)] = true
			}
			var kept []query.Output
			seen := map[query.Position]bool{}
			for _, p := range got {
				at := q.Order.PositionOf(&p)
				require.False(t, seen[at], "%v", p)
				seen[at] = true
				if early[p.Span] {
					kept = append(kept, p)
				}
			}
			requireOutputs(t, want, kept)
			require.NoError(t, b.Close())
		}
	}
}

// exerciseOutputModel compares the engine with a model of the contract, as
// exerciseModel does.
func exerciseOutputModel(t *testing.T, open Open) {
	r := rand.New(rand.NewPCG(7, 8))
	b := newFixture(t, open)
	env, other := storetest.Environment("prd"), storetest.Environment("stg")
	m := model{slug: env.Slug}
	for range randomPeriods {
		var batch []store.Record
		for range 50 {
			x := m.record(r, env, len(m.records))
			m.records = append(m.records, x)
			batch = append(batch, x, storetest.Record(other, x.Span, pools.RandomEvaluations(r)...))
		}
		b.write(batch...)
		b.pass(7 * time.Hour)
	}
	for range 200 {
		q := randomOutputQuery(r)
		want := m.findOutputs(q)
		page := b.find(env, q)
		require.EqualValues(t, len(want), page.Total, "%+v", q)
		requireOutputs(t, want[:min(len(want), q.Limit)], page.Outputs, "%+v", q)
		if page.Next == nil {
			require.LessOrEqual(t, len(want), q.Limit)
			continue
		}
		require.Equal(t, q.Order.PositionOf(&want[q.Limit-1]), *page.Next)
		q.After = page.Next
		again := b.find(env, q)
		require.EqualValues(t, len(want), again.Total)
		requireOutputs(t, want[q.Limit:min(len(want), 2*q.Limit)], again.Outputs, "%+v", q)
	}
}
