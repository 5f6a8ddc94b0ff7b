// SPDX-License-Identifier: Apache-2.0

package tables

import "github.com/touchstone-otel/touchstone/internal/span"

// Texts is a list of texts as the driver returns it.
type Texts []string

// Scan implements sql.Scanner.
func (t *Texts) Scan(value any) error {
	list, _ := value.([]any)
	*t = make(Texts, len(list))
	for i, v := range list {
		(*t)[i], _ = v.(string)
	}
	return nil
}

// At returns the text at place i, "" where there is none.
func (t Texts) At(i int) string {
	if i < len(t) {
		return t[i]
	}
	return ""
}

// Numbers is a list of numbers as the driver returns it, empty for null.
type Numbers []int64

// Scan implements sql.Scanner.
func (n *Numbers) Scan(value any) error {
	list, _ := value.([]any)
	*n = make(Numbers, len(list))
	for i, v := range list {
		(*n)[i], _ = v.(int64)
	}
	return nil
}

// zip returns the attributes that keys and values are.
func zip(keys, values Texts) span.Attributes {
	if len(keys) == 0 {
		return nil
	}
	list := make([]span.Attribute, len(keys))
	for i, k := range keys {
		list[i] = span.Attribute{Key: k, Value: values.At(i)}
	}
	return span.NewAttributes(list)
}

// shape is a row of shapes: the keys of a list of attributes.
type shape struct {
	kept            [Lists]Texts
	folded, sources Texts
}

// Origin is a row of origins: what the spans of one process have in common.
type Origin struct {
	Service, scopeName, scopeVersion, kind string
	keys, values                           Texts
}

// bytes returns how much text the list has, and what it takes to hold it.
func (t Texts) bytes() (n int) {
	for _, s := range t {
		n += len(s) + 16
	}
	return n
}

func (x shape) bytes() int {
	n := x.folded.bytes() + x.sources.bytes()
	for _, keys := range x.kept {
		n += keys.bytes()
	}
	return n
}

func (x Origin) bytes() int {
	return len(x.Service) + len(x.scopeName) + len(x.scopeVersion) + len(x.kind) + x.keys.bytes() + x.values.bytes()
}

// SpanRow is a row of spans with the shapes and the origin that it refers to.
type SpanRow struct {
	*span.Span
	Seq     int64
	id      Key
	content int64
	folds   []fold // of the attributes, where the row is written

	parent, flags, textBytes                     int64
	originID                                     int32
	attributeShape, promptShape, completionShape int32
	attributeTexts                               [Lists]Texts
	promptTexts, completionTexts                 Texts
	promptIDs, completionIDs                     Numbers // of texts

	origin                           Origin
	attributes, prompts, completions shape
}

// newRow returns the row of a span that is to be written, as far as the span
// tells.
func newRow(s *span.Span) SpanRow {
	return SpanRow{Span: s, parent: Signed(s.ParentSpanID[:]), flags: int64(s.Flags), textBytes: int64(s.TextBytes())}
}

// Code returns the code of the environment of a row that was read.
func (r *SpanRow) Code() int32 { return r.id.Env }

// Content returns the digest of the span as it was sent, of a row that was read.
func (r *SpanRow) Content() uint64 { return uint64(r.content) }

// Assemble returns the span that was read, as one of the environment with this
// slug.
func (r *SpanRow) Assemble(environment string) span.Span {
	s := *r.Span
	s.Environment = environment
	s.TraceID, s.SpanID = r.id.TraceID(), r.id.SpanID()
	unsigned(s.ParentSpanID[:], r.parent)
	s.Flags = uint32(r.flags)
	s.Service, s.ScopeName, s.ScopeVersion, s.Kind = r.origin.Service, r.origin.scopeName, r.origin.scopeVersion, r.origin.kind
	s.Resource = zip(r.origin.keys, r.origin.values)
	s.Prompts = zip(r.prompts.kept[0], r.promptTexts)
	s.Completions = zip(r.completions.kept[0], r.completionTexts)
	var list []span.Attribute
	for i, key := range r.attributes.folded {
		value, _ := source(&s, r.attributes.sources.At(i))
		list = append(list, span.Attribute{Key: key, Value: value})
	}
	for i := range Lists {
		list = append(list, zip(r.attributes.kept[i], r.attributeTexts[i])...)
	}
	s.Attributes = span.NewAttributes(list)
	return s
}
