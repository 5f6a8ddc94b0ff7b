// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"testing"
)

func TestMessagesOfOpenInference(t *testing.T) {
	t.Parallel()
	const in, out = "llm.input_messages.", "llm.output_messages."
	runMessageCases(t, map[string]messageCase{
		"contents": {
			attributes: map[string]any{
				in + "0.message.role":                                           "user",
				in + "0.message.contents.10.message_content.text":               "last",
				in + "0.message.contents.2.message_content.text":                "first",
				in + "1.message.contents.0.message_content.type":                "image",
				in + "1.message.contents.0.message_content.image.image.url":     "http://a/b?\"",
				in + "1.message.contents.1.message_content.text":                "see",
				in + "2.message.content":                                        "own",
				in + "2.message.contents.0.message_content.text":                "other",
				in + "3.message.contents.0.message_content.type":                "input_audio",
				in + "3.message.contents.0.message_content.audio.audio.url":     "http://c",
				in + "x.message.role":                                           "no",
				in + "4.other":                                                  "no",
				in + "5.message.tool_calls.0.tool_call.function.name":           "f",
				in + "5.message.tool_calls.0.tool_call.function.arguments.more": "kept",
				in + "5.message.tool_calls.x.tool_call.function.name":           "as it is",
			},
			want: said{
				"prompts.0.role": "user", "prompts.0.content": "first\nlast",
				"prompts.1.content":                              `[{"type":"uri","modality":"image","uri":"http://a/b?\""},{"type":"text","content":"see"}]`,
				"prompts.2.content":                              "own",
				"prompts.3.content":                              `[{"type":"uri","modality":"audio","uri":"http://c"}]`,
				"prompts.5.tool_calls.0.name":                    "f",
				"prompts.5.tool_calls.0.arguments.more":          "kept",
				"prompts.5.tool_calls.x.tool_call.function.name": "as it is",
			},
		},
		"finish reason": {
			attributes: map[string]any{out + "0.message.role": "assistant", out + "1.message.role": "assistant", "llm.finish_reason": "stop"},
			want:       said{"completions.0.role": "assistant", "completions.0.finish_reason": "stop", "completions.1.role": "assistant"},
		},
		"only a finish reason": {attributes: map[string]any{"llm.finish_reason": "stop"}, want: said{}},
	})
}

func TestMessagesOfVercel(t *testing.T) {
	t.Parallel()
	runMessageCases(t, map[string]messageCase{
		"inner span": {
			attributes: map[string]any{
				"ai.prompt": `{"prompt":"outer"}`,
				"ai.prompt.messages": `[{"role":"system","content":"S"},{"role":"user","content":[{"type":"text","text":"U"}]},
					{"role":"assistant","content":[{"type":"tool-call","toolCallId":"1","toolName":"f","args":{"a":1}},{"type":"tool-call","toolCallId":"2","toolName":"g","input":{}}]},
					{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","toolName":"f","output":{"type":"json","value":{"b":2}}}]},
					{"role":"tool","content":[{"type":"tool-result","toolCallId":"2","result":[{"type":"text","text":"R"}]}]},
					{"role":"tool","content":[{"type":"tool-result","toolCallId":"3","result":{"type":"train","value":7}}]}]`,
				"ai.response.text": "", "ai.response.finishReason": "tool-calls",
				"ai.response.toolCalls": `[{"toolCallType":"function","toolCallId":"9","toolName":"h","args":"{\"x\":1}"}]`,
			},
			want: said{
				"prompts.0.role": "system", "prompts.0.content": "S", "prompts.1.role": "user", "prompts.1.content": "U",
				"prompts.2.role": "assistant", "prompts.2.tool_calls.0.id": "1", "prompts.2.tool_calls.0.name": "f", "prompts.2.tool_calls.0.arguments": `{"a":1}`,
				"prompts.2.tool_calls.1.id": "2", "prompts.2.tool_calls.1.name": "g", "prompts.2.tool_calls.1.arguments": `{}`,
				"prompts.3.role": "tool", "prompts.3.tool_call_id": "1", "prompts.3.content": `{"b":2}`,
				"prompts.4.role": "tool", "prompts.4.tool_call_id": "2", "prompts.4.content": "R",
				"prompts.5.role": "tool", "prompts.5.tool_call_id": "3", "prompts.5.content": `{"type":"train","value":7}`,
				"completions.0.role": "assistant", "completions.0.finish_reason": "tool-calls",
				"completions.0.tool_calls.0.id": "9", "completions.0.tool_calls.0.name": "h", "completions.0.tool_calls.0.arguments": `{"x":1}`,
			},
		},
		"outer span with a prompt": {
			attributes: map[string]any{"ai.prompt": `{"prompt":"Q","system":"S"}`, "ai.response.object": `{"city":"Paris"}`},
			want: said{
				"prompts.0.role": "system", "prompts.0.content": "S", "prompts.1.role": "user", "prompts.1.content": "Q",
				"completions.0.role": "assistant", "completions.0.content": `{"city":"Paris"}`,
			},
		},
		"outer span with messages": {
			attributes: map[string]any{"ai.prompt": `{"messages":[{"role":"user","content":"Q"}]}`, "ai.response.text": "A"},
			want:       said{"prompts.0.role": "user", "prompts.0.content": "Q", "completions.0.role": "assistant", "completions.0.content": "A"},
		},
		"only an end": {attributes: map[string]any{"ai.response.finishReason": "stop", "ai.prompt": `[1]`}, want: said{}},
	})
}

