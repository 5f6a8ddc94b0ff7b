// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"encoding/json"
	"math"
	"math/big"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// counts are the keywords that bound how many of something there may be:
// https://json-schema.org/draft/2020-12/json-schema-validation#section-6.
var counts = map[string]func(*jsonschema.Schema) *int{
	"minLength":     func(s *jsonschema.Schema) *int { return s.MinLength },
	"maxLength":     func(s *jsonschema.Schema) *int { return s.MaxLength },
	"minItems":      func(s *jsonschema.Schema) *int { return s.MinItems },
	"maxItems":      func(s *jsonschema.Schema) *int { return s.MaxItems },
	"minContains":   func(s *jsonschema.Schema) *int { return s.MinContains },
	"maxContains":   func(s *jsonschema.Schema) *int { return s.MaxContains },
	"minProperties": func(s *jsonschema.Schema) *int { return s.MinProperties },
	"maxProperties": func(s *jsonschema.Schema) *int { return s.MaxProperties },
}

// holdCounts makes the counts of a schema that are larger than an int, of which the
// library keeps the last 64 bits, the largest int: nothing has as many of anything.
// keywords are the members of the schema as they are written.
func holdCounts(s *jsonschema.Schema, keywords map[string]any) {
	for keyword, count := range counts {
		held := count(s)
		text, written := keywords[keyword].(json.Number)
		if held == nil || !written {
			continue
		}
		if n, ok := new(big.Rat).SetString(string(text)); ok && n.Cmp(big.NewRat(math.MaxInt, 1)) > 0 {
			*held = math.MaxInt
		}
	}
}
