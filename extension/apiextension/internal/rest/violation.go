// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// violation is one thing that is wrong with a body.
type violation struct {
	path []string // names of members and indexes of elements
	text string   // what the value must be
	// whole says that the violation is about the number of elements, so that
	// violations of single elements are left out.
	whole bool
	// mistyped says that the value is of another type than is wanted.
	mistyped bool
	quoted   bool    // whether that is a string where a number must be
	weight   float64 // how far the value is from what is wanted
}

// violations returns what an error of the validator comes to, in the order of
// the fields.
func (s *Schema) violations(e *jsonschema.ValidationError) []violation {
	all := s.collect(e)
	slices.SortStableFunc(all, func(a, b violation) int {
		return cmp.Or(slices.CompareFunc(a.path, b.path, comparePart), cmp.Compare(a.text, b.text))
	})
	all = slices.CompactFunc(all, func(a, b violation) bool { return slices.Equal(a.path, b.path) && a.text == b.text })
	// What is within a list or an object follows it at once.
	var tooMany []string
	return slices.DeleteFunc(all, func(v violation) bool {
		if tooMany != nil && len(v.path) > len(tooMany) && slices.Equal(v.path[:len(tooMany)], tooMany) {
			return true
		}
		if v.whole {
			tooMany = v.path
		}
		return false
	})
}

// comparePart orders indexes as numbers, and before names.
func comparePart(a, b string) int {
	switch m, n := isIndex(a), isIndex(b); {
	case m && n:
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	case m:
		return -1
	case n:
		return 1
	}
	return cmp.Compare(a, b)
}

func (s *Schema) collect(e *jsonschema.ValidationError) []violation {
	switch e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		var all []violation
		for _, cause := range e.Causes {
			all = append(all, s.collect(cause)...)
		}
		return all
	case *kind.AnyOf, *kind.OneOf:
		return s.nearest(e)
	}
	return s.leaf(e)
}

// nearest returns what is wrong by that alternative which the value is nearest
// to, of those that want its type.
func (s *Schema) nearest(e *jsonschema.ValidationError) []violation {
	var best []violation
	least := 0.0
	for _, cause := range e.Causes {
		all := s.collect(cause)
		far, mistyped := 0.0, false
		for _, v := range all {
			far += v.weight
			mistyped = mistyped || v.mistyped && len(v.path) == len(e.InstanceLocation)
		}
		if !mistyped && (best == nil || far < least) {
			best, least = all, far
		}
	}
	if best != nil {
		return best
	}
	text := "is not valid"
	if n := s.nodes[e.SchemaURL]; n != nil {
		text = "must be " + n.wanted()
	}
	return []violation{{path: e.InstanceLocation, text: text, mistyped: true, weight: 1}}
}

// leaf returns what is wrong by one keyword.
func (s *Schema) leaf(e *jsonschema.ValidationError) []violation {
	n := s.nodes[e.SchemaURL]
	if n == nil {
		return []violation{{path: e.InstanceLocation, text: "is not valid", weight: 1}}
	}
	if missing, ok := e.ErrorKind.(*kind.Required); ok {
		all := make([]violation, len(missing.Missing))
		for i, name := range missing.Missing {
			path := append(slices.Clone(e.InstanceLocation), name)
			all[i] = violation{path: path, text: "is required", weight: 1 / float64(len(n.Required))}
		}
		return all
	}
	v := violation{path: e.InstanceLocation, weight: 1}
	switch k := e.ErrorKind.(type) {
	case *kind.MaxItems, *kind.MaxProperties, *kind.MinItems, *kind.MinProperties:
		v.whole = true
	case *kind.Type:
		v.mistyped = true
		v.quoted = k.Got == "string" && n.isNumber()
	case *kind.MinLength:
		if k.Got == 0 {
			v.text = "must not be blank"
			if last := len(v.path) - 1; last >= 0 && !isIndex(v.path[last]) {
				v.text = "is required"
			}
			return []violation{v}
		}
	}
	v.text = n.requirement(e.ErrorKind)
	return []violation{v}
}

// message names the field as it stands in the body and tells what it must be.
func (v *violation) message(body any) string {
	text := fieldName(v.path, body) + " " + v.text
	if v.quoted && !isUncomputable(valueAt(v.path, body)) {
		text += ", got a string"
	}
	return text
}

// isUncomputable reports whether a text is one that tidy made of a number.
func isUncomputable(value any) bool {
	text, is := value.(string)
	return is && json.Valid([]byte(text)) && !computable(json.Number(text))
}

// valueAt returns what stands at a path of a body.
func valueAt(path []string, body any) any {
	for _, part := range path {
		list, ok := body.([]any)
		if !ok {
			body = member(body, part)
			continue
		}
		i, ok := index(part, len(list))
		if !ok {
			return nil
		}
		body = list[i]
	}
	return body
}

// fieldName spells a path, such as selector[0].operator.
func fieldName(path []string, body any) string {
	if len(path) == 0 {
		return "request body"
	}
	var b strings.Builder
	for _, part := range path {
		if list, ok := body.([]any); ok {
			b.WriteString("[" + part + "]")
			body = nil
			if i, ok := index(part, len(list)); ok {
				body = list[i]
			}
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(Cut(part))
		body = member(body, part)
	}
	return b.String()
}

// Cut returns enough of a name to know it by.
func Cut(name string) string {
	const enough = 100
	if len(name) > enough {
		name = name[:enough]
	}
	return strings.ToValidUTF8(name, "\uFFFD")
}

// index reads the index of an element of a list of n.
func index(text string, n int) (int, bool) {
	i, err := strconv.Atoi(text)
	return i, err == nil && i >= 0 && i < n
}

// isIndex reports whether a part of a path is a number as indexes are written.
func isIndex(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text == "0" || text != "" && text[0] != '0'
}
