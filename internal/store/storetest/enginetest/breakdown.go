// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"math"
	"math/rand/v2"
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
	"github.com/touchstone-otel/touchstone/internal/store/storetest/pools"
)

// exerciseBreakdown compares figures of general aggregates with what package
// query says they mean: filters of every kind, groups by any text, shares and
// quantiles, over several periods of arrival.
func exerciseBreakdown(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("means what it means in memory", func(t *testing.T) {
		t.Parallel()
		r := rand.New(rand.NewPCG(21, 22))
		b := newFixture(t, open)
		m := model{slug: env.Slug}
		for range randomPeriods {
			var batch []store.Record
			for range 60 {
				x := m.record(r, env, len(m.records))
				m.records = append(m.records, x)
				batch = append(batch, x, storetest.Record(storetest.Environment("stg"), x.Span, pools.RandomEvaluations(r)...))
			}
			b.write(batch...)
			b.pass(25 * time.Hour)
		}
		rested, rolled := 0, 0
		for i := range 100 {
			a := randomBreakdown(r)
			require.NoError(t, a.Validate())
			require.True(t, a.General())
			want, err := a.Answer(m.groups)
			require.NoError(t, err)
			got, err := b.Aggregate(t.Context(), env, a)
			require.NoError(t, err)
			requireGroups(t, &a, want, got, i)
			for _, g := range got {
				if g.Rest {
					rested++
				}
				if g.Level == query.InPeriod && a.Gathers() {
					rolled++
				}
			}
		}
		require.Positive(t, rested)
		require.Positive(t, rolled)
	})
	t.Run("groups by what made a metric", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		var made []eval.Evaluation
		want := map[string]int64{"tone_detection_2": 1, "human": 1, "sdk": 1, query.SourceJudge: 1, "human:": 1, "other:x": 1}
		for _, slug := range []string{"tone-detection-2", "human:is-right", "sdk:x", "answer-relevancy", "human:", "other:x"} {
			e := storetest.Verdict("set_1", slug, 1, "score", 0.5)
			if slug == "answer-relevancy" {
				e.Backend = eval.Judge
			}
			made = append(made, e)
		}
		b.write(storetest.Record(env, storetest.Span(env, 1), made...))
		a := query.Aggregate{Subject: query.Outputs, From: math.MinInt64, To: math.MaxInt64, Figures: []query.Figure{{Measure: query.Count}}}
		a.By = []query.Field{{Kind: query.FieldOutput, Name: query.OutputMetricSource}}
		groups, err := b.Aggregate(t.Context(), env, a)
		require.NoError(t, err)
		got := map[string]int64{}
		for _, g := range groups {
			got[g.Keys[0]] = g.Values[0].Whole
		}
		require.Equal(t, want, got)
		a.By, a.Filters = nil, []query.Filter{{Field: query.Field{Kind: query.FieldOutput, Name: query.OutputMetricSource}, Operator: query.OpExists}}
		require.Error(t, a.Validate())
	})
	t.Run("groups some traces", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		traces := map[string][]span.Span{}
		for i := range 40 { // in two periods of arrival, with ids whose first halves are the same
			s := storetest.Span(env, i)
			s.TraceID = span.TraceID{1, 15: byte(1 + i%5)}
			s.Start += int64(i)
			traces[s.TraceID.String()] = append(traces[s.TraceID.String()], s)
			if i == 20 {
				b.pass(25 * time.Hour)
			}
			b.write(storetest.Record(env, s))
		}
		other := span.TraceID{2, 15: 1}
		a := query.Aggregate{
			From: math.MinInt64, To: math.MaxInt64, Limit: 10, By: []query.Field{query.TraceField},
			Figures: []query.Figure{{Measure: query.Count}, {Measure: query.Min, Of: query.Record(query.RecordStart)}, {Measure: query.Max, Of: query.Record(query.RecordEnd)}},
			Filters: []query.Filter{{Field: query.TraceField, Operator: query.OpIn, Values: []string{
				other.String(), "x", span.TraceID{1, 15: 2}.String(), span.TraceID{1, 15: 5}.String(),
			}}},
		}
		groups, err := b.Aggregate(t.Context(), env, a)
		require.NoError(t, err)
		require.Len(t, groups, 2)
		for _, g := range groups {
			list := traces[g.Keys[0]]
			require.Len(t, list, 8)
			first, last := list[0].Start, int64(0)
			for i := range list {
				first, last = min(first, list[i].Start), max(last, list[i].End())
			}
			require.Equal(t, []query.Value{{Whole: 8}, {Whole: first}, {Whole: last}}, g.Values)
		}
	})
	t.Run("has no more groups than wanted", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		for i := range 3 { // in periods of arrival of their own
			x := storetest.Record(env, storetest.Span(env, i))
			x.Span.Name = string(rune('a' + i))
			b.write(x)
			b.pass(25 * time.Hour)
		}
		a := query.Aggregate{From: math.MinInt64, To: math.MaxInt64, Limit: 3, Figures: []query.Figure{{Measure: query.Count}}}
		a.By = []query.Field{{Kind: query.FieldColumn, Name: "span_name"}}
		got, err := b.Aggregate(t.Context(), env, a)
		require.NoError(t, err)
		require.Len(t, got, 3)
		a.Limit = 2
		_, err = b.Aggregate(t.Context(), env, a)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		require.Contains(t, fault.Message(err), "more than 2 groups")
		a.Only = [][]string{{"b"}}
		got, err = b.Aggregate(t.Context(), env, a)
		require.NoError(t, err)
		require.Equal(t, []query.Group{
			{Keys: []string{"b"}, Values: []query.Value{{Whole: 1}}},
			{Keys: []string{""}, Rest: true, Values: []query.Value{{Whole: 2}}},
		}, got)
	})
}

