// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"slices"
	"strings"
)

// filter is one condition of a query, as the API takes it.
type filter struct {
	ID       string   `json:"id"`
	Operator string   `json:"operator"`
	Value    any      `json:"value,omitempty"`
	Values   []string `json:"values,omitempty"`
}

// signs are short forms of operators.
var signs = map[string]string{
	"=": "equals", "==": "equals", "!=": "not_equals", ">": "greater_than", ">=": "greater_than_or_equal",
	"<": "less_than", "<=": "less_than_or_equal", "~": "contains",
}

// parseFilter reads "field operator value": llm.request.model = gpt-4o,
// "evaluation.pii-detector.has_pii = true", "service_name in shop,billing",
// "status_message exists". What follows the operator is the value, whole.
func parseFilter(s string) (filter, error) {
	field, rest, ok := strings.Cut(strings.TrimSpace(s), " ")
	operator, value, valued := strings.Cut(strings.TrimSpace(rest), " ")
	if !ok || operator == "" {
		return filter{}, usage("--filter %q must be field, operator and value, with spaces between them", s)
	}
	if long, ok := signs[operator]; ok {
		operator = long
	}
	// What is shown empty is not there; a text that is there and empty is written as "".
	if missing, ok := withoutValue[operator]; ok && strings.TrimSpace(value) == "" {
		return filter{ID: field, Operator: missing}, nil
	}
	f := filter{ID: field, Operator: operator}
	switch operator {
	case "exists", "not_exists":
		if valued {
			return filter{}, usage("--filter %q: %s takes no value", s, operator)
		}
	case "in", "not_in":
		f.Values = slices.DeleteFunc(strings.Split(value, ","), func(v string) bool { return v == "" })
	default:
		f.Value = strings.TrimSpace(value)
		var scalar any
		if json.Unmarshal([]byte(value), &scalar) == nil {
			switch scalar.(type) {
			case bool, float64, string:
				f.Value = json.RawMessage(value)
			}
		}
	}
	return f, nil
}

// withoutValue are the operators that conditions without a value have in the place of
// these.
var withoutValue = map[string]string{"equals": "not_exists", "not_equals": "exists"}

// parseFilters reads several conditions, all of which have to hold, as the
// API's parameter; "" without any.
func parseFilters(all []string) (string, error) {
	if len(all) == 0 {
		return "", nil
	}
	filters := make([]filter, len(all))
	for i, s := range all {
		f, err := parseFilter(s)
		if err != nil {
			return "", err
		}
		filters[i] = f
	}
	b, err := json.Marshal(filters)
	return string(b), err
}
