// SPDX-License-Identifier: Apache-2.0

package query

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Conditions on what became of evaluations of one evaluator are of one evaluation.
func TestConditionsOnOneEvaluationAreTakenTogether(t *testing.T) {
	t.Parallel()
	on := func(evaluator, member string, op Operator, value string) Filter {
		return Filter{Field: Field{Kind: FieldJudged, Name: evaluator, Output: member}, Operator: op, Value: value}
	}
	made := []eval.Evaluation{
		{SetupID: "s1", Evaluator: "a", Status: eval.Done, Outputs: []eval.Output{{Name: "is_valid", Value: true}, {Name: "has_pii", Value: false}}},
		{SetupID: "s2", Evaluator: "a", Status: eval.Done, Outputs: []eval.Output{{Name: "is_valid", Value: true}, {Name: "has_pii", Value: true}}},
		{SetupID: "s2", Evaluator: "b", Status: eval.Failed, Outputs: []eval.Output{{Name: "is_valid", Value: true}}},
	}
	s1, s2 := on("", JudgedSetup, OpEquals, "s1"), on("", JudgedSetup, OpEquals, "s2")
	good, bad, failed := on("", JudgedGood, OpEquals, "true"), on("", JudgedGood, OpEquals, "false"), on("", JudgedStatus, OpEquals, "failed")
	for i, c := range []struct {
		of   []Filter
		want bool
	}{
		{[]Filter{good}, true},
		{[]Filter{s1, good}, true},
		{[]Filter{s1, bad}, false},
		{[]Filter{s2, bad}, true},
		{[]Filter{s2, good}, false},
		{[]Filter{s2, bad, failed}, false},
		{[]Filter{failed, on("", JudgedGood, OpExists, "")}, false},
		{[]Filter{failed, on("", JudgedGood, OpNotExists, "")}, false}, // of all evaluations
		{[]Filter{s1, on("b", JudgedStatus, OpEquals, "failed")}, true},
		{[]Filter{on("a", JudgedSetup, OpEquals, "s2"), s1, on("a", JudgedGood, OpEquals, "true")}, false},
		{[]Filter{on("a", JudgedSetup, OpEquals, "s2"), s1, on("a", JudgedGood, OpIn, "")}, false},
	} {
		var list []Filter
		for _, f := range c.of {
			list = With(list, f)
		}
		all := All(list...)
		require.NoError(t, validateFilters(list, Spans), "case %d", i)
		require.Equal(t, c.want, all.Match(&span.Span{}, nil, made...), "case %d", i)
	}
}
