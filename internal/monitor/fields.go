// SPDX-License-Identifier: Apache-2.0

package monitor

import "github.com/touchstone-otel/touchstone/internal/span"

// mappable returns the field of a span that an input may be taken from, as the
// API names it, and whether there is one.
func mappable(name string) (*span.Field, bool) {
	f, found := span.FieldOf(name)
	return f, found && f.ID == name && !f.Promoted && !f.Outer && f.List == nil && f.JSON == nil
}

// fielded is a Source that knows the span's own fields too.
type fielded interface {
	// Field returns a field by the name that the API shows.
	Field(name string) (string, bool)
}

type withFields struct {
	SpanSource
	stored func() *span.Span
}

// WithFields returns the same source with the fields of its span. The function
// gives the span as it is stored; it is called when an input is mapped to a
// field.
func WithFields(s SpanSource, stored func() *span.Span) SpanSource { return withFields{s, stored} }

// Field implements fielded.
func (w withFields) Field(name string) (string, bool) {
	f, known := mappable(name)
	if !known {
		return "", false
	}
	text := f.Value(w.stored())
	return text, text != ""
}
