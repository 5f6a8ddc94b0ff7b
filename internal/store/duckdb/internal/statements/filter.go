// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
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
	tables int // of those, also of conditions that turned out to matter nothing

	// in is the partition, nil before one is looked at. Conditions that are not the
	// same in all partitions set varies then.
	in     *visit
	varies bool
}

// clone returns a copy that shares nothing with c.
func (c *conditions) clone() conditions {
	d := *c
	d.args, d.joins, d.where, d.logged = slices.Clone(c.args), slices.Clone(c.joins), slices.Clone(c.where), slices.Clone(c.logged)
	d.joined = maps.Clone(c.joined)
	return d
}

// arg binds a value and returns how the statement refers to it.
func (c *conditions) arg(v any) string {
	c.args = append(c.args, v)
	return "$" + strconv.Itoa(len(c.args))
}

// bind binds a text. Every argument must be used: the engine refuses others.
func (c *conditions) bind(s string) string { return c.arg(s) + "::VARCHAR" }

// operand is what a filter compares.
type operand interface {
	// test returns the condition that f's operator, taken as positive, holds; it is
	// not true where the operand is absent. "" means that it never holds.
	test(c *conditions, f query.Filter) string
}

// must adds a condition, as filter returns it.
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

// filter returns the condition that f, which is valid, asks for; "" is one that
// nothing satisfies.
func (c *conditions) filter(f query.Filter, slug string) (string, error) {
	if f.Operator == query.OpAll || f.Operator == query.OpAny {
		return c.combine(f, slug)
	}
	o, err := c.operand(f.Field, slug)
	if err != nil {
		return "", err
	}
	op, negated := f.Operator.Positive()
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

// combine returns the same of a filter that is made of others.
func (c *conditions) combine(f query.Filter, slug string) (string, error) {
	// What decides alone, what decides nothing, and what stands between others.
	decides, idle, between := "", always, " AND "
	if f.Operator == query.OpAny {
		decides, idle, between = always, "", " OR "
	}
	var list []string
	before, decided := c.clone(), false
	for _, part := range f.Filters {
		condition, err := c.filter(part, slug)
		if err != nil {
			return "", err
		}
		switch condition {
		case decides:
			decided = true // the others are looked at all the same: tables have their names by their order
		case idle:
		default:
			list = append(list, "("+condition+")")
		}
	}
	switch {
	case decided:
		tables := c.tables
		*c = before // the engine refuses arguments that are not used
		c.tables = tables
		return decides, nil
	case len(list) == 0:
		return idle, nil
	}
	return strings.Join(list, between), nil
}

// comparison returns a numeric operator in SQL.
func comparison(op query.Operator) string { return " " + op.Sign() + " " }

// compareText returns the condition that the text expr satisfies f.
func (c *conditions) compareText(expr string, f query.Filter) string {
	switch {
	case f.Operator == query.OpExists:
		return expr + " IS NOT NULL"
	case f.Operator == query.OpIn:
		return c.among(expr, f.Values)
	case f.Operator.Numeric():
		// The cheap test first; the engine also takes for numbers what is none.
		number := "TRY_CAST(" + expr + " AS DOUBLE)"
		return "CASE WHEN isfinite(" + number + ") AND " + number + comparison(f.Operator) + c.arg(f.Number) + "::DOUBLE" +
			" THEN regexp_full_match(" + expr + ", " + sqltext.Quoted(query.NumberPattern) + ") ELSE false END"
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

// among returns the condition that the text expr is one of the values.
func (c *conditions) among(expr string, values []string) string {
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
