// SPDX-License-Identifier: Apache-2.0

package span

import (
	"fmt"
	"slices"
	"strings"
)

// equality reads a parameter without a meaning of its own: its value is what
// the field of that name must equal, several values are those it may equal.
// The form attributes[<key>]=<value> names an attribute whatever its key.
func (p *parser) equality(name string, given []string) error {
	if len(name) > MaxFilterText {
		return invalid(name, "must be at most %d bytes long", MaxFilterText)
	}
	field, err := parseField(name, name)
	if inner, found := strings.CutPrefix(name, paramAttributes+"["); found {
		key, closed := strings.CutSuffix(inner, "]")
		if !closed || key == "" {
			return invalid(name, "must have the form attributes[<key>]")
		}
		field, err = parseAttribute(name, key)
	}
	if err != nil {
		return err
	}
	return p.add(name, name, field, given...)
}

// attributes reads the parameter of that name: a JSON object of equality
// filters.
func (p *parser) attributes(text string) error {
	list, err := objectMembers([]byte(text))
	if err != nil {
		return invalid(paramAttributes, "must be a JSON object: %s", err)
	}
	for i, m := range list {
		path := paramAttributes + "." + m.name
		if m.name == "" {
			return invalid(paramAttributes, "must not have an empty key")
		}
		if slices.ContainsFunc(list[:i], func(earlier member) bool { return earlier.name == m.name }) {
			return invalid(path, "must be given once")
		}
		value, ok := scalarText(m.value)
		if !ok {
			return invalid(path, "must be a string, a number or a boolean")
		}
		field, err := parseAttribute(path, m.name)
		if err != nil {
			return err
		}
		if err := p.add(paramAttributes, path, field, value); err != nil {
			return err
		}
	}
	return nil
}

// add appends the condition that field equals one of the values. It may be
// that parameter holds several conditions; path names this one.
func (p *parser) add(parameter, path string, field Field, values ...string) error {
	if len(values) > MaxFilterValues {
		return invalid(path, "must be given at most %d times", MaxFilterValues)
	}
	for _, text := range values {
		if len(text) > MaxFilterText {
			return invalid(path, "must be at most %d bytes long", MaxFilterText)
		}
	}
	f := Filter{Field: field, Operator: OpEquals, Value: values[0]}
	if len(values) > 1 {
		f = Filter{Field: field, Operator: OpIn, Values: slices.Clone(values)}
	}
	return p.append(parameter, f)
}

func (p *parser) append(parameter string, f Filter) error {
	if len(p.query.Filters) == MaxFilters {
		return invalid(parameter, "is one filter too many: a query has at most %d", MaxFilters)
	}
	p.query.Filters = append(p.query.Filters, f)
	return nil
}

// element spells an element of a list.
func element(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
