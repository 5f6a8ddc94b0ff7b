// SPDX-License-Identifier: Apache-2.0

package spangen

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// Unpromoted is an attribute of every span that no store has a column for.
const Unpromoted = "customer_id"

// Traces returns spans as an SDK sends them: messages as gen_ai.prompt.N.* and
// gen_ai.completion.N.*, numbers as numbers, and without the aliases that only
// the normaliser adds. Spans of one service share a resource. Normalised again
// they are the spans that went in.
func Traces(spans []span.Span) ptrace.Traces {
	td := ptrace.NewTraces()
	scopes := map[[2]string]ptrace.SpanSlice{} // by service and scope
	for i := range spans {
		s := &spans[i]
		at := [2]string{s.Service, s.ScopeName}
		to, found := scopes[at]
		if !found {
			rs := td.ResourceSpans().AppendEmpty()
			for _, a := range s.Resource {
				rs.Resource().Attributes().PutStr(a.Key, a.Value)
			}
			ss := rs.ScopeSpans().AppendEmpty()
			ss.Scope().SetName(s.ScopeName)
			ss.Scope().SetVersion(s.ScopeVersion)
			to = ss.Spans()
			scopes[at] = to
		}
		send(to.AppendEmpty(), s)
	}
	return td
}

func send(to ptrace.Span, s *span.Span) {
	to.SetTraceID(pcommon.TraceID(s.TraceID))
	to.SetSpanID(pcommon.SpanID(s.SpanID))
	to.SetParentSpanID(pcommon.SpanID(s.ParentSpanID))
	to.SetFlags(s.Flags)
	to.SetName(s.Name)
	to.SetStartTimestamp(pcommon.Timestamp(s.Start))
	to.SetEndTimestamp(pcommon.Timestamp(s.Start + s.Duration))
	to.SetKind(ptrace.SpanKindInternal)
	if s.Vendor != "" {
		to.SetKind(ptrace.SpanKindClient)
	}
	if s.StatusMessage != "" {
		to.Status().SetCode(ptrace.StatusCodeError)
		to.Status().SetMessage(s.StatusMessage)
	}
	m := to.Attributes()
	m.EnsureCapacity(len(s.Attributes) + len(s.Prompts) + len(s.Completions))
	for _, a := range s.Attributes {
		put(m, a)
	}
	for _, a := range s.Prompts {
		m.PutStr("gen_ai.prompt."+strings.TrimPrefix(a.Key, "llm.prompts."), a.Value)
	}
	for _, a := range s.Completions {
		m.PutStr("gen_ai.completion."+strings.TrimPrefix(a.Key, "llm.completions."), a.Value)
	}
}

// put adds an attribute in the type that SDKs send, unless it is an alias.
func put(m pcommon.Map, a span.Attribute) {
	switch a.Key {
	case span.AliasVendor, span.AliasRequestModel, span.AliasResponseModel, span.AliasInputTokens, span.AliasOutputTokens:
		return
	case span.AliasTotalTokens, "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.request.max_tokens",
		"thread.id", "traceloop.entity.version", "langgraph.step", "retry.count", "queue.wait_ms":
		if n, err := strconv.ParseInt(a.Value, 10, 64); err == nil {
			m.PutInt(a.Key, n)
			return
		}
	case "gen_ai.request.temperature":
		if n, err := strconv.ParseFloat(a.Value, 64); err == nil {
			m.PutDouble(a.Key, n)
			return
		}
	case "llm.is_streaming", "cache.hit":
		m.PutBool(a.Key, a.Value == "true")
		return
	}
	m.PutStr(a.Key, a.Value)
}
