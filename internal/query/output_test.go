// SPDX-License-Identifier: Apache-2.0

package query

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func output(value any) *Output {
	return &Output{
		SetupID: "set_1", Evaluator: "tone", Output: eval.Output{Name: "score", Value: value}, Backend: eval.Judge,
		Span: span.Key{TraceID: span.TraceID{1}, SpanID: span.ID{2}}, Start: 3,
	}
}

func TestOutputsMatchTheirFields(t *testing.T) {
	t.Parallel()
	on := func(name string, op Operator, value string) Filter {
		n, _ := ParseNumber(value)
		return Filter{Field: Field{Kind: FieldOutput, Name: name}, Operator: op, Value: value, Number: n}
	}
	for _, c := range []struct {
		value any
		f     Filter
		want  bool
	}{
		{1.5, on(OutputEvaluator, OpEquals, "tone"), true},
		{1.5, on(OutputName, OpStartsWith, "sc"), true},
		{1.5, on(OutputSetup, OpNotEquals, "set_1"), false},
		{1.5, on(OutputBackend, OpEquals, string(eval.Judge)), true},
		{1.5, on(OutputNumber, OpEquals, "1.50"), true},
		{1.5, on(OutputNumber, OpGreaterThan, "1.5"), false},
		{1.5, on(OutputText, OpExists, ""), false},
		{1.5, on(OutputBool, OpNotExists, ""), true},
		{int64(1 << 53), on(OutputNumber, OpEquals, "9007199254740992.0"), true},
		{math.NaN(), on(OutputNumber, OpEquals, "NaN"), false},
		{math.NaN(), on(OutputNumber, OpExists, ""), true},
		{math.Inf(1), on(OutputNumber, OpGreaterThan, "1"), false},
		{"1.5", on(OutputNumber, OpExists, ""), false},
		{"", on(OutputText, OpExists, ""), true},
		{"joy", on(OutputText, OpContains, "o"), true},
		{true, on(OutputBool, OpEquals, "true"), true},
		{true, on(OutputText, OpEquals, "true"), false},
		{true, on("other", OpExists, ""), false},
	} {
		require.Equal(t, c.want, c.f.Match(&span.Span{}, output(c.value)), "%v %+v", c.value, c.f)
	}
	f := on(OutputSetup, OpNotExists, "")
	require.False(t, f.Match(&span.Span{}, nil), "a span has no setup, and none that is missing")
	named := Filter{Field: Field{Kind: FieldColumn, Name: "span_name"}, Operator: OpEquals, Value: "a"}
	require.True(t, named.Match(&span.Span{Name: "a"}, output(1.0)), "a field of its span")
}

func TestConditionsCombine(t *testing.T) {
	t.Parallel()
	is := func(name string) Filter {
		return Filter{Field: Field{Kind: FieldColumn, Name: "span_name"}, Operator: OpEquals, Value: name}
	}
	s := span.Span{Name: "a"}
	for want, list := range map[bool][]Filter{
		true: {
			All(), All(is("a")), All(is("a"), is("a")), Any(is("b"), is("a")), All(Any(is("a"), is("b")), Any(is("c"), is("a"))), Any(All(is("b"), is("a")), All()),
		},
		false: {Any(), Any(is("b")), All(is("a"), is("b")), Any(All(is("a"), is("b")), Any()), All(Any())},
	} {
		for i := range list {
			require.Equal(t, want, list[i].Match(&s, nil), "%+v", list[i])
			q := Query{Filters: list[i : i+1], Limit: 1, Order: Order{By: SortTimestamp}}
			require.Equal(t, want, q.Matches(&s, nil))
			require.NoError(t, q.Validate())
		}
	}
}

func TestOrdersOfOutputs(t *testing.T) {
	t.Parallel()
	for value, want := range map[any]float64{
		true: 1, false: 0, int64(-7): -7, 1.5: 1.5, math.Inf(1): math.Inf(-1), math.NaN(): math.Inf(-1), "7": math.Inf(-1),
	} {
		x := output(value)
		require.InDelta(t, want, Order{By: SortNumber}.PositionOf(x).Real, 0, "%v", value)
		require.Zero(t, Order{By: SortTimestamp}.PositionOf(x).Real)
	}
	require.Equal(t, Position{Start: 3, TraceID: span.TraceID{1}, SpanID: span.ID{2}, Setup: "set_1", Evaluator: "tone", Output: "score"},
		Order{By: SortMetric}.PositionOf(output(1.5)))

	by := func(o Order, a, b Position) int { return o.Compare(&a, &b) }
	require.Equal(t, -1, by(Order{By: SortMetric}, Position{Evaluator: "a", Output: "z", Start: 9}, Position{Evaluator: "b", Start: 1}))
	require.Equal(t, -1, by(Order{By: SortMetric}, Position{Evaluator: "a", Output: "y", Start: 9}, Position{Evaluator: "a", Output: "z"}))
	require.Equal(t, 1, by(Order{By: SortMetric}, Position{Evaluator: "a", Start: 9}, Position{Evaluator: "a"}))
	require.Equal(t, 1, by(Order{By: SortMetric, Descending: true}, Position{Evaluator: "a"}, Position{Evaluator: "b"}))
	require.Equal(t, 1, by(Order{By: SortTimestamp}, Position{Evaluator: "a", Start: 2}, Position{Evaluator: "b", Start: 1}))
	for i, list := range [][2]Position{
		{{Start: 1, Setup: "z"}, {Start: 1, SpanID: span.ID{1}, Setup: "a"}},
		{{Setup: "a", Evaluator: "z"}, {Setup: "b", Evaluator: "a"}},
		{{Setup: "a", Evaluator: "a", Output: "z"}, {Setup: "a", Evaluator: "b", Output: "a"}},
		{{Output: "a"}, {Output: "b"}},
		{{Real: 1, Start: 9}, {Real: 2, Start: 1}},
	} {
		require.Equal(t, -1, by(Order{By: SortNumber}, list[0], list[1]), "%d", i)
	}
}

