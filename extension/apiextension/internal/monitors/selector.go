// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// selectorRequest is a list of rules, or an object of span attributes and the
// values that they must equal.
type selectorRequest struct {
	given bool
	rules []RuleRequest
}

// RuleRequest is a rule as its user writes it.
type RuleRequest struct {
	Key      string         `json:"key" doc:"The attribute. One that begins with touchstone. is not shown to rules: a rule that wants it to be there is refused. evaluation.<slug>.<output> is a verdict, which is a span attribute." schema:"required minLength=1 maxLength=4096"`
	Value    *rest.Text     `json:"value" doc:"What equals, not_equals, contains and not_contains compare with, as text."`
	Values   []rest.Text    `json:"values" doc:"What in and not_in compare with." schema:"maxItems=1000"`
	Source   monitor.Source `json:"source" doc:"Where the attribute is looked up." schema:"required" enum:"span_attributes,resource_attributes"`
	Operator query.Operator `json:"operator" doc:"How the attribute is compared. The not_* operators hold where it is absent. Empty is as if left out." schema:"default=equals" enum:"equals,not_equals,contains,not_contains,exists,not_exists,in,not_in,"`
	Op       query.Operator `json:"op" doc:"Another name of operator. Empty is as if left out." enum:"equals,not_equals,contains,not_contains,exists,not_exists,in,not_in,"`
}

// UnmarshalJSON reads either form; null is none.
func (q *selectorRequest) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	q.given = true
	if text[0] == '[' {
		return json.Unmarshal(text, &q.rules)
	}
	var values map[string]rest.Text
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		value := values[key]
		q.rules = append(q.rules, RuleRequest{Key: key, Value: &value, Source: monitor.SpanAttributes, Operator: query.OpEquals})
	}
	return nil
}

// JSONSchema returns both forms.
func (selectorRequest) JSONSchema(of func(any) map[string]any) map[string]any {
	return map[string]any{
		"oneOf": []any{
			map[string]any{"type": "array", "items": of(RuleRequest{}), "maxItems": 100},
			map[string]any{"type": "object", "additionalProperties": of(rest.Text("")), "maxProperties": 100},
			map[string]any{"type": "null"},
		},
		"x-must-be": "an array of rules, or an object of attributes and the values that they must equal",
	}
}

// selector returns the rules, checked, of a field of the body.
func (q *selectorRequest) selector(field string) (monitor.Selector, error) {
	if !q.given {
		return nil, nil
	}
	selector := make(monitor.Selector, len(q.rules))
	for i := range q.rules {
		w := &q.rules[i]
		if w.Operator == "" {
			w.Operator = w.Op
		}
		if w.Op != "" && w.Op != w.Operator {
			return nil, fault.New(fault.Invalid, "%s[%d].op differs from operator: give one of them", field, i)
		}
		r := monitor.Rule{Key: w.Key, Source: w.Source, Operator: w.Operator, Value: (*string)(w.Value)}
		for _, value := range w.Values {
			r.Values = append(r.Values, string(value))
		}
		selector[i] = r
	}
	if err := selector.Validate(field); err != nil {
		return nil, err
	}
	return selector, selector.CheckReserved(field)
}
