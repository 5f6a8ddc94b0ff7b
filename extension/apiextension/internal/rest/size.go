// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// What a body may hold that is decoded as a whole, whatever its schema says: a
// value of two bytes takes fifty and more once it is decoded.
const (
	maxValues = 100_000
	maxLevels = 64
)

// checkSize refuses, with Invalid, a JSON text of more values or more levels than a body
// may have. It reads the text once and decodes nothing, so what is no JSON may pass.
func checkSize(text []byte) error {
	values, levels := 1, 0
	for len(text) > 0 {
		c := text[0]
		text = text[1:]
		switch c {
		case '"':
			text = afterString(text)
		case '{', '[':
			if levels++; levels > maxLevels {
				return tooDeep()
			}
			values++
		case '}', ']':
			levels--
		case ',':
			values++
		}
		if values > maxValues {
			return fault.New(fault.Invalid, "request body must hold at most %d values", maxValues)
		}
	}
	return nil
}

func tooDeep() error {
	return fault.New(fault.Invalid, "request body must not be nested deeper than %d levels", maxLevels)
}

// afterString returns what follows a string whose opening quotation mark was read.
func afterString(text []byte) []byte {
	for {
		i := bytes.IndexAny(text, `"\`)
		switch {
		case i < 0:
			return nil
		case text[i] == '"':
			return text[i+1:]
		}
		text = text[min(i+2, len(text)):]
	}
}
