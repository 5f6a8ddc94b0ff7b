// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
)

// sidedJudgements are judgements with the outputs that speak for a span or against it: how
// many, where in the list of values, and by which text they speak for it. Nearly all have
// one at most, which goodText need not make a list for.
var sidedJudgements = func() string {
	var known []string
	goods := "CASE"
	for _, s := range eval.Sides() {
		names := make([]string, len(s.Names))
		for i, name := range s.Names {
			names[i] = sqltext.Quoted(name)
		}
		is := "names[i] IN (" + strings.Join(names, ", ") + ")"
		if s.Prefix != "" {
			is = "(" + is + " OR starts_with(names[i], " + sqltext.Quoted(s.Prefix) + "))"
		}
		goods += " WHEN " + is + " THEN " + sqltext.Quoted(s.Good)
		if !s.Any {
			is += " AND kinds[i] = 'b'"
		}
		known = append(known, is)
	}
	return "(SELECT *, len(places) AS sides, places[1] AS place1, goods[1] AS good1 FROM (SELECT *, list_transform(places, lambda i: " + goods + " END) AS goods FROM (" +
		"SELECT *, CASE WHEN status = 'done' THEN list_filter(range(1, len(names) + 1), lambda i: " + strings.Join(known, " OR ") + ") ELSE [] END AS places FROM judgements)))"
}()

// goodText is whether an evaluation e speaks for its span, as query.RecordGood is, where j
// is one of sidedJudgements.
const goodText = "CASE WHEN j.sides = 0 THEN '' WHEN j.sides = 1 THEN CASE WHEN e.vals[j.place1] = j.good1 THEN 'true' ELSE 'false' END" +
	" WHEN list_select(e.vals, j.places) = j.goods THEN 'true' ELSE 'false' END"
