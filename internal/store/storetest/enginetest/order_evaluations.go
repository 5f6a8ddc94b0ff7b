// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/pools"
)

// exerciseOrderByVerdict sorts spans by what evaluators said of them.
func exerciseOrderByVerdict(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	by := func(slug, output string) query.Query {
		q := everything()
		q.Order = query.Order{By: query.SortEvaluation, Slug: slug, Output: output, Descending: true}
		return q
	}
	t.Run("is by the number that is shown, then by the ids", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		for i, value := range []any{
			nil, 2.5, true, int64(math.MaxInt64), "2.4", "many", math.NaN(), false, int64(-7), "-1e2", int64(math.MaxInt64 - 1), "0x10",
		} {
			var list []eval.Evaluation
			if value != nil {
				list = append(list, storetest.Verdict("s", "e", 1, "o", value), storetest.Verdict("s", "other", 1, "o", int64(i)), storetest.Verdict("s", "more", 2, "O", 1.0))
			}
			b.write(storetest.Record(env, storetest.Span(env, i), list...))
		}
		want := func(list ...int) (spans []span.Span) {
			for _, n := range list {
				spans = append(spans, storetest.Span(env, n))
			}
			return spans
		}
		q := by("e", "o")
		page := b.find(env, q)
		require.Equal(t, storetest.IDs(want(10, 3, 1, 4, 2, 7, 8, 9, 11, 6, 5, 0)), storetest.IDs(page.Spans))
		require.EqualValues(t, 12, page.Total)
		q.Limit = 8
		page = b.find(env, q)
		require.InDelta(t, -100, page.Next.Real, 0)
		q.After = page.Next
		require.Equal(t, storetest.IDs(want(11, 6, 5, 0)), storetest.IDs(b.find(env, q).Spans))
		require.True(t, math.IsInf(q.Order.Position(&b.find(env, q).Spans[0]).Real, -1))
		require.Equal(t, storetest.IDs(want(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)), storetest.IDs(b.find(env, by("e", "none")).Spans))
		require.Equal(t, storetest.IDs(want(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)), storetest.IDs(b.find(env, by("no'ne", "o\x00")).Spans))
		require.Equal(t, storetest.IDs(want(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)), storetest.IDs(b.find(env, by("\xff", "o\xff")).Spans))
	})
	t.Run("is by the latest verdict of any setup", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		failed := storetest.Verdict("s3", "e", 99, "o", 1000.0)
		failed.Status = eval.Failed
		b.write(
			storetest.Record(env, storetest.Span(env, 1), storetest.Verdict("s1", "e", 5, "o", 9.0), storetest.Verdict("s2", "e", 7, "o", 1.0), failed),
			storetest.Record(env, storetest.Span(env, 2), storetest.Verdict("s1", "e", 8, "o", 2.0), storetest.Verdict("s2", "e", 7, "o", 8.0)),
			storetest.Record(env, storetest.Span(env, 3), storetest.Verdict("s1", "e", 8, "o", 7.0), storetest.Verdict("s2", "e", 9, "o", "none")),
			storetest.Record(env, storetest.Span(env, 4), storetest.Verdict("s1", "e", 8, "o", 1.5), storetest.Verdict("s2", "e", 9, "other", 9.0)),
		)
		want := []span.Span{storetest.Span(env, 2), storetest.Span(env, 4), storetest.Span(env, 1), storetest.Span(env, 3)}
		require.Equal(t, storetest.IDs(want), storetest.IDs(b.find(env, by("e", "o")).Spans))
	})
	t.Run("is filtered by the latest verdict of any setup, as it is shown", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		failed := storetest.Verdict("s3", "e", 99, "o", 1000.0)
		failed.Status = eval.Failed
		b.write(
			storetest.Record(env, storetest.Span(env, 1), storetest.Verdict("s1", "e", 5, "o", 0.9), storetest.Verdict("s2", "e", 7, "o", 0.2), failed),
			storetest.Record(env, storetest.Span(env, 2), storetest.Verdict("s1", "e", 8, "o", 0.9), storetest.Verdict("s2", "e", 7, "o", 0.2)),
			storetest.Record(env, storetest.Span(env, 3), storetest.Verdict("s1", "e", 8, "o", 0.9), storetest.Verdict("s2", "e", 9, "o", "none")),
			storetest.Record(env, storetest.Span(env, 4), storetest.Verdict("s1", "e", 8, "o", 0.9), storetest.Verdict("s2", "e", 9, "other", 0.2)),
			storetest.Record(env, storetest.Span(env, 5), storetest.Verdict("s1", "other", 8, "o", 0.9)),
		)
		b.pass(25 * time.Hour)
		b.write(storetest.Record(env, storetest.Span(env, 6), storetest.Verdict("s1", "e", 5, "o", 0.9))) // where there is one setup
		on := func(op query.Operator, value string) query.Filter {
			f := filter(query.FieldEvaluation, "e", op, value)
			f.Field.Output = "o"
			return f
		}
		in := on(query.OpIn, "")
		in.Values = []string{"0.2", "none"}
		for _, c := range []struct {
			f    query.Filter
			want []int
		}{
			{on(query.OpGreaterThan, "0.8"), []int{2, 4, 6}},
			{on(query.OpLessThan, "0.8"), []int{1}},
			{on(query.OpEquals, "0.9"), []int{2, 4, 6}},
			{on(query.OpNotEquals, "0.9"), []int{1, 3, 5}},
			{in, []int{1, 3}},
			{on(query.OpContains, "on"), []int{3}},
			{on(query.OpExists, ""), []int{1, 2, 3, 4, 6}},
			{on(query.OpNotExists, ""), []int{5}},
			{query.Any(on(query.OpEquals, "0.2"), on(query.OpEquals, "none")), []int{1, 3}},
		} {
			want := []string{}
			for _, n := range c.want {
				want = append(want, storetest.IDs([]span.Span{storetest.Span(env, n)})[0])
			}
			q := everything(c.f)
			page := b.find(env, q)
			require.Equal(t, want, storetest.IDs(page.Spans), "%+v", c.f)
			require.EqualValues(t, len(want), page.Total, "%+v", c.f)
			for i := range page.Spans {
				require.True(t, q.Matches(&page.Spans[i], nil), "what is shown is what was filtered")
			}
		}
	})
	t.Run("follows what is completed later", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		owed := eval.Evaluation{SetupID: "s", Evaluator: "e", Status: eval.Deferred, Reason: eval.ReasonModel, Time: 1, Due: 1}
		b.write(storetest.Record(env, storetest.Span(env, 1), owed), storetest.Record(env, storetest.Span(env, 2), storetest.Verdict("s", "e", 1, "o", 1.0)))
		require.Equal(t, storetest.IDs([]span.Span{storetest.Span(env, 2), storetest.Span(env, 1)}), storetest.IDs(b.find(env, by("e", "o")).Spans))
		b.complete(store.Evaluated{
			Environment: env.ID, Span: storetest.KeyOf(storetest.Span(env, 1)), Evaluations: []eval.Evaluation{storetest.Verdict("s", "e", 2, "o", 2.0)},
		})
		require.Equal(t, storetest.IDs([]span.Span{storetest.Span(env, 1), storetest.Span(env, 2)}), storetest.IDs(b.find(env, by("e", "o")).Spans))
	})
	t.Run("is by what attributes show, whatever there is and is asked", func(t *testing.T) {
		t.Parallel()
		exerciseVerdictModel(t, open)
	})
}

