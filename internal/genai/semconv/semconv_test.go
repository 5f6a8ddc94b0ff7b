// SPDX-License-Identifier: Apache-2.0

package semconv_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestEachAttributeHasANameOfItsOwn(t *testing.T) {
	t.Parallel()
	for a := range semconv.All() {
		require.NotEmpty(t, a.Name())
		found, ok := semconv.Find(a.Name())
		require.True(t, ok, a.Name())
		require.Equal(t, a, found, a.Name())
	}
	_, ok := semconv.Find("gen_ai.unheard_of")
	require.False(t, ok)
}

// The engine keeps the values of such keys in columns, and filters look for
// them there: a key must not move to another field.
func TestKeysStayWithTheirFields(t *testing.T) {
	t.Parallel()
	for p, keys := range map[span.Promoted][]string{
		span.NotPromoted:           {"", "http.route", "llm.usage.cache_read_input_tokens", "gen_ai.input.messages", "llm.prompts.0.content"},
		span.PromotedVendor:        {"llm.vendor", "gen_ai.system", "gen_ai.provider.name"},
		span.PromotedRequestModel:  {"llm.request.model", "gen_ai.request.model", "llm.model_name"},
		span.PromotedResponseModel: {"llm.response.model", "gen_ai.response.model"},
		span.PromotedInputTokens:   {"llm.usage.input_tokens", "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens", "llm.token_count.prompt"},
		span.PromotedOutputTokens:  {"llm.usage.output_tokens", "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.usage.completion_tokens", "llm.token_count.completion"},
		span.PromotedTotalTokens:   {"llm.usage.total_tokens", "gen_ai.usage.total_tokens", "llm.token_count.total"},
		span.PromotedWorkflow:      {"traceloop.workflow.name", "platform.workflow.name", "ai.telemetry.functionId", "langfuse.trace.name"},
		span.PromotedEntity:        {"traceloop.entity.name", "platform.entity.name", "gen_ai.agent.name", "gen_ai.tool.name", "tool.name", "ai.toolCall.name"},
		span.PromotedInput:         {"traceloop.entity.input", "platform.entity.input", "input.value", "gen_ai.tool.call.arguments", "ai.toolCall.args", "ai.toolCall.input", "langfuse.observation.input"},
		span.PromotedOutput:        {"traceloop.entity.output", "platform.entity.output", "output.value", "gen_ai.tool.call.result", "ai.toolCall.result", "ai.toolCall.output", "langfuse.observation.output"},
	} {
		for _, key := range keys {
			require.Equal(t, p, semconv.Promotes(key), key)
		}
	}
}

func TestEverySourceRepeatsAField(t *testing.T) {
	t.Parallel()
	for p := span.PromotedVendor; p <= span.PromotedOutput; p++ {
		require.NotEmpty(t, semconv.Sources(p))
		for _, a := range semconv.Sources(p) {
			if a >= semconv.Count {
				continue // those stand in spans as they were sent
			}
			require.NotEqual(t, span.NotPromoted, semconv.Promotes(a.Name()), a.Name())
		}
	}
	require.Empty(t, semconv.Sources(span.NotPromoted))
}
