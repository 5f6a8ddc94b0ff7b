// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func FuzzFromOTLP(f *testing.F) {
	protobuf := ptrace.ProtoMarshaler{}
	for _, r := range genaitest.Recordings(f) {
		if r.Signal != genaitest.Traces {
			continue
		}
		traces, err := r.Traces()
		require.NoError(f, err)
		body, err := protobuf.MarshalTraces(traces)
		require.NoError(f, err)
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		traces, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(body)
		if err != nil {
			return
		}
		for _, r := range traces.ResourceSpans().All() {
			resource := genai.NewResource(r.Resource())
			for _, scope := range r.ScopeSpans().All() {
				for _, s := range scope.Spans().All() {
					stored := genai.FromOTLP(resource, scope.Scope(), s)
					requireSound(t, &stored)
					requireSameParts(t, &stored, r.Resource(), s)
					requireSentAgain(t, &stored)
				}
			}
		}
	})
}

func FuzzMessagesFromLogs(f *testing.F) {
	protobuf := plog.ProtoMarshaler{}
	for _, r := range genaitest.Recordings(f) {
		if r.Signal != genaitest.Logs {
			continue
		}
		logs, err := r.Logs()
		require.NoError(f, err)
		body, err := protobuf.MarshalLogs(logs)
		require.NoError(f, err)
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		logs, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(body)
		if err != nil {
			return
		}
		for _, r := range logs.ResourceLogs().All() {
			for _, m := range genai.MessagesFromLogs(r) {
				require.NotZero(t, m.TraceID)
				require.NotZero(t, m.SpanID)
				requireList(t, m.Prompts)
				requireList(t, m.Completions)
			}
		}
	})
}

// FuzzMessages tries a text as every attribute that may hold messages as JSON.
func FuzzMessages(f *testing.F) {
	f.Add(conversation)
	f.Add(answer)
	f.Add(`{"system":"S","messages":[{"role":"user","content":[{"type":"tool-result","output":{"type":"json","value":[1]}}]}]}`)
	f.Add(`{"choices":[{"index":0,"message":{"content":"\ud800\u0000"},"finish_reason":"stop"}]}`)
	f.Add(`[{"type":"text","content":"a"},{"type":"uri","uri":"b"}]`)
	f.Add(`{"args":["a"],"kwargs":{"k":{}}}`)
	f.Add(`{"config":{"system_instruction":"S"},"contents":[{"parts":[{"text":"U"},{"function_response":{"id":"1","response":{"a":1}}}],"role":"user"}]}`)
	f.Add(`{"generations":[[{"message":{"lc":1,"id":["HumanMessage"],"kwargs":{"content":"a","tool_calls":[]}}}]]}`)
	f.Add(`[{"role":"user","content":[{"text":"a"},{"toolResult":{"toolUseId":"1","content":[{"json":{}}]}},{"reasoningContent":{"reasoningText":{"text":"b"}}}]}]`)
	f.Add(`[{"event.name":"gen_ai.choice","index":1,"message":{"content":{"text":{"value":"a"}}}},{"role":"us`)
	for _, x := range genaitest.SDKSpans(f) {
		for _, v := range x.Span.Attributes().All() {
			f.Add(v.AsString())
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, cut := valuetext.Mend(asText(text))
		valid := json.Valid([]byte(asText(text))) || cut || strings.Contains(text, " ") // of words instructions may be
		for _, key := range []string{
			"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "ai.prompt.messages", "ai.prompt", "ai.response.toolCalls",
		} {
			s := newSpan(t, map[string]any{key: text})
			stored := fromSpan(s)
			requireSound(t, &stored)
			requireSameParts(t, &stored, pcommon.NewResource(), s)
			requireSentAgain(t, &stored)
			if !valid {
				require.Empty(t, stored.Prompts, key)
				require.Empty(t, stored.Completions, key)
			}
		}
		for _, attributes := range []map[string]any{
			{"gen_ai.prompt": text, "gen_ai.completion": text},
			{"gcp.vertex.agent.llm_request": text, "gcp.vertex.agent.llm_response": text},
			{"pydantic_ai.all_messages": text, "gen_ai.system": "x"},
			{"mlflow.spanInputs": text, "mlflow.spanOutputs": text, "mlflow.spanType": text, "mlflow.chat.tokenUsage": text},
			{"gen_ai.operation.name": "chat", "acme.input": text, "acme.output": text},
			{"langfuse.observation.type": "generation", "langfuse.observation.input": text, "langfuse.observation.output": text},
			{"llm.prompts.0.content": text, "llm.completions.0.content": text, "llm.completions.0.tool_calls.0.name": "f", "llm.completions.0.tool_calls.0.arguments": text},
			{"genkit:input": text, "genkit:output": text, "genkit:metadata:subtype": text},
			{"lk.chat_ctx": text, "lk.response.text": text, "lk.response.function_calls": text},
			{"retrieval.document": text, "retrieval.query": text, "gen_ai.span.kind": "RETRIEVER"},
			{"acme.span.kind": "llm", "acme.in.messages": text, "acme.everything": text},
			{"gen_ai.operation.name": "execute_tool", "gen_ai.input.messages": text, "gen_ai.output.messages": text},
			{"gen_ai.system_instructions": text, "ai.prompt": text, "input": text, "output": text},
			{"input.value": text, "output.value": text, "llm.invocation_parameters": text, "langfuse.observation.usage_details": text, "gen_ai.response.finish_reasons": text},
		} {
			s := newSpan(t, attributes,
				event{"gen_ai.user.message", map[string]any{"gen_ai.event.content": text}}, event{"gen_ai.tool.message", map[string]any{"content": text}},
				event{"gen_ai.choice", map[string]any{"message": text}}, event{"gen_ai.choice", map[string]any{"gen_ai.event.content": text}},
				event{"gen_ai.content.prompt", map[string]any{"gen_ai.prompt": text}})
			stored := fromSpan(s)
			requireSound(t, &stored)
			requireSameParts(t, &stored, pcommon.NewResource(), s)
			requireSentAgain(t, &stored)
		}
	})
}

