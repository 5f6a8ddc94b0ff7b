// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
)

const selectorField = "selector"

// ruleRequest is a rule as its user writes it.
type ruleRequest struct {
	Key      string          `json:"key"`
	Value    json.RawMessage `json:"value"`
	Values   json.RawMessage `json:"values"`
	Source   string          `json:"source"`
	Operator string          `json:"operator"`
	Op       string          `json:"op"`
}

// parseSelector takes a list of rules, or an object of span attributes and
// the values that they must equal.
func parseSelector(raw json.RawMessage) (monitor.Selector, error) {
	var selector monitor.Selector
	var err error
	switch {
	case absent(raw):
		return nil, nil
	case kindOf(raw) == '{':
		selector, err = parseRuleMap(raw)
	case kindOf(raw) == '[':
		selector, err = parseRules(raw)
	default:
		return nil, fault.New(fault.Invalid, "%s must be an array of rules", selectorField)
	}
	if err != nil {
		return nil, err
	}
	return selector, selector.Validate(selectorField)
}

func parseRules(raw json.RawMessage) (monitor.Selector, error) {
	list, err := items(selectorField, raw)
	if err != nil {
		return nil, err
	}
	if len(list) > monitor.MaxRules {
		return nil, fault.New(fault.Invalid, "%s must have at most %d rules", selectorField, monitor.MaxRules)
	}
	selector := make(monitor.Selector, len(list))
	for i, item := range list {
		path := fmt.Sprintf("%s[%d]", selectorField, i)
		var want ruleRequest
		if err := decodeObject(path, item, &want); err != nil {
			return nil, err
		}
		if selector[i], err = want.rule(path); err != nil {
			return nil, err
		}
	}
	return selector, nil
}

func (q *ruleRequest) rule(path string) (monitor.Rule, error) {
	r := monitor.Rule{Key: q.Key, Origin: monitor.Origin(q.Source), Operator: query.Operator(q.Operator)}
	switch {
	case q.Operator == "":
		r.Operator = query.Operator(q.Op)
	case q.Op != "" && q.Op != q.Operator:
		return r, fault.New(fault.Invalid, "%s.op differs from operator: give one of them", path)
	}
	if !absent(q.Value) {
		text, err := scalar(path+".value", q.Value)
		if err != nil {
			return r, err
		}
		r.Value = &text
	}
	if !absent(q.Values) {
		list, err := items(path+".values", q.Values)
		if err != nil {
			return r, err
		}
		r.Values = make([]string, len(list))
		for i, item := range list {
			if r.Values[i], err = scalar(fmt.Sprintf("%s.values[%d]", path, i), item); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

func parseRuleMap(raw json.RawMessage) (monitor.Selector, error) {
	var want map[string]json.RawMessage
	if err := decodeObject(selectorField, raw, &want); err != nil {
		return nil, err
	}
	selector := make(monitor.Selector, 0, len(want))
	for _, key := range slices.Sorted(maps.Keys(want)) {
		text, err := scalar(fmt.Sprintf("%s.%.100s", selectorField, key), want[key])
		if err != nil {
			return nil, err
		}
		selector = append(selector, monitor.Rule{Key: key, Origin: monitor.SpanAttributes, Operator: query.OpEquals, Value: &text})
	}
	return selector, nil
}
