// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// equality reads a parameter without a meaning of its own: its value is what
// the field of that name must equal, several values are those it may equal.
// The form attributes[<key>]=<value> names an attribute whatever its key.
func (p *parser) equality(name string, given []string) error {
	if len(name) > query.MaxFilterText {
		return invalid(name, "must be at most %d bytes long", query.MaxFilterText)
	}
	field, err := query.ParseField(name)
	if inner, found := strings.CutPrefix(name, paramAttributes+"["); found {
		key, closed := strings.CutSuffix(inner, "]")
		if !closed || key == "" {
			return invalid(name, "must have the form attributes[<key>]")
		}
		field, err = query.ParseAttribute(key)
	}
	if err != nil {
		return invalid(name, "%s", fault.Message(err))
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
		value, ok := rest.Scalar(m.value)
		if !ok {
			return invalid(path, "must be a string, a number or a boolean")
		}
		field, err := query.ParseAttribute(m.name)
		if err != nil {
			return invalid(path, "%s", fault.Message(err))
		}
		if err := p.add(paramAttributes, path, field, value); err != nil {
			return err
		}
	}
	return nil
}

// add appends the condition that field equals one of the values. It may be
// that parameter holds several conditions; path names this one.
func (p *parser) add(parameter, path string, field query.Field, values ...string) error {
	if len(values) > query.MaxFilterValues {
		return invalid(path, "must be given at most %d times", query.MaxFilterValues)
	}
	for _, text := range values {
		if len(text) > query.MaxFilterText {
			return invalid(path, "must be at most %d bytes long", query.MaxFilterText)
		}
	}
	f := query.Equals(field, values[0])
	if len(values) > 1 {
		f = query.Filter{Field: field, Operator: query.OpIn, Values: slices.Clone(values)}
	}
	return p.append(parameter, f)
}

func (p *parser) append(parameter string, f query.Filter) error {
	if p.conditions == query.MaxFilters {
		return invalid(parameter, "is one filter too many: a query has at most %d", query.MaxFilters)
	}
	p.conditions++
	p.query.Filters = query.With(p.query.Filters, f)
	return nil
}
