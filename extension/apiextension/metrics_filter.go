// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/conditions"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
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

// filters gives what the filters come to.
func (m *metricsRequest) filters(names *metricNames) ([]query.Filter, error) {
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
	filters := make([]query.Filter, len(list))
	for i, item := range list {
		path := fmt.Sprintf("filters[%d]", i)
		var f metricFilter
		if err := decodeObject(path, item, &f); err != nil {
			return nil, err
		}
		o, err := f.operand(path)
		if err != nil {
			return nil, err
		}
		if filters[i], err = names.filter(path, f.Field, o); err != nil {
			return nil, err
		}
	}
	return filters, nil
}

// operand gives the filter but for the field that it is on.
func (f *metricFilter) operand(path string) (o query.Filter, err error) {
	if strings.TrimSpace(f.Field) == "" {
		return o, fault.New(fault.Invalid, "%s.field is required", path)
	}
	if len(f.Field) > query.MaxFilterText {
		return o, fault.New(fault.Invalid, "%s.field must be at most %d bytes long", path, query.MaxFilterText)
	}
	o.Operator = query.Operator(strings.ToLower(f.Operator))
	switch o.Operator {
	case "":
		return o, fault.New(fault.Invalid, "%s.operator is required", path)
	case "eq":
		o.Operator = query.OpEquals
	case "ne", "neq":
		o.Operator = query.OpNotEquals
	}
	if !o.Operator.Known() {
		return o, fault.New(fault.Invalid, "%s.operator must be one of equals, not_equals, greater_than, greater_than_or_equal, "+
			"less_than, less_than_or_equal, contains, not_contains, starts_with, in, not_in, exists, not_exists", path)
	}
	value, list := conditions.Operand{Path: path + ".value", Raw: f.Value}, conditions.Operand{Path: path + ".values", Raw: f.Values}
	if absent(f.Values) && kindOf(f.Value) == '[' {
		list = value
	}
	return o, conditions.Parse(&o, value, list)
}

// on gives the condition on a field.
func on(o query.Filter, kind query.FieldKind, name string) query.Filter {
	o.Field = query.Field{Kind: kind, Name: name}
	return o
}

// attribute gives the condition on an attribute of the span.
func attribute(path, key string, o query.Filter) (query.Filter, error) {
	f, err := query.ParseAttribute(key)
	if err != nil || f.Kind == query.FieldEvaluation {
		return o, fault.New(fault.Invalid, "%s.field must name an attribute that spans are sent with", path)
	}
	o.Field = f
	return o, nil
}
