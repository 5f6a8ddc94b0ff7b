// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// fromAttributes returns the stored span that has these attributes.
func fromAttributes(t *testing.T, attributes map[string]any) span.Span {
	t.Helper()
	s := ptrace.NewSpan()
	require.NoError(t, s.Attributes().FromRaw(attributes))
	return genai.FromOTLP(genai.NewResource(pcommon.NewResource()), pcommon.NewInstrumentationScope(), s)
}

func TestCostOfSpans(t *testing.T) {
	t.Parallel()
	prices := genai.NewPrices(map[string]genai.Price{
		"gpt-4o":      {Input: 2.5, Output: 10, CacheRead: 1.25, CacheWrite: -1},
		"gpt-4o-mini": {Input: 0.15, Output: 0.6, CacheRead: -1, CacheWrite: -1},
		"claude":      {Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75},
		"free":        {},
	})
	const none = span.NoTokens
	for name, row := range map[string]struct {
		attributes  map[string]any
		cost, input int64
	}{
		"by tokens":                  {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.output_tokens": 100}, 3_500_000, 2_500_000},
		"with a version":             {map[string]any{"gen_ai.response.model": "gpt-4o-mini-2024-07-18", "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.output_tokens": 100}, 210_000, 150_000},
		"with a provider":            {map[string]any{"gen_ai.request.model": "openai/gpt-4o@2", "gen_ai.usage.input_tokens": 1000}, 2_500_000, 2_500_000},
		"of the model that answered": {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.response.model": "gpt-4o-mini", "gen_ai.usage.output_tokens": 100}, 60_000, 0},
		"read from a cache":          {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.cache_read.input_tokens": 400, "gen_ai.usage.output_tokens": 0}, 2_000_000, 2_000_000},
		"written to a cache":         {map[string]any{"gen_ai.request.model": "claude", "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.cache_creation.input_tokens": 1000}, 3_750_000, 3_750_000},
		"cached beside the input":    {map[string]any{"gen_ai.request.model": "claude", "gen_ai.usage.input_tokens": 10, "gen_ai.usage.cache_read.input_tokens": 1000}, 330_000, 330_000},
		"another name":               {map[string]any{"gen_ai.request.model": "gpt-4omega", "gen_ai.usage.input_tokens": 1000}, none, none},
		"no tokens":                  {map[string]any{"gen_ai.request.model": "gpt-4o"}, none, none},
		"no model":                   {map[string]any{"gen_ai.usage.input_tokens": 1000}, none, none},
		"free of charge":             {map[string]any{"gen_ai.request.model": "free", "gen_ai.usage.input_tokens": 1000}, 0, 0},
		"as OpenInference says":      {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1000, "llm.cost.total": 0.25, "llm.cost.prompt": 0.05}, 250_000_000, 50_000_000},
		"as OpenLIT says":            {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.cost": "1e-7"}, 100, none},
		"as Logfire says":            {map[string]any{"operation.cost": 0.0015}, 1_500_000, none},
		"as Langfuse says":           {map[string]any{"langfuse.observation.cost_details": `{"input": 0.1, "output": 0.2, "total": 0.3}`}, 300_000_000, 100_000_000},
		"a reported zero":            {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1000, "llm.cost.total": 0}, 0, none},
		"less than nothing":          {map[string]any{"llm.cost.total": -1.0}, none, none},
		"not a number":               {map[string]any{"llm.cost.total": "NaN", "gen_ai.usage.cost": "much", "operation.cost": math.Inf(1)}, none, none},
		"more than there is":         {map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": math.MaxInt64}, none, none},
	} {
		s := fromAttributes(t, row.attributes)
		prices.Fill(&s)
		require.Equal(t, row.cost, s.Cost, name)
		require.Equal(t, row.input, s.InputCost, name)
	}
	s := fromAttributes(t, map[string]any{"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 1000})
	(*genai.Prices)(nil).Fill(&s)
	require.Equal(t, none, s.Cost)
}

func TestConversationsSessionsAndUsers(t *testing.T) {
	t.Parallel()
	for name, attributes := range map[string]map[string]any{
		"OpenTelemetry": {"gen_ai.conversation.id": "c", "session.id": "s", "user.id": "u"},
		"OpenLLMetry": {
			"traceloop.association.properties.chat_id": "c", "traceloop.association.properties.session_id": "s", "traceloop.association.properties.user_id": "u",
		},
		"Langfuse": {"gen_ai.conversation.id": "c", "langfuse.session.id": "s", "langfuse.user.id": "u"},
		"Vercel":   {"gen_ai.conversation.id": "c", "ai.telemetry.metadata.sessionId": "s", "ai.telemetry.metadata.userId": "u"},
		"MCP":      {"gen_ai.conversation.id": "c", "mcp.session.id": "s", "enduser.id": "u"},
	} {
		s := fromAttributes(t, attributes)
		require.Equal(t, []string{"c", "s", "u"}, []string{s.Conversation, s.Session, s.User}, name)
	}
}

func TestTokensOfCachesAndReasoning(t *testing.T) {
	t.Parallel()
	for name, attributes := range map[string]map[string]any{
		"OpenTelemetry": {"gen_ai.usage.cache_creation.input_tokens": 7, "gen_ai.usage.reasoning.output_tokens": 9},
		"flat":          {"gen_ai.usage.cache_creation_input_tokens": 7, "gen_ai.usage.reasoning_tokens": 9},
		"OpenInference": {"llm.token_count.prompt_details.cache_write": 7, "llm.token_count.completion_details.reasoning": 9},
		"Vercel":        {"ai.usage.inputTokenDetails.cacheWriteTokens": 7, "ai.usage.outputTokenDetails.reasoningTokens": 9},
		"Vercel 5":      {"gen_ai.usage.cache_write.input_tokens": 7, "ai.usage.reasoningTokens": 9},
		"Langfuse":      {"llm.usage.cache_creation_input_tokens": "7", "langfuse.observation.usage_details": `{"output_reasoning_tokens": 9}`},
	} {
		s := fromAttributes(t, attributes)
		for key, want := range map[string]string{"llm.usage.cache_creation_input_tokens": "7", "llm.usage.reasoning_tokens": "9"} {
			got, _ := s.Attributes.Get(key)
			require.Equal(t, want, got, "%s %s", name, key)
		}
	}
}
