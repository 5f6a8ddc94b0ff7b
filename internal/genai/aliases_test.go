// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestAliases(t *testing.T) {
	t.Parallel()
	const cache = "llm.usage.cache_read_input_tokens"
	const usage = "langfuse.observation.usage_details"
	for name, c := range map[string]struct {
		sent  map[string]any
		alias map[string]string
	}{
		"vendor stays as sent":       {map[string]any{"llm.vendor": "OpenAI", "gen_ai.system": "other"}, map[string]string{"llm.vendor": "OpenAI"}},
		"an empty vendor stays":      {map[string]any{"llm.vendor": "", "gen_ai.system": "other"}, map[string]string{"llm.vendor": ""}},
		"vendor lower-cased":         {map[string]any{"gen_ai.system": "OpenAI", "llm.provider": "x"}, map[string]string{"llm.vendor": "openai"}},
		"provider before system":     {map[string]any{"gen_ai.provider.name": "aws.bedrock", "gen_ai.system": "x"}, map[string]string{"llm.vendor": "aws.bedrock"}},
		"an empty source is none":    {map[string]any{"gen_ai.provider.name": "", "llm.system": "x"}, map[string]string{"llm.vendor": "x"}},
		"OpenInference's provider":   {map[string]any{"llm.provider": "Azure", "llm.system": "openai"}, map[string]string{"llm.vendor": "azure"}},
		"Vercel cut":                 {map[string]any{"ai.model.provider": "OpenAI.chat"}, map[string]string{"llm.vendor": "openai"}},
		"Vercel's system cut":        {map[string]any{"ai.model.provider": "openai.chat", "gen_ai.system": "openai.chat"}, map[string]string{"llm.vendor": "openai"}},
		"models":                     {map[string]any{"gen_ai.request.model": "a", "gen_ai.response.model": "b"}, map[string]string{"llm.request.model": "a", "llm.response.model": "b"}},
		"models as sent":             {map[string]any{"llm.request.model": "A", "gen_ai.request.model": "b"}, map[string]string{"llm.request.model": "A"}},
		"Vercel's models":            {map[string]any{"ai.model.id": "a", "ai.response.model": "b"}, map[string]string{"llm.request.model": "a", "llm.response.model": "b"}},
		"embedding model":            {map[string]any{"embedding.model_name": "a"}, map[string]string{"llm.request.model": "a"}},
		"model among parameters":     {map[string]any{"llm.invocation_parameters": `{"n":1,"model":"a"}`, "llm.model_name": "b"}, map[string]string{"llm.request.model": "a", "llm.response.model": "b"}},
		"no model among parameters":  {map[string]any{"llm.invocation_parameters": `{"n":1}`, "llm.model_name": "b"}, map[string]string{"llm.request.model": "b", "llm.response.model": "b"}},
		"parameters cut off":         {map[string]any{"llm.invocation_parameters": `{"model":"a"`, "llm.model_name": "b"}, map[string]string{"llm.request.model": "b", "llm.response.model": "b"}},
		"Langfuse's model":           {map[string]any{"langfuse.observation.model.name": "a"}, map[string]string{"llm.request.model": "a"}},
		"tokens":                     {map[string]any{"gen_ai.usage.input_tokens": 1, "gen_ai.usage.output_tokens": 2}, map[string]string{"llm.usage.input_tokens": "1", "llm.usage.output_tokens": "2", "llm.usage.total_tokens": "3"}},
		"old tokens":                 {map[string]any{"llm.usage.prompt_tokens": "1", "llm.usage.completion_tokens": 2.0, "llm.usage.total_tokens": 9}, map[string]string{"llm.usage.input_tokens": "1", "llm.usage.output_tokens": "2", "llm.usage.total_tokens": "9"}},
		"middle tokens":              {map[string]any{"gen_ai.usage.prompt_tokens": 1, "gen_ai.usage.completion_tokens": 2, "gen_ai.usage.total_tokens": 4}, map[string]string{"llm.usage.input_tokens": "1", "llm.usage.output_tokens": "2", "llm.usage.total_tokens": "4"}},
		"OpenInference's tokens":     {map[string]any{"llm.token_count.prompt": 1, "llm.token_count.completion": 2, "llm.token_count.total": 4, "llm.token_count.prompt_details.cache_read": 1}, map[string]string{"llm.usage.input_tokens": "1", "llm.usage.output_tokens": "2", "llm.usage.total_tokens": "4", cache: "1"}},
		"Vercel's tokens":            {map[string]any{"ai.usage.promptTokens": 1, "ai.usage.completionTokens": 2, "ai.usage.totalTokens": 4, "ai.usage.cachedInputTokens": 0}, map[string]string{"llm.usage.input_tokens": "1", "llm.usage.output_tokens": "2", "llm.usage.total_tokens": "4", cache: "0"}},
		"Vercel's newer tokens":      {map[string]any{"ai.usage.inputTokens": 1, "ai.usage.outputTokens": 2}, map[string]string{"llm.usage.input_tokens": "1", "llm.usage.output_tokens": "2", "llm.usage.total_tokens": "3"}},
		"Vercel's embedding":         {map[string]any{"ai.usage.tokens": 7}, map[string]string{"llm.usage.input_tokens": "7", "llm.usage.total_tokens": "7"}},
		"Langfuse leaves out parts":  {map[string]any{usage: `{"input":18,"output":9,"total":35,"input_cached_tokens":5,"input_audio_tokens":0,"output_reasoning_tokens":3}`}, map[string]string{"llm.usage.input_tokens": "23", "llm.usage.output_tokens": "12", "llm.usage.total_tokens": "35"}},
		"Langfuse without total":     {map[string]any{usage: `{"input":1,"output":"2"}`}, map[string]string{"llm.usage.input_tokens": "1", "llm.usage.output_tokens": "2", "llm.usage.total_tokens": "3"}},
		"cached":                     {map[string]any{"gen_ai.usage.cache_read_input_tokens": 3}, map[string]string{cache: "3"}},
		"what is no count":           {map[string]any{"gen_ai.usage.input_tokens": -1, "gen_ai.usage.output_tokens": 1.5, "gen_ai.usage.total_tokens": "many"}, map[string]string{}},
		"the next source counts":     {map[string]any{"gen_ai.usage.input_tokens": "?", "llm.token_count.prompt": 3}, map[string]string{"llm.usage.input_tokens": "3", "llm.usage.total_tokens": "3"}},
		"whole with a fraction":      {map[string]any{"gen_ai.usage.input_tokens": "12.00"}, map[string]string{"llm.usage.input_tokens": "12", "llm.usage.total_tokens": "12"}},
		"not a spelling of a number": {map[string]any{"gen_ai.usage.input_tokens": "+1", "gen_ai.usage.output_tokens": "0x1", "gen_ai.usage.total_tokens": "."}, map[string]string{}},
		"beyond int64":               {map[string]any{"gen_ai.usage.input_tokens": "9223372036854775808"}, map[string]string{}},
		"a sum beyond int64":         {map[string]any{"gen_ai.usage.input_tokens": "9223372036854775807", "gen_ai.usage.output_tokens": 1}, map[string]string{"llm.usage.input_tokens": "9223372036854775807", "llm.usage.output_tokens": "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := normalised(t, c.sent)
			derived := map[string]string{}
			for _, key := range []string{
				span.AliasVendor, span.AliasRequestModel, span.AliasResponseModel,
				span.AliasInputTokens, span.AliasOutputTokens, span.AliasTotalTokens, cache,
			} {
				if text, ok := got.Attributes.Get(key); ok {
					derived[key] = text
				}
			}
			require.Equal(t, c.alias, derived)
			require.Equal(t, c.alias[span.AliasVendor], got.Vendor)
			require.Equal(t, c.alias[span.AliasRequestModel], got.RequestModel)
			require.Equal(t, c.alias[span.AliasResponseModel], got.ResponseModel)
			for key := range c.sent {
				_, ok := got.Attributes.Get(key)
				require.True(t, ok, "%s was lost", key)
			}
		})
	}
}

