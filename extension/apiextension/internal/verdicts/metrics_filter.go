// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"encoding/json"
	"fmt"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

const (
	filtersField    = "filters"
	labelPrefix     = "labels."
	attributePrefix = "attributes."
)

// MetricFilter is a condition as its user writes it. Lists stand in values or,
// as in filters on spans, in value.
type MetricFilter struct {
	Field    string          `json:"field" doc:"What is compared." schema:"required minLength=1 maxLength=4096"`
	Operator query.Operator  `json:"operator" doc:"How it is compared. The not_* operators hold where it is absent." schema:"required x-any-case=true" enum:"equals,eq,not_equals,ne,neq,greater_than,greater_than_or_equal,less_than,less_than_or_equal,contains,not_contains,starts_with,in,not_in,exists,not_exists"`
	Value    json.RawMessage `json:"value" doc:"What to compare with; an array for in and not_in if there are no values." schema:"types=string,number,boolean,array elements=string,number,boolean maxItems=1000"`
	Values   json.RawMessage `json:"values" doc:"What in and not_in compare with." schema:"types=array elements=string,number,boolean minItems=1 maxItems=1000"`
}

// filters returns what the filters come to.
func (m *metricsRequest) filters(n *names) ([]query.Filter, error) {
	filters := make([]query.Filter, len(m.Filters))
	for i := range m.Filters {
		path := fmt.Sprintf("%s[%d]", filtersField, i)
		o, err := m.Filters[i].operand(path)
		if err != nil {
			return nil, err
		}
		if filters[i], err = n.filter(path, m.Filters[i].Field, o); err != nil {
			return nil, err
		}
	}
	return filters, nil
}

// synonyms are other words for operators.
var synonyms = map[query.Operator]query.Operator{
	"eq": query.OpEquals, "ne": query.OpNotEquals, "neq": query.OpNotEquals,
}

// operand returns the filter but for the field that it is on.
func (f *MetricFilter) operand(path string) (o query.Filter, err error) {
	o.Operator = f.Operator
	if same, found := synonyms[f.Operator]; found {
		o.Operator = same
	}
	value := rest.Operand{Path: path + ".value", Raw: f.Value}
	list := rest.Operand{Path: path + ".values", Raw: f.Values}
	if list.Raw == nil && rest.KindOf(f.Value) == '[' {
		list = value
	}
	return o, rest.ParseOperand(&o, value, list)
}

// on returns the condition on a field.
func on(o query.Filter, kind query.FieldKind, name string) query.Filter {
	o.Field = query.Field{Kind: kind, Name: name}
	return o
}

// attribute returns the condition on an attribute of the span.
func attribute(path, key string, o query.Filter) (query.Filter, error) {
	f, err := query.ParseAttribute(key)
	if err != nil || f.Kind == query.FieldEvaluation || len(key) > query.MaxFilterText {
		return o, fault.New(fault.Invalid, "%s.field must name an attribute that spans are sent with", path)
	}
	o.Field = f
	return o, nil
}
