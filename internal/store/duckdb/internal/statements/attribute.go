// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// attributeOperand is an attribute of the span, or of its resource where the span
// has none of this key.
type attributeOperand struct {
	key                string
	ofSpan, ofResource bool
}

func (o attributeOperand) test(c *conditions, f query.Filter) string {
	if !utf8.ValidString(o.key) {
		return "" // stored keys are UTF-8
	}
	if c.in == nil {
		c.varies = true
		return o.scan(c, f)
	}
	places := c.in.places(o.key)
	o.ofSpan = o.ofSpan && (places.kept || places.folded)
	o.ofResource = o.ofResource && places.resource
	exact := f.Operator == query.OpEquals || f.Operator == query.OpIn
	switch {
	case !o.ofSpan && !o.ofResource:
		return ""
	case !o.ofSpan:
		return o.onResource(c, f)
	case f.Operator == query.OpExists:
		return o.exists(c)
	case exact && c.in.indexed && held(f):
		return o.lookUp(c, f, places)
	}
	return o.scan(c, f)
}

// scan returns the condition on the text of the attribute.
func (o attributeOperand) scan(c *conditions, f query.Filter) string {
	return c.compareText(o.text(c), f)
}

// text returns the text of the attribute, null where it is absent. The key is UTF-8.
func (o attributeOperand) text(c *conditions) string {
	switch {
	case !o.ofResource:
		return c.spanAttribute(o.key)
	case !o.ofSpan:
		return c.resourceAttribute(o.key)
	}
	return "coalesce(" + c.spanAttribute(o.key) + ", " + c.resourceAttribute(o.key) + ")"
}

// onResource returns the condition on the attribute of the resource, of which there
// are few.
func (o attributeOperand) onResource(c *conditions, f query.Filter) string {
	condition := c.compareText("v", f)
	if condition == "" {
		return ""
	}
	return "s.origin IN (SELECT id FROM (SELECT id, vals[list_position(keys, " + c.bind(o.key) + ")] AS v FROM origins) WHERE " + condition + ")"
}

// shapes returns the ids of the shapes of attributes that have the key.
func (o attributeOperand) shapes(c *conditions) string {
	key := c.bind(o.key)
	return "(SELECT id FROM shapes WHERE list_contains(kept" + strconv.Itoa(tables.ListOf(o.key)) + ", " + key + ") OR list_contains(folded, " + key + "))"
}

func (o attributeOperand) exists(c *conditions) string {
	condition := "s.attr_shape IN " + o.shapes(c)
	if o.ofResource {
		condition += " OR " + o.onResource(c, query.Filter{Operator: query.OpExists})
	}
	return condition
}

// lookUp returns the condition that the attribute has one of f's values, by the
// index: where the span has a value of its own, where a column has it, or where the
// resource has it.
func (o attributeOperand) lookUp(c *conditions, f query.Filter, places places) string {
	var parts []string
	n, exact := int64(0), true
	if places.kept {
		tokens := c.in.tokens(o.key, valuesOf(f))
		set := c.in.find("tokens", func(*conditions) string { return "token IN (" + tokens + ")" })
		n = set.n
		if set.n > 0 {
			parts = append(parts, set.condition(c))
		}
	}
	if places.folded {
		exact = false
		condition := c.compareText("s."+tables.Foldable(o.key)+"::VARCHAR", f)
		parts = append(parts, "(s.attr_shape IN (SELECT id FROM shapes WHERE list_contains(folded, "+c.bind(o.key)+")) AND "+condition+")")
	}
	if o.ofResource {
		exact = false
		parts = append(parts, "(s.attr_shape NOT IN "+o.shapes(c)+" AND "+o.onResource(c, f)+")")
	}
	if exact {
		c.in.count(n)
	}
	return strings.Join(parts, " OR ")
}

// valuesOf returns the values that a filter by equality asks for.
func valuesOf(f query.Filter) []string {
	if f.Operator == query.OpIn {
		return f.Values
	}
	return []string{f.Value}
}

// held reports whether the index can tell where the values of a filter are.
func held(f query.Filter) bool {
	for _, v := range valuesOf(f) {
		if !index.Holds(v) {
			return false
		}
	}
	return true
}
