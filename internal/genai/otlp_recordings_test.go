// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestRecordingsBecomeTheExpectedSpans(t *testing.T) {
	t.Parallel()
	expected := genaitest.ExpectedSpans(t)
	messages := recordedMessages(t)
	for _, r := range genaitest.Recordings(t) {
		if r.Signal != genaitest.Traces {
			continue
		}
		t.Run(r.File, func(t *testing.T) {
			t.Parallel()
			var got []genaitest.Expected
			for _, s := range spansOf(t, r) {
				if m, ok := messages[s.SpanID]; ok {
					require.Empty(t, s.Prompts)
					require.Empty(t, s.Completions)
					s.Prompts, s.Completions = m.Prompts, m.Completions
				}
				got = append(got, shown(&s))
			}
			require.Equal(t, expected[r.File], got)
		})
	}
}

func TestRecordingsAreAllThere(t *testing.T) {
	t.Parallel()
	files := map[string]genaitest.Signal{}
	for _, r := range genaitest.Recordings(t) {
		files[r.File] = r.Signal
		require.NotEmpty(t, r.Body)
	}
	for file := range genaitest.ExpectedSpans(t) {
		require.Equal(t, genaitest.Traces, files[file])
	}
	require.Len(t, files, 59)
}

func TestStoredAndPassingSpansHaveTheSameParts(t *testing.T) {
	t.Parallel()
	names := []span.Part{
		"output", "question", "instructions", "context", "prompts", "completions", "input_messages", "output_messages", "messages",
		"tool_calls", "tool_input", "tool_output", "logprobs", "unknown", "attribute:user_id", "attribute:absent", "attribute:",
	}
	for _, r := range genaitest.Recordings(t) {
		if r.Signal != genaitest.Traces {
			continue
		}
		t.Run(r.File, func(t *testing.T) {
			t.Parallel()
			eachSpan(t, r, func(resource pcommon.Resource, scope pcommon.InstrumentationScope, s ptrace.Span) {
				stored := genai.FromOTLP(genai.NewResource(resource), scope, s)
				all := slices.Clone(names)
				for key := range s.Attributes().All() {
					all = append(all, span.Part(span.AttributePart+key))
				}
				for _, a := range slices.Concat(stored.Attributes, stored.Prompts, stored.Completions) {
					all = append(all, span.Part(span.AttributePart+a.Key))
				}
				whole := genai.NewView(resource, s)
				for _, name := range all {
					want, wantOK := genai.Part(&stored, name)
					got, ok := genai.NewView(resource, s).Part(name)
					require.Equal(t, want, got, name)
					require.Equal(t, wantOK, ok, name)
					got, _ = whole.Part(name)
					require.Equal(t, want, got, name)
				}
				for _, a := range slices.Concat(stored.Attributes, stored.Prompts, stored.Completions) {
					got, ok := whole.SpanAttribute(a.Key)
					require.True(t, ok, a.Key)
					require.Equal(t, a.Value, got, a.Key)
				}
				for _, a := range stored.Resource {
					got, ok := whole.ResourceAttribute(a.Key)
					require.True(t, ok, a.Key)
					require.Equal(t, a.Value, got, a.Key)
				}
			})
		})
	}
}

// shown returns what expected.json has of a span.
func shown(s *span.Span) genaitest.Expected {
	derived := map[string]string{}
	for _, key := range []string{
		span.AliasVendor, span.AliasRequestModel, span.AliasResponseModel,
		span.AliasInputTokens, span.AliasOutputTokens, span.AliasTotalTokens, "llm.usage.cache_read_input_tokens",
	} {
		if text, ok := s.Attributes.Get(key); ok {
			derived[key] = text
		}
	}
	logprobs, _ := genai.Part(s, "logprobs")
	return genaitest.Expected{
		SpanID: s.SpanID.String(), Name: s.Name, Kind: s.Kind, StatusCode: s.StatusCode, StatusMessage: s.StatusMessage,
		TraceState: s.TraceState, ScopeName: s.ScopeName, ScopeVersion: s.ScopeVersion, Service: s.Service,
		Prompts: asMap(s.Prompts), Completions: asMap(s.Completions), Input: s.Input, Output: s.Output,
		Derived: derived, Workflow: s.Workflow, Entity: s.Entity, Logprobs: logprobs,
	}
}

