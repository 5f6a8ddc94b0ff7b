// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// fields are the fields of a span that inputs may be taken from, as the API
// names them.
var fields = map[string]func(s *span.Span) string{
	"timestamp":      func(s *span.Span) string { return strconv.FormatInt(s.TimestampMillis(), 10) },
	"trace_id":       func(s *span.Span) string { return s.TraceID.String() },
	"span_id":        func(s *span.Span) string { return s.SpanID.String() },
	"parent_span_id": func(s *span.Span) string { return s.ParentSpanID.String() },
	"trace_state":    func(s *span.Span) string { return s.TraceState },
	"span_name":      func(s *span.Span) string { return s.Name },
	"span_kind":      func(s *span.Span) string { return s.Kind },
	"service_name":   func(s *span.Span) string { return s.Service },
	"scope_name":     func(s *span.Span) string { return s.ScopeName },
	"scope_version":  func(s *span.Span) string { return s.ScopeVersion },
	"duration":       func(s *span.Span) string { return strconv.FormatInt(s.DurationMillis(), 10) },
	"status_code":    func(s *span.Span) string { return s.StatusCode },
	"status_message": func(s *span.Span) string { return s.StatusMessage },
	"input":          func(s *span.Span) string { return s.Input },
	"output":         func(s *span.Span) string { return s.Output },
}

// fielded is a Source that knows the span's own fields too.
type fielded interface {
	// Field gives a field by the name that the API shows.
	Field(name string) (string, bool)
}

type withFields struct {
	Source
	stored func() *span.Span
}

// WithFields gives the same source with the fields of its span. The function
// gives the span as it is stored; it is called when an input is mapped to a
// field.
func WithFields(s Source, stored func() *span.Span) Source { return withFields{s, stored} }

// Field implements fielded.
func (w withFields) Field(name string) (string, bool) {
	read, known := fields[name]
	if !known {
		return "", false
	}
	text := read(w.stored())
	return text, text != ""
}
