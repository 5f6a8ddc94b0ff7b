// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Node is a JSON value made ready to be compared many times: two nodes of one
// Interner are deeply equal when their ids are. Objects are unordered, arrays
// ordered, numbers equal by value, and a boolean never equals a number.
type Node struct {
	ID      int
	object  bool
	members []nodeMember // of an object, by key
	Size    int          // members that comparing it can visit
}

type nodeMember struct {
	key   string
	value *Node
}

// Interner gives equal values equal ids.
type Interner struct {
	ids map[string]int
}

// NewInterner returns an interner that has seen nothing.
func NewInterner() *Interner { return &Interner{ids: make(map[string]int)} }

func (in *Interner) id(form string) int {
	if id, ok := in.ids[form]; ok {
		return id
	}
	id := len(in.ids)
	in.ids[form] = id
	return id
}

// Node takes decoded JSON whose nesting is bounded.
func (in *Interner) Node(value any) *Node {
	switch v := value.(type) {
	case map[string]any:
		return in.objectNode(v)
	case []any:
		n := &Node{}
		var form strings.Builder
		form.WriteByte('[')
		for _, element := range v {
			form.WriteString(strconv.Itoa(in.Node(element).ID))
			form.WriteByte(',')
		}
		n.ID = in.id(form.String())
		return n
	case string:
		return &Node{ID: in.id(`"` + v)}
	case json.Number:
		return &Node{ID: in.id("#" + Decimal(v.String()))}
	case bool:
		return &Node{ID: in.id("?" + strconv.FormatBool(v))}
	default:
		return &Node{ID: in.id("null")}
	}
}

func (in *Interner) objectNode(object map[string]any) *Node {
	n := &Node{object: true, members: make([]nodeMember, 0, len(object))}
	for key, value := range object {
		child := in.Node(value)
		n.Size += child.Size + 1
		n.members = append(n.members, nodeMember{key, child})
	}
	slices.SortFunc(n.members, func(a, b nodeMember) int { return strings.Compare(a.key, b.key) })
	var form strings.Builder
	form.WriteByte('{')
	for _, m := range n.members {
		form.WriteString(strconv.Quote(m.key))
		form.WriteString(strconv.Itoa(m.value.ID))
	}
	n.ID = in.id(form.String())
	return n
}

// Alike returns the share, 0 to 1, of the members of two nodes that are equal,
// over the union of their keys.
func Alike(a, b *Node) float64 {
	if a.ID == b.ID {
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
			equal += Alike(a.members[i].value, b.members[j].value)
			i++
			j++
		}
	}
	return equal / float64(union)
}

// Differing returns the keys, in order, under which two nodes are not equal.
func Differing(a, b *Node) []string {
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
			if a.members[i].value.ID != b.members[j].value.ID {
				keys = append(keys, a.members[i].key)
			}
			i++
			j++
		}
	}
	return keys
}

// Decimal returns the one spelling that all JSON numbers of a value share: digits
// without zeros at either end, and the power of ten of the last one. It never
// computes the number, so no exponent is too large.
func Decimal(number string) string {
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
