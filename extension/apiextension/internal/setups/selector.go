// SPDX-License-Identifier: Apache-2.0

package setups

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
	rules []ruleRequest
}

// ruleRequest is a rule as its user writes it.
type ruleRequest struct {
	Key      string         `json:"key"`
	Value    *rest.Text     `json:"value"`
	Values   []rest.Text    `json:"values"`
	Source   monitor.Source `json:"source"`
	Operator query.Operator `json:"operator"`
	Op       query.Operator `json:"op"`
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
		q.rules = append(q.rules, ruleRequest{Key: key, Value: &value, Source: monitor.SpanAttributes, Operator: query.OpEquals})
	}
	return nil
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
