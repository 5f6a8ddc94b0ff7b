// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Difference says what would have to be otherwise about a rule for it to hold.
type Difference string

// The differences, the smallest first.
const (
	ValueSpace  Difference = "value_space"  // white space around the value
	ValueCase   Difference = "value_case"   // capitals in the value
	ValueNumber Difference = "value_number" // the same number, written in another way: rules compare texts
	OtherSource Difference = "other_source" // the same key is an attribute of the other source
	KeySpelling Difference = "key_spelling" // capitals, or dots for underscores, in the key
	Alias       Difference = "alias"        // another convention's key for the same thing
	Field       Difference = "field"        // it is a field of the span, which rules do not read
	OtherKey    Difference = "other_key"    // the value is that of another attribute
)

// Near is what a span has that is nearest to what a rule wants of it.
type Near struct {
	Difference Difference
	Key        string
	Source     monitor.Source // span for fields of the span
	Value      string
}

// subject is a span that a rule is held against.
type subject struct {
	stored *span.Span
	view   *genai.View
}

// nearest returns what is nearest to a rule that does not hold for the span. A
// negated rule has nothing near: what it does not want is there.
func (s subject) nearest(r *monitor.Rule) (near Near, ok bool) {
	if _, negated := r.Operator.Positive(); negated {
		return Near{}, false
	}
	try := func(difference Difference, key string, source monitor.Source) bool {
		other := *r
		other.Key, other.Source = key, source
		found := other.Find(s.view)
		by, alike := likeness(&other, found)
		if !alike {
			return false
		}
		if difference == "" {
			difference = by
		}
		near = Near{Difference: difference, Key: key, Source: source, Value: found.Actual}
		return difference != ""
	}
	other := monitor.ResourceAttributes
	if r.Source == monitor.ResourceAttributes {
		other = monitor.SpanAttributes
	}
	if try("", r.Key, r.Source) || try(OtherSource, r.Key, other) {
		return near, true
	}
	for _, source := range []monitor.Source{r.Source, other} {
		for _, a := range s.attributes(source) {
			if a.Key != r.Key && spelling(a.Key) == spelling(r.Key) && try(KeySpelling, a.Key, source) {
				return near, true
			}
		}
	}
	for _, key := range aliases(r.Key) {
		if try(Alias, key, monitor.SpanAttributes) {
			return near, true
		}
	}
	if near, ok = s.field(r); ok {
		return near, true
	}
	return s.otherKey(r, other)
}

// attributes returns those of one source.
func (s subject) attributes(source monitor.Source) span.Attributes {
	if source == monitor.ResourceAttributes {
		return s.stored.Resource
	}
	return s.stored.Attributes
}

// likeness says by what the value that was found differs from one that the rule
// wants, "" if it does not; alike is false where it is another value.
func likeness(r *monitor.Rule, found monitor.Finding) (by Difference, alike bool) {
	if found.Holds || !found.Present {
		return "", found.Holds
	}
	wanted := r.Values
	if r.Value != nil {
		wanted = []string{*r.Value}
	}
	for _, form := range []struct {
		by   Difference
		same func(string) string
	}{{ValueSpace, strings.TrimSpace}, {ValueCase, folded}} {
		relaxed := *r
		relaxed.Values = nil
		for _, w := range wanted {
			text := form.same(w)
			relaxed.Value, relaxed.Values = &text, append(relaxed.Values, text)
		}
		if holds(&relaxed, form.same(found.Actual)) {
			return form.by, true
		}
	}
	if r.Operator == query.OpEquals || r.Operator == query.OpIn {
		for _, w := range wanted {
			if sameNumber(w, found.Actual) {
				return ValueNumber, true
			}
		}
	}
	return "", false
}

// holds reports whether a rule holds for a text.
func holds(r *monitor.Rule, text string) bool {
	return r.Find(one{r.Key, text}).Holds
}

// one is a span with one attribute, of either source.
type one struct{ key, text string }

// SpanAttribute implements monitor.Attributes.
func (o one) SpanAttribute(key string) (string, bool) { return o.text, key == o.key }

