// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/span"
)

const conversation = `[{"role":"system","content":"Be brief."},{"role":"user","content":"First?"},
	{"role":"assistant","content":"Yes.","tool_calls":[{"id":"0","function":{"name":"old","arguments":"{}"}}]},
	{"role":"tool","content":"21 degrees"},{"role":"developer","content":"And kind."},
	{"role":"user","content":[{"type":"text","text":"Second"},{"type":"image_url","image_url":{"url":"http://a"}},{"type":"text","text":"now?"}]}]`

const answer = `[{"role":"assistant","content":"Done.","tool_calls":[{"function":{"name":"f","arguments":"{\"a\":1}"}},{"name":"g","arguments":"not JSON"},{"name":"h"}]}]`

func TestParts(t *testing.T) {
	t.Parallel()
	full := map[string]any{"gen_ai.input.messages": conversation, "gen_ai.output.messages": answer}
	traceloop := func(input string) map[string]any { return map[string]any{"traceloop.entity.input": input} }
	output := func(output string) map[string]any { return map[string]any{"traceloop.entity.output": output} }

	for name, c := range map[string]struct {
		sent   map[string]any
		events []event
		part   span.Part
		want   string
	}{
		"output":                    {sent: full, part: "output", want: "Done."},
		"question":                  {sent: full, part: "question", want: "Second\nnow?"},
		"instructions":              {sent: full, part: "instructions", want: "Be brief.\nAnd kind."},
		"context of tools":          {sent: full, part: "context", want: "21 degrees"},
		"prompts":                   {sent: full, part: "prompts", want: `["First?","Second\nnow?"]`},
		"completions":               {sent: full, part: "completions", want: `["Yes.","Done."]`},
		"output messages":           {sent: full, part: "output_messages", want: `[{"role":"assistant","content":"Done.","tool_calls":[{"name":"f","arguments":{"a":1}},{"name":"g","arguments":"not JSON"},{"name":"h","arguments":{}}]}]`},
		"tool calls":                {sent: full, part: "tool_calls", want: `[{"name":"f","input":{"a":1}},{"name":"g","input":"not JSON"},{"name":"h","input":{}}]`},
		"tools on offer":            {sent: map[string]any{"gen_ai.tool.definitions": `[{"type":"function","name":"f","description":"Finds.","parameters":{"type":"object"}},{"type":"function","function":{"name":"g"}},{"description":"nameless"},7]`}, part: "tool_definitions", want: `[{"name":"f","description":"Finds.","parameters":{"type":"object"}},{"name":"g"}]`},
		"tools of a list of texts":  {sent: map[string]any{"ai.prompt.tools": []any{`{"type":"function","name":"f","inputSchema":{"type":"object"}}`, "no JSON"}}, part: "tool_definitions", want: `[{"name":"f","parameters":{"type":"object"}}]`},
		"tools as attributes":       {sent: map[string]any{"llm.request.functions.10.name": "z", "llm.request.functions.9.name": "f", "llm.request.functions.9.description": "Finds.", "llm.request.functions.9.parameters": `{"a":1}`, "llm.request.functions.1.description": "nameless"}, part: "tool_definitions", want: `[{"name":"f","description":"Finds.","parameters":{"a":1}},{"name":"z"}]`},
		"tools as schemas":          {sent: map[string]any{"llm.tools.1.tool.json_schema": `{"name":"h","input_schema":{}}`, "llm.tools.0.tool.json_schema": `{"type":"function","function":{"name":"f"}}`}, part: "tool_definitions", want: `[{"name":"f"},{"name":"h","parameters":{}}]`},
		"no tools in broken JSON":   {sent: map[string]any{"gen_ai.tool.definitions": `[{"name":"f"`}, part: "tool_definitions"},
		"no tool's span":            {sent: map[string]any{"input.value": "x", "output.value": "y"}, part: "tool_input"},
		"unknown":                   {sent: full, part: "nothing"},
		"nothing there":             {part: "output"},
		"no prompts":                {part: "prompts"},
		"no messages":               {part: "messages"},
		"no tool calls":             {part: "tool_calls"},
		"instructions of the user":  {sent: map[string]any{"gen_ai.prompt": "Sing."}, part: "instructions", want: "Sing."},
		"context of the system":     {sent: map[string]any{"gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "S"}, part: "context", want: ""},
		"messages":                  {sent: map[string]any{"gen_ai.prompt": "Q", "ai.response.text": "A"}, part: "messages", want: `[{"role":"user","content":"Q"},{"role":"assistant","content":"A"}]`},
		"roles that were not named": {sent: map[string]any{"llm.prompts.0.content": "Q", "llm.completions.0.content": "A"}, part: "messages", want: `[{"role":"user","content":"Q"},{"role":"assistant","content":"A"}]`},
		"by number, not by text": {
			sent: map[string]any{"gen_ai.completion.10.content": "last", "gen_ai.completion.9.content": "b", "gen_ai.completion.99999999999999999999.role": "assistant"},
			part: "output", want: "last",
		},
		"the last that says anything": {sent: map[string]any{"gen_ai.completion.0.content": "a", "gen_ai.completion.1.content": ""}, part: "output", want: "a"},
		"absent content of old SDKs":  {sent: map[string]any{"llm.completions.0.role": "assistant", "llm.completions.0.content": "null"}, part: "output"},
		"a legacy function call": {
			sent: map[string]any{"llm.completions.0.function_call.name": "f", "llm.completions.0.function_call.arguments": `{"a":[1]}`},
			part: "tool_calls", want: `[{"name":"f","input":{"a":[1]}}]`,
		},
		"calls by number": {
			sent: map[string]any{"llm.completions.0.tool_calls.10.name": "z", "llm.completions.0.tool_calls.2.name": "a", "llm.completions.0.tool_calls.3.id": "nameless"},
			part: "tool_calls", want: `[{"name":"a","input":{}},{"name":"z","input":{}}]`,
		},
		"an array that is an answer":    {sent: map[string]any{"ai.response.text": `["a"]`}, part: "output", want: `["a"]`},
		"objects that are an answer":    {sent: map[string]any{"ai.response.text": `[{"type":"cat"}]`}, part: "output", want: `[{"type":"cat"}]`},
		"a broken array is an answer":   {sent: map[string]any{"ai.response.text": `[{"type":"text","text":"a"}`}, part: "output", want: `[{"type":"text","text":"a"}`},
		"an empty array is an answer":   {sent: map[string]any{"ai.response.text": `[]`}, part: "output", want: `[]`},
		"pictures alone say nothing":    {sent: map[string]any{"gen_ai.prompt.0.content": `[{"type":"image_url"}]`}, part: "question"},
		"output as text":                {sent: output("plain"), part: "output", want: "plain"},
		"output unquoted":               {sent: output(`"a \"b\""`), part: "output", want: `a "b"`},
		"output cut off":                {sent: output(`"a \"b`), part: "output", want: `"a \"b`},
		"output of parts":               {sent: output(`[{"type":"text","text":"a"}]`), part: "output", want: "a"},
		"output that is an array":       {sent: output(`["a","b"]`), part: "output", want: `["a","b"]`},
		"output.answer":                 {sent: output(`{"text":"b","answer":"a"}`), part: "output", want: "a"},
		"output.content of parts":       {sent: output(`{"answer":1,"content":[{"type":"text","text":"a"}]}`), part: "output", want: "a"},
		"output of another shape":       {sent: output(`{"hits":2}`), part: "output", want: `{"hits":2}`},
		"output object cut off":         {sent: output(`{"answer":"a`), part: "output", want: `{"answer":"a`},
		"output null":                   {sent: output(`null`), part: "output"},
		"question of kwargs":            {sent: traceloop(`{"args":["x"],"kwargs":{"query":"b","question":"a"}}`), part: "question", want: "a"},
		"question of the only text":     {sent: traceloop(`{"args":["a",{"k":3}],"kwargs":{"n":1}}`), part: "question", want: "a"},
		"question of the only kwarg":    {sent: traceloop(`{"args":[],"kwargs":{"city":"Paris"}}`), part: "question", want: "Paris"},
		"question of two texts":         {sent: traceloop(`{"args":["a","b"],"kwargs":{}}`), part: "question"},
		"question of no text":           {sent: traceloop(`{"args":[1]}`), part: "question"},
		"question of an object":         {sent: traceloop(`{"question":"a"}`), part: "question", want: "a"},
		"question of another shape":     {sent: traceloop(`{"city":"Paris"}`), part: "question", want: `{"city":"Paris"}`},
		"question unquoted":             {sent: traceloop(` "a" `), part: "question", want: "a"},
		"question as text":              {sent: map[string]any{"input.value": "capital?"}, part: "question", want: "capital?"},
		"question null":                 {sent: traceloop(`null`), part: "question"},
		"input of a tool":               {sent: map[string]any{"traceloop.span.kind": "tool", "traceloop.entity.input": "x"}, part: "tool_input", want: "x"},
		"output of OpenInference":       {sent: map[string]any{"openinference.span.kind": "TOOL", "output.value": "y"}, part: "tool_output", want: "y"},
		"output of the conventions":     {sent: map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": "y"}, part: "tool_output", want: "y"},
		"input of Vercel":               {sent: map[string]any{"ai.toolCall.name": "f", "ai.toolCall.args": "x"}, part: "tool_input", want: "x"},
		"logprobs of an event":          {sent: map[string]any{"logprobs": "[2]"}, events: []event{{"logprobs", map[string]any{"logprobs": "[1]"}}}, part: "logprobs", want: "[1]"},
		"logprobs of an attribute":      {sent: map[string]any{"logprobs": []any{-0.5}}, events: []event{{"other", map[string]any{"logprobs": "[1]"}}}, part: "logprobs", want: "[-0.5]"},
		"association property":          {sent: map[string]any{"traceloop.association.properties.reference": "a", "reference": "b"}, part: "attribute:reference", want: "a"},
		"the platform's property":       {sent: map[string]any{"platform.association.properties.reference": "a", "ai.telemetry.metadata.reference": "b"}, part: "attribute:reference", want: "a"},
		"Vercel's metadata":             {sent: map[string]any{"ai.telemetry.metadata.reference": "a", "reference": "b"}, part: "attribute:reference", want: "a"},
		"attribute":                     {sent: map[string]any{"traceloop.association.properties.reference": "", "reference": "b"}, part: "attribute:reference", want: "b"},
		"alias":                         {sent: map[string]any{"gen_ai.system": "OpenAI"}, part: "attribute:llm.vendor", want: "openai"},
		"no alias":                      {part: "attribute:llm.vendor"},
		"reserved":                      {sent: map[string]any{"evaluation.a.b": "1", "touchstone.x": "1"}, part: "attribute:evaluation.a.b"},
		"moved":                         {sent: map[string]any{"gen_ai.prompt.0.content": "x"}, part: "attribute:gen_ai.prompt.0.content"},
		"a key of messages, not moved":  {sent: map[string]any{"llm.prompts.0.role": "user", "gen_ai.prompt.0.content": "x"}, part: "attribute:gen_ai.prompt.0.content", want: "x"},
		"documents before tool answers": {sent: map[string]any{"retrieval.documents.10.document.content": "c", "retrieval.documents.2.document.content": "b", "retrieval.documents.0.document.id": "d", "gen_ai.input.messages": conversation}, part: "context", want: "b\nc\n21 degrees"},
		"documents of a database":       {events: []event{{"db.query.result", map[string]any{"db.query.result.document": "Doc"}}, {"db.query.result", nil}, {"other", nil}}, part: "context", want: "Doc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpan(t, c.sent, c.events...)
			stored := fromSpan(s)
			got, ok := genai.Part(&stored, c.part)
			require.Equal(t, c.want, got)
			require.Equal(t, c.want != "", ok)

			got, ok = genai.NewView(pcommon.NewResource(), s).Part(c.part)
			require.Equal(t, c.want, got)
			require.Equal(t, c.want != "", ok)
		})
	}
}

func TestViewShowsAttributesAsTheyWillBeStored(t *testing.T) {
	t.Parallel()
	resource := pcommon.NewResource()
	resource.Attributes().PutStr("service.name", "shop")
	resource.Attributes().PutStr("touchstone.environment.id", "env")
	s := newSpan(t, map[string]any{
		"gen_ai.system": "OpenAI", "gen_ai.usage.input_tokens": 3, "gen_ai.prompt.0.content": "Q", "gen_ai.output.messages": `[{"role":"assistant","content":"A"}]`,
		"evaluation.char-count.char_count": 5, "touchstone.evaluations": "x", "tags": []any{"a"},
	})
	v := genai.NewView(pcommon.NewResource(), newSpan(t, map[string]any{"gen_ai.system": "other", "gen_ai.prompt.0.content": "other"}))
	_, _ = v.SpanAttribute("llm.vendor")
	_, _ = v.SpanAttribute("llm.prompts.0.content")
	v.Reset(resource, s)

	for key, want := range map[string]string{
		"gen_ai.system": "OpenAI", "llm.vendor": "openai", "llm.usage.input_tokens": "3", "llm.usage.total_tokens": "3", "tags": `["a"]`,
		"gen_ai.prompt.0.content": "Q", "llm.prompts.0.content": "Q", "llm.completions.0.content": "A", "llm.completions.0.role": "assistant",
		"evaluation.char-count.char_count": "5", "gen_ai.completion.0.content": "A", "span_type": "llm",
	} {
		got, ok := v.SpanAttribute(key)
		require.True(t, ok, key)
		require.Equal(t, want, got, key)
	}
	for _, key := range []string{"", "absent", "service.name", "touchstone.evaluations", "llm.prompts.1.content", "llm.request.model", "llm.usage.prompt_tokens", "llm.x", "gen_ai.completion.1.content", "gen_ai.completion.x.content"} {
		_, ok := v.SpanAttribute(key)
		require.False(t, ok, key)
	}

	got, ok := v.ResourceAttribute("service.name")
	require.True(t, ok)
	require.Equal(t, "shop", got)
	for _, key := range []string{"absent", "gen_ai.system", "touchstone.environment.id"} {
		_, ok := v.ResourceAttribute(key)
		require.False(t, ok, key)
	}
}
