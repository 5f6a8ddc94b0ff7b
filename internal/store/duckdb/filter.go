// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// conditions collects what a row of spans, named s, must satisfy. Names of
// columns are ours; everything from the query is bound as an argument.
type conditions struct {
	args  []any
	joins []string
	where []string
	never bool // no span can match

	joined map[string]string // alias by what is joined
	stored bool              // whether messages that came apart must be looked at
	logged []loggedFilter
}

// arg binds a value and gives how the statement refers to it.
func (c *conditions) arg(v any) string {
	c.args = append(c.args, v)
	return "$" + strconv.Itoa(len(c.args))
}

// bind binds a text. Every argument must be used: the engine refuses others.
func (c *conditions) bind(s string) string { return c.arg(s) + "::VARCHAR" }

// operand is what a filter compares.
type operand interface {
	// test gives the condition that f's operator, taken as positive, holds; it is
	// not true where the operand is absent. "" means that it never holds.
	test(c *conditions, f span.Filter) string
}

// positive gives the operator of which op is the negation.
func positive(op span.Operator) (span.Operator, bool) {
	switch op {
	case span.OpNotEquals:
		return span.OpEquals, true
	case span.OpNotContains:
		return span.OpContains, true
	case span.OpNotIn:
		return span.OpIn, true
	case span.OpNotExists:
		return span.OpExists, true
	}
	return op, false
}

var operators = []span.Operator{
	span.OpEquals, span.OpGreaterThan, span.OpGreaterThanOrEqual, span.OpLessThan, span.OpLessThanOrEqual,
	span.OpContains, span.OpStartsWith, span.OpIn, span.OpExists,
}

// add makes f a condition.
func (c *conditions) add(f span.Filter, slug string) error {
	o, err := c.operand(f.Field, slug)
	if err != nil {
		return err
	}
	condition, err := c.condition(o, f)
	c.must(condition)
	return err
}

// must makes what condition gave one of the conditions.
func (c *conditions) must(condition string) {
	switch condition {
	case "":
		c.never = true
	case always:
	default:
		c.where = append(c.where, condition)
	}
}

// always is the condition that every span satisfies.
const always = "true"

// condition gives the condition that o satisfies f; "" is one that nothing does.
func (c *conditions) condition(o operand, f span.Filter) (string, error) {
	op, negated := positive(f.Operator)
	if !slices.Contains(operators, op) {
		return "", fault.New(fault.Invalid, "operator %q is not known", f.Operator)
	}
	f.Operator = op
	condition := o.test(c, f)
	switch {
	case condition == "" && negated:
		return always, nil
	case negated:
		return "(" + condition + ") IS NOT TRUE", nil
	}
	return condition, nil
}

// comparison spells a numeric operator.
func comparison(op span.Operator) string {
	switch op {
	case span.OpGreaterThan:
		return " > "
	case span.OpGreaterThanOrEqual:
		return " >= "
	case span.OpLessThan:
		return " < "
	}
	return " <= "
}

func compareNumbers(a float64, op span.Operator, b float64) bool {
	switch op {
	case span.OpGreaterThan:
		return a > b
	case span.OpGreaterThanOrEqual:
		return a >= b
	case span.OpLessThan:
		return a < b
	}
	return a <= b
}

// numberPattern is what counts as a number in a text.
const numberPattern = `[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?`

// compareText gives the condition that the text expr satisfies f.
func (c *conditions) compareText(expr string, f span.Filter) string {
	switch {
	case f.Operator == span.OpExists:
		return expr + " IS NOT NULL"
	case f.Operator == span.OpIn:
		return c.in(expr, f.Values)
	case f.Operator.Numeric():
		// The cheap test first; the engine also takes for numbers what is none.
		number := "TRY_CAST(" + expr + " AS DOUBLE)"
		return "CASE WHEN isfinite(" + number + ") AND " + number + comparison(f.Operator) + c.arg(f.Number) + "::DOUBLE" +
			" THEN regexp_full_match(" + expr + ", " + quoted(numberPattern) + ") ELSE false END"
	}
	if !utf8.ValidString(f.Value) {
		return "" // stored texts are UTF-8
	}
	value := c.bind(f.Value)
	switch f.Operator {
	case span.OpContains:
		return "contains(" + expr + ", " + value + ")"
	case span.OpStartsWith:
		return "starts_with(" + expr + ", " + value + ")"
	}
	return expr + " = " + value
}

func (c *conditions) in(expr string, values []string) string {
	var list []string
	for _, v := range values {
		if utf8.ValidString(v) {
			list = append(list, c.bind(v))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return expr + " IN (" + strings.Join(list, ", ") + ")"
}

// parseNumber reads a value that is compared with a count of milliseconds.
func parseNumber(s string) (float64, bool) {
	if strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}
