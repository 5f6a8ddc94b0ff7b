// SPDX-License-Identifier: Apache-2.0

package reading

import (
	"context"
	"database/sql"
	_ "embed"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

var (
	//go:embed sql/output_spans.sql
	outputSpansSQL string
	//go:embed sql/output_values.sql
	outputValuesSQL string
)

// fetchOutputs reads what the hits say of their spans and evaluations.
func (s *Search) fetchOutputs(ctx context.Context, q *partitions.Querier) error {
	places := map[*partitions.Partition][]int{}
	var all []*partitions.Partition
	s.page.Outputs = make([]query.Output, len(s.hits))
	for i := range s.hits {
		h := &s.hits[i]
		if places[h.partition] == nil {
			all = append(all, h.partition)
		}
		places[h.partition] = append(places[h.partition], i)
		s.page.Outputs[i] = query.Output{
			SetupID: h.Setup, Evaluator: h.Evaluator, Output: eval.Output{Name: h.Output},
			Backend: eval.Backend(h.Place.Backend), Source: eval.EvaluationSource(h.Place.Source), Version: h.Place.Version, Judge: h.Place.Model,
			Span: span.Key{TraceID: h.TraceID, SpanID: h.SpanID, Start: h.Start}, Start: h.Start,
		}
	}
	for _, p := range all {
		if err := q.In(ctx, p); err != nil {
			return err
		}
		if err := s.fetchValues(ctx, q, places[p]); err != nil {
			return err
		}
		if err := s.fetchSpans(ctx, q, places[p]); err != nil {
			return err
		}
	}
	return nil
}

// fetchValues reads the evaluations of hits of one partition.
func (s *Search) fetchValues(ctx context.Context, q *partitions.Querier, places []int) error {
	rows := make([]int64, len(places))
	for i, at := range places {
		rows[i] = s.hits[at].Place.Row
	}
	type value struct {
		seq, judgement int64
		ended          int64
		texts          tables.Texts
	}
	found := map[int64]value{}
	err := q.Each(ctx, outputValuesSQL+sqltext.Among("rowid", rows), nil, func(r *sql.Rows) error {
		var row int64
		var v value
		err := r.Scan(&row, &v.seq, &v.judgement, &v.ended, &v.texts)
		found[row] = v
		return err
	})
	if err != nil {
		return err
	}
	for _, at := range places {
		h, p := &s.hits[at], &s.page.Outputs[at]
		v, there := found[h.Place.Row]
		if !there || v.seq != h.Seq || v.judgement != h.Place.Judgement {
			return ErrMoved // a row's id may become another's
		}
		p.Time, p.Output.Value = v.ended, tables.ParseOutput(h.Place.Kind, 0, v.texts.At(h.Place.At-1))
	}
	return nil
}

// fetchSpans reads the spans of hits of one partition.
func (s *Search) fetchSpans(ctx context.Context, q *partitions.Querier, places []int) error {
	seqs := make([]int64, len(places))
	for i, at := range places {
		seqs[i] = s.hits[at].Seq
	}
	type spanRow struct {
		query.Output
		requested string
		origin    int32
	}
	found := map[int64]spanRow{}
	var ids []int32
	err := q.Each(ctx, outputSpansSQL+sqltext.Among("seq", seqs), nil, func(r *sql.Rows) error {
		var seq int64
		var x spanRow
		err := r.Scan(&seq, &x.SpanName, &x.Workflow, &x.Entity, &x.Vendor, &x.requested, &x.Model, &x.origin)
		found[seq] = x
		ids = append(ids, x.origin)
		return err
	})
	if err != nil {
		return err
	}
	origins, err := tables.ReadOrigins(ctx, q.Conn, q.Recall(), ids)
	if err != nil {
		return err
	}
	for _, at := range places {
		x, there := found[s.hits[at].Seq]
		if !there {
			return ErrMoved
		}
		p := &s.page.Outputs[at]
		p.SpanName, p.Workflow, p.Entity, p.Vendor, p.Model = x.SpanName, x.Workflow, x.Entity, x.Vendor, x.Model
		if p.Model == "" {
			p.Model = x.requested
		}
		p.Service = origins[x.origin].Service
	}
	return nil
}
