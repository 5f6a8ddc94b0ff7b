// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

func compare(a, b int64) int { return cmp.Compare(a, b) }

// collect finds the first hits, one more than the page takes.
func (s *search) collect(ctx context.Context, q *partitions.Querier) error {
	if s.query.Limit == 0 {
		return nil // only a total is asked for
	}
	for _, h := range s.partitions {
		if s.passed(h) {
			break
		}
		if err := q.In(ctx, h.Partition); err != nil {
			return err
		}
		if err := s.collectFrom(ctx, q, h); err != nil {
			return err
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

func (s *search) collectFrom(ctx context.Context, q *partitions.Querier, h held) error {
	c, err := s.conditionsIn(ctx, q)
	if err != nil {
		return err
	}
	if c.never {
		s.counted[h.Partition] = 0
		return nil
	}
	verdicts, err := s.verdicts(ctx, q)
	if err != nil {
		return err
	}
	text, args := s.firstHits(h, c, verdicts)
	return q.Each(ctx, text, args, func(rows *sql.Rows) error { return s.hit(rows, h.Partition) })
}

// hit reads one row of firstHits: a hit, or only how many match, or both.
func (s *search) hit(rows *sql.Rows, p *partitions.Partition) error {
	var matching, number, hi, lo, id, seq sql.NullInt64
	var text sql.NullString
	var real sql.NullFloat64
	var value any = &number
	switch sortKind(s.query.Order.By) {
	case tables.Text:
		value = &text
	case tables.Real:
		value = &real
	}
	h := hit{partition: p}
	columns := []any{&matching, value, &hi, &lo, &id, &seq}
	if s.ofOutputs() {
		o := &h.output
		columns = append(columns, &h.Start, &o.row, &o.judgement, &h.Setup, &h.Evaluator, &h.Output, &o.at, &o.kind, &o.backend)
	}
	if err := rows.Scan(columns...); err != nil {
		return err
	}
	if matching.Valid {
		s.counted[p] = matching.Int64
	}
	if !seq.Valid {
		return nil
	}
	k := tables.Key{Hi: hi.Int64, Lo: lo.Int64, ID: id.Int64}
	h.seq, h.TraceID, h.SpanID = seq.Int64, k.TraceID(), k.SpanID()
	switch s.query.Order.By {
	case query.SortTimestamp:
		h.Start = number.Int64
	case query.SortMetric: // the names say it
	default:
		h.Number, h.Real, h.Text = number.Int64, real.Float64, text.String
	}
	s.hits = append(s.hits, h)
	return nil
}

// trim sorts the hits and keeps those that the page needs. A span that is being
// replaced may be in two partitions for a moment: the newer row counts.
func (s *search) trim() {
	slices.SortStableFunc(s.hits, func(a, b hit) int {
		return cmp.Or(s.query.Order.Compare(&a.Position, &b.Position), compare(b.partition.Serial, a.partition.Serial))
	})
	s.hits = slices.CompactFunc(s.hits, func(a, b hit) bool { return a.Position == b.Position })
	s.hits = s.hits[:min(len(s.hits), s.query.Limit+1)]
}
