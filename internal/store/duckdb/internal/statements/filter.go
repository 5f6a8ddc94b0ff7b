// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"cmp"
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
	// beside are conditions that spans must satisfy besides the one that is being made,
	// as far as they need nothing joined and are cheap.
	beside  []string
	joining int // how often something joined was asked for
}

// clone returns a copy that shares nothing with c.
func (c *conditions) clone() conditions {
	d := *c
	d.args, d.joins, d.where, d.logged = slices.Clone(c.args), slices.Clone(c.joins), slices.Clone(c.where), slices.Clone(c.logged)
	d.beside = slices.Clone(c.beside)
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
	return c.filters([]query.Filter{f}, query.OpAll, slug)
}

// filters returns the condition that all of some filters ask for, or any of them: one,
// or several as together takes them.
func (c *conditions) filters(list []query.Filter, of query.Operator, slug string) (string, error) {
	switch list[0].Operator {
	case query.OpAll, query.OpAny:
		return c.combine(list[0], slug)
	case query.OpJudged:
		return c.judged(list[0].Filters), nil
	}
	return c.together(list, of, slug)
}

// together returns the condition that all of some filters ask for, or any of them: of one
// field, and either all with negated operators or none.
func (c *conditions) together(filters []query.Filter, of query.Operator, slug string) (string, error) {
	o, err := c.operand(filters[0].Field, slug)
	if err != nil {
		return "", err
	}
	_, negated := filters[0].Operator.Positive()
	positive := make([]query.Filter, len(filters))
	for i, f := range filters {
		f.Operator, _ = f.Operator.Positive()
		positive[i] = f
	}
	var condition string
	if v, ok := o.(verdictOperand); ok {
		if negated { // not a and not b: not (a or b)
			of = opposite(of)
		}
		condition = v.tests(c, positive, of)
	} else {
		condition = o.test(c, positive[0])
	}
	switch {
	case condition == "" && negated:
		return always, nil
	case negated:
		return "(" + condition + ") IS NOT TRUE", nil
	}
	return condition, nil
}

func opposite(op query.Operator) query.Operator {
	if op == query.OpAny {
		return query.OpAll
	}
	return query.OpAny
}

// between returns what stands between conditions of which all hold, or any.
func between(op query.Operator) string {
	if op == query.OpAny {
		return " OR "
	}
	return " AND "
}

// narrows reports whether a filter is such that it is worth while to look for what
// satisfies it before the texts of messages are looked at.
func narrows(f query.Filter) bool {
	_, negated := f.Operator.Positive()
	switch f.Field.Kind {
	case query.FieldAttribute, query.FieldSpanAttribute, query.FieldResourceAttribute, query.FieldAlias:
		return !negated
	case query.FieldColumn:
		return !negated && !ofMessages(f.Field)
	}
	return false
}

// ofMessages reports whether a field is of prompts or completions.
func ofMessages(f query.Field) bool {
	return f.Kind == query.FieldMessage || f.Kind == query.FieldColumn && (f.Name == "prompts" || f.Name == "completions")
}

// rank returns the place of a filter among others: those on messages are last.
func rank(f query.Filter) int {
	if ofMessages(f.Field) {
		return 1
	}
	return 0
}

// groups returns the filters that f is made of, in their order but those on messages last,
// and those on the same verdict together with the first.
func groups(f query.Filter) [][]query.Filter {
	type key struct {
		field   query.Field
		negated bool
	}
	var list [][]query.Filter
	at := map[key]int{}
	for _, part := range f.Filters {
		op, negated := part.Operator.Positive()
		k := key{part.Field, negated}
		if part.Field.Kind == query.FieldEvaluation && op != query.OpExists {
			if i, found := at[k]; found {
				list[i] = append(list[i], part)
				continue
			}
			at[k] = len(list)
		}
		list = append(list, []query.Filter{part})
	}
	slices.SortStableFunc(list, func(a, b []query.Filter) int {
		return cmp.Compare(rank(a[0]), rank(b[0]))
	})
	return list
}

// combine returns the same of a filter that is made of others.
func (c *conditions) combine(f query.Filter, slug string) (string, error) {
	// What decides alone, and what decides nothing.
	decides, idle := "", always
	if f.Operator == query.OpAny {
		decides, idle = always, ""
	}
	var list []string
	before, decided := c.clone(), false
	defer func() { c.beside = before.beside }()
	for _, parts := range groups(f) {
		joining := c.joining
		condition, err := c.filters(parts, f.Operator, slug)
		if err != nil {
			return "", err
		}
		if f.Operator == query.OpAll && c.joining == joining && narrows(parts[0]) && condition != decides && condition != idle {
			c.beside = append(c.beside, "("+condition+")")
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
	return strings.Join(list, between(f.Operator)), nil
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
		return numeric(expr, numberOf(expr)+comparison(f.Operator)+c.arg(f.Number)+"::DOUBLE")
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

// numberOf returns the text expr as a number, null where it is none.
func numberOf(expr string) string { return "TRY_CAST(" + expr + " AS DOUBLE)" }

// numeric returns the condition that the text expr is a finite number for which another
// condition holds: the cheap test first, since the engine also takes for numbers what is none.
func numeric(expr, condition string) string {
	return "CASE WHEN isfinite(" + numberOf(expr) + ") AND " + condition +
		" THEN regexp_full_match(" + expr + ", " + sqltext.Quoted(query.NumberPattern) + ") ELSE false END"
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
