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
	for _, f := range filters {
		switch f.Operator {
		case query.OpAll:
			all.WriteString(Having(f.Filters))
		case query.OpEquals:
			all.WriteString(havingToken(f.Field, []string{f.Value}))
		case query.OpIn:
			all.WriteString(havingToken(f.Field, f.Values))
		}
	}
	return all.String()
}

// havingToken returns the condition that a span has one of these values of a field, ""
// where the index does not tell.
func havingToken(f query.Field, values []string) string {
	var list []string
	for _, m := range tokenMaps[f.Kind] {
		for _, v := range values {
			token := string(m) + f.Name + "\x00" + v
			if len(token) > Most || !utf8.ValidString(token) {
				return ""
			}
			list = append(list, token)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " AND hasAny(" + Expression + ", [" + sqltext.Literals(list) + "])"
}
