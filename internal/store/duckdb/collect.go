// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func compare(a, b int64) int { return cmp.Compare(a, b) }

// sortColumn gives the column of a sort key; the ids alone are "".
func sortColumn(k span.SortKey) (string, bool) {
	switch k {
	case span.SortTimestamp:
		return "s.start", true
	case span.SortDuration:
		return "s.duration", true
	case span.SortTotalTokens:
		return "s.total_tokens", true
	case span.SortName:
		return firstOf("s.name"), true
	case span.SortWorkflow:
		return firstOf("s.workflow"), true
	case span.SortEntity:
		return firstOf("s.entity"), true
	case span.SortResponseModel:
		return firstOf("s.response_model"), true
	case span.SortTraceID:
		return "", true
	}
	return "", false
}

// firstOf gives what texts sort by. A position carries it, so it is bounded.
func firstOf(column string) string {
	return "left(" + column + ", " + strconv.Itoa(span.SortedText) + ")"
}

// statement is a SELECT on the spans of one partition.
type statement struct {
	conditions
	what  string
	after string
}

// statement begins a query for what, of the rows of h that match.
func (s *search) statement(what string, h held) *statement {
	st := &statement{conditions: s.conditions, what: what}
	st.args = slices.Clone(st.args)
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
	return "SELECT " + st.what + " FROM spans s " + strings.Join(st.joins, " ") +
		" WHERE " + strings.Join(st.where, " AND ") + st.after
}

// collect finds the first hits, one more than the page takes.
func (s *search) collect(ctx context.Context, q querier) error {
	for _, h := range s.partitions {
		if s.passed(h) {
			break
		}
		if err := q.in(ctx, h.partition); err != nil {
			return err
		}
		st, all := s.firstHits(h)
		before := len(s.hits)
		if err := q.each(ctx, st.text(), st.args, func(rows *sql.Rows) error { return s.hit(rows, h.partition) }); err != nil {
			return err
		}
		if n := len(s.hits) - before; all && n <= s.query.Limit {
			s.counted[h.partition] = int64(n)
		}
		s.trim()
	}
	if len(s.hits) > s.query.Limit {
		s.hits = s.hits[:s.query.Limit]
		next := s.hits[s.query.Limit-1].Position
		s.page.Next = &next
	}
	return nil
}

// firstHits asks one partition for hits behind the position and before the
// worst that there is already. All is whether it asks for every span that matches,
// up to the limit.
func (s *search) firstHits(h held) (st *statement, all bool) {
	column, _ := sortColumn(s.query.Order.By)
	if column == "" {
		column = "0"
	}
	st, all = s.statement(column+", s.trace_hi, s.trace_lo, s.span_id, s.seq", h), true
	direction := ""
	if s.query.Order.Descending {
		direction = " DESC"
	}
	if s.query.After != nil {
		all = false
		st.where = append(st.where, s.behind(st, *s.query.After, s.query.Order.Descending))
	}
	if len(s.hits) > s.query.Limit {
		all = false
		st.where = append(st.where, s.behind(st, s.hits[s.query.Limit].Position, !s.query.Order.Descending))
	}
	var by []string
	if column != "0" {
		by = append(by, column+direction)
	}
	for _, id := range []string{"s.trace_hi", "s.trace_lo", "s.span_id"} {
		by = append(by, id+direction)
	}
	st.after = " ORDER BY " + strings.Join(by, ", ") + " LIMIT " + strconv.Itoa(s.query.Limit+1)
	return st, all
}

// behind gives the condition that a row comes after a position.
func (s *search) behind(st *statement, p span.Position, descending bool) string {
	than := " > "
	if descending {
		than = " < "
	}
	columns := []string{"s.trace_hi", "s.trace_lo", "s.span_id"}
	values := []string{
		st.arg(signed(p.TraceID[:8])) + "::BIGINT",
		st.arg(signed(p.TraceID[8:])) + "::BIGINT",
		st.arg(signed(p.SpanID[:])) + "::BIGINT",
	}
	first := ""
	if column, _ := sortColumn(s.query.Order.By); column != "" {
		value := ""
		if s.query.Order.By.Numeric() {
			value = st.arg(p.Number) + "::BIGINT"
		} else {
			value = st.arg(strings.ToValidUTF8(p.Text, "\uFFFD")) + "::VARCHAR"
		}
		columns, values = append([]string{column}, columns...), append([]string{value}, values...)
		// Implied by the rest, but of a form that lets the engine skip rows unseen.
		first = column + strings.TrimSuffix(than, " ") + "= " + value + " AND "
	}
	condition := ""
	for i := len(columns) - 1; i >= 0; i-- {
		c := columns[i] + than + values[i]
		if condition != "" {
			c += " OR " + columns[i] + " = " + values[i] + " AND (" + condition + ")"
		}
		condition = c
	}
	return first + "(" + condition + ")"
}

// hit reads one row of firstHits.
func (s *search) hit(rows *sql.Rows, p *partition) error {
	h := hit{partition: p}
	var value any = &h.Number
	if s.query.Order.By != span.SortTraceID && !s.query.Order.By.Numeric() {
		value = &h.Text
	}
	var hi, lo, id int64
	if err := rows.Scan(value, &hi, &lo, &id, &h.seq); err != nil {
		return err
	}
	k := rowKey{hi: hi, lo: lo, id: id}
	h.TraceID, h.SpanID = k.traceID(), k.spanID()
	s.hits = append(s.hits, h)
	return nil
}

// trim sorts the hits and keeps those that the page needs. A span that is being
// replaced may be in two partitions for a moment: the newer row counts.
func (s *search) trim() {
	slices.SortStableFunc(s.hits, func(a, b hit) int {
		order := comparePositions(a.Position, b.Position)
		if s.query.Order.Descending {
			order = -order
		}
		if order == 0 {
			order = compare(b.partition.serial, a.partition.serial)
		}
		return order
	})
	s.hits = slices.CompactFunc(s.hits, func(a, b hit) bool { return a.Position == b.Position })
	s.hits = s.hits[:min(len(s.hits), s.query.Limit+1)]
}

func comparePositions(a, b span.Position) int {
	return cmp.Or(
		cmp.Compare(a.Number, b.Number),
		strings.Compare(a.Text, b.Text),
		bytes.Compare(a.TraceID[:], b.TraceID[:]),
		bytes.Compare(a.SpanID[:], b.SpanID[:]),
	)
}
