// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Whichever convention a span follows, nothing that evaluators read is left of it, and what
// is counted and filtered by is.
func TestContentIsDropped(t *testing.T) {
	t.Parallel()
	said, models := 0, 0
	for _, r := range genaitest.Recordings(t) {
		if r.Signal != genaitest.Traces {
			continue
		}
		td, err := r.Traces()
		require.NoError(t, err)
		for _, rs := range td.ResourceSpans().All() {
			resource := genai.NewResource(rs.Resource())
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					before := genai.FromOTLP(resource, ss.Scope(), s)
					genai.DropContent(pcommon.NewResource(), s)
					after := genai.FromOTLP(resource, ss.Scope(), s)
					for _, part := range []span.Part{
						span.PartOutput, span.PartQuestion, span.PartInstructions, span.PartContext,
						span.PartToolInput, span.PartToolOutput, span.PartLogprobs,
					} {
						if _, ok := genai.Part(&before, part); ok {
							said++
						}
						text, _ := genai.Part(&after, part)
						require.Empty(t, text, "%s: %s of %s", r.File, part, s.Name())
					}
					require.Empty(t, after.Input, r.File)
					require.Empty(t, after.Output, r.File)
					require.Equal(t, before.ResponseModel, after.ResponseModel, r.File)
					require.Equal(t, before.TotalTokens, after.TotalTokens, r.File)
					require.Equal(t, before.Workflow, after.Workflow, r.File)
					require.Equal(t, before.Session, after.Session, r.File)
					if before.ResponseModel != "" {
						models++
					}
				}
			}
		}
	}
	require.Greater(t, said, 100)
	require.Greater(t, models, 10)
}

func TestWhatIsNoContentStays(t *testing.T) {
	t.Parallel()
	s := ptrace.NewSpan()
	for _, key := range []string{
		"gen_ai.request.model", "gen_ai.response.id", "gen_ai.prompt.0.role", "gen_ai.completion.0.finish_reason", "llm.request.type", "session.id", "app.tier",
		"traceloop.association.properties.plan", "langfuse.observation.type", "http.route", "gen_ai.tool.name",
	} {
		s.Attributes().PutStr(key, "kept")
	}
	s.Attributes().PutInt("gen_ai.usage.input_tokens", 5)
	n := s.Attributes().Len()
	for _, key := range []string{
		"gen_ai.prompt.0.content", "llm.completions.0.tool_calls.0.arguments", "gen_ai.input.messages", "gen_ai.system_instructions", "input.value", "ai.prompt.messages",
		"traceloop.entity.output", "langfuse.observation.input", "retrieval.documents.0.document.content", "gen_ai.something.new", "db.query.text",
	} {
		s.Attributes().PutStr(key, "gone")
	}
	s.Attributes().PutEmptySlice("embedding.embeddings.0.embedding.vector").AppendEmpty().SetDouble(1)
	e := s.Events().AppendEmpty().Attributes()
	e.PutStr("exception.message", "gone")
	e.PutStr("exception.type", "kept")
	s.Status().SetMessage("gone")
	genai.DropContent(pcommon.NewResource(), s)
	require.Equal(t, n, s.Attributes().Len())
	s.Attributes().Range(func(key string, v pcommon.Value) bool {
		require.NotEqual(t, "gone", v.AsString(), key)
		return true
	})
	require.Equal(t, map[string]any{"exception.type": "kept"}, e.AsRaw())
	require.Empty(t, s.Status().Message())
}

// Whatever an unknown SDK calls what was said, no word of it stays.
func TestContentOfUnknownSDKsIsDropped(t *testing.T) {
	t.Parallel()
	const short, long = "Write to Lena about the lease.", "The tenant of flat seven wrote to Lena about the lease and asked for another month."
	s := ptrace.NewSpan()
	s.SetName(long)
	a := s.Attributes()
	for _, key := range []string{
		"acme.prompt", "acme:question", "acmeUserMessage", "acme.step.1", "note", "acme.name", "acme.user.says", "http.url", "service.note", "session.note",
		"traceloop.association.properties.note", "acme.prompt.0.text", "acme.id", "gen_ai.prompt.0.role", "model", "input", "final_result",
	} {
		a.PutStr(key, long)
	}
	for _, key := range []string{"acme.says", "acme.conversation", "acme.id2", "note2", "acme.name"} {
		a.PutStr(key, short)
	}
	for _, key := range []string{"acme.answer", "acme.userPrompt", "acme.tool-arguments", "llm.new"} {
		a.PutStr(key, "lease")
	}
	a.PutStr("acme.contact", "lease@example.org")
	a.PutStr("acme.object", `{"lease":1}`)
	a.PutEmptySlice("acme.list").AppendEmpty().SetStr("lease")
	a.PutEmptyMap("acme.map").PutStr("of", "lease")
	a.PutEmptyBytes("acme.bytes").FromRaw([]byte("lease"))
	e := s.Events().AppendEmpty()
	e.SetName(long)
	e.Attributes().PutStr("acme.says", short)
	e.Attributes().PutStr("event.name", long)
	s.Links().AppendEmpty().Attributes().PutStr("acme.says", short)
	for key, text := range map[string]string{"acme.tier": "gold", "acme.session_id": "s-1", "gen_ai.request.model": "m", "session.id": "s-1", "server.address": "api.example.org"} {
		a.PutStr(key, text)
	}
	genai.DropContent(pcommon.NewResource(), s)

	traces := ptrace.NewTraces()
	s.CopyTo(traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	sent, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
	require.NoError(t, err)
	require.NotContains(t, string(sent), "lease")
	require.Equal(t, map[string]any{"acme.tier": "gold", "acme.session_id": "s-1", "gen_ai.request.model": "m", "session.id": "s-1", "server.address": "api.example.org"}, a.AsRaw())
}
