// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"encoding"
	"encoding/json"
	"errors"
)

// JSONText is a field whose text holds a T: JSON, or what T's own UnmarshalText
// reads. The error of UnmarshalText is a predicate of the field, such as "must
// be a JSON array of numbers"; it must not repeat the text.
type JSONText[T any] struct {
	Value T
}

type jsonText interface {
	decode(text string) error
}

func (e *JSONText[T]) decode(text string) error {
	if u, ok := any(&e.Value).(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	if err := json.Unmarshal([]byte(text), &e.Value); err != nil {
		return errors.New("does not hold the JSON it should")
	}
	return nil
}
