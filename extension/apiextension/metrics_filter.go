// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
)

const (
	labelPrefix     = "labels."
	attributePrefix = "attributes."
)

// metricFilter is a condition as its user writes it. Lists stand in values or,
// as in filters on spans, in value.
type metricFilter struct {
	Field    string          `json:"field"`
	Operator string          `json:"operator"`
	Value    json.RawMessage `json:"value"`
	Values   json.RawMessage `json:"values"`
}

// metricOperand is the operator of a filter with what it compares with.
type metricOperand struct {
	op     query.Operator
	values []string // one, or those of in and not_in; none for exists and not_exists
}

// terms gives what the filters come to.
func (m *metricsRequest) terms(names *metricNames) ([]term, error) {
	if absent(m.Filters) {
		return nil, nil
	}
	list, err := items("filters", m.Filters)
	if err != nil {
		return nil, err
	}
	if len(list) > query.MaxFilters {
		return nil, fault.New(fault.Invalid, "filters must have at most %d items", query.MaxFilters)
	}
	terms := make([]term, len(list))
	for i, item := range list {
		path := fmt.Sprintf("filters[%d]", i)
		var f metricFilter
		if err := decodeObject(path, item, &f); err != nil {
			return nil, err
		}
		o, err := f.condition(path)
		if err != nil {
			return nil, err
		}
		if terms[i], err = names.term(path, f.Field, o); err != nil {
			return nil, err
		}
	}
	return terms, nil
}

func (f *metricFilter) condition(path string) (o metricOperand, err error) {
	if strings.TrimSpace(f.Field) == "" {
		return o, fault.New(fault.Invalid, "%s.field is required", path)
	}
	if len(f.Field) > query.MaxFilterText {
		return o, fault.New(fault.Invalid, "%s.field must be at most %d bytes long", path, query.MaxFilterText)
	}
	o.op = query.Operator(strings.ToLower(f.Operator))
	switch o.op {
	case "":
		return o, fault.New(fault.Invalid, "%s.operator is required", path)
	case "eq":
		o.op = query.OpEquals
	case "ne", "neq":
		o.op = query.OpNotEquals
	}
	switch {
	case o.op == query.OpExists, o.op == query.OpNotExists:
		return o, nil
	case o.op == query.OpIn, o.op == query.OpNotIn:
		o.values, err = f.list(path)
		return o, err
	case o.op.Numeric(), o.op == query.OpEquals, o.op == query.OpNotEquals, o.op == query.OpContains, o.op == query.OpNotContains, o.op == query.OpStartsWith:
		text, err := f.one(path+".value", f.Value)
		o.values = []string{text}
		return o, err
	}
	return o, fault.New(fault.Invalid, "%s.operator must be one of equals, not_equals, greater_than, greater_than_or_equal, "+
		"less_than, less_than_or_equal, contains, not_contains, starts_with, in, not_in, exists, not_exists", path)
}

func (f *metricFilter) list(path string) ([]string, error) {
	path, raw := path+".values", f.Values
	if absent(raw) && kindOf(f.Value) == '[' {
		path, raw = strings.TrimSuffix(path, "s"), f.Value
	}
	if absent(raw) {
		return nil, fault.New(fault.Invalid, "%s is required", path)
	}
	list, err := items(path, raw)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, fault.New(fault.Invalid, "%s must have at least one item", path)
	case len(list) > query.MaxFilterValues:
		return nil, fault.New(fault.Invalid, "%s must have at most %d items", path, query.MaxFilterValues)
	}
	values := make([]string, len(list))
	for i, item := range list {
		if values[i], err = f.one(fmt.Sprintf("%s[%d]", path, i), item); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (f *metricFilter) one(path string, raw json.RawMessage) (string, error) {
	if absent(raw) {
		return "", fault.New(fault.Invalid, "%s is required", path)
	}
	text, err := scalar(path, raw)
	if err == nil && len(text) > query.MaxFilterText {
		err = fault.New(fault.Invalid, "%s must be at most %d bytes long", path, query.MaxFilterText)
	}
	return text, err
}

// on gives the condition on a field.
func (o metricOperand) on(path string, field store.PointField, of query.Field) (term, error) {
	f := store.PointFilter{Field: field, Span: of, Operator: o.op}
	switch {
	case o.op == query.OpIn || o.op == query.OpNotIn:
		f.Values = o.values
	case len(o.values) > 0:
		f.Value = o.values[0]
	}
	if o.op.Numeric() {
		number, err := strconv.ParseFloat(f.Value, 64)
		if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
			return term{}, fault.New(fault.Invalid, "%s.value must be a finite number", path)
		}
		f.Number = number
	}
	return one(f), nil
}

// negated gives the operator of which this one is the exact negation.
func (o metricOperand) negated() (metricOperand, bool) {
	op, negated := o.op.Positive()
	return metricOperand{op, o.values}, negated
}

// holds compares with a value that all points have.
func (o metricOperand) holds(value string) bool {
	if positive, negated := o.negated(); negated {
		return !positive.holds(value)
	}
	for _, v := range o.values {
		switch {
		case o.op == query.OpContains && strings.Contains(value, v),
			o.op == query.OpStartsWith && strings.HasPrefix(value, v),
			(o.op == query.OpEquals || o.op == query.OpIn) && v == value:
			return true
		}
	}
	return o.op == query.OpExists
}

// attribute gives the condition on an attribute of the span.
func (o metricOperand) attribute(path, key string) (term, error) {
	f, err := query.ParseAttribute(key)
	if err != nil || f.Kind == query.FieldEvaluation {
		return term{}, fault.New(fault.Invalid, "%s.field must name an attribute that spans are sent with", path)
	}
	return o.on(path, store.PointSpan, f)
}
