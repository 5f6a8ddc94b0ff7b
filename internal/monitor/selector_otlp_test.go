// SPDX-License-Identifier: Apache-2.0

package monitor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// attributesOfAllKinds puts a value of every kind on a map.
func attributesOfAllKinds(m pcommon.Map) {
	m.PutStr("text", "gpt-4o")
	m.PutStr("empty", "")
	m.PutEmpty("nothing")
	m.PutInt("integer", -12)
	m.PutDouble("half", 0.5)
	m.PutDouble("whole", 3)
	m.PutDouble("large", 1e21)
	m.PutBool("true", true)
	m.PutBool("false", false)
	list := m.PutEmptySlice("list")
	list.AppendEmpty().SetStr("a")
	list.AppendEmpty().SetInt(2)
	m.PutEmptySlice("empty list")
	m.PutEmptyMap("map").PutStr("k", "v")
	m.PutEmptyBytes("bytes").FromRaw([]byte{1, 2})
	m.PutStr("größe", "ß%_\\'\"日本")
	m.PutStr("emoji 🪨", "🪨")
	m.PutStr("nul\x00key", "a\x00b")
	m.PutStr("not utf-8 \xff", "x\xffy")
	m.PutStr("percent", "100%")
	m.PutStr("case", "Straße")
	m.PutStr("touchstone.secret", "ours")
	m.PutBool("evaluation.pii-detector.has_pii", true)
}

// What CheckReserved refuses matches no span, even one that has such attributes.
func TestRulesOnReservedAttributesThatNothingSatisfiesAreRefused(t *testing.T) {
	t.Parallel()
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	attributesOfAllKinds(rs.Resource().Attributes())
	attributesOfAllKinds(s.Attributes())
	view := genai.NewView(rs.Resource(), s)
	ours, verdict, value := "touchstone.secret", "evaluation.pii-detector.has_pii", "ours"
	for _, c := range []struct {
		rule monitor.Rule
		want string // "" for one that is taken
	}{
		{monitor.Rule{Key: ours, Source: monitor.SpanAttributes, Operator: query.OpExists}, "selector[1].key must not begin with"},
		{monitor.Rule{Key: ours, Source: monitor.ResourceAttributes, Operator: query.OpEquals, Value: &value}, "selector[1].key must not begin with"},
		{monitor.Rule{Key: ours, Source: monitor.SpanAttributes, Operator: query.OpIn, Values: []string{value}}, "selector[1].key must not begin with"},
		{monitor.Rule{Key: "evaluation.", Source: monitor.SpanAttributes, Operator: query.OpExists}, "selector[1].key must have the form evaluation.<slug>.<output>"},
		{monitor.Rule{Key: "evaluation.pii-detector", Source: monitor.SpanAttributes, Operator: query.OpExists}, "selector[1].key must have the form"},
		{monitor.Rule{Key: ours, Source: monitor.SpanAttributes, Operator: query.OpNotExists}, ""},
		{monitor.Rule{Key: ours, Source: monitor.ResourceAttributes, Operator: query.OpNotEquals, Value: &value}, ""},
		{monitor.Rule{Key: verdict, Source: monitor.SpanAttributes, Operator: query.OpExists}, ""},
		{monitor.Rule{Key: "touchstone", Source: monitor.SpanAttributes, Operator: query.OpNotExists}, ""},
	} {
		selector := monitor.Selector{{Key: "text", Source: monitor.SpanAttributes, Operator: query.OpExists}, c.rule}
		require.NoError(t, selector.Validate("selector"))
		err := selector.CheckReserved("selector")
		require.Equal(t, c.want == "", selector.Matches(view), "%+v", c.rule)
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
		require.True(t, fault.Is(err, fault.Invalid))
	}
	of := monitor.Selector{{Key: verdict, Source: monitor.ResourceAttributes, Operator: query.OpExists}}
	require.ErrorContains(t, of.CheckReserved("selector"), "selector[0].source must be span_attributes")
}

// Rules read attributes of every kind as the text that is stored of them, on
// spans and on resources alike. A negated operator is the exact negation of its
// twin, so it holds where the attribute is absent.
func TestOperatorsOnAttributesOfEveryKind(t *testing.T) {
	t.Parallel()
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	attributesOfAllKinds(rs.Resource().Attributes())
	attributesOfAllKinds(s.Attributes())
	s.Attributes().PutStr("only span", "x")
	rs.Resource().Attributes().PutStr("only resource", "x")
	view := genai.NewView(rs.Resource(), s)

	const absent = "\x01" // no value is this
	for key, want := range map[string]string{
		"text": "gpt-4o", "empty": "", "integer": "-12", "half": "0.5", "whole": "3", "large": "1e+21",
		"true": "true", "false": "false", "list": `["a",2]`, "empty list": "[]", "map": `{"k":"v"}`, "bytes": "AQI=",
		"größe": "ß%_\\'\"日本", "emoji 🪨": "🪨", "percent": "100%", "case": "Straße",
		"nothing": "", "not utf-8 \uFFFD": "x\uFFFDy", "nul\uFFFDkey": "a\x00b",
		"evaluation.pii-detector.has_pii": "true",
		"absent":                          absent, "": absent, "TEXT": absent, "tex": absent, "große": absent, "touchstone.secret": absent,
	} {
		for _, origin := range []monitor.Source{monitor.SpanAttributes, monitor.ResourceAttributes} {
			there := want != absent
			part := want
			if len(want) > 1 {
				part = strings.ToValidUTF8(want[1:], "")
			}
			for _, c := range []struct {
				positive, negative query.Operator
				value              string
				values             []string
				want               bool
			}{
				{query.OpExists, query.OpNotExists, "", nil, there},
				{query.OpEquals, query.OpNotEquals, want, nil, there},
				{query.OpEquals, query.OpNotEquals, want + "x", nil, false},
				{query.OpEquals, query.OpNotEquals, " " + want, nil, false},
				{query.OpEquals, query.OpNotEquals, "", nil, there && want == ""},
				{query.OpContains, query.OpNotContains, part, nil, there},
				{query.OpContains, query.OpNotContains, "", nil, there},
				{query.OpContains, query.OpNotContains, want + "x", nil, false},
				{query.OpContains, query.OpNotContains, "%", nil, there && strings.Contains(want, "%")},
				{query.OpContains, query.OpNotContains, "_", nil, there && strings.Contains(want, "_")},
				{query.OpIn, query.OpNotIn, "", []string{"x", want}, there},
				{query.OpIn, query.OpNotIn, "", []string{"x", want + ","}, false},
				{query.OpIn, query.OpNotIn, "", []string{""}, there && want == ""},
			} {
				rule := monitor.Rule{Key: key, Source: origin, Operator: c.positive, Value: &c.value, Values: c.values}
				require.Equal(t, c.want, monitor.Selector{rule}.Matches(view), "%s %q %s %q %q", origin, key, c.positive, c.value, c.values)
				rule.Operator = c.negative
				require.Equal(t, !c.want, monitor.Selector{rule}.Matches(view), "%s %q %s %q %q", origin, key, c.negative, c.value, c.values)
			}
		}
	}
	require.True(t, monitor.Selector{{Key: "only span", Source: monitor.ResourceAttributes, Operator: query.OpNotExists}}.Matches(view))
	require.True(t, monitor.Selector{{Key: "only resource", Source: monitor.SpanAttributes, Operator: query.OpNotExists}}.Matches(view))
}
