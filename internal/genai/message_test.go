// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// said is what a test expects of a span, keys without "llm.".
type said map[string]string

func requireSaid(t *testing.T, want said, got span.Span) {
	t.Helper()
	all := said{}
	for _, a := range append(append(span.Attributes{}, got.Prompts...), got.Completions...) {
		all[strings.TrimPrefix(a.Key, "llm.")] = a.Value
	}
	require.Equal(t, want, all)
}

type messageCase struct {
	attributes map[string]any
	events     []event
	want       said
}

func runMessageCases(t *testing.T, cases map[string]messageCase) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireSaid(t, c.want, normalised(t, c.attributes, c.events...))
		})
	}
}

func TestIndexedKeysBecomeMessages(t *testing.T) {
	t.Parallel()
	runMessageCases(t, map[string]messageCase{
		"verbatim": {
			attributes: map[string]any{"llm.prompts.0.role": "user", "llm.prompts.10.content": "x", "llm.completions.0.tool_calls.0.type": "function"},
			want:       said{"prompts.0.role": "user", "prompts.10.content": "x", "completions.0.tool_calls.0.type": "function"},
		},
		"renamed": {
			attributes: map[string]any{
				"gen_ai.prompt.0.content": "q", "gen_ai.prompt.99.role": "user", "gen_ai.prompt.007.name": "bond",
				"gen_ai.completion.0.refusal": "no", "gen_ai.completion.123456789012345678901234567890.content": "far",
			},
			want: said{
				"prompts.0.content": "q", "prompts.99.role": "user", "prompts.007.name": "bond",
				"completions.0.refusal": "no", "completions.123456789012345678901234567890.content": "far",
			},
		},
		"prompts of the completions API": {
			attributes: map[string]any{"llm.prompts.0.prompt.text": "Once", "llm.choices.1.completion.text": "upon", "llm.choices.x.completion.text": "no"},
			want:       said{"prompts.0.content": "Once", "completions.1.content": "upon"},
		},
		"no index, no suffix": {
			attributes: map[string]any{"llm.prompts.x.role": "1", "llm.prompts.0": "2", "llm.prompts.0.": "3", "llm.prompts..role": "4", "gen_ai.prompt.-1.role": "5"},
			want:       said{},
		},
	})
}

func TestMovedKeysLeaveTheAttributesOthersStay(t *testing.T) {
	t.Parallel()
	got := normalised(t, map[string]any{
		"llm.prompts.0.content": "a", "gen_ai.prompt.0.content": "b", "llm.prompts.x.content": "c",
		"gen_ai.completion.0.content": "d", "gen_ai.input.messages": "e",
	})
	requireSaid(t, said{"prompts.0.content": "a", "completions.0.content": "d"}, got)
	require.Equal(t, span.Attributes{
		{Key: "gen_ai.input.messages", Value: "e"},
		{Key: "gen_ai.prompt.0.content", Value: "b"}, // lost to llm.prompts, but never away
		{Key: "llm.prompts.x.content", Value: "c"},
	}, got.Attributes)
}

