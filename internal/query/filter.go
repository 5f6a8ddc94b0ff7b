// SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strings"
)

// Operator is how a filter compares. The not_* operators are the exact
// negation of their positive twin: they hold where the field is absent.
// Comparisons of text are literal and by bytes.
type Operator string

const (
	OpEquals             Operator = "equals"
	OpNotEquals          Operator = "not_equals"
	OpGreaterThan        Operator = "greater_than"
	OpGreaterThanOrEqual Operator = "greater_than_or_equal"
	OpLessThan           Operator = "less_than"
	OpLessThanOrEqual    Operator = "less_than_or_equal"
	OpContains           Operator = "contains"
	OpNotContains        Operator = "not_contains" // of metrics and selectors; the filters of spans do not spell it
	OpStartsWith         Operator = "starts_with"
	OpIn                 Operator = "in"
	OpNotIn              Operator = "not_in"
	OpExists             Operator = "exists"
	OpNotExists          Operator = "not_exists"

	// OpAll and OpAny combine the conditions in Filters; they are not written by
	// users.
	OpAll Operator = "all"
	OpAny Operator = "any"
	// OpJudged combines conditions on FieldJudged that one evaluation of the span has to
	// satisfy alone. They compare texts by equals, in and exists.
	OpJudged Operator = "judged"
)

// Numeric reports whether the operator compares numbers. A stored text that
// ParseNumber does not take never matches such an operator.
func (o Operator) Numeric() bool {
	switch o {
	case OpGreaterThan, OpGreaterThanOrEqual, OpLessThan, OpLessThanOrEqual:
		return true
	}
	return false
}

// Sign returns how an operator that is numeric is written between two numbers: >, >=,
// < or <=.
func (o Operator) Sign() string {
	switch o {
	case OpGreaterThan:
		return ">"
	case OpGreaterThanOrEqual:
		return ">="
	case OpLessThan:
		return "<"
	}
	return "<="
}

// Known reports whether o compares a field, as every operator does but OpAll, OpAny
// and OpJudged.
func (o Operator) Known() bool {
	switch op, _ := o.Positive(); op {
	case OpEquals, OpContains, OpStartsWith, OpIn, OpExists:
		return true
	}
	return o.Numeric()
}

// Positive returns the operator of which o is the negation, and whether it is
// one; else o itself.
func (o Operator) Positive() (positive Operator, negated bool) {
	switch o {
	case OpNotEquals:
		return OpEquals, true
	case OpNotContains:
		return OpContains, true
	case OpNotIn:
		return OpIn, true
	case OpNotExists:
		return OpExists, true
	}
	return o, false
}

// Holds reports whether the operator holds for a text that was found or not:
// compared with value, or by in and not_in with values. A numeric operator, and
// one that is not known, holds for none.
func (o Operator) Holds(text string, found bool, value string, values []string) bool {
	switch o {
	case OpEquals:
		return found && text == value
	case OpNotEquals:
		return !found || text != value
	case OpContains:
		return found && strings.Contains(text, value)
	case OpNotContains:
		return !found || !strings.Contains(text, value)
	case OpStartsWith:
		return found && strings.HasPrefix(text, value)
	case OpIn:
		return found && slices.Contains(values, text)
	case OpNotIn:
		return !found || !slices.Contains(values, text)
	case OpExists:
		return found
	case OpNotExists:
		return !found
	}
	return false
}

// Filter is one condition: on a field, or made of others.
type Filter struct {
	Field    Field
	Operator Operator
	// Value is the comparison value as text; unused by in, not_in, exists and
	// not_exists. For a numeric operator Number holds it parsed.
	Value  string
	Number float64
	// Values are what in and not_in compare with, at least one.
	Values []string
	// Filters are what OpAll, OpAny and OpJudged, which have no field, put together.
	Filters []Filter
}

// Equals returns the condition that a field has a value.
func Equals(f Field, value string) Filter {
	return Filter{Field: f, Operator: OpEquals, Value: value}
}

// All returns the condition that all of these hold, which is so where there are
// none.
func All(filters ...Filter) Filter { return Filter{Operator: OpAll, Filters: filters} }

// Any returns the condition that one of these holds, which is never so where
// there are none.
func Any(filters ...Filter) Filter { return Filter{Operator: OpAny, Filters: filters} }

// Judged returns the condition that one evaluation of the span satisfies all of these,
// which are on FieldJudged; any does where there are none.
func Judged(filters ...Filter) Filter { return Filter{Operator: OpJudged, Filters: filters} }

// With returns conditions with another one, all of which must hold. Those on FieldJudged
// of the same evaluator, or of any, are such that one evaluation has to satisfy them, as
// far as OpJudged knows their operators.
func With(list []Filter, f Filter) []Filter {
	if !f.ofOne() {
		return append(list, f)
	}
	for i := range list {
		switch have := &list[i]; {
		case have.Operator == OpJudged && len(have.Filters) > 0 && have.Filters[0].Field.Name == f.Field.Name:
			have.Filters = append(have.Filters, f)
			return list
		case have.ofOne() && have.Field.Name == f.Field.Name:
			list[i] = Judged(*have, f)
			return list
		}
	}
	return append(list, f)
}

// ofOne reports whether one evaluation alone can satisfy the condition.
func (f *Filter) ofOne() bool {
	return f.Field.Kind == FieldJudged && (f.Operator == OpEquals || f.Operator == OpIn || f.Operator == OpExists)
}

// Holds reports whether the condition holds for a field with these values: none
// where it is absent, several where it is a map, of which one must do.
func (f *Filter) Holds(values ...string) bool {
	op, negated := f.Operator.Positive()
	for _, v := range values {
		if f.holdsFor(op, v) {
			return !negated
		}
	}
	return negated
}

// holdsFor reports whether a positive operator holds for one text.
func (f *Filter) holdsFor(op Operator, text string) bool {
	if !op.Numeric() {
		return op.Holds(text, true, f.Value, f.Values)
	}
	n, ok := ParseNumber(text)
	return ok && f.holdsForNumber(op, n)
}

// holdsForNumber reports whether a positive operator that can compare numbers
// holds for one.
func (f *Filter) holdsForNumber(op Operator, n float64) bool {
	equals := func(text string) bool {
		v, ok := ParseNumber(text)
		return ok && v == n
	}
	switch op {
	case OpEquals:
		return equals(f.Value)
	case OpIn:
		return slices.ContainsFunc(f.Values, equals)
	}
	return op.Numeric() && compares(op, n, f.Number)
}

// compares reports whether an operator that is numeric holds between two numbers.
func compares[N int64 | float64](op Operator, n, bound N) bool {
	switch op {
	case OpGreaterThan:
		return n > bound
	case OpGreaterThanOrEqual:
		return n >= bound
	case OpLessThan:
		return n < bound
	}
	return n <= bound
}
