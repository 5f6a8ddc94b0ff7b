// SPDX-License-Identifier: Apache-2.0

// Package tokens is the index of exact attributes: what it holds of a span, and
// what a query asks of it.
package tokens

import (
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
)

// An index of attributes: for each span a token of every attribute, which is its map,
// its key and its value. A filter by exact values reads then what may have them,
// and not the maps of all spans. It is no more than that: filters say what matches.
// https://clickhouse.com/docs/engines/table-engines/mergetree-family/textindexes

// Most is how many bytes a token has; what is longer is looked for in all spans.
const Most = 192

// Expression is the expression of the tokens of a span. It is part of a migration, and of
// queries, which find the index by it.
const Expression = `arrayFilter(t -> length(t) <= 192, arrayConcat(` +
	`arrayMap((k, v) -> concat('s', k, '\0', v), mapKeys(attributes), mapValues(attributes)), ` +
	`arrayMap((k, v) -> concat('r', k, '\0', v), mapKeys(resource), mapValues(resource))))`

// tokenMaps are the first bytes of the tokens of the maps that a field is looked for in.
var tokenMaps = map[query.FieldKind]string{query.FieldAttribute: "sr", query.FieldSpanAttribute: "s", query.FieldResourceAttribute: "r"}

// Having returns conditions that all spans meet which filters let through, as far
// as the index tells, each behind an AND.
func Having(filters []query.Filter) string {
	var all strings.Builder
	for i := range filters {
		if filters[i].Operator == query.OpAll {
			all.WriteString(Having(filters[i].Filters))
		} else if list := either(&filters[i]); len(list) > 0 {
			all.WriteString(" AND hasAny(" + Expression + ", [" + sqltext.Literals(list) + "])")
		}
	}
	return all.String()
}

// either returns the tokens of which a span has one that a filter lets through, none where
// the index does not tell.
func either(f *query.Filter) (list []string) {
	if f.Operator != query.OpAny {
		return attributeTokens(f)
	}
	for i := range f.Filters {
		some := either(&f.Filters[i])
		if len(some) == 0 {
			return nil
		}
		list = append(list, some...)
	}
	return list
}

// Lacking returns the negated of the filters whose positive twins the index knows, as a
// filter that lets through what one of the twins does, and the others; false if there
// are none. What all filters let through are the spans that the others do, less those
// that both do.
func Lacking(filters []query.Filter) (others []query.Filter, twin query.Filter, some bool) {
	twin.Operator = query.OpAny
	for _, f := range filters {
		if f.Operator == query.OpAll {
			within, of, _ := Lacking(f.Filters)
			others, twin.Filters = append(others, within...), append(twin.Filters, of.Filters...)
			continue
		}
		positive, negated := f, false
		if positive.Operator, negated = f.Operator.Positive(); negated && len(either(&positive)) > 0 {
			twin.Filters = append(twin.Filters, positive)
			continue
		}
		others = append(others, f)
	}
	return others, twin, len(twin.Filters) > 0
}

// exactly returns the values that a filter asks for, one of which a text must be; nil of
// another filter.
func exactly(f *query.Filter) []string {
	switch f.Operator {
	case query.OpEquals:
		return []string{f.Value}
	case query.OpIn:
		return f.Values
	}
	return nil
}

// attributeTokens returns the tokens of which a span has one that a filter lets through,
// none where the index does not tell.
func attributeTokens(f *query.Filter) (list []string) {
	for _, m := range tokenMaps[f.Field.Kind] {
		for _, v := range exactly(f) {
			token := string(m) + f.Field.Name + "\x00" + v
			if len(token) > Most || !utf8.ValidString(token) {
				return nil
			}
			list = append(list, token)
		}
	}
	return list
}