// exerciseVerdictModel walks through pages in the order of verdicts of every
// kind and compares them with what the store shows of each span.
func exerciseVerdictModel(t *testing.T, open Open) {
	r := rand.New(rand.NewPCG(5, 6))
	b := newFixture(t, open)
	env, other := storetest.Environment("prd"), storetest.Environment("stg")
	m := model{slug: env.Slug}
	for range randomPeriods {
		var batch []store.Record
		for range 60 {
			x := m.record(r, env, len(m.records))
			if r.IntN(4) == 0 { // as late as another: it is for the engine to say which was last
				for i := range x.Evaluations {
					x.Evaluations[i].Time = storetest.Epoch.UnixNano()
				}
			}
			m.records = append(m.records, x)
			batch = append(batch, x, storetest.Record(other, x.Span, pools.RandomEvaluations(r)...))
		}
		b.write(batch...)
		b.pass(7 * time.Hour)
	}
	known := map[string]span.Span{}
	for _, s := range b.all(env) {
		known[storetest.IDs([]span.Span{s})[0]] = s
	}
	for _, x := range m.records {
		if len(x.Evaluations) < 2 || x.Evaluations[0].Time != x.Evaluations[1].Time {
			storetest.RequireSpans(t, []span.Span{shown(x)}, []span.Span{known[storetest.IDs([]span.Span{x.Span})[0]]})
		}
	}
	for range 160 {
		q := randomQuery(r)
		q.Order = query.Order{
			By: query.SortEvaluation, Slug: pools.Pick(r, append(pools.Evaluators, "none")), Output: pools.Pick(r, pools.Outputs), Descending: r.IntN(2) == 0,
		}
		q.Filters = q.Filters[:r.IntN(2)]
		var want []span.Span
		for _, s := range m.find(q) {
			want = append(want, known[storetest.IDs([]span.Span{s})[0]])
		}
		sortSpans(want, q.Order)
		page := b.find(env, q)
		require.EqualValues(t, len(want), page.Total, "%+v", q)
		require.Equal(t, storetest.IDs(want[:min(len(want), q.Limit)]), storetest.IDs(page.Spans), "%+v", q)
		if page.Next == nil {
			require.LessOrEqual(t, len(want), q.Limit)
			continue
		}
		require.Equal(t, q.Order.Position(&page.Spans[len(page.Spans)-1]), *page.Next)
		q.After = page.Next
		require.Equal(t, storetest.IDs(want[q.Limit:min(len(want), 2*q.Limit)]), storetest.IDs(b.find(env, q).Spans), "%+v", q)
	}
}