// requireSentAgain expects that the stored span is sent as what becomes it.
func requireSentAgain(t *testing.T, stored *span.Span) {
	t.Helper()
	require.Equal(t, *stored, again(stored))
	sameParts(t, stored)
}

// asText makes bytes the text that they are stored as.
func asText(bytes string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(bytes, "\uFFFD"), "\x00", "\uFFFD")
}

var (
	textParts = []span.Part{"output", "question", "instructions", "context", "tool_input", "tool_output", "logprobs"}
	jsonParts = []span.Part{"prompts", "completions", "input_messages", "output_messages", "messages", "tool_calls"}
)

func requireSameParts(t *testing.T, stored *span.Span, resource pcommon.Resource, s ptrace.Span) {
	t.Helper()
	v := genai.NewView(resource, s)
	names := slices.Concat(textParts, jsonParts)
	for key := range s.Attributes().All() {
		names = append(names, span.Part(span.AttributePart+asText(key)))
	}
	for _, name := range names {
		want, wantOK := genai.Part(stored, name)
		got, ok := v.Part(name)
		require.Equal(t, want, got, name)
		require.Equal(t, wantOK, ok, name)
		requireText(t, got)
	}
	for _, name := range jsonParts {
		if text, ok := genai.Part(stored, name); ok {
			require.True(t, json.Valid([]byte(text)), "%s: %s", name, text)
		}
	}
}

func requireSound(t *testing.T, s *span.Span) {
	t.Helper()
	require.GreaterOrEqual(t, s.Start, int64(0))
	require.GreaterOrEqual(t, s.Duration, int64(0))
	for _, text := range []string{s.TraceState, s.Name, s.Kind, s.Service, s.ScopeName, s.ScopeVersion, s.StatusCode, s.StatusMessage, s.Input, s.Output, s.Workflow, s.Entity, s.Vendor, s.RequestModel, s.ResponseModel, s.Type} {
		requireText(t, text)
	}
	for _, list := range []span.Attributes{s.Resource, s.Attributes, s.Prompts, s.Completions} {
		requireList(t, list)
	}
	for _, e := range s.Events {
		requireText(t, e.Name)
		requireSorted(t, e.Attributes)
	}
}

func requireList(t *testing.T, list span.Attributes) {
	t.Helper()
	requireSorted(t, list)
	for _, a := range list {
		requireText(t, a.Key)
		require.NotContains(t, a.Key, "\x00")
		requireText(t, a.Value)
		require.False(t, tenant.Reserved(a.Key))
	}
}

func requireText(t *testing.T, text string) {
	t.Helper()
	require.True(t, utf8.ValidString(text))
}
