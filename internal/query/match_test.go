// SPDX-License-Identifier: Apache-2.0

package query

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func attributes(pairs ...string) span.Attributes {
	var list []span.Attribute
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, span.Attribute{Key: pairs[i], Value: pairs[i+1]})
	}
	return span.NewAttributes(list)
}

func TestOperatorsHold(t *testing.T) {
	t.Parallel()
	type given struct {
		f    Filter
		want map[string]bool // by value; absence is "-"
	}
	for _, c := range []given{
		{Filter{Operator: OpEquals, Value: "a"}, map[string]bool{"a": true, "A": false, "": false, "ab": false, "-": false}},
		{Filter{Operator: OpEquals, Value: ""}, map[string]bool{"": true, "a": false, "-": false}},
		{Filter{Operator: OpEquals, Value: "1"}, map[string]bool{"1": true, "1.0": false}},
		{Filter{Operator: OpIn, Values: []string{"a", ""}}, map[string]bool{"a": true, "": true, "b": false, "-": false}},
		{Filter{Operator: OpContains, Value: "%"}, map[string]bool{"a%": true, "a": false, "-": false}},
		{Filter{Operator: OpContains}, map[string]bool{"": true, "a": true, "-": false}},
		{Filter{Operator: OpStartsWith, Value: "é"}, map[string]bool{"éa": true, "e\u0301": false, "aé": false, "-": false}},
		{Filter{Operator: OpExists}, map[string]bool{"": true, "a": true, "-": false}},
		{Filter{Operator: OpGreaterThan, Number: 1}, map[string]bool{"1": false, "1.5": true, "2e0": true, "two": false, "inf": false, "0x2": false, "": false, "-": false}},
		{Filter{Operator: OpGreaterThanOrEqual, Number: 1}, map[string]bool{"1.0": true, "0.9": false, "-": false}},
		{Filter{Operator: OpLessThan, Number: 1}, map[string]bool{"-2": true, "1": false, "-inf": false, "x": false, "-": false}},
		{Filter{Operator: OpLessThanOrEqual, Number: 1}, map[string]bool{"1": true, "+1": true, "1.1": false, "-": false}},
		{Filter{Operator: "like", Value: "a"}, map[string]bool{"a": false, "-": false}},
	} {
		negations := map[Operator]Operator{OpEquals: OpNotEquals, OpIn: OpNotIn, OpContains: OpNotContains, OpExists: OpNotExists}
		negation := c.f
		negation.Operator = negations[c.f.Operator]
		for value, want := range c.want {
			values := []string{value}
			if value == "-" {
				values = nil
			}
			require.Equal(t, want, c.f.Holds(values...), "%+v %q", c.f, value)
			require.Equal(t, c.f.Operator != "like", c.f.Operator.Known())
			if negation.Operator != "" {
				require.Equal(t, !want, negation.Holds(values...), "%+v %q", negation, value)
				positive, negated := negation.Operator.Positive()
				require.True(t, negated)
				require.Equal(t, c.f.Operator, positive)
			}
		}
	}
	several := Filter{Operator: OpEquals, Value: "b"}
	require.True(t, several.Holds("a", "b"))
	several.Operator = OpNotEquals
	require.False(t, several.Holds("a", "b"))
	require.True(t, several.Holds("a", "c"))
}

func TestNumbersEqualNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f    Filter
		text string
		want bool
	}{
		{Filter{Operator: OpEquals, Value: "1e3"}, "1000", true},
		{Filter{Operator: OpEquals, Value: "x"}, "1000", false},
		{Filter{Operator: OpNotEquals, Value: "x"}, "1000", true},
		{Filter{Operator: OpNotEquals, Value: "1000.0"}, "1000", false},
		{Filter{Operator: OpIn, Values: []string{"x", "10e2"}}, "1000", true},
		{Filter{Operator: OpNotIn, Values: []string{"x", "10e2"}}, "1000", false},
		{Filter{Operator: OpEquals, Value: "NaN"}, "NaN", false},
		{Filter{Operator: OpStartsWith, Value: "10"}, "1000", true},
		{Filter{Operator: OpContains, Value: "1e3"}, "1000", false},
		{Filter{Operator: OpGreaterThan, Number: 999.5}, "1000", true},
		{Filter{Operator: OpExists}, "1000", true},
		{Filter{Operator: OpNotExists}, "1000", false},
	} {
		require.Equal(t, c.want, c.f.holdsNumber(c.text), "%+v", c.f)
	}
}

