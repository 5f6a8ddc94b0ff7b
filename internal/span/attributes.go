// SPDX-License-Identifier: Apache-2.0

package span

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Attribute is one key with its value as text.
type Attribute struct {
	Key   string
	Value string
}

// Attributes is a map from key to text, kept as a slice sorted by key (byte
// order) without duplicates: smaller than a map, and always in one order.
type Attributes []Attribute

// NewAttributes sorts list in place and keeps the first of equal keys.
func NewAttributes(list []Attribute) Attributes {
	sortByKey(list)
	return slices.CompactFunc(list, func(a, b Attribute) bool { return a.Key == b.Key })
}

// sortByKey sorts, keeping the order of equal keys. Lists as short as a
// span's are sorted by their places first, which are cheaper to move.
func sortByKey(list []Attribute) {
	const short = 64
	if len(list) > short {
		slices.SortStableFunc(list, func(a, b Attribute) int { return strings.Compare(a.Key, b.Key) })
		return
	}
	var places [short]int // places[i] is where the i-th of the sorted list stands
	for i := range list {
		at, to := 0, i // behind every key that is not greater
		for at < to {
			if middle := (at + to) / 2; list[places[middle]].Key <= list[i].Key {
				at = middle + 1
			} else {
				to = middle
			}
		}
		copy(places[at+1:i+1], places[at:i])
		places[at] = i
	}
	for start := range list {
		if places[start] == start {
			continue
		}
		first := list[start] // of a circle of moves
		for i := start; ; {
			from := places[i]
			places[i] = i
			if from == start {
				list[i] = first
				break
			}
			list[i] = list[from]
			i = from
		}
	}
}

// Get returns the value of key and whether it is there.
func (a Attributes) Get(key string) (string, bool) {
	i, found := slices.BinarySearchFunc(a, key, func(x Attribute, k string) int { return strings.Compare(x.Key, k) })
	if !found {
		return "", false
	}
	return a[i].Value, true
}

// With returns the attributes with key set to value; a itself may be changed.
func (a Attributes) With(key, value string) Attributes {
	i, found := slices.BinarySearchFunc(a, key, func(x Attribute, k string) int { return strings.Compare(x.Key, k) })
	if found {
		a[i].Value = value
		return a
	}
	return slices.Insert(a, i, Attribute{Key: key, Value: value})
}

// MarshalJSON writes an object, {} when there are none.
func (a Attributes) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range a {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, text := range [2]string{x.Key, x.Value} {
			if j == 1 {
				b.WriteByte(':')
			}
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(text); err != nil {
				return nil, err
			}
			b.Truncate(b.Len() - 1) // the encoder's newline
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object of strings.
func (a *Attributes) UnmarshalJSON(data []byte) error {
	var m map[string]string
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	list := make([]Attribute, 0, len(m))
	for k, v := range m {
		list = append(list, Attribute{Key: k, Value: v})
	}
	*a = NewAttributes(list)
	return nil
}
