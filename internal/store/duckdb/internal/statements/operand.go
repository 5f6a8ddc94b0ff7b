// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// operand returns what a field refers to.
func (c *conditions) operand(f query.Field, slug string) (operand, error) {
	switch f.Kind {
	case query.FieldColumn, query.FieldAlias:
		if o, found := c.column(f.Name, slug); found {
			return o, nil
		}
	case query.FieldMessage:
		if o, found := c.message(f.Name); found {
			return o, nil
		}
	case query.FieldAttribute:
		return attributeOperand{key: f.Name, ofSpan: true, ofResource: true}, nil
	case query.FieldSpanAttribute:
		return attributeOperand{key: f.Name, ofSpan: true}, nil
	case query.FieldResourceAttribute:
		return attributeOperand{key: f.Name, ofResource: true}, nil
	case query.FieldEvaluation:
		return verdictOperand(f), nil
	case query.FieldJudged:
		return judgedOperand(f), nil
	case query.FieldOutput:
		if o, found := output(f.Name); found {
			return o, nil
		}
	}
	return nil, fault.New(fault.Invalid, "field %q is not known", f.Name)
}

// textOperand is an expression that is null where it is absent.
type textOperand string

func (o textOperand) test(c *conditions, f query.Filter) string { return c.compareText(string(o), f) }

// columnOperand is a text column, absent where it is "". Comparisons that ""
// would not pass anyway go to the column itself, where the engine can skip rows
// unseen.
type columnOperand string

func (o columnOperand) test(c *conditions, f query.Filter) string {
	expr := string(o)
	if f.Operator == query.OpExists {
		return expr + " <> ''"
	}
	if f.Operator == query.OpIn && slices.Contains(f.Values, "") || f.Operator != query.OpIn && f.Value == "" {
		expr = "nullif(" + expr + ", '')"
	}
	return c.compareText(expr, f)
}

// originOperand is a column of what spans of one process share, absent where it is
// "". There are few of those: which have it is found out first.
type originOperand string

func (o originOperand) test(c *conditions, f query.Filter) string {
	condition := columnOperand(o).test(c, f)
	if condition == "" {
		return ""
	}
	return "s.origin IN (SELECT id FROM origins WHERE " + condition + ")"
}

// millisOperand is a column of nanoseconds, compared as whole milliseconds.
type millisOperand string

func (o millisOperand) test(c *conditions, f query.Filter) string {
	expr := "(" + string(o) + " // 1000000)"
	switch f.Operator {
	case query.OpExists:
		return "true"
	case query.OpEquals:
		f.Values = []string{f.Value}
		fallthrough
	case query.OpIn:
		return c.inNumbers(expr+"::DOUBLE", f.Values)
	case query.OpContains, query.OpStartsWith:
		return c.compareText(expr+"::VARCHAR", f)
	}
	return expr + "::DOUBLE" + comparison(f.Operator) + c.arg(f.Number) + "::DOUBLE"
}

// countOperand is a column of counts, absent where it is -1. Its text is decimal.
type countOperand string

func (o countOperand) test(c *conditions, f query.Filter) string {
	expr := string(o)
	if test := c.presentNumber(expr, expr+"::DOUBLE", f); test != "" {
		return test
	}
	if f.Operator == query.OpEquals {
		n, err := strconv.ParseInt(f.Value, 10, 64)
		if err != nil || n == span.NoTokens || strconv.FormatInt(n, 10) != f.Value {
			return ""
		}
		return expr + " = " + c.arg(n) + "::BIGINT"
	}
	return c.compareText("nullif("+expr+", -1)::VARCHAR", f)
}

// presentNumber returns the condition that a count, absent where it is -1, is there or
// compares as a number, "" for other operators.
func (c *conditions) presentNumber(count, number string, f query.Filter) string {
	switch {
	case f.Operator == query.OpExists:
		return count + " <> -1"
	case f.Operator.Numeric():
		return count + " <> -1 AND " + number + comparison(f.Operator) + c.arg(f.Number) + "::DOUBLE"
	}
	return ""
}