func TestMessagesOfTheSemanticConventions(t *testing.T) {
	t.Parallel()
	runMessageCases(t, map[string]messageCase{
		"instructions stand first": {
			attributes: map[string]any{
				"gen_ai.system_instructions": `[{"type":"text","content":"Be brief."},{"type":"text","content":"Be kind."}]`,
				"gen_ai.input.messages":      `[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]`,
			},
			want: said{"prompts.0.role": "system", "prompts.0.content": "Be brief.\nBe kind.", "prompts.1.role": "user", "prompts.1.content": "Hi"},
		},
		"instructions that are repeated": {
			attributes: map[string]any{
				"gen_ai.system_instructions": `[{"type":"text","content":"Be brief."}]`,
				"gen_ai.input.messages":      `[{"role":"user","content":"Hi"},{"role":"developer","content":"Be brief."}]`,
			},
			want: said{"prompts.0.role": "user", "prompts.0.content": "Hi", "prompts.1.role": "developer", "prompts.1.content": "Be brief."},
		},
		"instructions alone": {
			attributes: map[string]any{"gen_ai.system_instructions": `"Be brief."`, "gen_ai.input.messages": `[{"role":"us`},
			want:       said{"prompts.0.role": "system", "prompts.0.content": "Be brief."},
		},
		"structured attributes": {
			attributes: map[string]any{"gen_ai.input.messages": []any{map[string]any{"role": "user", "parts": []any{map[string]any{"type": "text", "content": "Hi"}}}}},
			want:       said{"prompts.0.role": "user", "prompts.0.content": "Hi"},
		},
		"all kinds of parts": {
			attributes: map[string]any{"gen_ai.output.messages": ` [ { "finish_reason" : "stop", "parts" : [
				{"content":"a","type":"text"}, {"type":"reasoning","content":"because"}, {"type":"refusal","refusal":"no"},
				{"type":"tool_call","id":"1","name":"f","arguments":{ "x" : [1, 2] }}, {"type":"tool_call","name":"g","arguments":"raw"},
				{"type":"text","content":"b\u0000\ud800"} ] } ] `},
			want: said{
				"completions.0.role": "assistant", "completions.0.content": "a\nb\uFFFD\uFFFD", "completions.0.finish_reason": "stop",
				"completions.0.reasoning": "because", "completions.0.refusal": "no",
				"completions.0.tool_calls.0.id": "1", "completions.0.tool_calls.0.name": "f", "completions.0.tool_calls.0.arguments": `{"x":[1,2]}`,
				"completions.0.tool_calls.1.name": "g", "completions.0.tool_calls.1.arguments": "raw",
			},
		},
		"parts that are no text": {
			attributes: map[string]any{"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"\u65e5"},"bare",{"type":"blob", "data":"AA=="}]}]`},
			want:       said{"prompts.0.role": "user", "prompts.0.content": `[{"type":"text","content":"日"},"bare",{"type":"blob","data":"AA=="}]`},
		},
		"answers of tools": {
			attributes: map[string]any{"gen_ai.input.messages": `[{"role":"tool","parts":[{"type":"tool_call_response","id":"1","response":"a"},{"type":"tool_call_response","id":"2","result":{"b":null}}]}]`},
			want:       said{"prompts.0.role": "tool", "prompts.0.content": "a\n{\"b\":null}", "prompts.0.tool_call_id": "1"},
		},
		"repeated names": {
			attributes: map[string]any{"gen_ai.input.messages": `[{"role":"user","role":"tool","content":"a","parts":[{"type":"text","content":"a"},{"type":"tool_call","name":"f"}]}]`},
			want:       said{"prompts.0.role": "tool", "prompts.0.content": "a", "prompts.0.tool_calls.0.name": "f"},
		},
		"OpenAI's spelling": {
			attributes: map[string]any{"gen_ai.input.messages": `[{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}],
				"function_call":{"name":"g","arguments":"{\"a\":1}"},"refusal":"never","reasoning_content":"why"},{"role":"tool","tool_call_id":"1","content":""}]`},
			want: said{
				"prompts.0.role": "assistant", "prompts.0.refusal": "never", "prompts.0.reasoning": "why",
				"prompts.0.tool_calls.0.id": "1", "prompts.0.tool_calls.0.name": "f", "prompts.0.tool_calls.0.arguments": "{}",
				"prompts.0.tool_calls.1.name": "g", "prompts.0.tool_calls.1.arguments": `{"a":1}`,
				"prompts.1.role": "tool", "prompts.1.tool_call_id": "1", "prompts.1.content": "",
			},
		},
		"finish reasons of the span": {
			attributes: map[string]any{
				"gen_ai.output.messages":         `[{"role":"assistant","content":"a"},{"role":"assistant","content":"b","finish_reason":"length"},{"role":"assistant","content":"c"}]`,
				"gen_ai.response.finish_reasons": []any{"stop", "stop"},
			},
			want: said{
				"completions.0.role": "assistant", "completions.0.content": "a", "completions.0.finish_reason": "stop",
				"completions.1.role": "assistant", "completions.1.content": "b", "completions.1.finish_reason": "length",
				"completions.2.role": "assistant", "completions.2.content": "c",
			},
		},
		"one finish reason": {
			attributes: map[string]any{"gen_ai.completion.0.content": "a", "gen_ai.response.finish_reasons": "stop"},
			want:       said{"completions.0.content": "a", "completions.0.finish_reason": "stop"},
		},
		"broken finish reasons": {
			attributes: map[string]any{"gen_ai.completion.0.content": "a", "gen_ai.response.finish_reasons": `["stop"`},
			want:       said{"completions.0.content": "a"},
		},
		"one message, a bare text, nothing": {
			attributes: map[string]any{"gen_ai.input.messages": `["Hi",null,{},{"unknown":[1]}]`, "gen_ai.output.messages": `{"content":{"type":"text","text":"Ho"}}`},
			want:       said{"prompts.0.role": "user", "prompts.0.content": "Hi", "completions.0.role": "assistant", "completions.0.content": "Ho"},
		},
	})
}

func TestInvalidJSONYieldsNoMessages(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "{", "[", "]", `[{"role":"user","content":"a"}] x`, `[{"role":"user","content":"a"},]`,
		`[{"role":"user" "content":"a"}]`, `nul`, strings.Repeat("[", 100_000), strings.Repeat(`{"content":`, 100_000),
		`[{"role":"user","content":"a"},` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `]`,
	} {
		got := normalised(t, map[string]any{
			"gen_ai.input.messages": text, "gen_ai.output.messages": text, "gen_ai.system_instructions": text,
			"ai.prompt.messages": text, "ai.prompt": text, "ai.response.toolCalls": text,
			"langfuse.observation.usage_details": text, "llm.invocation_parameters": text,
		})
		requireSaid(t, said{}, got)
		require.Empty(t, got.RequestModel)
		require.Equal(t, span.NoTokens, got.TotalTokens)
		kept, _ := got.Attributes.Get("gen_ai.input.messages")
		require.Equal(t, text, kept)
	}
}

