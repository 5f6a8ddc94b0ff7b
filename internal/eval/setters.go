// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// Predicates of a field that is refused.
var (
	errTooLong     = fmt.Errorf("is over the limit of %d bytes", MaxText)
	errNotText     = errors.New("must be a string")
	errNotJSONText = errors.New("must be a string that holds JSON, or the list or object itself")
	errNotBool     = errors.New("must be a boolean")
	errNotNumber   = errors.New("must be a number")
	errNotInteger  = errors.New("must be an integer")
)

// setters chooses how a field takes a raw JSON value and how it takes a text.
func setters(f Field) (
	read func(m *member, raw []byte, dst reflect.Value) error,
	write func(m *member, text string, dst reflect.Value) error,
) {
	switch {
	case f.JSONText:
		return readJSONText, writeJSONText
	case f.Type == String:
		return readText, writeText
	case f.Type == Boolean:
		return readBool, nil
	case f.Type == Float:
		return readFloat, nil
	default:
		return readInteger, nil
	}
}

func writeText(_ *member, text string, dst reflect.Value) error {
	*dst.Addr().Interface().(*string) = text
	return nil
}

func writeJSONText(_ *member, text string, dst reflect.Value) error {
	return dst.Addr().Interface().(jsonText).decode(text)
}

func readText(_ *member, raw []byte, dst reflect.Value) error {
	text, err := unquote(raw)
	if err != nil {
		return err
	}
	dst.SetString(text)
	return nil
}

func readJSONText(m *member, raw []byte, dst reflect.Value) error {
	if raw[0] == '[' || raw[0] == '{' {
		if len(raw) > MaxText {
			return errTooLong
		}
		return writeJSONText(m, string(raw), dst)
	}
	text, err := unquote(raw)
	if errors.Is(err, errNotText) {
		return errNotJSONText
	}
	if err != nil {
		return err
	}
	return writeJSONText(m, text, dst)
}

func unquote(raw []byte) (string, error) {
	if raw[0] != '"' {
		return "", errNotText
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", errNotText
	}
	if len(text) > MaxText {
		return "", errTooLong
	}
	return text, nil
}

func readBool(_ *member, raw []byte, dst reflect.Value) error {
	switch string(raw) {
	case "true":
		dst.SetBool(true)
	case "false":
		dst.SetBool(false)
	default:
		return errNotBool
	}
	return nil
}

func readFloat(m *member, raw []byte, dst reflect.Value) error {
	n, err := strconv.ParseFloat(string(raw), 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return errNotNumber
	}
	if err := m.inBounds(n); err != nil {
		return err
	}
	if err != nil {
		return errors.New("is out of range")
	}
	dst.SetFloat(n)
	return nil
}

func readInteger(m *member, raw []byte, dst reflect.Value) error {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return errNotInteger
	}
	if err := m.inBounds(float64(n)); err != nil {
		return err
	}
	dst.SetInt(n)
	return nil
}

func (m *member) inBounds(n float64) error {
	low, high := m.Min != nil && n < *m.Min, m.Max != nil && n > *m.Max
	switch {
	case !low && !high:
		return nil
	case m.Max == nil:
		return fmt.Errorf("must be at least %v", *m.Min)
	case m.Min == nil:
		return fmt.Errorf("must be at most %v", *m.Max)
	default:
		return fmt.Errorf("must be between %v and %v", *m.Min, *m.Max)
	}
}
