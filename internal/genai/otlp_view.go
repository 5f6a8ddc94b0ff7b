// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/genai/valuetext"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// View reads one span as it passes a pipeline, without copying it: the same
// attributes and parts as the Span that FromOTLP would make of it, worked out
// when they are asked for. It is for one goroutine, and valid until the span
// is changed or handed on.
type View struct {
	resource pcommon.Map
	span     ptrace.Span

	values    sourceValues
	hasValues bool
	prompts   lazy
	completed lazy
	events    []span.Event
	hasEvents bool
}

// lazy is a list of messages, read at the first asking.
type lazy struct {
	list     span.Attributes
	consumed keyFamily
	done     bool
}

// NewView looks at a span.
func NewView(r pcommon.Resource, s ptrace.Span) *View {
	v := &View{}
	v.Reset(r, s)
	return v
}

// Reset looks at another span, so that one View may serve a whole batch.
func (v *View) Reset(r pcommon.Resource, s ptrace.Span) {
	if v.hasValues {
		v.values = sourceValues{}
	}
	v.resource, v.span = r.Attributes(), s
	v.hasValues, v.hasEvents, v.events = false, false, nil
	v.prompts, v.completed = lazy{}, lazy{}
}

// ResetStored looks at a stored span as it was sent to an environment with these mappings,
// with the verdicts that are among its attributes.
func (v *View) ResetStored(s *span.Span, m tenant.Mappings) {
	resource := ptrace.NewResourceSpans()
	sent := ToOTLP(s, resource)
	StampMappings(resource.Resource().Attributes(), m)
	v.Reset(resource.Resource(), sent)
}

// StoredViews returns stored spans as ResetStored looks at them.
func StoredViews(stored []span.Span, m tenant.Mappings) []*View {
	views := make([]*View, len(stored))
	for i := range stored {
		views[i] = &View{}
		views[i].ResetStored(&stored[i], m)
	}
	return views
}

// ResourceAttribute returns a resource attribute as text.
func (v *View) ResourceAttribute(key string) (string, bool) {
	return lookUp(v.resource, key)
}

// TypeKey is the key by which rules read what type a span is of.
const TypeKey = "span_type"

// SpanAttribute returns a span attribute as text: as it was sent; else, for
// aliases and for keys of prompts and completions, as it will be stored.
// Those of messages may be spelled gen_ai.prompt.N and gen_ai.completion.N too,
// as most SDKs send them, which a span that was stored no longer has. span_type is the
// type that the span has where no client sent such an attribute.
func (v *View) SpanAttribute(key string) (string, bool) {
	if text, ok := lookUp(v.span.Attributes(), key); ok {
		return text, true
	}
	if strings.HasPrefix(key, "llm.") || key == span.AliasPrompt || key == span.AliasPromptVersion || key == span.AliasAgentVersion {
		return v.derived(key)
	}
	if key == TypeKey {
		return v.sourceValues().spanType(), true
	}
	if stored, ok := span.MessageKey(key); ok {
		return v.derived(stored)
	}
	return "", false
}

// lookUp hides what only we know of a span; verdicts are for everybody.
func lookUp(m pcommon.Map, key string) (string, bool) {
	if tenant.Reserved(key) && !strings.HasPrefix(key, tenant.EvaluationPrefix) {
		return "", false
	}
	if strings.IndexByte(key, valuetext.Replacement[0]) >= 0 { // perhaps of a key that was not UTF-8
		for raw, value := range m.All() {
			if valuetext.Valid(raw) == key {
				return valuetext.Of(value), true
			}
		}
		return "", false
	}
	value, ok := m.Get(key)
	if !ok {
		return "", false
	}
	return valuetext.Of(value), true
}

// derived returns an alias or one entry of prompts and completions.
func (v *View) derived(key string) (string, bool) {
	if k, ok := semconv.Find(key); ok && k < semconv.Count {
		text := v.sourceValues().alias(k)
		return text, text != ""
	}
	switch {
	case isIndexed(key, promptPrefix):
		return v.promptList().Get(key)
	case isIndexed(key, completionPrefix):
		return v.completionList().Get(key)
	}
	return "", false
}

// sourceValues reads the attributes that others are derived from.
func (v *View) sourceValues() *sourceValues {
	if v.hasValues {
		return &v.values
	}
	v.hasValues, v.values.own = true, mappingOn(v.resource)
	for key, value := range v.span.Attributes().All() {
		if own := v.values.own; own != nil {
			if sent := valuetext.Valid(key); own.has(sent) {
				v.values.noteMapped(sent, valuetext.Of(value))
			}
		}
		// The bytes of a key that are not UTF-8 have no say in what it is.
		k, ok := semconv.Find(key)
		switch {
		case !ok:
			text := ""
			if value.Type() == pcommon.ValueTypeStr {
				text = value.Str()
			}
			v.values.unknown(key, text)
		case k >= semconv.Count:
			v.values.more = append(v.values.more, sourceValue{k, valuetext.Of(value)})
		case !v.values.has[k]: // the first of equal keys counts
			v.values.has[k], v.values.texts[k] = true, valuetext.Of(value)
		}
	}
	return &v.values
}

func (v *View) promptList() span.Attributes {
	if !v.prompts.done {
		m := v.messageReader()
		list, consumed := m.prompts()
		v.prompts = lazy{list: list, consumed: consumed, done: true}
	}
	return v.prompts.list
}

func (v *View) completionList() span.Attributes {
	if !v.completed.done {
		m := v.messageReader()
		list, consumed := m.completions()
		v.completed = lazy{list: list, consumed: consumed, done: true}
	}
	return v.completed.list
}

func (v *View) messageReader() messageReader {
	return messageReader{values: v.sourceValues(), each: v.each, events: v.eventList}
}

func (v *View) each(prefix string, visit func(key, text string)) {
	for key, value := range v.span.Attributes().All() {
		if key = valuetext.Valid(key); strings.HasPrefix(key, prefix) && !tenant.Reserved(key) {
			visit(key, valuetext.Of(value))
		}
	}
}

func (v *View) eventList() []span.Event {
	if !v.hasEvents {
		v.hasEvents, v.events = true, eventsOf(v.span.Events())
	}
	return v.events
}

// Part returns the part that Part would return of the span as stored.
func (v *View) Part(name span.Part) (string, bool) { return partOf(v, name) }

func (v *View) failed() bool       { return v.span.Status().Code() == ptrace.StatusCodeError }
func (v *View) spanType() string   { return v.sourceValues().spanType() }
func (v *View) inputText() string  { m := v.messageReader(); return m.input() }
func (v *View) outputText() string { m := v.messageReader(); return m.output() }

// attribute returns an attribute that will be stored under this key.
func (v *View) attribute(key string) (string, bool) {
	if k, ok := semconv.Find(key); ok && k.IsMapped() {
		text := v.sourceValues().texts[k]
		return text, text != ""
	}
	if tenant.Reserved(key) {
		return "", false
	}
	if in := keyFamilyOf(key); in != 0 {
		v.promptList()
		v.completionList()
		if in&(v.prompts.consumed|v.completed.consumed) != 0 {
			return "", false
		}
	}
	if text, ok := lookUp(v.span.Attributes(), key); ok {
		return text, true
	}
	if k, ok := semconv.Find(key); ok && k < semconv.Count {
		text := v.sourceValues().alias(k)
		return text, text != ""
	}
	return "", false
}