// What an SDK cut at its length limit yields the whole messages and the last one as far as
// it goes.
func TestMessagesThatWereCut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]said{
		`[{"role":"user","content":"a"}`:                     {"prompts.0.role": "user", "prompts.0.content": "a"},
		`[{"role":"user","content":"a"},`:                    {"prompts.0.role": "user", "prompts.0.content": "a"},
		`[{"role":"user","content":"a"},{"role":"assistant"`: {"prompts.0.role": "user", "prompts.0.content": "a"},
		`[{"role":"user","content":"a"},{"role":"assistant","content":"b \"c\u00`: {
			"prompts.0.role": "user", "prompts.0.content": "a", "prompts.1.role": "assistant", "prompts.1.content": `b "c`,
		},
		`[{"role":"user","parts":[{"type":"text","content":"a"},{"type":"text","content":"b… [cut: 123 bytes]`: {"prompts.0.role": "user", "prompts.0.content": "a\nb"},
		`[{"role":"user","content":"a","n":12`: {"prompts.0.role": "user", "prompts.0.content": "a"},
		`[{"role":"us`:                         {},
	} {
		requireSaid(t, want, normalised(t, map[string]any{"gen_ai.input.messages": text}))
	}
}

func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	many := "[" + strings.TrimSuffix(strings.Repeat(`{"role":"user"},`, 20_000), ",") + "]"
	got := normalised(t, map[string]any{"gen_ai.input.messages": many, "gen_ai.output.messages": many})
	require.Len(t, got.Prompts, 10_000)
	require.Len(t, got.Completions, 10_000)

	calls := `[{"role":"assistant","tool_calls":[` + strings.TrimSuffix(strings.Repeat(`{"id":"1"},`, 5_000), ",") + `]}]`
	require.Len(t, normalised(t, map[string]any{"gen_ai.output.messages": calls}).Completions, 1_001)

	repeated := `[{"role":"assistant",` + strings.Repeat(`"tool_calls":"[{\"id\":\"1\"},7]",`, 2_000) + `"tool_calls":[7]}]`
	require.Len(t, normalised(t, map[string]any{"gen_ai.output.messages": repeated}).Completions, 1_001)

	parts := `[{"role":"user","content":[` + strings.TrimSuffix(strings.Repeat(`"a",{"type":"text","text":"b"},`, 10_000), ",") + `]}]`
	content, _ := normalised(t, map[string]any{"gen_ai.input.messages": parts}).Prompts.Get("llm.prompts.0.content")
	require.Len(t, strings.Split(content, "\n"), 10_000)

	full := strings.TrimSuffix(strings.Repeat(`{"role":"assistant","tool_calls":[`+strings.TrimSuffix(strings.Repeat(`{"id":"1"},`, 1_000), ",")+`]},`, 60), ",")
	require.Len(t, normalised(t, map[string]any{"gen_ai.output.messages": "[" + full + "]"}).Completions, 50_000)

	reasons := "[" + strings.TrimSuffix(strings.Repeat(`"stop",`, 20_000), ",") + "]"
	require.Len(t, normalised(t, map[string]any{"gen_ai.response.finish_reasons": reasons, "gen_ai.completion.3.role": "assistant"}).Completions, 2)
}

func TestPlainPrompt(t *testing.T) {
	t.Parallel()
	requireSaid(t, said{"prompts.0.role": "user", "prompts.0.content": "Q"}, normalised(t, map[string]any{"gen_ai.prompt": "Q"}))
}
