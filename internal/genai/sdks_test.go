// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Spans of SDKs are read as their users expect, while they pass and when they are stored.
func TestSpansOfSDKsAreRead(t *testing.T) {
	t.Parallel()
	for _, x := range genaitest.SDKSpans(t) {
		t.Run(x.Name, func(t *testing.T) {
			t.Parallel()
			stored := fromSpan(x.Span)
			view := genai.NewView(pcommon.NewResource(), x.Span)
			for name, wanted := range x.Want {
				part := span.Part(name)
				text, _ := genai.Part(&stored, part)
				passing, _ := view.Part(part)
				require.Equal(t, text, passing, "%s, while it passes", name)
				switch part {
				case span.PartInputMessages, span.PartOutputMessages, span.PartToolCalls:
					expected, err := json.Marshal(wanted)
					require.NoError(t, err)
					require.JSONEq(t, string(expected), text, name)
				case span.PartQuestion, span.PartOutput, span.PartContext, span.PartToolInput, span.PartToolOutput:
					require.Equal(t, wanted, text, name)
				default:
					require.Equal(t, wanted, fieldOf(t, &stored, name), name)
				}
			}
		})
	}
}

// fieldOf returns a field of a span as JSON has it.
func fieldOf(t *testing.T, s *span.Span, name string) any {
	t.Helper()
	counted := func(key string) any {
		text, _ := s.Attributes.Get(key)
		n, err := strconv.Atoi(text)
		require.NoError(t, err, name)
		return float64(n)
	}
	switch name {
	case "type":
		return s.Type
	case "entity":
		return s.Entity
	case "workflow":
		return s.Workflow
	case "model":
		return s.RequestModel
	case "conversation":
		return s.Conversation
	case "session":
		return s.Session
	case "user":
		return s.User
	case "input_tokens":
		return float64(s.InputTokens)
	case "output_tokens":
		return float64(s.OutputTokens)
	case "cache_tokens":
		return counted("llm.usage.cache_read_input_tokens")
	case "reasoning_tokens":
		return counted("llm.usage.reasoning_tokens")
	case "cost":
		return float64(s.Cost) / span.PerDollar
	}
	require.Fail(t, "no such field", name)
	return nil
}

// No word of what was said is left of the spans of SDKs.
func TestContentOfSDKsIsDropped(t *testing.T) {
	t.Parallel()
	for _, x := range genaitest.SDKSpans(t) {
		genai.DropContent(pcommon.NewResource(), x.Span)
		traces := ptrace.NewTraces()
		x.Span.CopyTo(traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
		sent, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
		require.NoError(t, err)
		require.NotContains(t, string(sent), genaitest.Said, x.Name)
	}
}
