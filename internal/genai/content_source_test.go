// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestContentSource(t *testing.T) {
	t.Parallel()
	const messages = `[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]`
	for name, c := range map[string]struct {
		attributes map[string]any
		want       genai.ContentSource
	}{
		"conventions": {
			map[string]any{"gen_ai.operation.name": "chat", "gen_ai.input.messages": messages, "gen_ai.output.messages": messages},
			genai.ContentSource{Prompts: "gen_ai.input.messages", Completions: "gen_ai.output.messages"},
		},
		"with an index": {
			map[string]any{"gen_ai.prompt.0.content": "Hi", "gen_ai.completion.0.content": "Ho"},
			genai.ContentSource{Prompts: "indexed attributes or log records", Completions: "indexed attributes or log records"},
		},
		"OpenInference": {
			map[string]any{"llm.input_messages.0.message.content": "Hi", "llm.output_messages.0.message.content": "Ho", "input.value": "Hi", "output.value": "Ho"},
			genai.ContentSource{Prompts: "llm.input_messages.*", Completions: "llm.output_messages.*", Input: "input.value", Output: "output.value"},
		},
		"Logfire": {
			map[string]any{"request_data": `{"messages":[{"role":"user","content":"Hi"}],"model":"gpt-4o"}`, "gen_ai.request.model": "gpt-4o", "logfire.msg": "x"},
			genai.ContentSource{Prompts: "request_data"},
		},
		"an SDK that no convention names": {
			map[string]any{"gen_ai.operation.name": "chat", "acme.user_prompt": "Hi there", "acme.final.answer": "Ho there"},
			genai.ContentSource{Prompts: "acme.user_prompt", Completions: "acme.final.answer"},
		},
		"a tool of one": {
			map[string]any{"gen_ai.operation.name": "execute_tool", "acme.args": `{"a":"b"}`, "acme.result": "done"},
			genai.ContentSource{Input: "acme.args", Output: "acme.result"},
		},
		"none": {map[string]any{"gen_ai.operation.name": "chat"}, genai.ContentSource{}},
	} {
		s := genaitest.FromAttributes(t, c.attributes)
		require.Equal(t, c.want, genai.ContentSourceOf(&s, ""), name)
	}
	s := genaitest.FromAttributes(t, map[string]any{"gen_ai.operation.name": "chat"})
	s.Events = []span.Event{{Name: "gen_ai.user.message", Attributes: span.NewAttributes([]span.Attribute{{Key: "content", Value: "Hi"}})}}
	s.Prompts = span.NewAttributes([]span.Attribute{{Key: "llm.prompts.0.content", Value: "Hi"}})
	require.Equal(t, genai.ContentSource{Prompts: "gen_ai.user.message"}, genai.ContentSourceOf(&s, ""))
}