// ExerciseChanges asks an engine that remembers answers the same aggregates again and again
// while evaluations come late, spans are replaced and deleted, and others arrive.
func ExerciseChanges(t *testing.T, open Open) {
	t.Helper()
	env := storetest.Environment("prd")
	r := rand.New(rand.NewPCG(31, 32))
	b := newFixture(t, open)
	m := model{slug: env.Slug}
	var numbers []int // of the records, by which their spans have their ids
	made := 0
	arrive := func(n int) {
		var batch []store.Record
		for range n {
			x := m.record(r, env, made)
			m.records, numbers = append(m.records, x), append(numbers, made)
			batch = append(batch, x, storetest.Record(storetest.Environment("stg"), x.Span, pools.RandomEvaluations(r)...))
			made++
		}
		b.write(batch...)
	}
	for range randomPeriods {
		arrive(40)
		b.pass(25 * time.Hour)
	}
	arrive(10)
	var asked []query.Aggregate
	for range 20 {
		asked = append(asked, randomBreakdown(r), randomAggregate(r))
	}
	change := []func(i int){
		func(i int) { // a late evaluation, perhaps of another revision
			x, late := &m.records[i], pools.RandomEvaluations(r)
			for j := range late {
				v := &late[j]
				v.Time += int64(time.Minute) + int64(r.Int32())
				list := slices.Clone(x.Evaluations)
				for k := range list {
					if list[k].SetupID == v.SetupID && list[k].Evaluator == v.Evaluator {
						v.Revision = list[k].Revision + int64(r.IntN(2))
						list = slices.Delete(list, k, k+1)
						break
					}
				}
				list = append(list, *v)
				x.Evaluations = list
			}
			b.complete(storetest.Evaluated(env, x.Span, late...))
		},
		func(i int) { // another content
			x := m.record(r, env, numbers[i])
			x.Span.StatusMessage += "again"
			m.records[i] = x
			b.write(x)
		},
		func(i int) {
			require.NoError(t, b.Delete(t.Context(), env.ID, store.Part{Spans: []span.Key{m.records[i].Span.Key()}}))
			m.records, numbers = slices.Delete(m.records, i, i+1), slices.Delete(numbers, i, i+1)
		},
		func(int) { arrive(1) },
	}
	for round := range 8 {
		for i := range asked {
			a := &asked[i]
			want, err := a.Answer(m.groups)
			require.NoError(t, err)
			got, err := b.Aggregate(t.Context(), env, *a)
			require.NoError(t, err)
			requireGroups(t, a, want, got, 100*round+i)
		}
		change[round%len(change)](r.IntN(len(m.records)))
	}
}

// groups returns what an aggregate without a rollup means.
func (m *model) groups(a query.Aggregate) ([]query.Group, error) {
	groups := query.NewGroups(&a)
	for i := range m.records {
		s := shown(m.records[i])
		groups.Add(&s, m.records[i].Evaluations)
	}
	return groups.List(), nil
}

// requireGroups compares groups. Sums of real numbers depend on their order in the
// last digits.
func requireGroups(t *testing.T, a *query.Aggregate, want, got []query.Group, n int) {
	t.Helper()
	require.Len(t, got, len(want), "%d: %+v", n, a)
	for i := range want {
		for j := range a.Figures {
			w, g := &want[i].Values[j], &got[i].Values[j]
			if a.Figures[j].IsReal() && !w.None {
				require.InDelta(t, w.Real, g.Real, math.Abs(w.Real)*1e-9, "%d: %+v", n, a)
				w.Real = g.Real
			}
		}
	}
	require.Equal(t, want, got, "%d: %+v", n, a)
}

