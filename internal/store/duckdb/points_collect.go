// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store"
)

//go:embed sql/outputs.sql
var outputsSQL string

// pointStatement is a SELECT on the points of one partition: spans s, their
// evaluations e, and outputs j of those.
type pointStatement struct{ *statement }

func (s *pointSearch) statement(what string, h held) pointStatement {
	st := s.spans.statement(what, h)
	st.joins = append(st.joins, "JOIN evaluations e ON e.seq = s.seq", "JOIN j ON j.id = e.judgement")
	return pointStatement{st}
}

// points gives the text of the statement with what follows it.
func (st pointStatement) points(rest string) (string, []any) {
	return "WITH j AS (" + outputsSQL + ") " + st.text() + rest, st.args
}

// collect finds the first hits, one more than the page takes.
func (s *pointSearch) collect(ctx context.Context, q querier) error {
	for _, h := range s.spans.partitions {
		if s.passed(h) {
			break
		}
		if err := q.in(ctx, h.partition); err != nil {
			return err
		}
		text, args := s.firstHits(h)
		if err := q.each(ctx, text, args, func(rows *sql.Rows) error { return s.hit(rows, h.partition) }); err != nil {
			return err
		}
		s.trim()
	}
	if len(s.hits) > s.query.Limit {
		s.hits = s.hits[:s.query.Limit]
		next := s.hits[s.query.Limit-1].PointPosition
		s.page.Next = &next
	}
	return nil
}

// firstHits asks one partition for hits behind the position and before the worst
// that there is already. Names are looked up for those alone.
func (s *pointSearch) firstHits(h held) (string, []any) {
	columns := pointColumns(s.query.By)
	what := []string{
		"e.rowid AS row", "s.seq AS seq", "j.id AS judgement", "j.place AS place", "s.start AS start",
		"s.trace_hi AS hi", "s.trace_lo AS lo", "s.span_id AS span", pointNumber(s.query.By) + " AS number",
	}
	var order []string
	for i, c := range columns {
		name := "k" + strconv.Itoa(i)
		what = append(what, c.expr+" AS "+name)
		if s.query.Descending {
			name += " DESC"
		}
		order = append(order, name)
	}
	st := s.statement(strings.Join(what, ", "), h)
	if s.query.After != nil {
		st.where = append(st.where, behindPoint(st, columns, *s.query.After, s.query.Descending))
	}
	if len(s.hits) > s.query.Limit {
		st.where = append(st.where, behindPoint(st, columns, s.hits[s.query.Limit].PointPosition, !s.query.Descending))
	}
	text, args := st.points(" ORDER BY " + strings.Join(order, ", ") + " LIMIT " + strconv.Itoa(s.query.Limit+1))
	return "SELECT h.row, h.seq, h.number, h.start, h.hi, h.lo, h.span, j.setup, j.evaluator, j.name, j.place, j.kind, j.backend FROM (" +
		text + ") h JOIN (" + outputsSQL + ") j ON j.id = h.judgement AND j.place = h.place", args
}

func (s *pointSearch) hit(rows *sql.Rows, p *partition) error {
	h := pointHit{partition: p}
	var k rowKey
	err := rows.Scan(&h.row, &h.seq, &h.Number, &h.Start, &k.hi, &k.lo, &k.id, &h.Setup, &h.Evaluator, &h.Output, &h.at, &h.kind, &h.backend)
	h.Span.TraceID, h.Span.SpanID = k.traceID(), k.spanID()
	s.hits = append(s.hits, h)
	return err
}

// trim sorts the hits and keeps those that the page needs. A span that is being
// replaced may be in two partitions for a moment: the newer row counts.
func (s *pointSearch) trim() {
	slices.SortStableFunc(s.hits, func(a, b pointHit) int {
		order := comparePoints(s.query.By, &a.PointPosition, &b.PointPosition)
		if s.query.Descending {
			order = -order
		}
		return cmp.Or(order, compare(b.partition.serial, a.partition.serial))
	})
	s.hits = slices.CompactFunc(s.hits, func(a, b pointHit) bool { return a.PointPosition == b.PointPosition })
	s.hits = s.hits[:min(len(s.hits), s.query.Limit+1)]
}

func comparePoints(by store.PointKey, a, b *store.PointPosition) int {
	key := 0
	switch by {
	case store.PointByEvaluator:
		key = cmp.Or(strings.Compare(a.Evaluator, b.Evaluator), strings.Compare(a.Output, b.Output))
	case store.PointByNumber:
		key = cmp.Compare(a.Number, b.Number)
	case store.PointByStart: // as all
	}
	return cmp.Or(
		key,
		cmp.Compare(a.Start, b.Start),
		bytes.Compare(a.Span.TraceID[:], b.Span.TraceID[:]),
		bytes.Compare(a.Span.SpanID[:], b.Span.SpanID[:]),
		strings.Compare(a.Setup, b.Setup),
		strings.Compare(a.Evaluator, b.Evaluator),
		strings.Compare(a.Output, b.Output),
	)
}