func TestTokensAsSentThatAreNoCount(t *testing.T) {
	t.Parallel()
	got := normalised(t, map[string]any{"llm.usage.input_tokens": "many", "gen_ai.usage.input_tokens": 5})
	require.Equal(t, span.NoTokens, got.InputTokens) // what is shown counts
	text, _ := got.Attributes.Get("llm.usage.input_tokens")
	require.Equal(t, "many", text)
	require.Equal(t, span.NoTokens, got.TotalTokens)
}

func TestInputOutputWorkflowAndEntity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sent, input, output, workflow, entity string }{
		{sent: "traceloop.entity.input", input: "x"},
		{sent: "platform.entity.input", input: "x"},
		{sent: "input.value", input: "x"},
		{sent: "gen_ai.tool.call.arguments", input: "x"},
		{sent: "ai.toolCall.input", input: "x"},
		{sent: "ai.toolCall.args", input: "x"},
		{sent: "langfuse.observation.input", input: "x"},
		{sent: "gen_ai.guardrail.input", input: "x"},
		{sent: "traceloop.entity.output", output: "x"},
		{sent: "platform.entity.output", output: "x"},
		{sent: "output.value", output: "x"},
		{sent: "gen_ai.tool.call.result", output: "x"},
		{sent: "ai.toolCall.output", output: "x"},
		{sent: "ai.toolCall.result", output: "x"},
		{sent: "langfuse.observation.output", output: "x"},
		{sent: "gen_ai.guardrail.output", output: "x"},
		{sent: "traceloop.workflow.name", workflow: "x"},
		{sent: "platform.workflow.name", workflow: "x"},
		{sent: "ai.telemetry.functionId", workflow: "x"},
		{sent: "langfuse.trace.name", workflow: "x"},
		{sent: "traceloop.entity.name", entity: "x"},
		{sent: "platform.entity.name", entity: "x"},
		{sent: "gen_ai.agent.name", entity: "x"},
		{sent: "gen_ai.tool.name", entity: "x"},
		{sent: "tool.name", entity: "x"},
		{sent: "ai.toolCall.name", entity: "x"},
	} {
		got := normalised(t, map[string]any{c.sent: "x"})
		require.Equal(t, c.input, got.Input, c.sent)
		require.Equal(t, c.output, got.Output, c.sent)
		require.Equal(t, c.workflow, got.Workflow, c.sent)
		require.Equal(t, c.entity, got.Entity, c.sent)
	}
	got := normalised(t, map[string]any{"traceloop.entity.input": "", "input.value": "b", "gen_ai.guardrail.input": "c"})
	require.Equal(t, "b", got.Input)
}
