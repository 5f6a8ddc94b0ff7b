// SPDX-License-Identifier: Apache-2.0

package query

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestGroupsOfEvaluations(t *testing.T) {
	t.Parallel()
	a := Aggregate{
		Subject: Evaluations, From: 10, To: 40, Step: 20,
		Filters: []Filter{
			{Field: Record(RecordStatus), Operator: OpNotEquals, Value: "deferred"},
			{Field: Record(RecordTime), Operator: OpGreaterThan, Value: "100"},
		},
		By: []Field{Record(RecordEvaluator)},
		Figures: []Figure{
			{Measure: Count},
			{Measure: CountSpans},
			{Measure: Sum, Of: Record(RecordCost)},
			{Measure: Min, Of: Record(RecordTime)},
			{Measure: Max, Of: Record(RecordTime)},
		},
	}
	require.NoError(t, a.Validate())
	some := Aggregate{Subject: Evaluations, Filters: a.Filters, Figures: a.Figures[:1], Enough: 1}
	require.NoError(t, some.Validate())
	made := func(evaluator string, status eval.Status, at int64, cost float64) eval.Evaluation {
		return eval.Evaluation{Evaluator: evaluator, Status: status, Time: at, Usage: eval.Usage{Cost: cost}}
	}
	g := NewGroups(&a)
	g.Add(&span.Span{Start: 10}, []eval.Evaluation{made("x", eval.Done, 101, 1), made("x", eval.Failed, 103, 0.5), made("y", eval.Done, 100, 8)})
	g.Add(&span.Span{Start: 19}, []eval.Evaluation{made("x", eval.Done, 102, 2), made("x", eval.Deferred, 900, 2)})
	g.Add(&span.Span{Start: 20}, []eval.Evaluation{made("x", eval.Done, 104, 4)})
	g.Add(&span.Span{Start: 9}, []eval.Evaluation{made("x", eval.Done, 105, 8)})
	g.Add(&span.Span{Start: 41}, []eval.Evaluation{made("x", eval.Done, 105, 8)})
	want := []Group{
		{Keys: []string{"x"}, Time: 0, Values: []Value{{Whole: 3}, {Whole: 2}, {Real: 3.5}, {Whole: 101}, {Whole: 103}}},
		{Keys: []string{"x"}, Time: 20, Values: []Value{{Whole: 1}, {Whole: 1}, {Real: 4}, {Whole: 104}, {Whole: 104}}},
	}
	require.Equal(t, want, g.List())

	// Parts put together are what the whole is.
	sum := NewGroups(&a)
	for _, part := range g.List() {
		sum.Merge(part)
		sum.Merge(Group{Keys: part.Keys, Time: part.Time, Values: []Value{{}, {}, {}, {Whole: math.MaxInt64}, {}}})
	}
	require.Equal(t, want, sum.List())
}

func TestStepsBeginBeforeTheirTimes(t *testing.T) {
	t.Parallel()
	for at, want := range map[int64]int64{0: 0, 9: 0, 10: 10, -1: -10, -10: -10, -11: -20} {
		require.Equal(t, want, StepOf(at, 10), at)
	}
}

func TestTextsOfGroupsAreKeptApart(t *testing.T) {
	t.Parallel()
	a := Aggregate{To: 9, By: []Field{Record(RecordName), Record(RecordVendor)}, Figures: []Figure{{Measure: Count}}}
	g := NewGroups(&a)
	for _, texts := range [][2]string{{"a", "b"}, {"ab", ""}, {"", "ab"}, {"a\x00b", ""}, {"a", "b"}} {
		g.Add(&span.Span{Name: texts[0], Vendor: texts[1]}, nil)
	}
	require.Len(t, g.List(), 4)
}

func TestAggregatesThatMeanNothing(t *testing.T) {
	t.Parallel()
	count := []Figure{{Measure: Count}}
	for name, a := range map[string]Aggregate{
		"subject":           {Subject: "others", Figures: count},
		"no figure":         {},
		"step":              {Figures: count, Step: -time.Second},
		"by a number":       {Figures: count, By: []Field{Record(RecordStart)}},
		"by another":        {Figures: count, By: []Field{Record(RecordSetup)}},
		"by a column":       {Figures: count, By: []Field{{Kind: FieldColumn, Name: RecordName}}},
		"measure":           {Figures: []Figure{{Measure: "median", Of: Record(RecordStart)}}},
		"sum of a text":     {Figures: []Figure{{Measure: Sum, Of: Record(RecordName)}}},
		"spans of spans":    {Figures: []Figure{{Measure: CountSpans}}},
		"contains":          {Figures: count, Filters: []Filter{{Field: Record(RecordName), Operator: OpContains}}},
		"number as a text":  {Figures: count, Filters: []Filter{{Field: Record(RecordStart), Operator: OpEquals, Value: "1"}}},
		"no number":         {Figures: count, Filters: []Filter{{Field: Record(RecordStart), Operator: OpLessThan, Value: "x"}}},
		"part of a number":  {Subject: Evaluations, Figures: count, Filters: []Filter{{Field: Record(RecordCost), Operator: OpLessThan, Value: "0.5"}}},
		"rollup of few":     {Figures: count, Rollup: &Rollup{Top: -1}},
		"series of few":     {Figures: count, Rollup: &Rollup{Series: -1}},
		"rollup of wanted":  {Figures: count, Rollup: &Rollup{}, Only: [][]string{}},
		"rollup by a sum":   {Figures: []Figure{{Measure: Sum, Of: Record(RecordStart)}}, Rollup: &Rollup{}},
		"enough spans":      {Figures: count, Enough: 1},
		"enough of groups":  {Subject: Evaluations, Figures: count, By: []Field{Record(RecordSetup)}, Enough: 1},
		"enough in steps":   {Subject: Evaluations, Figures: count, Step: time.Second, Enough: 1},
		"enough of a sum":   {Subject: Evaluations, Figures: []Figure{{Measure: Sum, Of: Record(RecordCost)}}, Enough: 1},
		"enough and more":   {Subject: Evaluations, Figures: append(count, count...), Enough: 1},
		"less than nothing": {Subject: Evaluations, Figures: count, Enough: -1},
		"filter on another": {Figures: count, Filters: []Filter{{Field: Record(RecordStatus), Operator: OpEquals}}},
	} {
		require.Equal(t, fault.Invalid, fault.KindOf(a.Validate()), name)
	}
}
