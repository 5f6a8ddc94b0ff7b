// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// operand is what a filter compares with, as it was written, and where.
type operand struct {
	path string
	raw  json.RawMessage
}

// parseOperand sets what a filter, whose operator is known, compares with: the
// value, or the list for in and not_in. Errors are Invalid and name the place.
func parseOperand(f *query.Filter, value, list operand) (err error) {
	op, _ := f.Operator.Positive()
	switch op {
	case query.OpExists:
		return nil
	case query.OpIn:
		f.Values, err = list.texts()
		return err
	}
	if f.Value, err = value.text(); err != nil || !op.Numeric() {
		return err
	}
	n, ok := query.ParseNumber(f.Value)
	if !ok {
		return fault.New(fault.Invalid, "%s must be a finite number", value.path)
	}
	f.Number = n
	return nil
}

func (o operand) text() (string, error) {
	if absent(o.raw) {
		return "", fault.New(fault.Invalid, "%s is required", o.path)
	}
	text, err := scalar(o.path, o.raw)
	if err == nil && len(text) > query.MaxFilterText {
		err = fault.New(fault.Invalid, "%s must be at most %d bytes long", o.path, query.MaxFilterText)
	}
	return text, err
}

func (o operand) texts() ([]string, error) {
	if absent(o.raw) {
		return nil, fault.New(fault.Invalid, "%s is required", o.path)
	}
	list, err := items(o.path, o.raw)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, fault.New(fault.Invalid, "%s must have at least one item", o.path)
	case len(list) > query.MaxFilterValues:
		return nil, fault.New(fault.Invalid, "%s must have at most %d items", o.path, query.MaxFilterValues)
	}
	values := make([]string, len(list))
	for i, item := range list {
		if values[i], err = (operand{element(o.path, i), item}).text(); err != nil {
			return nil, err
		}
	}
	return values, nil
}
