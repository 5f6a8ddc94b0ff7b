// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// Source says which attributes a rule reads.
type Source string

const (
	SpanAttributes     Source = "span_attributes"
	ResourceAttributes Source = "resource_attributes"
)

// Limits of a selector.
const (
	MaxRules      = 100
	MaxRuleValues = 1000
	MaxRuleText   = 4096 // bytes of a key or a value
)

// Rule is a condition on one attribute.
type Rule struct {
	_ struct{} `schema:"open"`

	Key      string         `json:"key" doc:"The attribute." schema:"minLength=1 maxLength=4096"`
	Value    *string        `json:"value,omitempty" doc:"What equals, not_equals, contains and not_contains compare with, as text." schema:"types=string,number,boolean"`
	Values   []string       `json:"values,omitempty" doc:"What in and not_in compare with." schema:"maxItems=1000" items:"schema:\"types=string,number,boolean\""`
	Source   Source         `json:"source" doc:"Where the attribute is looked up." enum:"span_attributes,resource_attributes"`
	Operator query.Operator `json:"operator" doc:"How the attribute is compared. The not_* operators hold where it is absent." schema:"default=equals" enum:"equals,not_equals,contains,not_contains,exists,not_exists,in,not_in"`
}

// Selector matches a span when all its rules do; an empty one matches all.
type Selector []Rule

// Attributes is what a selector is matched against: one span as it arrives.
type Attributes interface {
	// SpanAttribute returns a span attribute as text; llm.* aliases count as
	// present when they can be derived.
	SpanAttribute(key string) (string, bool)
	// ResourceAttribute returns a resource attribute as text.
	ResourceAttribute(key string) (string, bool)
}

// Matches reports whether every rule holds.
func (s Selector) Matches(a Attributes) bool {
	for i := range s {
		if !s[i].Find(a).Holds {
			return false
		}
	}
	return true
}

// Explain returns what every rule found, in their order: all of them hold where
// Matches is true.
func (s Selector) Explain(a Attributes) []Finding {
	found := make([]Finding, len(s))
	for i := range s {
		found[i] = s[i].Find(a)
	}
	return found
}

// Finding is what a rule found of one span.
type Finding struct {
	// Actual is the text of the attribute, "" where it is not Present.
	Actual  string
	Present bool
	// Holds reports whether the rule does.
	Holds bool
}

// Find holds the rule against one span.
func (r *Rule) Find(a Attributes) Finding {
	var f Finding
	if r.Source == ResourceAttributes {
		f.Actual, f.Present = a.ResourceAttribute(r.Key)
	} else {
		f.Actual, f.Present = a.SpanAttribute(r.Key)
	}
	f.Holds = r.Operator.Holds(f.Actual, f.Present, r.value(), r.Values)
	return f
}

// value returns Value, "" where there is none.
func (r *Rule) value() string {
	if r.Value == nil {
		return ""
	}
	return *r.Value
}

// Equals reports whether two rules are the same.
func (r *Rule) Equals(other *Rule) bool {
	return r.Key == other.Key && r.Source == other.Source && r.Operator == other.Operator &&
		r.value() == other.value() && slices.Equal(r.Values, other.Values)
}

// Validate fills in the default operator and refuses, naming path[i].field, a
// selector that breaks the rules of the API.
func (s Selector) Validate(path string) error {
	if len(s) > MaxRules {
		return fault.New(fault.Invalid, "%s must have at most %d rules", path, MaxRules)
	}
	for i := range s {
		if err := s[i].validate(); err != nil {
			return fault.New(fault.Invalid, "%s[%d].%s", path, i, fault.Message(err))
		}
	}
	return nil
}

func (r *Rule) validate() error {
	if r.Operator == "" {
		r.Operator = query.OpEquals
	}
	switch {
	case strings.TrimSpace(r.Key) == "":
		return fault.New(fault.Invalid, "key is required")
	case len(r.Key) > MaxRuleText:
		return fault.New(fault.Invalid, "key must be at most %d bytes", MaxRuleText)
	case r.Source == "":
		return fault.New(fault.Invalid, "source is required: span_attributes or resource_attributes")
	case r.Source != SpanAttributes && r.Source != ResourceAttributes:
		return fault.New(fault.Invalid, "source must be span_attributes or resource_attributes")
	}
	switch r.Operator {
	case query.OpEquals, query.OpNotEquals, query.OpContains, query.OpNotContains:
		if r.Value == nil {
			return fault.New(fault.Invalid, "value is required for operator %s", r.Operator)
		}
		if len(*r.Value) > MaxRuleText {
			return fault.New(fault.Invalid, "value must be at most %d bytes", MaxRuleText)
		}
		r.Values = nil
	case query.OpIn, query.OpNotIn:
		if len(r.Values) == 0 {
			return fault.New(fault.Invalid, "values is required for operator %s", r.Operator)
		}
		if len(r.Values) > MaxRuleValues {
			return fault.New(fault.Invalid, "values must have at most %d items", MaxRuleValues)
		}
		for i, v := range r.Values {
			if len(v) > MaxRuleText {
				return fault.New(fault.Invalid, "values[%d] must be at most %d bytes", i, MaxRuleText)
			}
		}
		r.Value = nil
	case query.OpExists, query.OpNotExists:
		r.Value, r.Values = nil, nil
	default:
		return fault.New(fault.Invalid, "operator must be one of equals, not_equals, contains, not_contains, exists, not_exists, in, not_in")
	}
	return nil
}
