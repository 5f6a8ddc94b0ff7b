// SPDX-License-Identifier: Apache-2.0

package agentlogs_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/agentlogs"
	"github.com/touchstone-otel/touchstone/internal/span"
)

const at = 1_790_000_000_000_000_000

// record is a log record of a test.
type record struct {
	body       string
	attributes map[string]any
}

// logsOf returns records one second apart.
func logsOf(t *testing.T, records ...record) plog.Logs {
	t.Helper()
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "agent")
	list := rl.ScopeLogs().AppendEmpty().LogRecords()
	for i, x := range records {
		r := list.AppendEmpty()
		r.SetTimestamp(pcommon.Timestamp(at + i*1_000_000_000))
		r.Body().SetStr(x.body)
		require.NoError(t, r.Attributes().FromRaw(x.attributes))
	}
	return ld
}

// stored returns the spans as they are stored, by name.
func stored(traces ptrace.Traces) map[string]span.Span {
	all := map[string]span.Span{}
	for _, rs := range traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				all[s.Name()] = genai.FromOTLP(genai.NewResource(rs.Resource()), ss.Scope(), s)
			}
		}
	}
	return all
}

func claudeCode(name string, sequence int, attributes map[string]any) record {
	all := map[string]any{"event.name": name, "session.id": "s1", "prompt.id": "p1", "event.sequence": sequence, "user.id": "u1"}
	for key, v := range attributes {
		all[key] = v
	}
	return record{"claude_code." + name, all}
}

func claudeSession(t *testing.T) plog.Logs {
	t.Helper()
	return logsOf(t,
		claudeCode("user_prompt", 1, map[string]any{"prompt": "Fix the test.", "prompt_length": 13}),
		claudeCode("api_request", 2, map[string]any{
			"model": "claude-opus-4-1", "request_id": "r1", "cost_usd": 0.5, "duration_ms": "500", "input_tokens": "12", "output_tokens": 5, "cache_read_tokens": 3,
		}),
		claudeCode("assistant_response", 3, map[string]any{"request_id": "r1", "response": "Fixed."}),
		claudeCode("tool_result", 4, map[string]any{"tool_name": "Bash", "tool_input": `{"command":"ls"}`, "success": "false", "error": "exit 1", "duration_ms": 20}),
		claudeCode("api_error", 5, map[string]any{"model": "claude-opus-4-1", "error": "overloaded"}),
	)
}

func TestClaudeCode(t *testing.T) {
	t.Parallel()
	logs := claudeSession(t)
	traces, refused := agentlogs.Spans(logs)
	require.Empty(t, refused)
	require.Equal(t, 4, traces.SpanCount())
	all := stored(traces)
	asked, tool := all["claude_code.interaction"], all["claude_code.tool"]
	require.Equal(t, []string{span.TypeAgent, "Fix the test.", "s1", "u1", "agent"}, []string{asked.Type, asked.Input, asked.Session, asked.User, asked.Service})
	require.Equal(t, []string{span.TypeTool, "Bash", `{"command":"ls"}`, span.StatusError, "exit 1"}, []string{tool.Type, tool.Entity, tool.Input, tool.StatusCode, tool.StatusMessage})
	require.Zero(t, asked.ParentSpanID)
	require.Equal(t, asked.SpanID, tool.ParentSpanID)

	var call ptrace.Span
	for _, s := range traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		if v, ok := s.Attributes().Get("request_id"); ok && v.Str() == "r1" {
			call = s
		}
	}
	x := genai.FromOTLP(genai.NewResource(pcommon.NewResource()), pcommon.NewInstrumentationScope(), call)
	require.Equal(t, []any{span.TypeLLM, "claude-opus-4-1", int64(12), int64(5), int64(500_000_000), "anthropic"}, []any{x.Type, x.RequestModel, x.InputTokens, x.OutputTokens, x.Cost, x.Vendor})
	require.EqualValues(t, at+500_000_000, x.Start)
	require.EqualValues(t, 500_000_000, x.Duration)

	said := genai.MessagesFromLogs(logs.ResourceLogs().At(0))
	require.Len(t, said, 1, "the answer joins the span of its call")
	require.Equal(t, x.SpanID, said[0].SpanID)
	require.Equal(t, x.TraceID, said[0].TraceID)
	text, _ := said[0].Completions.Get("llm.completions.0.content")
	require.Equal(t, "Fixed.", text)
}

// What is sent again becomes the same spans; other sessions and prompts have others.
func TestIDsAreThoseOfTheEvents(t *testing.T) {
	t.Parallel()
	ids := func(logs plog.Logs) (list []string) {
		traces, _ := agentlogs.Spans(logs)
		for _, s := range traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			list = append(list, s.TraceID().String()+s.SpanID().String())
		}
		return list
	}
	first := ids(claudeSession(t))
	require.Equal(t, first, ids(claudeSession(t)))
	seen := map[string]bool{}
	for _, key := range []string{"session.id", "prompt.id"} {
		logs := claudeSession(t)
		for _, r := range logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
			r.Attributes().PutStr(key, "other")
		}
		for _, id := range append(ids(logs), first...) {
			seen[id] = true
		}
	}
	require.Len(t, seen, 3*len(first))
}