// Every field of a span has its own value, and of an empty span none but the
// numbers that are always there.
func TestFieldsMatchTheirValue(t *testing.T) {
	t.Parallel()
	full := span.Span{
		Environment: "prd", TraceID: span.TraceID{0xa0}, SpanID: span.ID{0xb0}, ParentSpanID: span.ID{0xc0}, TraceState: "state",
		Name: "name", Kind: "kind", Service: "service", ScopeName: "scope", ScopeVersion: "version", Start: 5e6 + 1, Duration: 7e6 + 999_999,
		StatusCode: "code", StatusMessage: "message", Input: "in", Output: "out",
		Workflow: "w", Entity: "e", Vendor: "v", RequestModel: "rq", ResponseModel: "rs", InputTokens: 1, OutputTokens: 0, TotalTokens: 3,
		Attributes: attributes("both", "span", "evaluation.tone.score", "0.5"), Resource: attributes("both", "resource", "host", "h"),
		Prompts: attributes("llm.prompts.0.content", "hello", "llm.prompts.0.role", "user"), Completions: attributes("llm.completions.0.content", "hi"),
	}
	empty := span.Span{InputTokens: span.NoTokens, OutputTokens: span.NoTokens, TotalTokens: span.NoTokens}
	for f, want := range map[Field]string{
		{Kind: FieldColumn, Name: "environment"}:    "prd",
		{Kind: FieldColumn, Name: "timestamp"}:      "5",
		{Kind: FieldColumn, Name: "duration"}:       "7",
		{Kind: FieldColumn, Name: "trace_id"}:       "a0000000000000000000000000000000",
		{Kind: FieldColumn, Name: "span_id"}:        "b000000000000000",
		{Kind: FieldColumn, Name: "parent_span_id"}: "c000000000000000",
		{Kind: FieldColumn, Name: "trace_state"}:    "state", {Kind: FieldColumn, Name: "span_name"}: "name",
		{Kind: FieldColumn, Name: "span_kind"}: "kind", {Kind: FieldColumn, Name: "service_name"}: "service",
		{Kind: FieldColumn, Name: "scope_name"}: "scope", {Kind: FieldColumn, Name: "scope_version"}: "version",
		{Kind: FieldColumn, Name: "status_code"}: "code", {Kind: FieldColumn, Name: "status_message"}: "message",
		{Kind: FieldColumn, Name: "input"}: "in", {Kind: FieldColumn, Name: "output"}: "out",
		{Kind: FieldColumn, Name: "prompts"}: "user", {Kind: FieldColumn, Name: "completions"}: "hi",
		{Kind: FieldAlias, Name: span.AliasWorkflow}: "w", {Kind: FieldAlias, Name: span.AliasEntity}: "e",
		{Kind: FieldAlias, Name: span.AliasVendor}: "v", {Kind: FieldAlias, Name: span.AliasRequestModel}: "rq",
		{Kind: FieldAlias, Name: span.AliasResponseModel}: "rs", {Kind: FieldAlias, Name: span.AliasInputTokens}: "1",
		{Kind: FieldAlias, Name: span.AliasOutputTokens}: "0", {Kind: FieldAlias, Name: span.AliasTotalTokens}: "3",
		{Kind: FieldMessage, Name: "llm.prompts.0.content"}: "hello", {Kind: FieldMessage, Name: "llm.completions.0.content"}: "hi",
		{Kind: FieldAttribute, Name: "both"}: "span", {Kind: FieldAttribute, Name: "host"}: "h",
		{Kind: FieldSpanAttribute, Name: "both"}: "span", {Kind: FieldResourceAttribute, Name: "both"}: "resource",
		{Kind: FieldEvaluation, Name: "tone", Output: "score"}: "0.5",
	} {
		equals := Filter{Field: f, Operator: OpEquals, Value: want}
		other := Filter{Field: f, Operator: OpEquals, Value: want + "0"}
		exists := Filter{Field: f, Operator: OpExists}
		require.True(t, equals.Match(&full, nil), "%+v", f)
		require.False(t, other.Match(&full, nil), "%+v", f)
		require.True(t, exists.Match(&full, nil), "%+v", f)
		always := f.Kind == FieldColumn && (f.Name == "timestamp" || f.Name == "duration")
		require.Equal(t, always, exists.Match(&empty, nil), "%+v", f)
	}
	for _, f := range []Field{
		{Kind: FieldSpanAttribute, Name: "host"},
		{Kind: FieldEvaluation, Name: "tone", Output: "none"},
		{Kind: FieldMessage, Name: "llm.prompts.1.content"},
		{Kind: FieldColumn, Name: "seq"},
		{Kind: FieldAlias, Name: "x"},
		{Kind: "x", Name: "both"},
	} {
		absent := Filter{Field: f, Operator: OpNotExists}
		require.True(t, absent.Match(&full, nil), "%+v", f)
	}
}

