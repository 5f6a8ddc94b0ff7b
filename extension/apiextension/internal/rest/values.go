// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// The types of values that structs of bodies have. Bodies were checked before
// they are decoded: the types know how values are written, not which ones are
// wanted.

// Int is a whole number, which may be written as 24, 24.0 or 2.4e1.
type Int int64

// UnmarshalJSON reads the number.
func (i *Int) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	*i = Int(f)
	return err
}

// Text is a string, or a number or boolean as it was written.
type Text string

// UnmarshalJSON reads the value.
func (t *Text) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, (*string)(t))
	}
	*t = Text(text)
	return nil
}

// JSONSchema returns what texts may be.
func (Text) JSONSchema(func(any) map[string]any) map[string]any {
	return object{"type": []string{"string", "number", "boolean"}}
}

// Texts is a list of strings, or one of them alone.
type Texts []string

// UnmarshalJSON reads the list.
func (t *Texts) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		text = bytes.Join([][]byte{[]byte("["), text, []byte("]")}, nil)
	}
	return json.Unmarshal(text, (*[]string)(t))
}

// JSONSchema returns what lists may be.
func (Texts) JSONSchema(func(any) map[string]any) map[string]any {
	return object{"type": []string{"array", "string"}, "items": object{"type": "string"}}
}

// Optional is a value of which null means that there shall be none, and that is
// not Given where it is left out.
type Optional[T any] struct {
	Given bool
	Value T // zero for null
}

// UnmarshalJSON reads the value.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	o.Given = true
	var zero T
	o.Value = zero
	if string(text) == "null" {
		return nil
	}
	return json.Unmarshal(text, &o.Value)
}

// JSONSchema returns the schema of the value, which may be null.
func (Optional[T]) JSONSchema(of func(any) map[string]any) map[string]any {
	var zero T
	schema := of(zero)
	nullable(schema)
	return schema
}
