// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// join adds a join once and returns its alias.
func (c *conditions) join(prefix, what string, clause func(alias string) string) string {
	c.joining++
	if name, found := c.joined[what]; found {
		return name
	}
	if c.joined == nil {
		c.joined = map[string]string{}
	}
	name := prefix + strconv.Itoa(len(c.joined))
	c.joined[what] = name
	c.joins = append(c.joins, clause(name))
	return name
}

// origin joins the rows of what spans of one process share.
func (c *conditions) origin() string {
	return c.join("o", "origins", func(name string) string {
		return "LEFT JOIN origins " + name + " ON " + name + ".id = s.origin"
	})
}

// resourceAttribute returns the text of a resource attribute, whose key is UTF-8.
func (c *conditions) resourceAttribute(key string) string {
	name := c.join("r", "resource "+key, func(name string) string {
		return "LEFT JOIN (SELECT id, vals[list_position(keys, " + c.bind(key) + ")] AS v FROM origins) " + name +
			" ON " + name + ".id = s.origin"
	})
	return name + ".v"
}

// spanAttribute returns the text of a span attribute, whose key is UTF-8.
func (c *conditions) spanAttribute(key string) string {
	list := strconv.Itoa(tables.ListOf(key))
	name := c.join("a", "attribute "+key, func(name string) string {
		value := c.bind(key)
		return "LEFT JOIN (SELECT id, list_position(kept" + list + ", " + value + ") AS at, list_contains(folded, " + value +
			") AS folded FROM shapes) " + name + " ON " + name + ".id = s.attr_shape"
	})
	kept := "s.attrs" + list + "[" + name + ".at]"
	if column := tables.Foldable(key); column != "" {
		return "CASE WHEN " + name + ".folded THEN s." + column + "::VARCHAR ELSE " + kept + " END"
	}
	return kept
}
