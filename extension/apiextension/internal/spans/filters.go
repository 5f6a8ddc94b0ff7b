// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// filters reads the parameter of that name: a JSON array of conditions, each
// an object with id, operator, and value or, for lists, values. Other members are
// ignored.
func (p *parser) filters(text string) error {
	if err := startsWith([]byte(text), '['); err != nil {
		return invalid(paramFilters, "must be a JSON array: %s", err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return invalid(paramFilters, "must be a JSON array: %s", errSyntax)
	}
	if len(list) > query.MaxFilters {
		return invalid(paramFilters, "must have at most %d items", query.MaxFilters)
	}
	for i, item := range list {
		f, err := parseFilter(fmt.Sprintf("%s[%d]", paramFilters, i), item)
		if err != nil {
			return err
		}
		if err := p.append(paramFilters, f); err != nil {
			return err
		}
	}
	return nil
}

// filter is a condition as it was written.
type filter struct {
	id, operator, value, values json.RawMessage
}

func parseFilter(path string, item json.RawMessage) (f query.Filter, err error) {
	raw, err := readFilter(path, item)
	if err != nil {
		return f, err
	}
	id, err := requiredText(path+".id", raw.id)
	if err != nil {
		return f, err
	}
	operator, err := requiredText(path+".operator", raw.operator)
	if err != nil {
		return f, err
	}
	f.Operator = query.Operator(operator)
	if f.Field, err = query.ParseField(id); err != nil {
		return f, invalid(path+".id", "%s", fault.Message(err))
	}
	if !f.Operator.Known() || f.Operator == query.OpNotContains {
		return f, invalid(path+".operator", "must be one of equals, not_equals, greater_than, greater_than_or_equal, "+
			"less_than, less_than_or_equal, contains, starts_with, in, not_in, exists, not_exists")
	}
	value := rest.Operand{Path: path + ".value", Raw: raw.value}
	return f, rest.ParseEitherOperand(&f, value, rest.Operand{Path: path + ".values", Raw: raw.values})
}

func readFilter(path string, item json.RawMessage) (raw filter, err error) {
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
		case strings.EqualFold(m.name, "values"):
			target = &raw.values
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

func requiredText(path string, raw json.RawMessage) (string, error) {
	if rest.Absent(raw) {
		return "", invalid(path, "is required")
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return "", invalid(path, "must be a string")
	}
	switch {
	case strings.TrimSpace(text) == "":
		return "", invalid(path, "is required")
	case len(text) > query.MaxFilterText:
		return "", invalid(path, "must be at most %d bytes long", query.MaxFilterText)
	}
	return text, nil
}

// ParseFilters reads the filters of a body: nil, or a JSON array of conditions, and those
// of a line, "" for none.
func ParseFilters(text json.RawMessage, line string) ([]query.Filter, error) {
	var p parser
	if text != nil {
		if err := p.filters(string(text)); err != nil {
			return nil, err
		}
	}
	_, err := p.line(line)
	return p.query.Filters, err
}

// line reads conditions as one types them, and returns them.
func (p *parser) line(text string) ([]query.Condition, error) {
	if len(text) > query.MaxFilterText {
		return nil, invalid(paramLine, "must be at most %d bytes long", query.MaxFilterText)
	}
	typed, err := query.ParseLine(text)
	if err != nil {
		return nil, err
	}
	list, err := query.Filters(typed)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		if err := p.append(paramLine, f); err != nil {
			return nil, err
		}
	}
	return typed, nil
}
