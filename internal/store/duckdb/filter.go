// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
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
	test(c *conditions, f query.Filter) string
}

// add makes f a condition.
func (c *conditions) add(f query.Filter, slug string) error {
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
func (c *conditions) condition(o operand, f query.Filter) (string, error) {
	op, negated := f.Operator.Positive()
	if !f.Operator.Known() {
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
func comparison(op query.Operator) string {
	switch op {
	case query.OpGreaterThan:
		return " > "
	case query.OpGreaterThanOrEqual:
		return " >= "
	case query.OpLessThan:
		return " < "
	}
	return " <= "
}

// numberPattern is what query.ParseNumber takes for one.
const numberPattern = `[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?`

// compareText gives the condition that the text expr satisfies f.
func (c *conditions) compareText(expr string, f query.Filter) string {
	switch {
	case f.Operator == query.OpExists:
		return expr + " IS NOT NULL"
	case f.Operator == query.OpIn:
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
	case query.OpContains:
		return "contains(" + expr + ", " + value + ")"
	case query.OpStartsWith:
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
