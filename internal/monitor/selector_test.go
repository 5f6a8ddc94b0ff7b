// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

type attributes struct{ span, resource map[string]string }

func (a attributes) SpanAttribute(key string) (string, bool) {
	v, ok := a.span[key]
	return v, ok
}

func (a attributes) ResourceAttribute(key string) (string, bool) {
	v, ok := a.resource[key]
	return v, ok
}

func text(s string) *string { return &s }

func TestOperators(t *testing.T) {
	t.Parallel()
	a := attributes{
		span:     map[string]string{"model": "gpt-4o", "empty": "", "tokens": "12", "flag": "true", "list": `["a","b"]`, "größe": "ß%_"},
		resource: map[string]string{"service.name": "shop"},
	}
	for _, c := range []struct {
		rule Rule
		want bool
	}{
		{Rule{Key: "model", Operator: query.OpEquals, Value: text("gpt-4o")}, true},
		{Rule{Key: "model", Operator: query.OpEquals, Value: text("gpt")}, false},
		{Rule{Key: "model", Operator: query.OpEquals, Value: text("GPT-4o")}, false},
		{Rule{Key: "absent", Operator: query.OpEquals, Value: text("")}, false},
		{Rule{Key: "empty", Operator: query.OpEquals, Value: text("")}, true},
		{Rule{Key: "tokens", Operator: query.OpEquals, Value: text("12")}, true},
		{Rule{Key: "flag", Operator: query.OpEquals, Value: text("true")}, true},
		{Rule{Key: "model", Operator: query.OpNotEquals, Value: text("gpt-4o")}, false},
		{Rule{Key: "model", Operator: query.OpNotEquals, Value: text("x")}, true},
		{Rule{Key: "absent", Operator: query.OpNotEquals, Value: text("x")}, true},
		{Rule{Key: "model", Operator: query.OpContains, Value: text("4")}, true},
		{Rule{Key: "list", Operator: query.OpContains, Value: text(`"b"`)}, true},
		{Rule{Key: "größe", Operator: query.OpContains, Value: text("%_")}, true},
		{Rule{Key: "model", Operator: query.OpContains, Value: text("%")}, false},
		{Rule{Key: "empty", Operator: query.OpContains, Value: text("")}, true},
		{Rule{Key: "absent", Operator: query.OpContains, Value: text("")}, false},
		{Rule{Key: "model", Operator: query.OpNotContains, Value: text("4")}, false},
		{Rule{Key: "absent", Operator: query.OpNotContains, Value: text("4")}, true},
		{Rule{Key: "empty", Operator: query.OpExists}, true},
		{Rule{Key: "absent", Operator: query.OpExists}, false},
		{Rule{Key: "empty", Operator: query.OpNotExists}, false},
		{Rule{Key: "absent", Operator: query.OpNotExists}, true},
		{Rule{Key: "model", Operator: query.OpIn, Values: []string{"a", "gpt-4o"}}, true},
		{Rule{Key: "absent", Operator: query.OpIn, Values: []string{""}}, false},
		{Rule{Key: "model", Operator: query.OpNotIn, Values: []string{"a", "gpt-4o"}}, false},
		{Rule{Key: "absent", Operator: query.OpNotIn, Values: []string{"a"}}, true},
		{Rule{Key: "service.name", Operator: query.OpExists}, false},
		{Rule{Key: "service.name", Source: ResourceAttributes, Operator: query.OpEquals, Value: text("shop")}, true},
		{Rule{Key: "model", Source: ResourceAttributes, Operator: query.OpExists}, false},
	} {
		if c.rule.Source == "" {
			c.rule.Source = SpanAttributes
		}
		require.Equal(t, c.want, Selector{c.rule}.Matches(a), "%+v", c.rule)
	}
}

func TestEveryRuleMustHold(t *testing.T) {
	t.Parallel()
	a := attributes{span: map[string]string{"a": "1", "b": "2"}}
	yes := Rule{Key: "a", Source: SpanAttributes, Operator: query.OpEquals, Value: text("1")}
	no := Rule{Key: "b", Source: SpanAttributes, Operator: query.OpEquals, Value: text("1")}
	require.True(t, Selector{}.Matches(a))
	require.True(t, Selector{yes, yes}.Matches(a))
	require.False(t, Selector{yes, no}.Matches(a))
	require.False(t, Selector{{Key: "a", Source: SpanAttributes, Operator: "like", Value: text("1")}}.Matches(a))
}

