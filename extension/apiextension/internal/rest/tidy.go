// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"encoding/json"
	"slices"
	"strings"
)

// longestNumber is the size in characters up to which a number is computed with.
const longestNumber = 400

// tidy returns a value, of which all of the schemas speak, the form that they
// know: names of members as the document writes them, whatever their case;
// no member that is null where the document wants none; no number that costs
// more to read than it can mean. Lists and objects with more elements than the
// schemas let pass are cut behind the first that is too many, so that the
// number of refusals stays in bounds. Where the schemas say nothing the value
// stays as it was.
func tidy(value any, nodes []*node) any {
	nodes = spread(nodes)
	switch v := value.(type) {
	case map[string]any:
		return tidyObject(v, nodes)
	case []any:
		var items []*node
		for _, n := range nodes {
			if n.MaxItems != nil && len(v) > *n.MaxItems+1 {
				v = v[:*n.MaxItems+1]
			}
			if n.items != nil {
				items = append(items, n.items)
			}
		}
		if len(items) > 0 {
			for i := range v {
				v[i] = tidy(v[i], items)
			}
		}
		return v
	case string:
		return listed(v, nodes)
	case json.Number:
		if len(nodes) > 0 && !computable(v) {
			return v.String() // which is no number, and a text where one may stand
		}
	}
	return value
}

// listed returns a text as an enumeration spells it whose values may be in any
// case.
func listed(text string, nodes []*node) string {
	for _, n := range nodes {
		if !n.anyCase || n.Enum == nil {
			continue
		}
		for _, value := range n.Enum.Values {
			if as, ok := value.(string); ok && strings.EqualFold(as, text) {
				return as
			}
		}
	}
	return text
}

func tidyObject(v map[string]any, nodes []*node) any {
	most := len(v)
	for _, n := range nodes {
		if n.MaxProperties != nil {
			most = min(most, *n.MaxProperties+1)
		}
	}
	tidied := make(map[string]any, most)
	var others []string // names in another spelling than the document's
	for name, value := range v {
		switch {
		case len(tidied) == most:
		case spelled(name, nodes) != name:
			others = append(others, name)
		default:
			put(tidied, name, value, nodes)
		}
	}
	slices.Sort(others)
	for _, name := range others {
		as := spelled(name, nodes)
		_, given := v[as]
		if _, taken := tidied[as]; !given && !taken {
			put(tidied, as, v[name], nodes)
		}
	}
	return tidied
}

// put adds a member to an object, unless it is null where no null is wanted.
func put(object map[string]any, name string, value any, nodes []*node) {
	var members []*node
	declared, null := false, false
	for _, n := range nodes {
		if p := n.properties[name]; p != nil {
			members, declared, null = append(members, p), true, null || p.null
		} else if n.more != nil {
			members = append(members, n.more)
			null = null || n.more.null
		}
	}
	if value != nil || !declared || null {
		object[name] = tidy(value, members)
	}
}

// spelled returns the name as a schema has it that differs at most in case.
func spelled(name string, nodes []*node) string {
	as, lower := name, ""
	for _, n := range nodes {
		if len(n.properties) == 0 {
			continue
		}
		if n.properties[name] != nil {
			return name
		}
		if lower == "" {
			lower = strings.ToLower(name)
		}
		if property, found := n.lower[lower]; found {
			as = property
		}
	}
	return as
}

// spread returns nodes with all that they hold for the same value.
func spread(nodes []*node) []*node {
	if len(nodes) == 1 {
		return nodes[0].all
	}
	var all []*node
	for _, n := range nodes {
		all = append(all, n.all...)
	}
	return all
}

// computable reports whether a number is one that a float64 comes near to.
// Others are exact fractions to the validator, of any size.
func computable(n json.Number) bool {
	if len(n) > longestNumber {
		return false
	}
	f, err := n.Float64()
	mantissa, _, _ := strings.Cut(strings.ToLower(n.String()), "e")
	return err == nil && (f != 0 || !strings.ContainsAny(mantissa, "123456789"))
}
