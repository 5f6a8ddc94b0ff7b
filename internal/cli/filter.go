// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/query"
)

// signs are short forms of operators.
var signs = map[string]string{
	"=": "equals", "==": "equals", "!=": "not_equals", ">": "greater_than", ">=": "greater_than_or_equal",
	"<": "less_than", "<=": "less_than_or_equal", "~": "contains",
}

// parseFilter reads a line such as status:error model:gpt-4o, or one condition with
// spaces, "field operator value": "model = gpt-4o", "service in shop,billing",
// "status_message exists". What follows the operator is the value, whole.
func parseFilter(s string) ([]query.Condition, error) {
	field, rest, _ := strings.Cut(strings.TrimSpace(s), " ")
	operator, value, valued := strings.Cut(strings.TrimSpace(rest), " ")
	if long, ok := signs[operator]; ok {
		operator = long
	}
	if op := query.Operator(operator); op.Known() {
		c, err := spaced(s, query.Condition{ID: query.FieldOfShort(field), Operator: op}, value, valued)
		return []query.Condition{c}, err
	}
	typed, err := query.ParseLine(s)
	if err != nil || len(typed) == 0 {
		return nil, usage("--filter %q must be conditions such as status:error or 'field operator value'", s)
	}
	return typed, nil
}

// spaced is a condition that was written with spaces, without its value.
func spaced(s string, c query.Condition, value string, valued bool) (query.Condition, error) {
	// What is shown empty is not there; a text that is there and empty is written as "".
	if missing, ok := withoutValue[c.Operator]; ok && strings.TrimSpace(value) == "" {
		c.Operator = missing
		return c, nil
	}
	switch c.Operator {
	case query.OpExists, query.OpNotExists:
		if valued {
			return c, usage("--filter %q: %s takes no value", s, c.Operator)
		}
	case query.OpIn, query.OpNotIn:
		values := slices.DeleteFunc(strings.Split(value, ","), func(v string) bool { return v == "" })
		for i, v := range values {
			values[i] = query.ValueOfShort(c.ID, v)
		}
		c.Value = values
	default:
		c.Value = query.ValueOfShort(c.ID, strings.TrimSpace(value))
		var scalar any
		if json.Unmarshal([]byte(value), &scalar) == nil {
			switch scalar.(type) {
			case bool, float64, string:
				c.Value = json.RawMessage(value)
			}
		}
	}
	return c, nil
}

// withoutValue are the operators that conditions without a value have in the place of
// these.
var withoutValue = map[query.Operator]query.Operator{query.OpEquals: query.OpNotExists, query.OpNotEquals: query.OpExists}

// parseFilters reads several texts of conditions, all of which have to hold.
func parseFilters(all []string) ([]query.Condition, error) {
	var filters []query.Condition
	for _, s := range all {
		f, err := parseFilter(s)
		if err != nil {
			return nil, err
		}
		filters = append(filters, f...)
	}
	return filters, nil
}