// randomBreakdown returns a general aggregate that is valid.
func randomBreakdown(r *rand.Rand) query.Aggregate {
	a := query.Aggregate{From: math.MinInt64, To: math.MaxInt64, Limit: 10_000}
	a.Subject = []query.Subject{query.Spans, query.Outputs, query.Evaluations}[r.IntN(3)]
	leaf := randomFilter
	if a.Subject == query.Outputs {
		leaf = randomOutputFilter
	}
	if r.IntN(2) == 0 {
		a.Filters = append(a.Filters, randomTree(r, leaf, 1))
	}
	if a.Subject == query.Evaluations && r.IntN(2) == 0 {
		a.Filters = append(a.Filters, query.Equals(query.Record(query.RecordStatus), "done"))
	}
	for range r.IntN(3) {
		a.By = append(a.By, randomGrouping(r, a.Subject))
	}
	if len(a.By) > 0 && r.IntN(3) == 0 {
		a.Only = [][]string{}
		for range r.IntN(4) {
			keys := make([]string, len(a.By))
			for i := range keys {
				keys[i] = pools.Pick(r, append([]string{"e1", "true", "done", "\xff"}, pools.Texts...))
			}
			a.Only = append(a.Only, keys)
		}
	}
	a.Figures = []query.Figure{{Measure: query.Count}}
	for range r.IntN(4) {
		f := randomFigure(r, a.Subject, leaf)
		a.Figures = append(a.Figures, f)
		if f.Measure == query.Quantile && r.IntN(2) == 0 { // another of the same numbers
			f.Percent = 1 + r.IntN(100)
			a.Figures = append(a.Figures, f)
		}
	}
	if a.Subject == query.Evaluations && !slices.ContainsFunc(a.Figures, func(f query.Figure) bool { return f.Measure == query.Quantile }) {
		a.Figures = append(a.Figures, query.Figure{Measure: query.CountSpans})
		if r.IntN(2) == 0 {
			where := randomTree(r, leaf, 1)
			a.Figures = append(a.Figures, query.Figure{Measure: query.CountSpans, Where: &where})
		}
	}
	if r.IntN(3) == 0 {
		a.Step = time.Duration(1+r.IntN(3)) * 500 * time.Microsecond
	}
	if a.Only == nil && r.IntN(3) == 0 {
		a.Rollup = &query.Rollup{Top: r.IntN(5), Series: 10_000}
	}
	if r.IntN(4) == 0 {
		a.From = storetest.Epoch.Add(-time.Minute).UnixNano() + int64(r.IntN(4))*500_000
	}
	return a
}

func randomGrouping(r *rand.Rand, subject query.Subject) query.Field {
	switch {
	case subject == query.Evaluations && r.IntN(2) == 0:
		return query.Record(pools.Pick(r, []string{query.RecordEvaluator, query.RecordStatus, query.RecordReason, query.RecordSetup, query.RecordGood}))
	case subject == query.Outputs && r.IntN(2) == 0:
		return query.Field{Kind: query.FieldOutput, Name: pools.Pick(r, []string{query.OutputEvaluator, query.OutputName, query.OutputSetup, query.OutputText, query.OutputBool, query.OutputMetricSource})}
	case r.IntN(2) == 0:
		kinds := []query.FieldKind{query.FieldAttribute, query.FieldSpanAttribute, query.FieldResourceAttribute}
		return query.Field{Kind: kinds[r.IntN(3)], Name: pools.Pick(r, append([]string{"k\xff"}, pools.Keys...))}
	}
	for {
		f := &span.Fields[r.IntN(len(span.Fields))]
		switch {
		case f.ID == query.TraceField.Name:
			return query.TraceField
		case f.Text != nil && f.Promoted:
			return query.Field{Kind: query.FieldAlias, Name: f.ID}
		case f.Text != nil:
			return query.Column(f.ID)
		}
	}
}

func randomFigure(r *rand.Rand, subject query.Subject, leaf func(*rand.Rand) query.Filter) query.Figure {
	f := query.Figure{Measure: []query.Measure{query.Count, query.Sum, query.Min, query.Max, query.Quantile}[r.IntN(5)]}
	numbers := []query.Field{{Kind: query.FieldColumn, Name: "duration"}, {Kind: query.FieldAlias, Name: span.AliasTotalTokens}, {Kind: query.FieldColumn, Name: "cost"}}
	switch subject {
	case query.Outputs:
		numbers = append(numbers, query.Field{Kind: query.FieldOutput, Name: query.OutputNumber})
	case query.Evaluations:
		numbers = append(numbers, query.Record(query.RecordCost), query.Record(query.RecordProbability))
	case query.Spans:
		if f.Measure != query.Sum { // which may be more than there are numbers
			numbers = append(numbers, query.Record(query.RecordStart), query.Record(query.RecordEnd))
		}
	}
	if f.Measure != query.Count || r.IntN(2) == 0 {
		f.Of = numbers[r.IntN(len(numbers))]
	}
	if f.Measure == query.Quantile {
		f.Percent = []int{1, 50, 90, 95, 99, 100}[r.IntN(6)]
	}
	if r.IntN(2) == 0 {
		where := randomTree(r, leaf, 1)
		f.Where = &where
	}
	return f
}