func TestCodex(t *testing.T) {
	t.Parallel()
	event := func(name string, attributes map[string]any) record {
		all := map[string]any{"event.name": "codex." + name, "conversation.id": "c1", "model": "gpt-5-codex"}
		for key, v := range attributes {
			all[key] = v
		}
		return record{"", all}
	}
	traces, refused := agentlogs.Spans(logsOf(t,
		event("conversation_starts", nil),
		event("user_prompt", map[string]any{"prompt": "Fix the test.", "prompt_length": "13"}),
		event("sse_event", map[string]any{"event.kind": "response.output_text.delta"}),
		event("sse_event", map[string]any{"event.kind": "response.completed", "input_token_count": "12", "output_token_count": "5", "cached_token_count": 3, "reasoning_token_count": 2}),
		event("tool_result", map[string]any{"tool_name": "shell", "call_id": "k1", "arguments": `{"command":"ls"}`, "output": "a.go", "success": "true", "duration_ms": "20"}),
	))
	require.Equal(t, agentlogs.Refused{agentlogs.NoSpan: 2}, refused)
	all := stored(traces)
	asked, call, tool := all["codex.interaction"], all["codex.llm_request"], all["codex.tool"]
	require.Equal(t, []string{span.TypeAgent, "Fix the test.", "c1", "c1"}, []string{asked.Type, asked.Input, asked.Session, asked.Conversation})
	require.Equal(t, []any{span.TypeLLM, "gpt-5-codex", "openai", int64(12), int64(5)}, []any{call.Type, call.RequestModel, call.Vendor, call.InputTokens, call.OutputTokens})
	require.Equal(t, []string{span.TypeTool, "shell", `{"command":"ls"}`, "a.go"}, []string{tool.Type, tool.Entity, tool.Input, tool.Output})
	require.Equal(t, asked.TraceID, tool.TraceID, "Codex numbers no prompts")
}

func TestGeminiCLI(t *testing.T) {
	t.Parallel()
	event := func(name, timestamp string, attributes map[string]any) record {
		all := map[string]any{"event.name": name, "session.id": "s1", "event.timestamp": timestamp}
		for key, v := range attributes {
			all[key] = v
		}
		return record{"something happened", all}
	}
	const first, second = "2026-09-20T10:00:00.000Z", "2026-09-20T10:00:01.000Z"
	logs := logsOf(t,
		event("gemini_cli.user_prompt", first, map[string]any{"prompt": "Fix the test.", "prompt_id": "p1"}),
		event("gemini_cli.api_request", first, map[string]any{"model": "gemini-2.5-pro", "prompt_id": "p1", "request_text": "[]"}),
		event("gemini_cli.api_response", second, map[string]any{
			"model": "gemini-2.5-pro", "prompt_id": "p1", "duration_ms": 900, "input_token_count": 12, "output_token_count": 5, "thoughts_token_count": 2, "response_text": "Fixed.",
		}),
		event("gen_ai.client.inference.operation.details", second, map[string]any{
			"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"Fix the test."}]}]`, "gen_ai.output.messages": `[{"role":"system","parts":[{"type":"text","content":"Fixed."}]}]`,
		}),
		event("gemini_cli.tool_call", second, map[string]any{"function_name": "shell", "function_args": `{"command":"ls"}`, "prompt_id": "p1", "success": true}),
	)
	traces, refused := agentlogs.Spans(logs)
	require.Equal(t, agentlogs.Refused{agentlogs.NoSpan: 1}, refused)
	all := stored(traces)
	call, tool := all["gemini_cli.llm_request"], all["gemini_cli.tool"]
	require.Equal(t, []any{span.TypeLLM, "gemini-2.5-pro", "gcp.gemini", int64(12), int64(5)}, []any{call.Type, call.RequestModel, call.Vendor, call.InputTokens, call.OutputTokens})
	text, _ := call.Completions.Get("llm.completions.0.content")
	require.Equal(t, "Fixed.", text)
	require.Equal(t, []string{span.TypeTool, "shell", `{"command":"ls"}`}, []string{tool.Type, tool.Entity, tool.Input})
	require.Equal(t, all["gemini_cli.interaction"].SpanID, tool.ParentSpanID)

	said := genai.MessagesFromLogs(logs.ResourceLogs().At(0))
	require.Len(t, said, 1, "all messages of the call join its span")
	require.Equal(t, call.SpanID, said[0].SpanID)
	require.NotEmpty(t, said[0].Prompts)
}

// An event that cannot be a span is refused with the reason; records of others stay.
func TestRefusals(t *testing.T) {
	t.Parallel()
	logs := logsOf(t,
		claudeCode("api_request", 1, map[string]any{"session.id": ""}),
		claudeCode("plugin_installed", 2, nil),
		claudeCode("api_request", 3, map[string]any{"model": "m"}),
		record{"claude", map[string]any{"event.name": "user_prompt"}},
		record{"GET /", nil},
	)
	list := logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
	list.At(2).SetTraceID([16]byte{1})
	list.At(2).SetSpanID([8]byte{1})
	late := list.AppendEmpty()
	list.At(0).CopyTo(late)
	late.Attributes().PutStr("session.id", "s1")
	late.SetTimestamp(0)
	traces, refused := agentlogs.Spans(logs)
	require.Zero(t, traces.SpanCount())
	require.Equal(t, agentlogs.Refused{agentlogs.NoSession: 1, agentlogs.NoSpan: 1, agentlogs.HasSpan: 1, agentlogs.NoTimestamp: 1}, refused)
	require.Equal(t, 2, logs.LogRecordCount())
}

// A prompt and a tool of an agent that traces too are below the span that they name.
func TestEventsWithinASpan(t *testing.T) {
	t.Parallel()
	logs := logsOf(t, claudeCode("tool_result", 1, map[string]any{"tool_name": "Bash"}))
	r := logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
	r.SetTraceID([16]byte{1})
	r.SetSpanID([8]byte{2})
	traces, refused := agentlogs.Spans(logs)
	require.Empty(t, refused)
	s := stored(traces)["claude_code.tool"]
	require.Equal(t, fmt.Sprintf("%x%x", [16]byte{1}, [8]byte{2}), s.TraceID.String()+s.ParentSpanID.String())
	require.NotEqual(t, s.ParentSpanID, s.SpanID)
}
