// SPDX-License-Identifier: Apache-2.0

// Package genai reads what instrumentations of generative AI send over OTLP.
// FromOTLP makes a stored Span of it, whichever convention it follows; View and
// TraceView read a span while it passes, without copying it; Part returns what
// evaluators read of a stored one.
//
// The conventions that are read, each with its source, are in package semconv.
package genai

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Resource is what the spans of one resource share, worked out once.
type Resource struct {
	attributes span.Attributes
	service    string
	own        mapping
}

// NewResource reads a resource. Reserved attributes are left out.
func NewResource(r pcommon.Resource) Resource {
	list := make([]span.Attribute, 0, r.Attributes().Len())
	for key, v := range r.Attributes().All() {
		if key = valuetext.Valid(key); !tenant.Reserved(key) {
			list = append(list, span.Attribute{Key: key, Value: valuetext.Of(v)})
		}
	}
	attributes := span.NewAttributes(list)
	service, _ := attributes.Get("service.name")
	return Resource{attributes: attributes, service: service, own: mappingOn(r.Attributes())}
}

// FromOTLP returns a span as it is stored, but for its Environment. It takes
// whatever a client sent: texts become valid UTF-8, names and keys without NUL bytes, of equal
// attribute keys the first counts, reserved ones are left out, and a message
// attribute that is not valid JSON yields no messages. Of messages in JSON or
// events the first 10,000 prompts and 10,000 completions count.
func FromOTLP(r Resource, scope pcommon.InstrumentationScope, s ptrace.Span) span.Span {
	start, duration := times(uint64(s.StartTimestamp()), uint64(s.EndTimestamp()))
	out := span.Span{
		TraceID:       span.TraceID(s.TraceID()),
		SpanID:        span.ID(s.SpanID()),
		ParentSpanID:  span.ID(s.ParentSpanID()),
		TraceState:    valuetext.Valid(s.TraceState().AsRaw()),
		Flags:         s.Flags(),
		Links:         linksOf(s.Links()),
		Name:          valuetext.Valid(s.Name()),
		Kind:          kindText(s.Kind()),
		Service:       r.service,
		ScopeName:     valuetext.Valid(scope.Name()),
		ScopeVersion:  valuetext.Valid(scope.Version()),
		StatusCode:    statusText(s.Status().Code()),
		StatusMessage: valuetext.Valid(s.Status().Message()),
		Start:         start,
		Duration:      duration,
		Resource:      r.attributes,
		Events:        eventsOf(s.Events()),
	}

	f := sourceValues{own: r.own}
	list := make([]span.Attribute, 0, s.Attributes().Len()+len(aliases))
	for key, v := range s.Attributes().All() {
		if key = valuetext.Valid(key); !tenant.Reserved(key) {
			text := valuetext.Of(v)
			f.note(key, text)
			list = append(list, span.Attribute{Key: key, Value: text})
		}
	}
	fill(&out, &f, list)
	return out
}

// times returns start and duration in nanoseconds. A span that says only when
// it ended started then.
func times(start, end uint64) (started, took int64) {
	if start == 0 {
		start = end
	}
	var duration uint64
	if end > start {
		duration = end - start
	}
	return ClampTime(start), ClampTime(duration)
}

// ClampTime returns a time of OTLP as it is stored: the latest where it is later than that.
func ClampTime(t uint64) int64 { return int64(min(t, math.MaxInt64)) }

func eventsOf(list ptrace.SpanEventSlice) []span.Event {
	if list.Len() == 0 {
		return nil
	}
	events := make([]span.Event, 0, list.Len())
	for _, e := range list.All() {
		events = append(events, span.Event{
			Name:       valuetext.Valid(e.Name()),
			Time:       ClampTime(uint64(e.Timestamp())),
			Attributes: attributesOf(e.Attributes()),
		})
	}
	return events
}

func linksOf(list ptrace.SpanLinkSlice) []span.Link {
	if list.Len() == 0 {
		return nil
	}
	links := make([]span.Link, 0, list.Len())
	for _, l := range list.All() {
		links = append(links, span.Link{
			TraceID:    span.TraceID(l.TraceID()).String(),
			SpanID:     span.ID(l.SpanID()).String(),
			TraceState: valuetext.Valid(l.TraceState().AsRaw()),
			Flags:      l.Flags(),
			Attributes: attributesOf(l.Attributes()),
		})
	}
	return links
}

func attributesOf(m pcommon.Map) span.Attributes {
	list := make([]span.Attribute, 0, m.Len())
	for key, v := range m.All() {
		list = append(list, span.Attribute{Key: valuetext.Valid(key), Value: valuetext.Of(v)})
	}
	return span.NewAttributes(list)
}

func kindText(k ptrace.SpanKind) string {
	switch k {
	case ptrace.SpanKindInternal:
		return "SPAN_KIND_INTERNAL"
	case ptrace.SpanKindServer:
		return "SPAN_KIND_SERVER"
	case ptrace.SpanKindClient:
		return span.KindClient
	case ptrace.SpanKindProducer:
		return "SPAN_KIND_PRODUCER"
	case ptrace.SpanKindConsumer:
		return "SPAN_KIND_CONSUMER"
	}
	return "SPAN_KIND_UNSPECIFIED"
}

func statusText(c ptrace.StatusCode) string {
	switch c {
	case ptrace.StatusCodeOk:
		return "STATUS_CODE_OK"
	case ptrace.StatusCodeError:
		return span.StatusError
	}
	return "STATUS_CODE_UNSET"
}
