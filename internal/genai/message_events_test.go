// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMessagesOfEvents(t *testing.T) {
	t.Parallel()
	runMessageCases(t, map[string]messageCase{
		"bodies": {
			events: []event{
				{"gen_ai.system.message", map[string]any{"gen_ai.event.content": `{"content":"S"}`}},
				{"gen_ai.user.message", map[string]any{"gen_ai.event.content": `{"role":"customer","content":"U"}`}},
				{"gen_ai.assistant.message", map[string]any{"gen_ai.event.content": `{"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}`}},
				{"gen_ai.tool.message", map[string]any{"gen_ai.event.content": `{"id":"1","content":"T"}`}},
				{"gen_ai.choice", map[string]any{"gen_ai.event.content": `{"index":1,"finish_reason":"stop","message":{"content":"B"}}`}},
				{"gen_ai.choice", map[string]any{"gen_ai.event.content": `{"index":0,"finish_reason":"length","message":{"content":"A"}}`}},
				{"gen_ai.user.message", map[string]any{"gen_ai.event.content": `{"content":`}},
				{"exception", map[string]any{"content": "no"}},
			},
			want: said{
				"prompts.0.role": "system", "prompts.0.content": "S", "prompts.1.role": "customer", "prompts.1.content": "U",
				"prompts.2.role": "assistant", "prompts.2.tool_calls.0.id": "1", "prompts.2.tool_calls.0.name": "f", "prompts.2.tool_calls.0.arguments": "{}",
				"prompts.3.role": "tool", "prompts.3.tool_call_id": "1", "prompts.3.content": "T",
				"completions.0.role": "assistant", "completions.0.content": "A", "completions.0.finish_reason": "length",
				"completions.1.role": "assistant", "completions.1.content": "B", "completions.1.finish_reason": "stop",
			},
		},
		"attributes": {
			events: []event{
				{"gen_ai.user.message", map[string]any{"content": `[{"text":"U"}]`, "role": "user"}},
				{"gen_ai.tool.message", map[string]any{"content": `{"temp":21}`, "id": "1"}},
				{"gen_ai.user.message", map[string]any{"content": `[broken`}},
				{"gen_ai.assistant.message", map[string]any{"tool_calls": `[{"id":"1","name":"f"}]`}},
				{"gen_ai.assistant.message", map[string]any{"tool_calls": `[{"id`, "gen_ai.system": "x"}},
				{"gen_ai.choice", map[string]any{"message": `[{"text":"A"}]`, "finish_reason": "end_turn", "index": 2}},
				{"gen_ai.choice", map[string]any{"message": `plain`}},
				{"gen_ai.choice", map[string]any{"content": `own`}},
				{"gen_ai.choice", map[string]any{"message": `{"broken`}},
			},
			want: said{
				"prompts.0.role": "user", "prompts.0.content": "U", "prompts.1.role": "tool", "prompts.1.tool_call_id": "1", "prompts.1.content": `{"temp":21}`,
				"prompts.2.role": "user", "prompts.2.content": "[broken",
				"prompts.3.role": "assistant", "prompts.3.tool_calls.0.id": "1", "prompts.3.tool_calls.0.name": "f",
				"completions.2.role": "assistant", "completions.2.content": "A", "completions.2.finish_reason": "end_turn",
				"completions.3.role": "assistant", "completions.3.content": "plain", "completions.4.role": "assistant", "completions.4.content": "own",
			},
		},
		"content events": {
			events: []event{
				{"gen_ai.content.prompt", map[string]any{"gen_ai.prompt": `[{"role":"user","content":"U"}]`}},
				{"gen_ai.content.prompt", map[string]any{"gen_ai.prompt": `plain`}},
				{"gen_ai.content.prompt", map[string]any{"gen_ai.prompt": `{"a":1}`}},
				{"gen_ai.content.prompt", map[string]any{"gen_ai.prompt": `{"a":`}},
				{"gen_ai.content.completion", map[string]any{"gen_ai.completion": `[{"role":"assistant","content":"A"}]`}},
			},
			want: said{
				"prompts.0.role": "user", "prompts.0.content": "U", "prompts.1.role": "user", "prompts.1.content": "plain", "prompts.2.role": "user", "prompts.2.content": `{"a":1}`,
				"completions.0.role": "assistant", "completions.0.content": "A",
			},
		},
		"details": {
			events: []event{{"gen_ai.client.inference.operation.details", map[string]any{
				"gen_ai.input.messages":  []any{map[string]any{"role": "user", "parts": []any{map[string]any{"type": "text", "content": "U"}}}},
				"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"A"}],"finish_reason":"stop"}]`,
			}}},
			want: said{
				"prompts.0.role": "user", "prompts.0.content": "U",
				"completions.0.role": "assistant", "completions.0.content": "A", "completions.0.finish_reason": "stop",
			},
		},
		"attributes come before events": {
			attributes: map[string]any{"gen_ai.prompt": "Q", "gen_ai.response.finish_reasons": []any{"stop"}},
			events:     []event{{"gen_ai.user.message", map[string]any{"content": "U"}}, {"gen_ai.choice", map[string]any{"gen_ai.event.content": `"A"`}}},
			want: said{
				"prompts.0.role": "user", "prompts.0.content": "Q",
				"completions.0.role": "assistant", "completions.0.content": "A", "completions.0.finish_reason": "stop",
			},
		},
	})
}

func TestFarIndexesOfChoicesAreLeftOut(t *testing.T) {
	t.Parallel()
	for index, want := range map[string]int{"9999": 2, "10000": 2, "-1": 2, "1.5": 2, "99999999999999999999": 2} {
		got := normalised(t, nil, event{"gen_ai.choice", map[string]any{"gen_ai.event.content": `{"index":` + index + `,"message":{"content":"A"}}`}})
		require.Len(t, got.Completions, want, index)
		if index != "9999" { // then the next free place is taken
			_, ok := got.Completions.Get("llm.completions." + strconv.Itoa(0) + ".content")
			require.True(t, ok, index)
		}
	}
}
