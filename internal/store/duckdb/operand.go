// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// operand gives what a field refers to.
func (c *conditions) operand(f span.Field, slug string) (operand, error) {
	switch f.Kind {
	case span.FieldColumn:
		if o, found := c.column(f.Name, slug); found {
			return o, nil
		}
	case span.FieldAlias:
		if o, found := alias(f.Name); found {
			return o, nil
		}
	case span.FieldMessage:
		if o, found := c.message(f.Name); found {
			return o, nil
		}
	case span.FieldAttribute:
		here, there := c.spanAttribute(f.Name), c.resourceAttribute(f.Name)
		if here == "" || there == "" {
			return nothing{}, nil
		}
		return textOperand("coalesce(" + here + ", " + there + ")"), nil
	case span.FieldSpanAttribute:
		return maybe(c.spanAttribute(f.Name)), nil
	case span.FieldResourceAttribute:
		return maybe(c.resourceAttribute(f.Name)), nil
	case span.FieldEvaluation:
		return evaluationOperand(f), nil
	}
	return nil, fault.New(fault.Invalid, "field %q is not known", f.Name)
}

// nothing is the operand that no span has.
type nothing struct{}

func (nothing) test(*conditions, span.Filter) string { return "" }

// textOperand is an expression that is null where it is absent.
type textOperand string

func maybe(expr string) operand {
	if expr == "" {
		return nothing{}
	}
	return textOperand(expr)
}

func (o textOperand) test(c *conditions, f span.Filter) string { return c.compareText(string(o), f) }

// columnOperand is a text column, absent where it is "". Comparisons that ""
// would not pass anyway go to the column itself, where the engine can skip rows
// unseen.
type columnOperand string

func (o columnOperand) test(c *conditions, f span.Filter) string {
	expr := string(o)
	if f.Operator == span.OpExists {
		return expr + " <> ''"
	}
	if f.Operator == span.OpIn && slices.Contains(f.Values, "") || f.Operator != span.OpIn && f.Value == "" {
		expr = "nullif(" + expr + ", '')"
	}
	return c.compareText(expr, f)
}

// millisOperand is a column of nanoseconds, compared as whole milliseconds.
type millisOperand string

func (o millisOperand) test(c *conditions, f span.Filter) string {
	expr := "(" + string(o) + " // 1000000)"
	switch f.Operator {
	case span.OpExists:
		return "true"
	case span.OpEquals:
		f.Values = []string{f.Value}
		fallthrough
	case span.OpIn:
		var list []string
		for _, v := range f.Values {
			if n, ok := parseNumber(v); ok {
				list = append(list, c.arg(n)+"::DOUBLE")
			}
		}
		if len(list) == 0 {
			return ""
		}
		return expr + "::DOUBLE IN (" + strings.Join(list, ", ") + ")"
	case span.OpContains, span.OpStartsWith:
		return c.compareText(expr+"::VARCHAR", f)
	}
	return expr + "::DOUBLE" + comparison(f.Operator) + c.arg(f.Number) + "::DOUBLE"
}

// countOperand is a column of counts, absent where it is -1. Its text is decimal.
type countOperand string

func (o countOperand) test(c *conditions, f span.Filter) string {
	expr := string(o)
	if f.Operator == span.OpExists {
		return expr + " <> -1"
	}
	if f.Operator.Numeric() {
		return expr + " <> -1 AND " + expr + "::DOUBLE" + comparison(f.Operator) + c.arg(f.Number) + "::DOUBLE"
	}
	if f.Operator == span.OpEquals {
		n, err := strconv.ParseInt(f.Value, 10, 64)
		if err != nil || n == span.NoTokens || strconv.FormatInt(n, 10) != f.Value {
			return ""
		}
		return expr + " = " + c.arg(n) + "::BIGINT"
	}
	return c.compareText("nullif("+expr+", -1)::VARCHAR", f)
}

// idOperand is an id in columns of eight bytes each, absent where it is zero.
// Its text is hexadecimal.
type idOperand []string

func (o idOperand) test(c *conditions, f span.Filter) string {
	if f.Operator == span.OpEquals {
		return o.equals(c, f.Value)
	}
	var halves, zero []string
	for _, column := range o {
		halves = append(halves, "lpad(lower(to_hex(("+column+"::HUGEINT + 9223372036854775808)::UBIGINT)), 16, '0')")
		zero = append(zero, column+" = -9223372036854775808")
	}
	return c.compareText("CASE WHEN "+strings.Join(zero, " AND ")+" THEN NULL ELSE "+strings.Join(halves, " || ")+" END", f)
}

func (o idOperand) equals(c *conditions, text string) string {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != 8*len(o) || hex.EncodeToString(b) != text || strings.Trim(text, "0") == "" {
		return ""
	}
	var list []string
	for i, column := range o {
		list = append(list, column+" = "+c.arg(signed(b[8*i:8*i+8]))+"::BIGINT")
	}
	return "(" + strings.Join(list, " AND ") + ")"
}

// fixedOperand is the same text for every span.
type fixedOperand string

