// SPDX-License-Identifier: Apache-2.0

package monitors_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/monitors"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// storedSpan is a span as it is stored that was sent with these attributes.
func storedSpan(t testing.TB, sent, resource map[string]any) *span.Span {
	t.Helper()
	rs := ptrace.NewResourceSpans()
	require.NoError(t, rs.Resource().Attributes().FromRaw(resource))
	ss := rs.ScopeSpans().AppendEmpty()
	s := ss.Spans().AppendEmpty()
	s.SetName("chat gpt")
	require.NoError(t, s.Attributes().FromRaw(sent))
	stored := genai.FromOTLP(genai.NewResource(rs.Resource()), ss.Scope(), s)
	return &stored
}

func look(s *span.Span, rules ...monitor.Rule) []monitors.FindingAnswer {
	var view genai.View
	view.ResetStored(s, "")
	found, _ := monitors.Look(rules, s, &view)
	return found
}

func equals(key, value string) monitor.Rule {
	return monitor.Rule{Key: key, Source: monitor.SpanAttributes, Operator: query.OpEquals, Value: &value}
}

func TestNearestIsWhatWouldHaveHeld(t *testing.T) {
	t.Parallel()
	s := storedSpan(t, map[string]any{
		"gen_ai.system": "openai", "gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 12, "ratio": 0.5, "flag": true,
		"app.tenant_name": "Blue ", "http.status_code": 500, "user": "mary", "both": "here", "gen_ai.prompt.0.content": "Hello?",
	}, map[string]any{"service.name": "shop", "both": "there", "Deployment.Environment": "prod", "note": "mary"})
	in := func(r monitor.Rule, values ...string) monitor.Rule {
		r.Operator, r.Value, r.Values = query.OpIn, nil, values
		return r
	}
	with := func(r monitor.Rule, op query.Operator) monitor.Rule {
		r.Operator = op
		if op == query.OpExists || op == query.OpNotExists {
			r.Value = nil
		}
		return r
	}
	resource := func(r monitor.Rule) monitor.Rule {
		r.Source = monitor.ResourceAttributes
		return r
	}
	for _, c := range []struct {
		rule monitor.Rule
		want string // difference, source, key and value; "" is nothing
	}{
		{equals("service.name", "shop"), "other_source resource_attributes service.name=shop"},
		{resource(equals("user", "mary")), "other_source span_attributes user=mary"},
		{equals("service.name", "Shop"), "other_source resource_attributes service.name=shop"},
		{with(equals("service.name", ""), query.OpExists), "other_source resource_attributes service.name=shop"},
		{equals("both", "there"), "other_source resource_attributes both=there"},
		{equals("user", "Mary"), "value_case span_attributes user=mary"},
		{in(equals("user", ""), "Peter", "MARY"), "value_case span_attributes user=mary"},
		{with(equals("user", "AR"), query.OpContains), "value_case span_attributes user=mary"},
		{equals("app.tenant_name", "Blue"), "value_space span_attributes app.tenant_name=Blue "},
		{equals("app.tenant.name", "Blue "), "key_spelling span_attributes app.tenant_name=Blue "},
		{with(equals("appTenantName", ""), query.OpExists), "key_spelling span_attributes app.tenant_name=Blue "},
		{resource(equals("deployment.environment", "prod")), "key_spelling resource_attributes Deployment.Environment=prod"},
		{equals("deployment_environment", "PROD"), "key_spelling resource_attributes Deployment.Environment=prod"},
		{equals("gen_ai.provider.name", "openai"), "alias span_attributes llm.vendor=openai"},
		{with(equals("llm.model_name", ""), query.OpExists), "alias span_attributes llm.request.model=gpt-4o"},
		{equals("llm.token_count.prompt", "12"), "alias span_attributes llm.usage.input_tokens=12"},
		{equals("gen_ai.usage.input_tokens", "12.0"), "value_number span_attributes gen_ai.usage.input_tokens=12"},
		{equals("ratio", ".50"), "value_number span_attributes ratio=0.5"},
		{equals("flag", "True"), "value_case span_attributes flag=true"},
		{equals("flag", "1"), "value_number span_attributes flag=true"},
		{equals("name", "chat gpt"), "field span span_name=chat gpt"},
		{with(equals("span.name", "gpt"), query.OpContains), "field span span_name=chat gpt"},
		{equals("response.status", "500"), "other_key span_attributes http.status_code=500"},
		{equals("customer", "mary"), "other_key span_attributes user=mary"},
		{equals("a.number", "500"), ""}, // which tells nothing
		{equals("gen_ai.request.model", "gpt-5"), ""},
		{with(equals("absent", ""), query.OpExists), ""},
		{with(equals("absent", "mary"), query.OpContains), ""},
		{with(equals("user", "mary"), query.OpNotEquals), ""},
		{with(equals("llm.vendor", ""), query.OpNotExists), ""},
	} {
		got := look(s, c.rule)[0]
		require.False(t, got.Holds, "%+v", c.rule)
		near := ""
		if n := got.Nearest; n != nil {
			near = string(n.Difference) + " " + string(n.Source) + " " + n.Key + "=" + n.Value
			require.NotEmpty(t, got.Hint)
		}
		require.Equal(t, c.want, near, "%s %s %v %v", c.rule.Key, c.rule.Operator, got.Wanted, got)
	}
	for _, holds := range []monitor.Rule{equals("llm.prompts.0.content", "Hello?"), equals("gen_ai.prompt.0.content", "Hello?"), with(equals("absent", "x"), query.OpNotContains)} {
		got := look(s, holds)[0]
		require.True(t, got.Holds, holds.Key)
		require.Nil(t, got.Nearest)
		require.Equal(t, holds.Key == "absent", got.Hint != "")
	}
}

func TestFindingsAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ß", 100_000)
	s := storedSpan(t, map[string]any{"long": long, strings.Repeat("k", 5000): long}, nil)
	many := make([]string, monitor.MaxRuleValues)
	for i := range many {
		many[i] = long[:monitor.MaxRuleText]
	}
	key := strings.Repeat("K", monitor.MaxRuleText)
	found := look(s, equals("long", "x"), monitor.Rule{Key: key, Source: monitor.SpanAttributes, Operator: query.OpIn, Values: many})
	require.Equal(t, strings.Repeat("ß", 200), found[0].Actual)
	require.True(t, found[0].Truncated)
	require.Contains(t, found[0].Sentence(1), `ß" and more`)
	require.Len(t, found[1].Wanted, 20)
	require.Len(t, found[1].Key, 200)
	require.Less(t, len(found[1].Sentence(2)), 20_000)
}
