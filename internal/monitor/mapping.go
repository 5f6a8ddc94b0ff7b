// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Bounds of mappings.
const (
	// MaxInputs is how many inputs a setup may map for one evaluator.
	MaxInputs = 50

	maxMappingKey     = 1024 // bytes
	maxMappingPath    = 1024
	maxMappingSteps   = 32
	maxMappingPattern = 1024
	maxPatternSize    = 1000 // states of the automaton, about
	// maxPatternText is how much of a text a pattern is looked for in.
	maxPatternText = 256 << 10
)

// mapping is an InputSource, compiled.
type mapping struct {
	source  InputSource
	steps   []string       // nil without a path
	pattern *regexp.Regexp // nil without a pattern
}

// compileSources compiles the sources of inputs. A refusal names the part of
// path, which is where the sources were written.
func compileSources(path string, sources map[string]InputSource) (map[string]*mapping, error) {
	if len(sources) == 0 {
		return nil, nil
	}
	if len(sources) > MaxInputs {
		return nil, fault.New(fault.Invalid, "%s must have at most %d inputs", path, MaxInputs)
	}
	compiled := make(map[string]*mapping, len(sources))
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		m, err := newMapping(path+"."+name, sources[name])
		if err != nil {
			return nil, err
		}
		compiled[name] = m
	}
	return compiled, nil
}

func newMapping(path string, s InputSource) (*mapping, error) {
	m := &mapping{source: s}
	_, known := mappable(s.Key)
	switch {
	case s.Source == "":
		return nil, fault.New(fault.Invalid, "%s.source is required: span, span_attributes or resource_attributes", path)
	case s.Source != Span && s.Source != SpanAttributes && s.Source != ResourceAttributes:
		return nil, fault.New(fault.Invalid, "%s.source must be span, span_attributes or resource_attributes", path)
	case strings.TrimSpace(s.Key) == "":
		return nil, fault.New(fault.Invalid, "%s.key is required", path)
	case len(s.Key) > maxMappingKey:
		return nil, fault.New(fault.Invalid, "%s.key must be at most %d bytes", path, maxMappingKey)
	case s.Source == Span && !known && !span.Part(s.Key).Known():
		return nil, fault.New(fault.Invalid, "%s.key must be a field or a part of spans: there is no %.100q", path, s.Key)
	}
	var err error
	if s.Path != "" {
		if m.steps, err = parsePath(path+".json_path", s.Path); err != nil {
			return nil, err
		}
	}
	if s.Pattern != "" {
		if m.pattern, err = parsePattern(path+".regex", s.Pattern); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// part returns the part of spans that m reads, "" if it reads something else.
func (m *mapping) part() span.Part {
	if p := span.Part(m.source.Key); m.source.Source == Span && p.Known() {
		return p
	}
	return ""
}

// Lack says where an input that is missing came to nothing.
type Lack string

const (
	LackNothing Lack = ""          // it is there
	LackSource  Lack = "source"    // there is nothing at the source, or it is empty
	LackPath    Lack = "json_path" // what is there is no JSON, or the path leads to nothing in it
	LackPattern Lack = "regex"     // what is there does not match, or the group is empty
)

// take returns what the span has; nothing and the empty text are the same.
func (m *mapping) take(s SpanSource) (string, bool) {
	text, lack := m.taken(s)
	return text, lack == LackNothing
}

func (m *mapping) taken(s SpanSource) (string, Lack) {
	text, ok := m.look(s)
	if !ok || text == "" {
		return "", LackSource
	}
	if m.steps != nil {
		if text, ok = walk(text, m.steps); !ok || text == "" {
			return "", LackPath
		}
	}
	if m.pattern != nil {
		if text, ok = pick(text, m.pattern); !ok || text == "" {
			return "", LackPattern
		}
	}
	return text, LackNothing
}

func (m *mapping) look(s SpanSource) (string, bool) {
	switch m.source.Source {
	case SpanAttributes:
		return s.SpanAttribute(m.source.Key)
	case ResourceAttributes:
		return s.ResourceAttribute(m.source.Key)
	default:
	}
	// The output is a field and a part: the field is what was sent, and where
	// nothing was, the part is what was answered.
	if f, knows := s.(fielded); knows {
		if text, ok := f.Field(m.source.Key); ok {
			return text, true
		}
	}
	return s.Part(span.Part(m.source.Key))
}