// ResourceAttribute implements monitor.Attributes.
func (o one) ResourceAttribute(key string) (string, bool) { return o.text, key == o.key }

func folded(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// sameNumber also knows booleans that one side writes as a number.
func sameNumber(a, b string) bool {
	x, ok := number(a)
	y, too := number(b)
	return ok && too && x == y
}

func number(text string) (float64, bool) {
	text = folded(text)
	if b, err := strconv.ParseBool(text); err == nil && len(text) > 1 {
		if b {
			return 1, true
		}
		return 0, true
	}
	return query.ParseNumber(text)
}

// spelling is equal for keys that differ in capitals and in what stands between
// their words.
func spelling(key string) string {
	return strings.Map(func(c rune) rune {
		switch c {
		case '.', '_', '-', ' ', '/', ':':
			return -1
		}
		return c
	}, strings.ToLower(key))
}

// shown are the names that every span has for what conventions name differently.
var shown = map[span.Promoted]string{
	span.PromotedVendor: span.AliasVendor, span.PromotedRequestModel: span.AliasRequestModel, span.PromotedResponseModel: span.AliasResponseModel,
	span.PromotedInputTokens: span.AliasInputTokens, span.PromotedOutputTokens: span.AliasOutputTokens, span.PromotedTotalTokens: span.AliasTotalTokens,
}

// aliases returns the other keys for what a key names, the one that every span
// has first.
func aliases(key string) []string {
	promoted := semconv.Promotes(key)
	if promoted == span.NotPromoted {
		promoted = semconv.Promotes(strings.ToLower(key))
	}
	var keys []string
	if name := shown[promoted]; name != "" && name != key {
		keys = append(keys, name)
	}
	for _, a := range semconv.Sources(promoted) {
		if a.Name() != key {
			keys = append(keys, a.Name())
		}
	}
	return keys
}

// field looks among the fields of the span, which have names in the API but are
// no attributes.
func (s subject) field(r *monitor.Rule) (Near, bool) {
	fields := monitor.WithFields(s.view, func() *span.Span { return s.stored }).(interface {
		Field(name string) (string, bool)
	})
	for _, name := range []string{
		"span_name", "span_kind", "service_name", "status_code", "status_message", "scope_name", "scope_version", "input", "output",
		"trace_id", "span_id", "parent_span_id", "duration", "timestamp", "trace_state",
	} {
		short := strings.TrimPrefix(spelling(name), "span")
		if key := spelling(r.Key); key != spelling(name) && key != short && key != "otel"+spelling(name) {
			continue
		}
		text, present := fields.Field(name)
		if !present {
			continue
		}
		if _, alike := likeness(r, monitor.Finding{Actual: text, Present: true, Holds: holds(r, text)}); alike {
			return Near{Difference: Field, Key: name, Source: monitor.Span, Value: text}, true
		}
	}
	return Near{}, false
}

// otherKey looks for the value that a rule wants under any other key: first
// where the keys have a word in common; else the value has to tell something,
// as a number or a boolean does not.
func (s subject) otherKey(r *monitor.Rule, other monitor.Source) (near Near, ok bool) {
	if r.Operator != query.OpEquals && r.Operator != query.OpIn {
		return Near{}, false
	}
	for _, source := range []monitor.Source{r.Source, other} {
		for _, a := range s.attributes(source) {
			if !holds(r, a.Value) {
				continue
			}
			here := Near{Difference: OtherKey, Key: a.Key, Source: source, Value: a.Value}
			if related(a.Key, r.Key) {
				return here, true
			}
			if !ok && telling(a.Value) {
				near, ok = here, true
			}
		}
	}
	return near, ok
}

// related reports whether two keys have a word in common.
func related(a, b string) bool {
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(a), separates) {
		words[w] = len(w) > 2
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(b), separates) {
		if words[w] {
			return true
		}
	}
	return false
}

func separates(c rune) bool { return strings.ContainsRune("._-/: ", c) }

func telling(value string) bool {
	_, isNumber := number(value)
	return len(value) > 2 && !isNumber
}
