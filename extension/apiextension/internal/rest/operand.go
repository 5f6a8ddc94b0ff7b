// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// Operand is the value that a filter of spans or metrics compares with, as it was written, and where.
type Operand struct {
	Path string
	Raw  json.RawMessage
}

// ParseEitherOperand sets what a filter compares with, as ParseOperand does, where a list stands in the
// member values if that is given, else in value.
func ParseEitherOperand(f *query.Filter, value, values Operand) error {
	if Absent(values.Raw) {
		values = value
	}
	return ParseOperand(f, value, values)
}

// ParseOperand sets what a filter, whose operator is known, compares with: the value,
// or the list for in and not_in. Errors are Invalid and name the place.
func ParseOperand(f *query.Filter, value, list Operand) (err error) {
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
		return fault.New(fault.Invalid, "%s must be a finite number", value.Path)
	}
	f.Number = n
	return nil
}

func (o Operand) text() (string, error) {
	if Absent(o.Raw) {
		return "", fault.New(fault.Invalid, "%s is required", o.Path)
	}
	text, ok := Scalar(o.Raw)
	switch {
	case !ok:
		return "", fault.New(fault.Invalid, "%s must be a string, a number or a boolean", o.Path)
	case len(text) > query.MaxFilterText:
		return "", fault.New(fault.Invalid, "%s must be at most %d bytes long", o.Path, query.MaxFilterText)
	}
	return text, nil
}

func (o Operand) texts() ([]string, error) {
	if Absent(o.Raw) {
		return nil, fault.New(fault.Invalid, "%s is required", o.Path)
	}
	var list []json.RawMessage
	switch err := json.Unmarshal(o.Raw, &list); {
	case err != nil:
		return nil, fault.New(fault.Invalid, "%s must be an array", o.Path)
	case len(list) == 0:
		return nil, fault.New(fault.Invalid, "%s must have at least one item", o.Path)
	case len(list) > query.MaxFilterValues:
		return nil, fault.New(fault.Invalid, "%s must have at most %d items", o.Path, query.MaxFilterValues)
	}
	values := make([]string, len(list))
	for i, item := range list {
		var err error
		if values[i], err = (Operand{fmt.Sprintf("%s[%d]", o.Path, i), item}).text(); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Absent reports that a member was left out or null.
func Absent(raw json.RawMessage) bool { return len(raw) == 0 || KindOf(raw) == 'n' }

// KindOf returns the first byte of a JSON value, which tells its type, 0 for none.
func KindOf(raw json.RawMessage) byte {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return 0
	}
	return raw[0]
}

// Scalar returns a string bare, and a number or a boolean as it was written.
// Other values are not ok.
func Scalar(raw json.RawMessage) (text string, ok bool) {
	switch KindOf(raw) {
	case '"':
		return text, json.Unmarshal(raw, &text) == nil
	case '{', '[', 'n', 0:
		return "", false
	}
	return string(bytes.TrimSpace(raw)), true
}
