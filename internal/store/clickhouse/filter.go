// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
)

// condition returns what a filter, which is valid, asks of a row.
func (s *search) condition(f query.Filter) string {
	switch f.Operator {
	case query.OpAll:
		return s.combined(f.Filters, " AND ", sqltext.Always)
	case query.OpAny:
		return s.combined(f.Filters, " OR ", sqltext.Never)
	case query.OpJudged:
		return s.judged(f.Filters...)
	}
	op, negated := f.Operator.Positive()
	f.Operator = op
	test := s.operand(f.Field)(f)
	if test != sqltext.Never && test != sqltext.Always {
		test = "ifNull(" + test + ", 0)"
	}
	if negated {
		return "(NOT " + test + ")"
	}
	return test
}

// combined returns conditions put together, and idle of none.
func (s *search) combined(list []query.Filter, between, idle string) string {
	if len(list) == 0 {
		return idle
	}
	all := make([]string, len(list))
	for i := range list {
		all[i] = s.condition(list[i])
	}
	return "(" + strings.Join(all, between) + ")"
}

// operand is what a filter compares: it returns the test of the operator, which is
// positive, and is NULL or 0 where there is nothing to compare.
type operand func(f query.Filter) string

// textOperand is a text that is NULL where it is absent.
func textOperand(expr string) operand {
	return func(f query.Filter) string { return compareText(expr, f) }
}

// compareText returns the test of a text.
func compareText(expr string, f query.Filter) string {
	switch {
	case f.Operator == query.OpExists:
		return "(" + expr + " IS NOT NULL)"
	case f.Operator == query.OpIn:
		return inTexts(expr, f.Values)
	case f.Operator.Numeric():
		return "(" + numberOf(expr) + comparison(f.Operator) + sqltext.Number(f.Number) + ")"
	case !utf8.ValidString(f.Value):
		return sqltext.Never // stored texts are UTF-8
	case f.Operator == query.OpContains:
		return "(position(" + expr + ", " + sqltext.Literal(f.Value) + ") > 0)"
	case f.Operator == query.OpStartsWith:
		return "startsWith(" + expr + ", " + sqltext.Literal(f.Value) + ")"
	}
	return "(" + expr + " = " + sqltext.Literal(f.Value) + ")"
}

// inTexts returns the test that a text is one of the values.
func inTexts(expr string, values []string) string {
	var list []string
	for _, v := range values {
		if utf8.ValidString(v) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return sqltext.Never
	}
	return "(" + expr + " IN (" + sqltext.Literals(list) + "))"
}

// comparison returns a numeric operator in SQL.
func comparison(op query.Operator) string { return " " + op.Sign() + " " }

// numberOf returns the number that a text is, NULL if it is none.
func numberOf(expr string) string {
	n := "toFloat64OrNull(toString(" + expr + "))"
	return "if(ifNull(match(" + expr + ", '^" + query.NumberPattern + "$'), 0) AND ifNull(isFinite(" + n + "), 0), " + n + ", NULL)"
}

// numberOperand is a number that is given by its text: what it may equal is compared
// as a number, otherwise it is a text.
func numberOperand(number, text string) operand {
	return func(f query.Filter) string {
		switch {
		case f.Operator == query.OpEquals:
			return inNumbers(number, []string{f.Value})
		case f.Operator == query.OpIn:
			return inNumbers(number, f.Values)
		case f.Operator.Numeric():
			return "(" + number + comparison(f.Operator) + sqltext.Number(f.Number) + ")"
		}
		return compareText(text, f)
	}
}

// inNumbers returns the test that a number is one of those that texts are.
func inNumbers(number string, values []string) string {
	var list []string
	for _, v := range values {
		if n, ok := query.ParseNumber(v); ok {
			list = append(list, sqltext.Number(n))
		}
	}
	if len(list) == 0 {
		return sqltext.Never
	}
	return "(" + number + " IN (" + strings.Join(list, ", ") + "))"
}

// idOperand is an id, absent where it is zero. Its text is hexadecimal.
func idOperand(column string, length int) operand {
	equal := func(values []string) string {
		var list []string
		for _, text := range values {
			b, err := hex.DecodeString(text)
			if err == nil && len(b) == length && hex.EncodeToString(b) == text && strings.Trim(text, "0") != "" {
				list = append(list, sqltext.Fixed(b))
			}
		}
		if len(list) == 0 {
			return sqltext.Never
		}
		return "(" + column + " IN (" + strings.Join(list, ", ") + "))"
	}
	return func(f query.Filter) string {
		switch f.Operator {
		case query.OpEquals:
			return equal([]string{f.Value})
		case query.OpIn:
			return equal(f.Values)
		}
		return compareText(idText(column, length), f)
	}
}

// idText returns the expression of the text of an id, NULL where it is absent.
func idText(column string, length int) string {
	return "nullIf(lower(hex(" + column + ")), '" + strings.Repeat("00", length) + "')"
}

// fixedOperand is the same text for every span.
func fixedOperand(text string) operand {
	return func(f query.Filter) string {
		if text == "" || !f.Holds(text) {
			return sqltext.Never
		}
		return sqltext.Always
	}
}

// anyOperand is a map, of whose values one must do.
func anyOperand(expr string) operand {
	return func(f query.Filter) string {
		test := compareText("v", f)
		if test == sqltext.Never {
			return sqltext.Never
		}
		return "arrayExists(v -> ifNull(" + test + ", 0), mapValues(" + expr + "))"
	}
}
