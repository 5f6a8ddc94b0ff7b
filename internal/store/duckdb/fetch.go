// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// fetch reads the rows of the hits and what belongs to them.
func (s *search) fetch(ctx context.Context, q querier) error {
	places := map[*partition]map[int64]int{} // from seq to the place on the page
	var partitions []*partition
	for i, h := range s.hits {
		if places[h.partition] == nil {
			places[h.partition] = map[int64]int{}
			partitions = append(partitions, h.partition)
		}
		places[h.partition][h.seq] = i
	}
	s.page.Spans = make([]span.Span, len(s.hits))
	for _, p := range partitions {
		if err := q.in(ctx, p); err != nil {
			return err
		}
		if err := s.fetchFrom(ctx, q, places[p]); err != nil {
			return err
		}
	}
	return s.fillMessages(ctx, q)
}

func (s *search) fetchFrom(ctx context.Context, q querier, places map[int64]int) error {
	seqs := make([]int64, 0, len(places))
	for seq := range places {
		seqs = append(seqs, seq)
	}
	slices.Sort(seqs)
	rows, err := tables.ReadSpans(ctx, q.conn, seqs)
	if err != nil {
		return err
	}
	if len(rows) < len(seqs) {
		return errMoved
	}
	for i := range rows {
		s.page.Spans[places[rows[i].Seq]] = rows[i].Assemble(s.env.Slug)
	}
	return tables.ReadEvaluations(ctx, q.conn, seqs, func(seq int64, v eval.Evaluation) {
		if v.Status != eval.Done {
			return
		}
		x := &s.page.Spans[places[seq]]
		for _, o := range v.Outputs {
			x.Attributes = x.Attributes.With(tenant.EvaluationPrefix+v.Evaluator+"."+o.Name, o.Text())
		}
	})
}