func TestQueriesMatch(t *testing.T) {
	t.Parallel()
	s := span.Span{Start: 5, Name: "a"}
	named := Filter{Field: Field{Kind: FieldColumn, Name: "span_name"}, Operator: OpEquals, Value: "a"}
	other := named
	other.Value = "b"
	for _, c := range []struct {
		q    Query
		want bool
	}{
		{Query{From: 5, To: 5}, true},
		{Query{From: 6, To: 9}, false},
		{Query{From: 0, To: 4}, false},
		{Query{To: 9, Filters: []Filter{named, named}}, true},
		{Query{To: 9, Filters: []Filter{named, other}}, false},
	} {
		require.Equal(t, c.want, c.q.Matches(&s, nil), "%+v", c.q)
	}
}

// Two evaluations that satisfy a condition each do not satisfy both.
func TestOneEvaluationIsJudged(t *testing.T) {
	t.Parallel()
	made := []eval.Evaluation{
		{SetupID: "s1", Evaluator: "a", Status: eval.Failed, Reason: "down"},
		{SetupID: "s2", Evaluator: "b", Status: eval.Done, Backend: eval.Judge, Time: 9},
	}
	on := func(evaluator, member, value string) Filter {
		return Filter{Field: Field{Kind: FieldJudged, Name: evaluator, Output: member}, Operator: OpEquals, Value: value}
	}
	after := func(evaluator, time string) Filter {
		return Filter{Field: Field{Kind: FieldJudged, Name: evaluator, Output: JudgedTime}, Operator: OpGreaterThan, Value: time}
	}
	there := on("a", JudgedReason, "")
	there.Operator = OpExists
	for _, c := range []struct {
		of   []Filter
		want bool
	}{
		{nil, true},
		{[]Filter{on("", JudgedSetup, "s1"), on("", JudgedStatus, "failed"), there}, true},
		{[]Filter{on("", JudgedSetup, "s1"), on("", JudgedStatus, "done")}, false},
		{[]Filter{on("b", JudgedStatus, "done"), on("", JudgedSetup, "s2")}, true},
		{[]Filter{on("b", JudgedStatus, "done"), on("a", JudgedStatus, "failed")}, false},
		{[]Filter{on("b", JudgedStatus, "done"), there}, false},
		{[]Filter{on("", JudgedStatus, "done"), after("", "8")}, true},
		{[]Filter{on("", JudgedStatus, "done"), after("", "9")}, false},
		{[]Filter{on("", JudgedStatus, "failed"), after("b", "8")}, false},
	} {
		f := Judged(c.of...)
		require.Equal(t, c.want, f.Match(&span.Span{}, nil, made...), "%+v", c.of)
		require.False(t, f.Match(&span.Span{}, nil))
	}
}
