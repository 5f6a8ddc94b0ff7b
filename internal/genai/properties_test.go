// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/genai/prices"
	"github.com/touchstone-otel/touchstone/internal/span"
)

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
		s := genaitest.FromAttributes(t, attributes)
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
		s := genaitest.FromAttributes(t, attributes)
		for key, want := range map[string]string{"llm.usage.cache_creation_input_tokens": "7", "llm.usage.reasoning_tokens": "9"} {
			got, _ := s.Attributes.Get(key)
			require.Equal(t, want, got, "%s %s", name, key)
		}
	}
}

// A name is looked up once for each provider before it, and not at any length: with a
// mebibyte of slashes that would take the square of it.
func TestPricesOfHostileNames(t *testing.T) {
	t.Parallel()
	p := prices.New(map[string]prices.Price{"gpt-4o": {Input: 1}, strings.Repeat("m", 256): {Input: 2}}, prices.Listed())
	cost := func(model string) int64 {
		s := span.Span{RequestModel: model, InputTokens: 1_000_000, Cost: span.NoTokens}
		p.Fill(&s)
		return s.Cost
	}
	for _, name := range []string{strings.Repeat("/", 1<<20), strings.Repeat("a/", 1<<19) + "gpt-4o", strings.Repeat("m", 256) + "-1", strings.Repeat("a.b/-", 50), "/", ""} {
		require.Equal(t, span.NoTokens, cost(name))
	}
	require.Equal(t, int64(span.PerDollar), cost("router/openai/gpt-4o-2024-08-06"))
}
