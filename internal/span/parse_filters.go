// SPDX-License-Identifier: Apache-2.0

package span

import (
	"bytes"
	"encoding/json"
	"strings"
)

// filters reads the parameter of that name: a JSON array of conditions, each
// an object with id, operator and value. Other members are ignored.
func (p *parser) filters(text string) error {
	items, err := arrayItems([]byte(text))
	if err != nil {
		return invalid(paramFilters, "must be a JSON array: %s", err)
	}
	if len(items) > MaxFilters {
		return invalid(paramFilters, "must have at most %d items", MaxFilters)
	}
	for i, item := range items {
		f, err := parseFilter(element(paramFilters, i), item)
		if err != nil {
			return err
		}
		if err := p.append(paramFilters, f); err != nil {
			return err
		}
	}
	return nil
}

// rawFilter is a condition as it was written.
type rawFilter struct {
	id, operator, value json.RawMessage
}

func parseFilter(path string, item json.RawMessage) (Filter, error) {
	raw, err := readFilter(path, item)
	if err != nil {
		return Filter{}, err
	}
	id, err := requiredText(path+".id", raw.id)
	if err != nil {
		return Filter{}, err
	}
	operator, err := requiredText(path+".operator", raw.operator)
	if err != nil {
		return Filter{}, err
	}
	f := Filter{Operator: Operator(operator)}
	if f.Field, err = parseField(path+".id", id); err != nil {
		return Filter{}, err
	}
	return f, f.parseValue(path+".value", path+".operator", raw.value)
}

func readFilter(path string, item json.RawMessage) (raw rawFilter, err error) {
	list, err := objectMembers(item)
	if err != nil {
		return raw, invalid(path, "must be an object with id, operator and value")
	}
	for _, m := range list {
		var target *json.RawMessage
		switch {
		case strings.EqualFold(m.name, "id"):
			target = &raw.id
		case strings.EqualFold(m.name, "operator"):
			target = &raw.operator
		case strings.EqualFold(m.name, "value"):
			target = &raw.value
		default:
			continue
		}
		if *target != nil {
			return raw, invalid(path+"."+strings.ToLower(m.name), "must be given once")
		}
		*target = m.value
	}
	return raw, nil
}

func (f *Filter) parseValue(path, operatorPath string, raw json.RawMessage) (err error) {
	switch f.Operator {
	case OpExists, OpNotExists:
		return nil
	case OpIn, OpNotIn:
		f.Values, err = requiredList(path, raw)
		return err
	case OpEquals, OpNotEquals, OpContains, OpStartsWith:
		f.Value, err = requiredScalar(path, raw)
		return err
	case OpGreaterThan, OpGreaterThanOrEqual, OpLessThan, OpLessThanOrEqual:
		f.Value, f.Number, err = requiredNumber(path, raw)
		return err
	}
	return invalid(operatorPath, "must be one of equals, not_equals, greater_than, greater_than_or_equal, "+
		"less_than, less_than_or_equal, contains, starts_with, in, not_in, exists, not_exists")
}

func requiredText(path string, raw json.RawMessage) (string, error) {
	if absent(raw) {
		return "", invalid(path, "is required")
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return "", invalid(path, "must be a string")
	}
	switch {
	case strings.TrimSpace(text) == "":
		return "", invalid(path, "is required")
	case len(text) > MaxFilterText:
		return "", invalid(path, "must be at most %d bytes long", MaxFilterText)
	}
	return text, nil
}

func requiredScalar(path string, raw json.RawMessage) (string, error) {
	if absent(raw) {
		return "", invalid(path, "is required")
	}
	text, ok := scalarText(raw)
	switch {
	case !ok:
		return "", invalid(path, "must be a string, a number or a boolean")
	case len(text) > MaxFilterText:
		return "", invalid(path, "must be at most %d bytes long", MaxFilterText)
	}
	return text, nil
}

func requiredNumber(path string, raw json.RawMessage) (string, float64, error) {
	text, err := requiredScalar(path, raw)
	if err != nil {
		return "", 0, err
	}
	n, ok := number(text)
	if !ok {
		return "", 0, invalid(path, "must be a finite number")
	}
	return text, n, nil
}

func requiredList(path string, raw json.RawMessage) ([]string, error) {
	if absent(raw) {
		return nil, invalid(path, "is required")
	}
	items, err := arrayItems(raw)
	switch {
	case err != nil:
		return nil, invalid(path, "must be an array")
	case len(items) == 0:
		return nil, invalid(path, "must have at least one item")
	case len(items) > MaxFilterValues:
		return nil, invalid(path, "must have at most %d items", MaxFilterValues)
	}
	values := make([]string, len(items))
	for i, item := range items {
		if values[i], err = requiredScalar(element(path, i), item); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func absent(raw json.RawMessage) bool { return raw == nil || bytes.Equal(raw, []byte("null")) }