func TestMessagesOfLangfuse(t *testing.T) {
	t.Parallel()
	generation := func(input, output string) map[string]any {
		return map[string]any{"langfuse.observation.type": "generation", "langfuse.observation.input": input, "langfuse.observation.output": output}
	}
	runMessageCases(t, map[string]messageCase{
		"messages": {
			attributes: generation(`[{"role":"user","content":"Q"}]`, `{"role":"assistant","content":"A"}`),
			want:       said{"prompts.0.role": "user", "prompts.0.content": "Q", "completions.0.role": "assistant", "completions.0.content": "A"},
		},
		"request and response": {
			attributes: generation(`{"model":"m","messages":[{"role":"user","content":"Q"}]}`,
				`{"choices":[{"index":1,"finish_reason":"stop","message":{"role":"assistant","content":"B"}},{"index":0,"text":"A"},7]}`),
			want: said{
				"prompts.0.role": "user", "prompts.0.content": "Q", "completions.0.role": "assistant", "completions.0.content": "A",
				"completions.1.role": "assistant", "completions.1.content": "B", "completions.1.finish_reason": "stop",
			},
		},
		"a choice of its own": {
			attributes: generation("", `{"choices":[{"role":"model","content":"A","tool_calls":"[{\"name\":\"f\"}]","refusal":"no","logprobs":[1]},{"message":{"content":"B"},"role":"model","finishReason":"stop"}]}`),
			want: said{
				"completions.0.role": "model", "completions.0.content": "A", "completions.0.refusal": "no", "completions.0.tool_calls.0.name": "f",
				"completions.1.role": "model", "completions.1.content": "B", "completions.1.finish_reason": "stop",
			},
		},
		"Anthropic's parts": {
			attributes: generation(`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"T"}]}]}]`,
				`{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","id":"1","name":"f","input":{"a":1}},{"type":"refusal","content":"no"}]}`),
			want: said{
				"prompts.0.role": "tool", "prompts.0.content": "T", "prompts.0.tool_call_id": "1", "completions.0.role": "assistant",
				"completions.0.reasoning": "hm", "completions.0.tool_calls.0.id": "1", "completions.0.tool_calls.0.name": "f",
				"completions.0.tool_calls.0.arguments": `{"a":1}`, "completions.0.refusal": "no",
			},
		},
		"texts":           {attributes: generation("plain", "plain"), want: said{"completions.0.role": "assistant", "completions.0.content": "plain"}},
		"quoted text":     {attributes: generation(`"q"`, `"a\n"`), want: said{"completions.0.role": "assistant", "completions.0.content": "a\n"}},
		"broken quotes":   {attributes: generation(`"q`, `"a`), want: said{}},
		"broken object":   {attributes: generation(`{"messages"`, `{"role"`), want: said{}},
		"array":           {attributes: generation(``, `[{"content":"A"}]`), want: said{"completions.0.role": "assistant", "completions.0.content": "A"}},
		"wrapped":         {attributes: generation(``, `{"messages":[{"content":"A"}]}`), want: said{"completions.0.role": "assistant", "completions.0.content": "A"}},
		"an object asked": {attributes: generation(``, `{ "city": "Paris" }`), want: said{"completions.0.role": "assistant", "completions.0.content": `{"city":"Paris"}`}},
		"no generation": {
			attributes: map[string]any{"langfuse.observation.type": "span", "langfuse.observation.input": `[{"role":"user","content":"Q"}]`, "langfuse.observation.output": "A"},
			want:       said{},
		},
	})
}
