// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"math"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// pointColumn is one column of an order of points.
type pointColumn struct {
	// expr is what the engine sorts by. Names sort by their rank within the
	// partition: numbers are cheaper than texts.
	expr string
	// side gives the conditions that a point is beyond the position's value, and
	// that it has it.
	side func(st pointStatement, p store.PointPosition, than string) (beyond, equal string)
}

// pointColumns gives the columns that an order of points consists of.
func pointColumns(by store.PointKey) []pointColumn {
	names := named("j.ranked", "j.setup", "j.evaluator", "j.name")
	var list []pointColumn
	switch by {
	case store.PointByEvaluator:
		list = append(list, named("j.kin", "j.evaluator", "j.name"))
		names = named("j.owner", "j.setup")
	case store.PointByNumber:
		list = append(list, valued(pointNumber(by), "DOUBLE", func(p store.PointPosition) any { return p.Number }))
	case store.PointByStart: // as all
	}
	return append(list,
		valued("s.start", "BIGINT", func(p store.PointPosition) any { return p.Start }),
		valued("s.trace_hi", "BIGINT", func(p store.PointPosition) any { return signed(p.Span.TraceID[:8]) }),
		valued("s.trace_lo", "BIGINT", func(p store.PointPosition) any { return signed(p.Span.TraceID[8:]) }),
		valued("s.span_id", "BIGINT", func(p store.PointPosition) any { return signed(p.Span.SpanID[:]) }),
		names,
	)
}

// pointNumber gives what PointByNumber sorts by; other orders do not look.
func pointNumber(by store.PointKey) string {
	if by != store.PointByNumber {
		return "'-infinity'::DOUBLE"
	}
	return "coalesce(CASE WHEN j.kind = 'b' THEN " + sortedNumber(pointText, "b") +
		" WHEN j.kind IN ('i', 'f') THEN " + sortedNumber(pointText, "f") + " END, '-infinity'::DOUBLE)"
}

// valued is a column of numbers.
func valued(expr, kind string, value func(store.PointPosition) any) pointColumn {
	return pointColumn{expr, func(st pointStatement, p store.PointPosition, than string) (string, string) {
		v := st.arg(value(p)) + "::" + kind
		return expr + than + v, expr + " = " + v
	}}
}

// named is the rank of some names.
func named(rank string, columns ...string) pointColumn {
	return pointColumn{rank, func(st pointStatement, p store.PointPosition, than string) (beyond, equal string) {
		for i := len(columns) - 1; i >= 0; i-- {
			name := p.Setup
			switch columns[i] {
			case "j.evaluator":
				name = p.Evaluator
			case "j.name":
				name = p.Output
			}
			v := st.bind(strings.ToValidUTF8(name, "\uFFFD"))
			if beyond == "" {
				beyond, equal = columns[i]+than+v, columns[i]+" = "+v
				continue
			}
			beyond = columns[i] + than + v + " OR " + columns[i] + " = " + v + " AND (" + beyond + ")"
			equal = columns[i] + " = " + v + " AND " + equal
		}
		return "(" + beyond + ")", equal
	}}
}

// behindPoint gives the condition that a point comes after a position.
func behindPoint(st pointStatement, columns []pointColumn, p store.PointPosition, descending bool) string {
	than := " > "
	if descending {
		than = " < "
	}
	if math.IsNaN(p.Number) {
		p.Number = math.Inf(-1)
	}
	condition := ""
	for i := len(columns) - 1; i >= 0; i-- {
		beyond, equal := columns[i].side(st, p, than)
		if condition == "" {
			condition = beyond
			continue
		}
		condition = beyond + " OR " + equal + " AND (" + condition + ")"
	}
	return "(" + condition + ")"
}
