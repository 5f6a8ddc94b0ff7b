// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// requirement returns what a value must be that a keyword of the schema refused.
func (n *node) requirement(refused jsonschema.ErrorKind) string {
	switch k := refused.(type) {
	case *kind.MinItems, *kind.MinProperties:
		return "must contain at least one item"
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d items", k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %d items", k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("must be at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("must be at most %d characters", k.Want)
	case *kind.Enum:
		var all []string
		for _, v := range k.Want {
			if text, ok := v.(string); ok && text != "" {
				all = append(all, text)
			}
		}
		return "must be one of " + strings.Join(all, ", ")
	case *kind.Type:
		if len(k.Want) == 1 && k.Want[0] == "string" {
			return "must be a string"
		}
		return "must be " + n.wanted()
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum:
		return "must be " + n.wanted()
	}
	if n.want != "" {
		return "must be " + n.want
	}
	return "is not valid"
}

// isNumber reports whether a value must be a number, or null.
func (n *node) isNumber() bool {
	return n.Types != nil && !slices.ContainsFunc(n.Types.ToStrings(), func(t string) bool {
		return t != "integer" && t != "number" && t != "null"
	})
}

// typeNames are the types in the order in which errors name them.
var typeNames = [...][2]string{
	{"array", "an array"},
	{"object", "a JSON object"},
	{"string", "a string"},
	{"integer", ""},
	{"number", ""},
	{"boolean", "a boolean"},
}

// wanted says what a value must be, as in "an array or a string".
func (n *node) wanted() string {
	if n.want != "" {
		return n.want
	}
	if n.Types == nil {
		return "something else"
	}
	types := n.Types.ToStrings()
	var all []string
	for _, t := range typeNames {
		switch {
		case !slices.Contains(types, t[0]):
		case t[1] == "":
			all = append(all, n.number(t[0]))
		default:
			all = append(all, t[1])
		}
	}
	if last := len(all) - 1; last > 0 {
		return strings.Join(all[:last], ", ") + " or " + all[last]
	}
	return strings.Join(all, "")
}

// number says which numbers a value may be.
func (n *node) number(kind string) string {
	text := "a number"
	if kind == "integer" {
		text = "a whole number"
	}
	switch {
	case n.ExclusiveMinimum != nil && n.Maximum != nil:
		return text + " above " + formatBound(n.ExclusiveMinimum) + " and at most " + formatBound(n.Maximum)
	case n.ExclusiveMinimum != nil:
		return text + " above " + formatBound(n.ExclusiveMinimum)
	case n.Minimum != nil && n.Maximum != nil:
		return text + " from " + formatBound(n.Minimum) + " to " + formatBound(n.Maximum)
	case n.Minimum != nil:
		return text + " of at least " + formatBound(n.Minimum)
	}
	return text
}

// formatBound writes a bound as the document does.
func formatBound(bound *big.Rat) string {
	if bound.IsInt() {
		return bound.Num().String()
	}
	return strings.TrimRight(bound.FloatString(10), "0")
}
