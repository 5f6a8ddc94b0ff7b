// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"encoding/hex"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// ToOTLP appends a scope with the stored span s and sets the attributes of its
// resource; others that the resource has stay. NewResource and FromOTLP make s
// of it again, but for its Environment and its verdicts: those are attributes
// of type string, for selectors to look at, which FromOTLP leaves out. Other
// reserved attributes are not written.
func ToOTLP(s *span.Span, into ptrace.ResourceSpans) ptrace.Span {
	resource := make([]span.Attribute, 0, len(s.Resource))
	for _, a := range s.Resource {
		if !tenant.Reserved(a.Key) {
			resource = append(resource, a)
		}
	}
	put(into.Resource().Attributes(), resource)

	scope := into.ScopeSpans().AppendEmpty()
	scope.Scope().SetName(s.ScopeName)
	scope.Scope().SetVersion(s.ScopeVersion)
	out := scope.Spans().AppendEmpty()
	out.SetTraceID(pcommon.TraceID(s.TraceID))
	out.SetSpanID(pcommon.SpanID(s.SpanID))
	out.SetParentSpanID(pcommon.SpanID(s.ParentSpanID))
	out.TraceState().FromRaw(s.TraceState)
	out.SetFlags(s.Flags)
	out.SetName(s.Name)
	out.SetKind(kindOf(s.Kind))
	out.Status().SetCode(statusOf(s.StatusCode))
	out.Status().SetMessage(s.StatusMessage)
	out.SetStartTimestamp(pcommon.Timestamp(max(s.Start, 0)))
	out.SetEndTimestamp(pcommon.Timestamp(max(s.Start, 0)) + pcommon.Timestamp(max(s.Duration, 0)))
	put(out.Attributes(), sent(s))
	out.Events().EnsureCapacity(len(s.Events))
	for i := range s.Events {
		e := out.Events().AppendEmpty()
		e.SetName(s.Events[i].Name)
		e.SetTimestamp(pcommon.Timestamp(max(s.Events[i].Time, 0)))
		put(e.Attributes(), s.Events[i].Attributes)
	}
	putLinks(out.Links(), s.Links)
	return out
}

func putLinks(into ptrace.SpanLinkSlice, links []span.Link) {
	into.EnsureCapacity(len(links))
	for i := range links {
		l := into.AppendEmpty()
		var trace span.TraceID
		var id span.ID
		// What does not read back stays absent; String made them.
		_, _ = hex.Decode(trace[:], []byte(links[i].TraceID))
		_, _ = hex.Decode(id[:], []byte(links[i].SpanID))
		l.SetTraceID(pcommon.TraceID(trace))
		l.SetSpanID(pcommon.SpanID(id))
		l.TraceState().FromRaw(links[i].TraceState)
		l.SetFlags(links[i].Flags)
		put(l.Attributes(), links[i].Attributes)
	}
}

// sent returns the attributes that lead to the span's attributes, prompts and
// completions.
func sent(s *span.Span) []span.Attribute {
	list := make([]span.Attribute, 0, len(s.Attributes)+len(s.Prompts)+len(s.Completions))
	for _, a := range s.Attributes {
		if !tenant.Reserved(a.Key) || strings.HasPrefix(a.Key, tenant.EvaluationPrefix) {
			list = append(list, a)
		}
	}
	// Indexed keys win over every other source of messages. Of these two
	// spellings one stays as it is, but a suffix of it has a meaning. Who has
	// that suffix stored has sent the other spelling, or neither.
	prefix := promptPrefix
	for _, a := range s.Prompts {
		if _, suffix := splitIndex(strings.TrimPrefix(a.Key, promptPrefix)); suffix == openInferenceText {
			prefix = genPromptPrefix
		}
	}
	for _, a := range s.Prompts {
		list = append(list, span.Attribute{Key: prefix + strings.TrimPrefix(a.Key, promptPrefix), Value: a.Value})
	}
	return append(list, s.Completions...)
}

// put sets attributes whose keys differ from one another. A map looks through
// all its keys before it takes another one, so many are handed over at once.
func put(m pcommon.Map, list []span.Attribute) {
	const few = 256
	if len(list)+m.Len() <= few {
		m.EnsureCapacity(len(list) + m.Len())
		for _, a := range list {
			m.PutStr(a.Key, a.Value)
		}
		return
	}
	raw := m.AsRaw()
	for _, a := range list {
		raw[a.Key] = a.Value
	}
	_ = m.FromRaw(raw) // it fails for types that neither of the two has
}

func kindOf(text string) ptrace.SpanKind {
	for k := ptrace.SpanKindInternal; k <= ptrace.SpanKindConsumer; k++ {
		if kindText(k) == text {
			return k
		}
	}
	return ptrace.SpanKindUnspecified
}

func statusOf(text string) ptrace.StatusCode {
	for c := ptrace.StatusCodeOk; c <= ptrace.StatusCodeError; c++ {
		if statusText(c) == text {
			return c
		}
	}
	return ptrace.StatusCodeUnset
}
