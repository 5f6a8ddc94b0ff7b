// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"slices"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/touchstone-otel/touchstone/internal/query"
)

// sortColumn gives the column of a sort key; for the ids alone it is a constant.
func sortColumn(k query.SortKey) (string, bool) {
	switch k {
	case query.SortTimestamp:
		return "s.start", true
	case query.SortDuration:
		return "s.duration", true
	case query.SortTotalTokens:
		return "s.total_tokens", true
	case query.SortName:
		return firstOf("s.name"), true
	case query.SortWorkflow:
		return firstOf("s.workflow"), true
	case query.SortEntity:
		return firstOf("s.entity"), true
	case query.SortResponseModel:
		return firstOf("s.response_model"), true
	case query.SortTraceID:
		return "0::BIGINT", true
	case query.SortEvaluation:
		return verdictColumn, true
	}
	return "", false
}

// sortKind gives the type of that column.
func sortKind(k query.SortKey) mapping.Type {
	switch {
	case k == query.SortEvaluation:
		return kindReal
	case k == query.SortName, k == query.SortWorkflow, k == query.SortEntity, k == query.SortResponseModel:
		return kindText
	}
	return kindInt
}

// firstOf gives what texts sort by. A position carries it, so it is bounded.
func firstOf(column string) string {
	return "left(" + column + ", " + strconv.Itoa(query.SortedText) + ")"
}

// statement is a SELECT on the spans of one partition.
type statement struct {
	conditions
	what string
}

// statement begins a query for what, of the rows of h that match.
func (s *search) statement(what string, h held) *statement {
	st := &statement{conditions: s.conditions, what: what}
	st.args = slices.Clone(st.args)
	st.joins = slices.Clone(st.joins)
	st.where = slices.Clone(st.where)
	st.where = append(st.where, "s.env = "+strconv.Itoa(int(h.code)))
	if s.query.From > h.min || h.messages > 0 {
		st.where = append(st.where, "s.start >= "+st.arg(s.query.From)+"::BIGINT")
	}
	if s.query.To < h.max || h.messages > 0 {
		st.where = append(st.where, "s.start <= "+st.arg(s.query.To)+"::BIGINT")
	}
	return st
}

func (st *statement) text() string {
	return "SELECT " + st.what + " FROM spans s " + strings.Join(st.joins, " ") + " WHERE " + strings.Join(st.where, " AND ")
}

// firstHits asks one partition for hits behind the position and before the
// worst that there is already. Where there are filters, which may be dear, it
// asks in the same pass how many rows match. Verdicts are what a sort by them
// needs.
func (s *search) firstHits(h held, verdicts string) (string, []any) {
	column, _ := sortColumn(s.query.Order.By)
	st := s.statement(column+" AS k, s.trace_hi AS hi, s.trace_lo AS lo, s.span_id AS id, s.seq AS seq", h)
	with := "WITH "
	if verdicts != "" {
		st.joins = append(st.joins, "LEFT JOIN v ON v.seq = s.seq")
		with += "v AS MATERIALIZED (" + verdicts + "), "
	}
	var where, order []string
	if s.query.After != nil {
		where = append(where, s.behind(st, *s.query.After, s.query.Order.Descending))
	}
	if len(s.hits) > s.query.Limit {
		where = append(where, s.behind(st, s.hits[s.query.Limit].Position, !s.query.Order.Descending))
	}
	for _, name := range hitColumns {
		if s.query.Order.Descending {
			name += " DESC"
		}
		order = append(order, name)
	}
	rest := ""
	if len(where) > 0 {
		rest = " WHERE " + strings.Join(where, " AND ")
	}
	rest += " ORDER BY " + strings.Join(order, ", ") + " LIMIT " + strconv.Itoa(s.query.Limit+1)
	if len(s.query.Filters) == 0 {
		return with + "m AS NOT MATERIALIZED (" + st.text() + ") SELECT NULL::BIGINT, * FROM m" + rest, st.args
	}
	return with + "m AS MATERIALIZED (" + st.text() + ") SELECT * FROM (SELECT count(*) FROM m) LEFT JOIN (SELECT * FROM m" +
		rest + ") ON true", st.args
}

// hitColumns are the columns of firstHits that make the order.
var hitColumns = [...]string{"k", "hi", "lo", "id"}

// behind gives the condition that a hit comes after a position.
func (s *search) behind(st *statement, p query.Position, descending bool) string {
	than := " > "
	if descending {
		than = " < "
	}
	values := []string{
		st.arg(p.Start+p.Number) + "::BIGINT", // one of them is 0
		st.arg(signed(p.TraceID[:8])) + "::BIGINT",
		st.arg(signed(p.TraceID[8:])) + "::BIGINT",
		st.arg(signed(p.SpanID[:])) + "::BIGINT",
	}
	switch sortKind(s.query.Order.By) {
	case kindText:
		st.args[len(st.args)-4] = strings.ToValidUTF8(p.Text, "\uFFFD")
		values[0] = strings.TrimSuffix(values[0], "BIGINT") + "VARCHAR"
	case kindReal:
		st.args[len(st.args)-4] = p.Real
		values[0] = strings.TrimSuffix(values[0], "BIGINT") + "DOUBLE"
	}
	condition := ""
	for i := len(hitColumns) - 1; i >= 0; i-- {
		c := hitColumns[i] + than + values[i]
		if condition != "" {
			c += " OR " + hitColumns[i] + " = " + values[i] + " AND (" + condition + ")"
		}
		condition = c
	}
	// The first is implied by the rest, but of a form that lets the engine skip
	// rows unseen.
	return hitColumns[0] + strings.TrimSuffix(than, " ") + "= " + values[0] + " AND (" + condition + ")"
}
