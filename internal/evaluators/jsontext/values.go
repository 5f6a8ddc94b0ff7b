// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// values are the keywords of a schema that look at a value as a whole. The library
// compares without an end in time, and a value that one of them refuses passes
// nothing that could end it.
type values struct {
	gauge   *gauge
	types   []string // nil for all
	scalars map[string]struct{}
	nested  []any // arrays and objects of enum
	listed  bool  // enum is written
	only    *any  // const
	unique  bool
}

var errRefused = errors.New("the value is refused")

// takeValues takes these keywords from a schema, to check them instead.
func takeValues(g *gauge, s *jsonschema.Schema) *values {
	v := &values{gauge: g, only: s.Const, unique: s.UniqueItems}
	if s.Types != nil && !s.Types.IsEmpty() {
		v.types = s.Types.ToStrings()
	}
	if s.Enum != nil {
		v.listed, v.scalars = true, make(map[string]struct{}, len(s.Enum.Values))
		for _, value := range s.Enum.Values {
			if isNested(value) {
				v.nested = append(v.nested, value)
			} else {
				v.scalars[string(g.form(nil, value))] = struct{}{}
			}
		}
	}
	s.Types, s.Enum, s.Const, s.UniqueItems = nil, nil, nil, false
	return v
}

// check is called for every value that a schema is tried on.
func (v *values) check(value any) error {
	v.gauge.step()
	if v.types != nil && !ofType(v.types, value) ||
		v.only != nil && !v.gauge.same(*v.only, value) ||
		v.listed && !v.has(value) ||
		v.unique && !v.gauge.unique(value) {
		return errRefused
	}
	return nil
}

func ofType(types []string, value any) bool {
	switch value := value.(type) {
	case nil:
		return slices.Contains(types, "null")
	case bool:
		return slices.Contains(types, "boolean")
	case string:
		return slices.Contains(types, "string")
	case []any:
		return slices.Contains(types, "array")
	case map[string]any:
		return slices.Contains(types, "object")
	case json.Number:
		return slices.Contains(types, "number") || slices.Contains(types, "integer") && isInteger(value)
	default:
		return false
	}
}

func isInteger(n json.Number) bool {
	ratio, ok := new(big.Rat).SetString(string(n))
	return ok && ratio.IsInt()
}

func isNested(value any) bool {
	switch value.(type) {
	case []any, map[string]any:
		return true
	default:
		return false
	}
}

// has reports whether enum has the value.
func (v *values) has(value any) bool {
	if isNested(value) {
		return slices.ContainsFunc(v.nested, func(other any) bool { return v.gauge.same(other, value) })
	}
	_, ok := v.scalars[string(v.gauge.form(nil, value))]
	return ok
}

// same reports whether two values are equal; numbers are by what they come to.
func (g *gauge) same(a, b any) bool {
	g.step()
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, g.same)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, value := range a {
			if other, ok := b[key]; !ok || !g.same(value, other) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || Decimal(string(a)) == Decimal(string(b)))
	default:
		return !isNested(b) && a == b
	}
}

// unique reports whether a value is no array or has no element twice.
func (g *gauge) unique(value any) bool {
	elements, ok := value.([]any)
	if !ok {
		return true
	}
	seen := make(map[string]struct{}, len(elements))
	var form []byte
	for _, element := range elements {
		form = g.form(form[:0], element)
		if _, ok := seen[string(form)]; ok {
			return false
		}
		seen[string(form)] = struct{}{}
	}
	return true
}

// form appends the one spelling that all equal values share.
func (g *gauge) form(b []byte, value any) []byte {
	g.step()
	switch v := value.(type) {
	case []any:
		b = append(b, '[')
		for _, element := range v {
			b = append(g.form(b, element), ',')
		}
		return append(b, ']')
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		b = append(b, '{')
		for _, key := range keys {
			b = append(strconv.AppendQuote(b, key), ':')
			b = append(g.form(b, v[key]), ',')
		}
		return append(b, '}')
	case string:
		return strconv.AppendQuote(b, v)
	case json.Number:
		return append(b, Decimal(string(v))...)
	case bool:
		return strconv.AppendBool(b, v)
	default:
		return append(b, "null"...)
	}
}
