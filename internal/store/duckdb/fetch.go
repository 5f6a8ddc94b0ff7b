// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// fetch reads the rows of the hits and what belongs to them.
func (s *search) fetch(ctx context.Context, q *partitions.Querier) error {
	places := map[*partitions.Partition]map[int64]int{} // from seq to the place on the page
	var all []*partitions.Partition
	for i, h := range s.hits {
		if places[h.partition] == nil {
			places[h.partition] = map[int64]int{}
			all = append(all, h.partition)
		}
		places[h.partition][h.Seq] = i
	}
	s.page.Spans = make([]span.Span, len(s.hits))
	for _, p := range all {
		if err := q.In(ctx, p); err != nil {
			return err
		}
		if err := s.fetchFrom(ctx, q, places[p]); err != nil {
			return err
		}
	}
	if s.query.Brief {
		return nil
	}
	return s.fillMessages(ctx, q)
}

func (s *search) fetchFrom(ctx context.Context, q *partitions.Querier, places map[int64]int) error {
	seqs := make([]int64, 0, len(places))
	for seq := range places {
		seqs = append(seqs, seq)
	}
	slices.Sort(seqs)
	read := tables.ReadSpans
	if s.query.Brief {
		read = tables.ReadBriefSpans
	}
	rows, err := read(ctx, q.Conn, seqs)
	if err != nil {
		return err
	}
	if len(rows) < len(seqs) {
		return errMoved
	}
	for i := range rows {
		s.page.Spans[places[rows[i].Seq]] = rows[i].Assemble(s.env.Slug)
	}
	if s.query.Brief {
		return nil
	}
	return tables.ReadEvaluations(ctx, q.Conn, seqs, func(seq int64, v eval.Evaluation) {
		if v.Status != eval.Done {
			return
		}
		x := &s.page.Spans[places[seq]]
		for _, o := range v.Outputs {
			x.Attributes = x.Attributes.With(tenant.EvaluationPrefix+v.Evaluator+"."+o.Name, o.Text())
		}
	})
}
