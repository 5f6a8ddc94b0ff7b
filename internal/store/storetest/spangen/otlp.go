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

// Traces gives spans as the SDK would send them: messages as gen_ai.prompt.N.*
// and gen_ai.completion.N.*, counts as numbers, and without the aliases that
// only the normaliser adds. Spans of one service share a resource.
func Traces(spans []span.Span) ptrace.Traces {
	td := ptrace.NewTraces()
	scopes := map[string]ptrace.ScopeSpans{}
	for i := range spans {
		s := &spans[i]
		at := s.Service + "\x00" + s.ScopeName
		scope, ok := scopes[at]
		if !ok {
			rs := td.ResourceSpans().AppendEmpty()
			for _, a := range s.Resource {
				rs.Resource().Attributes().PutStr(a.Key, a.Value)
			}
			scope = rs.ScopeSpans().AppendEmpty()
			scope.Scope().SetName(s.ScopeName)
			scope.Scope().SetVersion(s.ScopeVersion)
			scopes[at] = scope
		}
		send(scope.Spans().AppendEmpty(), s)
	}
	return td
}

func send(to ptrace.Span, s *span.Span) {
	to.SetTraceID(pcommon.TraceID(s.TraceID))
	to.SetSpanID(pcommon.SpanID(s.SpanID))
	to.SetParentSpanID(pcommon.SpanID(s.ParentSpanID))
	to.SetName(s.Name)
	to.SetKind(ptrace.SpanKindInternal)
	if s.Vendor != "" {
		to.SetKind(ptrace.SpanKindClient)
	}
	to.SetStartTimestamp(pcommon.Timestamp(s.Start))
	to.SetEndTimestamp(pcommon.Timestamp(s.Start + s.Duration))
	if s.StatusMessage != "" {
		to.Status().SetCode(ptrace.StatusCodeError)
		to.Status().SetMessage(s.StatusMessage)
	}
	attributes := to.Attributes()
	attributes.EnsureCapacity(len(s.Attributes) + len(s.Prompts) + len(s.Completions))
	for _, a := range s.Attributes {
		switch {
		case a.Key == span.AliasVendor || a.Key == span.AliasRequestModel || a.Key == span.AliasResponseModel ||
			strings.HasPrefix(a.Key, "llm.usage."):
		case strings.HasPrefix(a.Key, "gen_ai.usage."):
			n, err := strconv.ParseInt(a.Value, 10, 64)
			if err == nil {
				attributes.PutInt(a.Key, n)
			}
		default:
			attributes.PutStr(a.Key, a.Value)
		}
	}
	for _, a := range s.Prompts {
		attributes.PutStr("gen_ai.prompt."+strings.TrimPrefix(a.Key, "llm.prompts."), a.Value)
	}
	for _, a := range s.Completions {
		attributes.PutStr("gen_ai.completion."+strings.TrimPrefix(a.Key, "llm.completions."), a.Value)
	}
}
