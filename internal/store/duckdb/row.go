// SPDX-License-Identifier: Apache-2.0

package duckdb

import "github.com/touchstone-otel/touchstone/internal/span"

// texts is a list of texts as the driver gives it.
type texts []string

// Scan implements sql.Scanner.
func (t *texts) Scan(value any) error {
	list, _ := value.([]any)
	*t = make(texts, len(list))
	for i, v := range list {
		(*t)[i], _ = v.(string)
	}
	return nil
}

func (t texts) at(i int) string {
	if i < len(t) {
		return t[i]
	}
	return ""
}

// zip makes attributes of keys and values.
func zip(keys, values texts) span.Attributes {
	if len(keys) == 0 {
		return nil
	}
	list := make([]span.Attribute, len(keys))
	for i, k := range keys {
		list[i] = span.Attribute{Key: k, Value: values.at(i)}
	}
	return span.NewAttributes(list)
}

// shape is a row of shapes.
type shape struct {
	kept            [lists]texts
	folded, sources texts
}

// origin is a row of origins.
type origin struct {
	service, scopeName, scopeVersion, kind string
	keys, values                           texts
}

// row is a row of spans with the shapes and the origin that it refers to.
type row struct {
	*span.Span
	seq     int64
	id      rowKey
	content int64
	folds   []fold // of the attributes, where the row is written

	parent, flags                                int64
	originID                                     int32
	attributeShape, promptShape, completionShape int32
	attributeTexts                               [lists]texts
	promptTexts, completionTexts                 texts

	origin                           origin
	attributes, prompts, completions shape
}

// newRow returns the row of a span that is to be written, as far as the span
// tells.
func newRow(s *span.Span) row {
	return row{Span: s, parent: signed(s.ParentSpanID[:]), flags: int64(s.Flags)}
}

// span puts the span together that was read.
func (r *row) span(environment string) span.Span {
	s := *r.Span
	s.Environment = environment
	s.TraceID, s.SpanID = r.id.traceID(), r.id.spanID()
	unsigned(s.ParentSpanID[:], r.parent)
	s.Flags = uint32(r.flags)
	s.Service, s.ScopeName, s.ScopeVersion, s.Kind = r.origin.service, r.origin.scopeName, r.origin.scopeVersion, r.origin.kind
	s.Resource = zip(r.origin.keys, r.origin.values)
	s.Prompts = zip(r.prompts.kept[0], r.promptTexts)
	s.Completions = zip(r.completions.kept[0], r.completionTexts)
	var list []span.Attribute
	for i, key := range r.attributes.folded {
		value, _ := source(&s, r.attributes.sources.at(i))
		list = append(list, span.Attribute{Key: key, Value: value})
	}
	for i := range lists {
		list = append(list, zip(r.attributes.kept[i], r.attributeTexts[i])...)
	}
	s.Attributes = span.NewAttributes(list)
	return s
}
