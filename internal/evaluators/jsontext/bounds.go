// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

var errHugeNumber = errors.New("has a number too large for a schema")

// boundedNumbers refuses numbers that take long to turn into fractions.
func boundedNumbers(value any) error {
	switch v := value.(type) {
	case json.Number:
		if len(v) > maxNumber {
			return errHugeNumber
		}
		if i := strings.IndexAny(string(v), "eE"); i >= 0 {
			n, err := strconv.Atoi(string(v[i+1:]))
			if err != nil || n > maxExponent10 || n < -maxExponent10 {
				return errHugeNumber
			}
		}
	case []any:
		for _, element := range v {
			if err := boundedNumbers(element); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, member := range v {
			if err := boundedNumbers(member); err != nil {
				return err
			}
		}
	}
	return nil
}

// subschemas counts what could be a schema in decoded JSON: every object and
// boolean.
func subschemas(value any) int {
	count := 0
	switch v := value.(type) {
	case bool:
		count = 1
	case []any:
		for _, element := range v {
			count += subschemas(element)
		}
	case map[string]any:
		count = 1
		for _, member := range v {
			count += subschemas(member)
		}
	}
	return count
}