func asMap(list span.Attributes) map[string]string {
	m := map[string]string{}
	for _, a := range list {
		m[a.Key] = a.Value
	}
	return m
}

// recordedMessages returns the messages in all recordings of logs.
func recordedMessages(t *testing.T) map[span.ID]genai.LogMessages {
	t.Helper()
	all := map[span.ID]genai.LogMessages{}
	for _, r := range genaitest.Recordings(t) {
		if r.Signal != genaitest.Logs {
			continue
		}
		logs, err := r.Logs()
		require.NoError(t, err)
		for _, resource := range logs.ResourceLogs().All() {
			for _, m := range genai.MessagesFromLogs(resource) {
				all[m.SpanID] = m
			}
		}
	}
	return all
}

func spansOf(t *testing.T, r genaitest.Recording) []span.Span {
	t.Helper()
	var list []span.Span
	eachSpan(t, r, func(resource pcommon.Resource, scope pcommon.InstrumentationScope, s ptrace.Span) {
		list = append(list, genai.FromOTLP(genai.NewResource(resource), scope, s))
	})
	return list
}

func eachSpan(t *testing.T, r genaitest.Recording, visit func(pcommon.Resource, pcommon.InstrumentationScope, ptrace.Span)) {
	t.Helper()
	traces, err := r.Traces()
	require.NoError(t, err)
	for _, resource := range traces.ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, s := range scope.Spans().All() {
				visit(resource.Resource(), scope.Scope(), s)
			}
		}
	}
}

func TestRecordedLogsHoldMessages(t *testing.T) {
	t.Parallel()
	byFile := map[string]genai.LogMessages{}
	for _, r := range genaitest.Recordings(t) {
		if r.Signal != genaitest.Logs {
			continue
		}
		logs, err := r.Logs()
		require.NoError(t, err)
		found := genai.MessagesFromLogs(logs.ResourceLogs().At(0))
		require.Len(t, found, 1)
		byFile[strings.TrimPrefix(r.File, "otel-js-contrib-openai-0.22.0-")] = found[0]
	}
	require.ElementsMatch(t, []string{"chat-logs-1.json.gz", "tools-logs-1.json.gz", "error-404-logs-1.json.gz"}, slices.Collect(maps.Keys(byFile)))

	prompts := map[string]string{
		"llm.prompts.0.role": "system", "llm.prompts.0.content": "You are a helpful assistant.",
		"llm.prompts.1.role": "user", "llm.prompts.1.content": "What is the capital of France? 日本",
	}
	for _, m := range byFile {
		require.Equal(t, prompts, asMap(m.Prompts))
	}

	chat := byFile["chat-logs-1.json.gz"]
	require.Equal(t, "95df9ccd145e6264705f01e3578dec67", chat.TraceID.String())
	require.Equal(t, "408be01cb38ee92c", chat.SpanID.String())
	require.Equal(t, int64(1795236999415000000), chat.Time)
	require.Equal(t, map[string]string{
		"llm.completions.0.role": "assistant", "llm.completions.0.finish_reason": "stop",
		"llm.completions.0.content": "The capital of France is Paris. 日本語 ✓ émoji 🙂",
	}, asMap(chat.Completions))

	require.Equal(t, map[string]string{
		"llm.completions.0.role": "assistant", "llm.completions.0.finish_reason": "tool_calls",
		"llm.completions.0.tool_calls.0.id": "call_abc1", "llm.completions.0.tool_calls.0.name": "get_weather",
		"llm.completions.0.tool_calls.0.arguments": `{"location":"Paris","unit":"c"}`,
	}, asMap(byFile["tools-logs-1.json.gz"].Completions))

	require.Empty(t, byFile["error-404-logs-1.json.gz"].Completions)
}