// billionthsOperand is a column of billionths, absent where it is -1. Its text is what
// span.BillionthsText says.
type billionthsOperand string

func (o billionthsOperand) test(c *conditions, f query.Filter) string {
	expr := string(o)
	if test := c.presentNumber(expr, expr+"::DOUBLE / 1e9", f); test != "" {
		return test
	}
	n := "nullif(" + expr + ", -1)"
	return c.compareText("rtrim(rtrim(("+n+" // 1000000000)::VARCHAR || '.' || lpad(("+n+" % 1000000000)::VARCHAR, 9, '0'), '0'), '.')", f)
}

// idOperand is an id in columns of eight bytes each, absent where it is zero.
// Its text is hexadecimal.
type idOperand []string

func (o idOperand) test(c *conditions, f query.Filter) string {
	switch f.Operator {
	case query.OpEquals:
		return o.among(c, []string{f.Value})
	case query.OpIn:
		return o.among(c, f.Values)
	}
	return c.compareText(o.text(), f)
}

// text returns the expression of its text, null where it is absent.
func (o idOperand) text() string {
	var halves, zero []string
	for _, column := range o {
		halves = append(halves, "lpad(lower(to_hex(("+column+"::HUGEINT + 9223372036854775808)::UBIGINT)), 16, '0')")
		zero = append(zero, column+" = -9223372036854775808")
	}
	return "CASE WHEN " + strings.Join(zero, " AND ") + " THEN NULL ELSE " + strings.Join(halves, " || ") + " END"
}

// among returns the condition that it is one of some ids: of several, its first eight
// bytes are looked for first, where the engine can skip rows unseen.
func (o idOperand) among(c *conditions, texts []string) string {
	var first, whole []string
	for _, text := range texts {
		b, err := hex.DecodeString(text)
		if err != nil || len(b) != 8*len(o) || hex.EncodeToString(b) != text || strings.Trim(text, "0") == "" {
			continue
		}
		var list []string
		for i, column := range o {
			list = append(list, column+" = "+c.arg(tables.Signed(b[8*i:8*i+8]))+"::BIGINT")
		}
		_, n, _ := strings.Cut(list[0], " = ")
		first, whole = append(first, n), append(whole, "("+strings.Join(list, " AND ")+")")
	}
	switch len(whole) {
	case 0:
		return ""
	case 1:
		return whole[0]
	}
	return "(" + o[0] + " IN (" + strings.Join(first, ", ") + ") AND (" + strings.Join(whole, " OR ") + "))"
}

// fixedOperand is the same text for every span.
type fixedOperand string

func (o fixedOperand) test(_ *conditions, f query.Filter) string {
	if o == "" || !f.Holds(string(o)) {
		return ""
	}
	return always
}

// column returns a field of the span as the API names it, or a promoted value.
func (c *conditions) column(name, slug string) (operand, bool) {
	switch name {
	case "environment":
		return fixedOperand(slug), true
	case "trace_id":
		return idOperand{"s.trace_hi", "s.trace_lo"}, true
	case "span_id":
		return idOperand{"s.span_id"}, true
	case "parent_span_id":
		return idOperand{"s.parent_id"}, true
	case "service_name":
		return originOperand("service"), true
	case "span_kind":
		return originOperand("kind"), true
	case "scope_name", "scope_version":
		return originOperand(name), true
	case "prompts", "completions":
		return messagesOperand{list: name}, true
	}
	f, known := span.FieldOf(name)
	column := tables.ColumnOf(name)
	switch {
	case !known || column == "":
		return nil, false
	case f.Nanos != nil:
		return millisOperand("s." + column), true
	case f.Billionths:
		return billionthsOperand("s." + column), true
	case f.Count != nil:
		return countOperand("s." + column), true
	}
	return columnOperand("s." + column), true
}