func TestQueriesThatMeanNothingAreInvalid(t *testing.T) {
	t.Parallel()
	good := func(change func(q *Query)) Query {
		q := Query{Limit: 1, Order: Order{By: SortTimestamp}}
		change(&q)
		return q
	}
	on := func(f Field, op Operator) func(q *Query) {
		return func(q *Query) { q.Filters = []Filter{{Field: f, Operator: op}} }
	}
	for _, change := range []func(q *Query){
		func(*Query) {},
		func(q *Query) { q.Limit = MaxLimit },
		func(q *Query) { q.Limit, q.Total = 0, true },
		func(q *Query) { q.Order = Order{By: SortEvaluation, Slug: "e", Output: "o"} },
		func(q *Query) { q.Subject, q.Order.By = Outputs, SortMetric },
		on(Field{Kind: FieldColumn, Name: "duration"}, OpExists),
		on(Field{Kind: FieldAlias, Name: span.AliasEntity}, OpNotContains),
		on(Field{Kind: FieldAlias, Name: span.AliasTotalTokens}, OpLessThan),
		on(Field{Kind: FieldAttribute, Name: ""}, OpIn),
		on(Field{Kind: FieldMessage, Name: "llm.completions.0.role"}, OpIn),
		func(q *Query) {
			q.Subject = Outputs
			on(Field{Kind: FieldOutput, Name: OutputBool}, OpIn)(q)
		},
	} {
		q := good(change)
		require.NoError(t, q.Validate(), "%+v", q)
	}
	for _, change := range []func(q *Query){
		func(q *Query) { q.Limit = 0 },
		func(q *Query) { q.Limit = -1 },
		func(q *Query) { q.Limit = MaxLimit + 1 },
		func(q *Query) { q.Subject = "x" },
		func(q *Query) { q.Order.By = "" },
		func(q *Query) { q.Order.By = "start; DROP TABLE spans" },
		func(q *Query) { q.Order.By = SortMetric },
		func(q *Query) { q.Subject, q.Order.By = Outputs, SortName },
		func(q *Query) { q.Order = Order{By: SortEvaluation, Slug: "e"} },
		func(q *Query) { q.Order = Order{By: SortEvaluation, Output: "o"} },
		on(Field{Kind: FieldColumn, Name: "seq"}, OpExists),
		on(Field{Kind: FieldColumn, Name: "duration_ms"}, OpExists),
		on(Field{Kind: FieldColumn, Name: "workflow"}, OpExists),
		on(Field{Kind: FieldAlias, Name: "k"}, OpExists),
		on(Field{Kind: FieldMessage, Name: "k"}, OpExists),
		on(Field{Kind: "k", Name: "k"}, OpExists),
		on(Field{Kind: FieldOutput, Name: OutputBool}, OpExists),
		on(Field{Kind: FieldAttribute, Name: "k"}, "like"),
		func(q *Query) { q.Subject = Outputs; on(Field{Kind: FieldOutput, Name: "k"}, OpExists)(q) },
		func(q *Query) { q.Filters = []Filter{All(Any(Filter{Operator: "like"}))} },
		func(q *Query) {
			q.Filters = []Filter{Judged(Filter{Field: Field{Kind: FieldJudged, Output: JudgedStatus}, Operator: OpNotEquals})}
		},
		func(q *Query) {
			q.Filters = []Filter{Judged(Filter{Field: Field{Kind: FieldColumn, Name: "span_name"}, Operator: OpEquals})}
		},
		func(q *Query) {
			q.Filters = []Filter{Judged(Filter{Field: Field{Kind: FieldJudged, Output: JudgedTime}, Operator: OpEquals})}
		},
		func(q *Query) {
			q.Filters = []Filter{Judged(Filter{Field: Field{Kind: FieldJudged, Output: JudgedTime}, Operator: OpLessThan, Value: "1.5"})}
		},
		on(Field{Kind: FieldJudged, Output: JudgedTime}, OpLessThan),
	} {
		q := good(change)
		require.Equal(t, fault.Invalid, fault.KindOf(q.Validate()), "%+v", q)
	}
}
