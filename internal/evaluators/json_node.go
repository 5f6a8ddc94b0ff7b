// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// node is a JSON value made ready to be compared many times: two nodes of one
// interner are deeply equal when their ids are. Objects are unordered, arrays
// ordered, numbers equal by value, and a boolean never equals a number.
type node struct {
	id      int
	object  bool
	members []nodeMember // of an object, by key
	size    int          // members that comparing it can visit
}

type nodeMember struct {
	key   string
	value *node
}

// interner gives equal values equal ids.
type interner struct {
	ids map[string]int
}

func (in *interner) id(form string) int {
	if id, ok := in.ids[form]; ok {
		return id
	}
	id := len(in.ids)
	in.ids[form] = id
	return id
}

// node takes decoded JSON whose nesting is bounded.
func (in *interner) node(value any) *node {
	switch v := value.(type) {
	case map[string]any:
		return in.objectNode(v)
	case []any:
		n := &node{}
		var form strings.Builder
		form.WriteByte('[')
		for _, element := range v {
			form.WriteString(strconv.Itoa(in.node(element).id))
			form.WriteByte(',')
		}
		n.id = in.id(form.String())
		return n
	case string:
		return &node{id: in.id(`"` + v)}
	case json.Number:
		return &node{id: in.id("#" + decimal(v.String()))}
	case bool:
		return &node{id: in.id("?" + strconv.FormatBool(v))}
	default:
		return &node{id: in.id("null")}
	}
}

func (in *interner) objectNode(object map[string]any) *node {
	n := &node{object: true, members: make([]nodeMember, 0, len(object))}
	for key, value := range object {
		child := in.node(value)
		n.size += child.size + 1
		n.members = append(n.members, nodeMember{key, child})
	}
	slices.SortFunc(n.members, func(a, b nodeMember) int { return strings.Compare(a.key, b.key) })
	var form strings.Builder
	form.WriteByte('{')
	for _, m := range n.members {
		form.WriteString(strconv.Quote(m.key))
		form.WriteString(strconv.Itoa(m.value.id))
	}
	n.id = in.id(form.String())
	return n
}

// alike gives the share, 0 to 1, of the members of two nodes that are equal,
// over the union of their keys.
func alike(a, b *node) float64 {
	if a.id == b.id {
		return 1
	}
	if !a.object || !b.object {
		return 0
	}
	equal, union := 0.0, 0
	for i, j := 0, 0; i < len(a.members) || j < len(b.members); union++ {
		switch {
		case j == len(b.members) || i < len(a.members) && a.members[i].key < b.members[j].key:
			i++
		case i == len(a.members) || a.members[i].key > b.members[j].key:
			j++
		default:
			equal += alike(a.members[i].value, b.members[j].value)
			i++
			j++
		}
	}
	return equal / float64(union)
}

// differing gives the keys, in order, under which two nodes are not equal.
func differing(a, b *node) []string {
	var keys []string
	for i, j := 0, 0; i < len(a.members) || j < len(b.members); {
		switch {
		case j == len(b.members) || i < len(a.members) && a.members[i].key < b.members[j].key:
			keys = append(keys, a.members[i].key)
			i++
		case i == len(a.members) || a.members[i].key > b.members[j].key:
			keys = append(keys, b.members[j].key)
			j++
		default:
			if a.members[i].value.id != b.members[j].value.id {
				keys = append(keys, a.members[i].key)
			}
			i++
			j++
		}
	}
	return keys
}

// decimal gives the one spelling that all JSON numbers of a value share: digits
// without zeros at either end, and the power of ten of the last one. It never
// computes the number, so no exponent is too large.
func decimal(number string) string {
	digits, sign := number, ""
	if rest, ok := strings.CutPrefix(digits, "-"); ok {
		digits, sign = rest, "-"
	}
	exponent := 0
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		n, err := strconv.Atoi(digits[i+1:])
		if err != nil || n > 1e15 || n < -1e15 {
			return number
		}
		digits, exponent = digits[:i], n
	}
	if whole, fraction, ok := strings.Cut(digits, "."); ok {
		digits = whole + fraction
		exponent -= len(fraction)
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return "0"
	}
	short := strings.TrimRight(digits, "0")
	return sign + short + "e" + strconv.Itoa(exponent+len(digits)-len(short))
}
