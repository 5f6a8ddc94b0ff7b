// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// mapping is what an environment reads its own attributes as, by their keys.
type mapping map[string]mapped

type mapped struct {
	role semconv.Attribute
	rank int // of several attributes of one role the lowest counts
}

// mappingCache has the mappings of the environments that sent last.
var mappingCache = func() *lru.Cache[tenant.Mappings, mapping] {
	cache, err := lru.New[tenant.Mappings, mapping](256)
	if err != nil {
		panic(err) // The size is a constant above 0.
	}
	return cache
}()

func mappingOf(m tenant.Mappings) mapping {
	if m == "" {
		return nil
	}
	if known, ok := mappingCache.Get(m); ok {
		return known
	}
	own := mapping{}
	for i, x := range m.List() {
		if role, ok := semconv.RoleOf(x.Role); ok {
			own[x.Attribute] = mapped{role, i}
		}
	}
	mappingCache.Add(m, own)
	return own
}

// mappingOn returns the mapping that the tenant processor stamped on a resource.
func mappingOn(resource pcommon.Map) mapping {
	if stamp, ok := resource.Get(tenant.AttributeMappings); ok {
		return mappingOf(tenant.Mappings(stamp.Str()))
	}
	return nil
}

// StampMappings puts the mappings of an environment on a resource, for who reads its
// spans.
func StampMappings(resource pcommon.Map, m tenant.Mappings) {
	if m != "" {
		resource.PutStr(tenant.AttributeMappings, string(m))
	}
}

func (own mapping) has(key string) bool {
	_, ok := own[key]
	return ok
}

// mappedValue is the attribute that a role is read from.
type mappedValue struct {
	mapped
	key string
}

// noteMapped takes in an attribute that the environment maps.
func (f *sourceValues) noteMapped(key, text string) {
	to, ok := f.own[key]
	if !ok || text == "" {
		return
	}
	for i := range f.mapped {
		if f.mapped[i].role == to.role {
			if to.rank < f.mapped[i].rank {
				f.mapped[i] = mappedValue{to, key}
				f.texts[to.role] = text
			}
			return
		}
	}
	f.mapped = append(f.mapped, mappedValue{to, key})
	f.has[to.role], f.texts[to.role] = true, text
}

// sentAs returns the key under which a span has an attribute.
func (f *sourceValues) sentAs(k semconv.Attribute) string {
	for i := range f.mapped {
		if f.mapped[i].role == k {
			return f.mapped[i].key
		}
	}
	return k.Name()
}

// itself reports whether the span's own attribute of one of our names counts. A mapping
// comes before it.
func (f *sourceValues) itself(k semconv.Attribute) bool {
	if !f.has[k] {
		return false
	}
	for i := range f.mapped {
		if f.mapped[i].role.Role() == k.Name() {
			return false
		}
	}
	return true
}

// Reading is how a stored span would be read.
type Reading struct {
	Span span.Span
	From ContentSource
	// Used are the mappings that count, with what the span has there.
	Used []UsedMapping
}

// UsedMapping is a mapping with the text of its attribute.
type UsedMapping struct {
	tenant.Mapping
	Text string
}

// Mapped returns a stored span as mappings would have had it read on arrival. Messages that
// were sent as attributes with an index, or apart from the span, stay.
func Mapped(s *span.Span, m tenant.Mappings) Reading {
	sent := *s
	sent.Prompts, sent.Completions = nil, nil
	plain, read := reread(&sent, ""), Reading{Span: reread(&sent, m)}
	read.From = ContentSourceOf(&read.Span, m)
	if !slices.Equal(plain.Prompts, s.Prompts) {
		read.Span.Prompts, read.From.Prompts = s.Prompts, indexed
	}
	if !slices.Equal(plain.Completions, s.Completions) {
		read.Span.Completions, read.From.Completions = s.Completions, indexed
	}
	f := sourceValues{own: mappingOf(m)}
	for _, a := range s.Attributes {
		f.noteMapped(a.Key, a.Value)
	}
	slices.SortFunc(f.mapped, func(a, b mappedValue) int { return a.rank - b.rank })
	for _, x := range f.mapped {
		read.Used = append(read.Used, UsedMapping{tenant.Mapping{Attribute: x.key, Role: x.role.Role()}, f.texts[x.role]})
	}
	return read
}

// reread reads a stored span again.
func reread(s *span.Span, m tenant.Mappings) span.Span {
	resource := ptrace.NewResourceSpans()
	sent := ToOTLP(s, resource)
	StampMappings(resource.Resource().Attributes(), m)
	read := FromOTLP(NewResource(resource.Resource()), resource.ScopeSpans().At(0).Scope(), sent)
	read.Environment, read.Arrived = s.Environment, s.Arrived
	return read
}
