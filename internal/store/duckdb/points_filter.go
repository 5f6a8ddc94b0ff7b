// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// conditions makes the filters conditions on spans s, evaluations e and outputs
// j, all together.
func (s *pointSearch) conditions() error {
	c := &s.spans.conditions
	c.stored = messages(s.spans.all)
	for _, f := range s.query.All {
		condition, err := s.condition(f)
		if err != nil {
			return err
		}
		c.must(condition)
	}
	if len(s.query.Any) == 0 {
		return nil
	}
	var list []string
	for _, f := range s.query.Any {
		condition, err := s.condition(f)
		if err != nil {
			return err
		}
		if condition != "" {
			list = append(list, "("+condition+")")
		}
	}
	if len(list) == 0 {
		c.must("")
		return nil
	}
	c.must("(" + strings.Join(list, " OR ") + ")")
	return nil
}

func (s *pointSearch) condition(f store.PointFilter) (string, error) {
	c := &s.spans.conditions
	o, err := s.operand(f)
	if err != nil {
		return "", err
	}
	return c.condition(o, query.Filter{Field: f.Span, Operator: f.Operator, Value: f.Value, Number: f.Number, Values: f.Values})
}

// pointText is the text of a point's value.
const pointText = "e.vals[j.place]"

func (s *pointSearch) operand(f store.PointFilter) (operand, error) {
	switch f.Field {
	case store.PointEvaluator:
		return columnOperand("j.evaluator"), nil
	case store.PointOutput:
		return columnOperand("j.name"), nil
	case store.PointSetup:
		return columnOperand("j.setup"), nil
	case store.PointBackend:
		return columnOperand("j.backend"), nil
	case store.PointText:
		return textOperand("CASE WHEN j.kind = 's' THEN " + pointText + " END"), nil
	case store.PointBool:
		return textOperand("CASE WHEN j.kind = 'b' THEN " + pointText + " END"), nil
	case store.PointNumber:
		return numberOperand("CASE WHEN j.kind IN ('i', 'f') THEN " + pointText + " END"), nil
	case store.PointSpan:
		if f.Span.Kind != query.FieldEvaluation {
			return s.spans.conditions.operand(f.Span, s.spans.env.Slug)
		}
	}
	return nil, fault.New(fault.Invalid, "field %q is not known", f.Field)
}

// numberOperand is the text of a number that is null where it is absent. Values
// that it equals are compared as numbers; what is not finite equals none.
type numberOperand string

func (o numberOperand) test(c *conditions, f query.Filter) string {
	text := string(o)
	number := "TRY_CAST(" + text + " AS DOUBLE)"
	switch {
	case f.Operator == query.OpEquals:
		f.Values = []string{f.Value}
	case f.Operator.Numeric():
		return "isfinite(" + number + ") AND " + number + comparison(f.Operator) + c.arg(f.Number) + "::DOUBLE"
	case f.Operator != query.OpIn:
		return c.compareText(text, f)
	}
	var list []string
	for _, v := range f.Values {
		if n, ok := query.ParseNumber(v); ok {
			list = append(list, c.arg(n)+"::DOUBLE")
		}
	}
	if len(list) == 0 {
		return ""
	}
	return number + " IN (" + strings.Join(list, ", ") + ")"
}
