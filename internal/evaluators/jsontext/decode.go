// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Decode decodes one JSON value and keeps its numbers as they are
// written.
func Decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return value, nil
}

// DeeperThan reports whether decoded JSON nests more than so many levels.
func DeeperThan(value any, levels int) bool {
	if levels < 0 {
		return true
	}
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			if DeeperThan(element, levels-1) {
				return true
			}
		}
	case map[string]any:
		for _, member := range v {
			if DeeperThan(member, levels-1) {
				return true
			}
		}
	}
	return false
}