func (o fixedOperand) test(_ *conditions, f span.Filter) string {
	text, holds := string(o), false
	switch f.Operator {
	case span.OpEquals:
		holds = text == f.Value
	case span.OpIn:
		holds = slices.Contains(f.Values, text)
	case span.OpContains:
		holds = strings.Contains(text, f.Value)
	case span.OpStartsWith:
		holds = strings.HasPrefix(text, f.Value)
	case span.OpExists:
		holds = true
	default:
		n, ok := parseNumber(text)
		holds = ok && compareNumbers(n, f.Operator, f.Number)
	}
	if text == "" || !holds {
		return ""
	}
	return "true"
}

// column gives a field of the span as the API names it.
func (c *conditions) column(name, slug string) (operand, bool) {
	switch name {
	case "environment":
		return fixedOperand(slug), true
	case "timestamp":
		return millisOperand("s.start"), true
	case "duration":
		return millisOperand("s.duration"), true
	case "trace_id":
		return idOperand{"s.trace_hi", "s.trace_lo"}, true
	case "span_id":
		return idOperand{"s.span_id"}, true
	case "parent_span_id":
		return idOperand{"s.parent_id"}, true
	case "span_name":
		return columnOperand("s.name"), true
	case "status_code":
		return columnOperand("s.status"), true
	case "trace_state", "status_message", "input", "output":
		return columnOperand("s." + name), true
	case "service_name":
		return columnOperand(c.origin() + ".service"), true
	case "span_kind":
		return columnOperand(c.origin() + ".kind"), true
	case "scope_name", "scope_version":
		return columnOperand(c.origin() + "." + name), true
	case "prompts", "completions":
		return messagesOperand{list: name}, true
	}
	return nil, false
}

// alias gives a promoted value.
func alias(name string) (operand, bool) {
	switch name {
	case span.AliasWorkflow:
		return columnOperand("s.workflow"), true
	case span.AliasEntity:
		return columnOperand("s.entity"), true
	case span.AliasVendor:
		return columnOperand("s.vendor"), true
	case span.AliasRequestModel:
		return columnOperand("s.request_model"), true
	case span.AliasResponseModel:
		return columnOperand("s.response_model"), true
	case span.AliasInputTokens:
		return countOperand("s.input_tokens"), true
	case span.AliasOutputTokens:
		return countOperand("s.output_tokens"), true
	case span.AliasTotalTokens:
		return countOperand("s.total_tokens"), true
	}
	return nil, false
}

// join adds a join once and gives its alias.
func (c *conditions) join(prefix, what string, make func(alias string) string) string {
	if name, found := c.joined[what]; found {
		return name
	}
	if c.joined == nil {
		c.joined = map[string]string{}
	}
	name := prefix + strconv.Itoa(len(c.joined))
	c.joined[what] = name
	c.joins = append(c.joins, make(name))
	return name
}

// origin joins the rows of what spans of one process share.
func (c *conditions) origin() string {
	return c.join("o", "origins", func(name string) string {
		return "LEFT JOIN origins " + name + " ON " + name + ".id = s.origin"
	})
}

// resourceAttribute gives the text of a resource attribute; "" means that there
// can be none.
func (c *conditions) resourceAttribute(key string) string {
	if !utf8.ValidString(key) {
		return ""
	}
	name := c.join("r", "resource "+key, func(name string) string {
		return "LEFT JOIN (SELECT id, vals[list_position(keys, " + c.bind(key) + ")] AS v FROM origins) " + name +
			" ON " + name + ".id = s.origin"
	})
	return name + ".v"
}

// spanAttribute gives the text of a span attribute, likewise.
func (c *conditions) spanAttribute(key string) string {
	if !utf8.ValidString(key) {
		return ""
	}
	list := strconv.Itoa(listOf(key))
	name := c.join("a", "attribute "+key, func(name string) string {
		value := c.bind(key)
		return "LEFT JOIN (SELECT id, list_position(kept" + list + ", " + value + ") AS at, list_contains(folded, " + value +
			") AS folded FROM shapes) " + name + " ON " + name + ".id = s.attr_shape"
	})
	kept := "s.attrs" + list + "[" + name + ".at]"
	if column := foldable(key); column != "" {
		return "CASE WHEN " + name + ".folded THEN s." + column + "::VARCHAR ELSE " + kept + " END"
	}
	return kept
}

// evaluationOperand is an output of an evaluator, of any setup.
type evaluationOperand span.Field

func (o evaluationOperand) test(c *conditions, f span.Filter) string {
	if !utf8.ValidString(o.Name) || !utf8.ValidString(o.Output) {
		return ""
	}
	condition := c.compareText("e.vals[j.at]", f)
	if condition == "" {
		return ""
	}
	return "s.seq IN (SELECT e.seq FROM evaluations e JOIN (SELECT id, list_position(names, " + c.bind(o.Output) +
		") AS at FROM judgements WHERE evaluator = " + c.bind(o.Name) + " AND status = 'done') j ON j.id = e.judgement" +
		" WHERE j.at IS NOT NULL AND " + condition + ")"
}
