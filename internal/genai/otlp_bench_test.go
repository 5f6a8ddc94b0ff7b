// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// usualSpan is a span of a language model as a workflow's spans are: 26
// attributes with some 3 KB of text.
func usualSpan() (pcommon.Resource, pcommon.InstrumentationScope, ptrace.Span) {
	traces := ptrace.NewTraces()
	r := traces.ResourceSpans().AppendEmpty()
	r.Resource().Attributes().PutStr("service.name", "shop")
	r.Resource().Attributes().PutStr("telemetry.sdk.language", "python")
	scope := r.ScopeSpans().AppendEmpty()
	scope.Scope().SetName("opentelemetry.instrumentation.openai.v1")
	scope.Scope().SetVersion("0.47.5")
	s := scope.Spans().AppendEmpty()
	s.SetTraceID([16]byte{1})
	s.SetSpanID([8]byte{2})
	s.SetName("openai.chat")
	s.SetKind(ptrace.SpanKindClient)
	s.SetStartTimestamp(1795236999415000000)
	s.SetEndTimestamp(1795236999515000000)
	a := s.Attributes()
	a.PutStr("gen_ai.system", "openai")
	a.PutStr("llm.request.type", "chat")
	a.PutStr("gen_ai.request.model", "gpt-4o-mini")
	a.PutStr("gen_ai.response.model", "gpt-4o-mini-2024-07-18")
	a.PutDouble("gen_ai.request.temperature", 0.7)
	a.PutInt("gen_ai.request.max_tokens", 1024)
	a.PutStr("gen_ai.response.id", "chatcmpl-AbCdEfGh")
	a.PutStr("gen_ai.openai.system_fingerprint", "fp_1234567890")
	a.PutStr("gen_ai.openai.api_base", "https://api.openai.com/v1/")
	a.PutBool("llm.is_streaming", false)
	a.PutInt("gen_ai.usage.prompt_tokens", 812)
	a.PutInt("gen_ai.usage.completion_tokens", 204)
	a.PutInt("llm.usage.total_tokens", 1016)
	a.PutStr("llm.headers", "None")
	a.PutStr("traceloop.workflow.name", "answer_customer")
	a.PutStr("traceloop.entity.path", "retrieve.answer")
	a.PutStr("traceloop.association.properties.customer_id", "c-4711")
	a.PutStr("traceloop.association.properties.session_id", "5f1e0c")
	a.PutStr("deployment", "blue")
	for i, role := range []string{"system", "user"} {
		prefix := "gen_ai.prompt." + string(rune('0'+i))
		a.PutStr(prefix+".role", role)
		a.PutStr(prefix+".content", strings.Repeat("What may one ask of an oracle? ", 35))
	}
	a.PutStr("gen_ai.completion.0.role", "assistant")
	a.PutStr("gen_ai.completion.0.content", strings.Repeat("Anything, at a price. ", 30))
	a.PutStr("gen_ai.completion.0.finish_reason", "stop")
	return r.Resource(), scope.Scope(), s
}

// modernSpan has its messages as JSON.
func modernSpan() (pcommon.Resource, pcommon.InstrumentationScope, ptrace.Span) {
	r, scope, s := usualSpan()
	s.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool {
		return strings.HasPrefix(key, "gen_ai.prompt.") || strings.HasPrefix(key, "gen_ai.completion.")
	})
	s.Attributes().PutStr("gen_ai.input.messages", `[{"role":"system","parts":[{"type":"text","content":"`+strings.Repeat("What may one ask of an oracle? ", 35)+
		`"}]},{"role":"user","parts":[{"type":"text","content":"`+strings.Repeat("What may one ask of an oracle? ", 35)+`"}]}]`)
	s.Attributes().PutStr("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"`+
		strings.Repeat("Anything, at a price. ", 30)+`"}],"finish_reason":"stop"}]`)
	return r, scope, s
}

// workflowSpan has no messages.
func workflowSpan() (pcommon.Resource, pcommon.InstrumentationScope, ptrace.Span) {
	r, scope, s := usualSpan()
	s.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool { return strings.HasPrefix(key, "gen_ai.") })
	s.Attributes().PutStr("traceloop.entity.input", `{"args":[],"kwargs":{"question":"`+strings.Repeat("What may one ask of an oracle? ", 35)+`"}}`)
	s.Attributes().PutStr("traceloop.entity.output", strings.Repeat("Anything, at a price. ", 30))
	return r, scope, s
}

func BenchmarkFromOTLP(b *testing.B) {
	for name, make := range map[string]func() (pcommon.Resource, pcommon.InstrumentationScope, ptrace.Span){
		"flat": usualSpan, "json": modernSpan, "workflow": workflowSpan,
	} {
		b.Run(name, func(b *testing.B) {
			resource, scope, s := make()
			r := genai.NewResource(resource)
			b.ReportAllocs()
			for b.Loop() {
				genai.FromOTLP(r, scope, s)
			}
		})
	}
}

func BenchmarkViewSpanAttribute(b *testing.B) {
	resource, _, s := usualSpan()
	for _, key := range []string{"deployment", "absent", "llm.response.model", "llm.vendor", "gen_ai.prompt.1.content"} {
		b.Run(key, func(b *testing.B) {
			v := genai.NewView(resource, s)
			b.ReportAllocs()
			for b.Loop() {
				v.SpanAttribute(key)
			}
		})
	}
}

func BenchmarkViewReset(b *testing.B) {
	resource, _, s := usualSpan()
	v := genai.NewView(resource, s)
	b.ReportAllocs()
	for b.Loop() {
		v.Reset(resource, s)
		v.SpanAttribute("llm.vendor")
	}
}

func BenchmarkViewPart(b *testing.B) {
	for _, name := range []span.Part{"output", "question", "attribute:reference"} {
		b.Run(string(name), func(b *testing.B) {
			resource, _, s := usualSpan()
			v := genai.NewView(resource, s)
			b.ReportAllocs()
			for b.Loop() {
				v.Reset(resource, s)
				v.Part(name)
			}
		})
	}
}

func BenchmarkViewWants(b *testing.B) {
	for _, name := range []span.Part{"context", "prompts", "tool_calls"} {
		b.Run(string(name), func(b *testing.B) {
			resource, _, s := usualSpan()
			s.SetParentSpanID([8]byte{3})
			v := genai.NewView(resource, s)
			v.Part("messages")
			b.ReportAllocs()
			for b.Loop() {
				v.Wants(name)
			}
		})
	}
}

func BenchmarkToOTLP(b *testing.B) {
	resource, scope, s := usualSpan()
	stored := genai.FromOTLP(genai.NewResource(resource), scope, s)
	b.ReportAllocs()
	for b.Loop() {
		genai.ToOTLP(&stored, ptrace.NewResourceSpans())
	}
}

func TestLookingUpAnAttributeDoesNotAllocate(t *testing.T) {
	resource, _, s := usualSpan()
	v := genai.NewView(resource, s)
	for _, key := range []string{"deployment", "gen_ai.system", "absent", "llm.absent", "llm.response.model", "llm.vendor"} {
		require.Zero(t, testing.AllocsPerRun(10, func() { v.SpanAttribute(key) }), key)
		require.Zero(t, testing.AllocsPerRun(10, func() { v.ResourceAttribute(key) }), key)
	}
}
