// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// ContentSource names the attributes, or the events, that parts of a span were read from.
// "" is of a part that the span does not have.
type ContentSource struct {
	Prompts     string `json:"prompts" doc:"Of prompts."`
	Completions string `json:"completions" doc:"Of completions."`
	Input       string `json:"input" doc:"Of input."`
	Output      string `json:"output" doc:"Of output."`
}

// indexed stands for messages that are stored in place of what they were read from:
// attributes with an index, and log records.
const indexed = "indexed attributes or log records"

// ContentSourceOf returns where the content of a stored span was read, in an environment
// with these mappings.
func ContentSourceOf(s *span.Span, m tenant.Mappings) (from ContentSource) {
	f := &sourceValues{own: mappingOf(m)}
	for _, a := range s.Attributes {
		f.note(a.Key, a.Value)
	}
	r := messageReader{
		values: f,
		each:   func(prefix string, visit func(key, text string)) { eachWithPrefix(s.Attributes, prefix, visit) },
		events: func() []span.Event { return s.Events },
	}
	if len(s.Prompts) > 0 {
		from.Prompts = r.origin(func() bool { list, _ := r.prompts(); return len(list) > 0 }, indexed)
	}
	if len(s.Completions) > 0 {
		from.Completions = r.origin(func() bool { list, _ := r.completions(); return len(list) > 0 }, indexed)
	}
	if s.Input != "" {
		from.Input = r.origin(func() bool { return r.input() != "" }, f.nameOf(span.PromotedInput))
	}
	if s.Output != "" {
		from.Output = r.origin(func() bool { return r.output() != "" }, f.nameOf(span.PromotedOutput))
	}
	return from
}

// origin returns the attribute or the event that read takes something from, or what else
// it may be.
func (m *messageReader) origin(read func() bool, otherwise string) string {
	if m.from = ""; read() && m.from != "" {
		return m.from
	}
	return otherwise
}

// nameOf returns the name of the attribute that first takes, "" if there is none.
func (f *sourceValues) nameOf(p span.Promoted) string {
	for _, k := range semconv.Sources(p) {
		if f.text(k) != "" {
			return f.sentAs(k)
		}
	}
	return ""
}
