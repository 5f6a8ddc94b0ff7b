// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// sortColumn returns what a query sorts by first; for spans by their ids alone it
// is a constant.
func sortColumn(o query.Order) string {
	switch o.By {
	case query.SortEvaluation:
		return verdictColumn
	case query.SortNumber:
		return outputNumber
	case query.SortMetric:
		return "j.kin"
	}
	f, known := span.FieldOfSort(string(o.By))
	if !known || tables.ColumnOf(f.ID) == "" {
		return "0::BIGINT"
	}
	column := "s." + tables.ColumnOf(f.ID)
	if f.Text != nil {
		return firstOf(column)
	}
	return column
}

// sortKind returns the type of what sortColumn returns.
func sortKind(k query.SortKey) mapping.Type {
	if k == query.SortEvaluation || k == query.SortNumber {
		return tables.Real
	}
	if f, known := span.FieldOfSort(string(k)); known && f.Text != nil {
		return tables.Text
	}
	return tables.Int
}

// firstOf returns what texts sort by. A position carries it, so it is bounded.
func firstOf(column string) string {
	return "left(" + column + ", " + strconv.Itoa(query.SortedText) + ")"
}

// orderColumn is one of the columns of first hits that make the order.
type orderColumn struct {
	name string
	side func(st *statement, p *query.Position, than string) side
}

// side are the conditions that a row is beyond a position in one column, and
// that it is level with it. Where it is not "", least is that it is either, of a
// form that lets the engine skip rows unseen.
type side struct{ beyond, level, least string }

// orderColumns returns the columns that the order consists of, the first first.
func (s *Search) orderColumns() []orderColumn {
	by := s.query.Order.By
	key := valued("k", "BIGINT", func(p *query.Position) any { return p.Start + p.Number }) // one of them is 0
	switch {
	case by == query.SortMetric:
		key = named("k", "evaluator", "output")
	case by == query.SortTimestamp:
		key = valued("k", "BIGINT", func(p *query.Position) any { return p.Start })
	case sortKind(by) == tables.Text:
		key = valued("k", "VARCHAR", func(p *query.Position) any { return sqltext.Stored(p.Text) })
	case sortKind(by) == tables.Real:
		key = valued("k", "DOUBLE", func(p *query.Position) any { return p.Real })
	}
	list := []orderColumn{key}
	if s.ofOutputs() && by != query.SortTimestamp {
		list = append(list, valued("start", "BIGINT", func(p *query.Position) any { return p.Start }))
	}
	list = append(list,
		valued("hi", "BIGINT", func(p *query.Position) any { return tables.Signed(p.TraceID[:8]) }),
		valued("lo", "BIGINT", func(p *query.Position) any { return tables.Signed(p.TraceID[8:]) }),
		valued("id", "BIGINT", func(p *query.Position) any { return tables.Signed(p.SpanID[:]) }),
	)
	switch {
	case !s.ofOutputs():
		list = append(list, valued("bucket", "INTEGER", func(p *query.Position) any { return int32(p.Bucket) }))
	case by == query.SortMetric:
		list = append(list, named("names", "setup"))
	default:
		list = append(list, named("names", "setup", "evaluator", "output"))
	}
	return list
}

// valued is a column that a position has a value for.
func valued(name, kind string, value func(*query.Position) any) orderColumn {
	return orderColumn{name, func(st *statement, p *query.Position, than string) side {
		v := st.conditions.arg(value(p)) + "::" + kind
		return side{name + than + v, name + " = " + v, name + strings.TrimSuffix(than, " ") + "= " + v}
	}}
}

// named is a column with the rank that some names have within the partition:
// numbers sort faster than texts. Positions are compared with the names.
func named(name string, columns ...string) orderColumn {
	return orderColumn{name, func(st *statement, p *query.Position, than string) side {
		var beyond, level string
		texts := map[string]string{"setup": p.Setup, "evaluator": p.Evaluator, "output": p.Output}
		for i := len(columns) - 1; i >= 0; i-- {
			v := st.conditions.bind(sqltext.Stored(texts[columns[i]]))
			if beyond == "" {
				beyond, level = columns[i]+than+v, columns[i]+" = "+v
				continue
			}
			beyond = columns[i] + than + v + " OR " + columns[i] + " = " + v + " AND (" + beyond + ")"
			level = columns[i] + " = " + v + " AND " + level
		}
		return side{"(" + beyond + ")", level, ""}
	}}
}

// behind returns the condition that a hit comes behind a position in an order of
// columns.
func behind(st *statement, columns []orderColumn, p *query.Position, descending bool) string {
	than := " > "
	if descending {
		than = " < "
	}
	condition, least := "", ""
	for i := len(columns) - 1; i >= 0; i-- {
		x := columns[i].side(st, p, than)
		least = x.least
		if condition == "" {
			condition = x.beyond
			continue
		}
		condition = x.beyond + " OR " + x.level + " AND (" + condition + ")"
	}
	if least == "" {
		return "(" + condition + ")"
	}
	return least + " AND (" + condition + ")"
}