func TestValidateFillsInEquals(t *testing.T) {
	t.Parallel()
	s := Selector{{Key: "a", Source: SpanAttributes, Value: text("1"), Values: []string{"unused"}}}
	require.NoError(t, s.Validate("selector"))
	b, err := json.Marshal(s)
	require.NoError(t, err)
	require.JSONEq(t, `[{"key":"a","source":"span_attributes","operator":"equals","value":"1"}]`, string(b))
}

func TestValidateNamesTheField(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxRuleText+1)
	for want, r := range map[string]Rule{
		"selector[0].key is required":                         {Source: SpanAttributes, Value: text("x")},
		"selector[0].key must be at most":                     {Key: long, Source: SpanAttributes, Value: text("x")},
		"selector[0].source is required":                      {Key: "a", Value: text("x")},
		"selector[0].source must be":                          {Key: "a", Source: "span", Value: text("x")},
		"selector[0].value is required for operator equals":   {Key: "a", Source: SpanAttributes},
		"selector[0].value is required for operator contains": {Key: "a", Source: SpanAttributes, Operator: query.OpContains},
		"selector[0].value must be at most":                   {Key: "a", Source: SpanAttributes, Value: &long},
		"selector[0].values is required for operator in":      {Key: "a", Source: SpanAttributes, Operator: query.OpIn},
		"selector[0].values must have at most":                {Key: "a", Source: SpanAttributes, Operator: query.OpNotIn, Values: make([]string, MaxRuleValues+1)},
		"selector[0].values[1] must be at most":               {Key: "a", Source: SpanAttributes, Operator: query.OpIn, Values: []string{"", long}},
		"selector[0].operator must be one of":                 {Key: "a", Source: SpanAttributes, Operator: "like", Value: text("x")},
	} {
		err := Selector{r}.Validate("selector")
		require.ErrorContains(t, err, want)
		require.True(t, fault.Is(err, fault.Invalid))
		require.NotContains(t, err.Error(), long)
	}
	require.ErrorContains(t, make(Selector, MaxRules+1).Validate("selector"), "selector must have at most 100 rules")
}

func FuzzSelector(f *testing.F) {
	f.Add(`[{"key":"a","source":"span_attributes","operator":"in","values":["x"]}]`, "a", "x")
	f.Add(`[{"key":"a","source":"resource_attributes","value":null}]`, "a", "")
	f.Fuzz(func(t *testing.T, doc, key, value string) {
		var s Selector
		if json.Unmarshal([]byte(doc), &s) != nil || s.Validate("selector") != nil {
			return
		}
		a := attributes{span: map[string]string{key: value}, resource: map[string]string{key: value}}
		for _, r := range s { // a rule and its negation never agree
			n, negated := negations[r.Operator]
			require.True(t, negated, r.Operator)
			opposite := r
			opposite.Operator = n
			require.NotEqual(t, Selector{r}.Matches(a), Selector{opposite}.Matches(a))
		}
	})
}

var negations = map[query.Operator]query.Operator{
	query.OpEquals: query.OpNotEquals, query.OpNotEquals: query.OpEquals, query.OpContains: query.OpNotContains, query.OpNotContains: query.OpContains,
	query.OpExists: query.OpNotExists, query.OpNotExists: query.OpExists, query.OpIn: query.OpNotIn, query.OpNotIn: query.OpIn,
}

// What a selector explains is what it matches by.
func TestEveryRuleIsExplained(t *testing.T) {
	t.Parallel()
	a := attributes{span: map[string]string{"model": "gpt-4o"}, resource: map[string]string{"service.name": "shop"}}
	s := Selector{
		{Key: "model", Source: SpanAttributes, Operator: query.OpEquals, Value: text("gpt-5")},
		{Key: "service.name", Source: ResourceAttributes, Operator: query.OpIn, Values: []string{"a", "shop"}},
		{Key: "service.name", Source: SpanAttributes, Operator: query.OpExists},
		{Key: "absent", Source: SpanAttributes, Operator: query.OpNotEquals, Value: text("x")},
	}
	require.Equal(t, []Finding{
		{Actual: "gpt-4o", Present: true}, {Actual: "shop", Present: true, Holds: true}, {}, {Holds: true},
	}, s.Explain(a))
	require.False(t, s.Matches(a))
	require.True(t, Selector{s[1], s[3]}.Matches(a))
	require.Empty(t, Selector{}.Explain(a))
}
