// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
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
	rows, err := q.rows(ctx, seqs)
	if err != nil {
		return err
	}
	if len(rows) < len(seqs) {
		return errMoved
	}
	for i := range rows {
		s.page.Spans[places[rows[i].seq]] = rows[i].span(s.env.Slug)
	}
	return q.verdicts(ctx, seqs, func(seq int64, v eval.Evaluation) {
		if v.Status != eval.Done {
			return
		}
		x := &s.page.Spans[places[seq]]
		for _, o := range v.Outputs {
			x.Attributes = x.Attributes.With(tenant.EvaluationPrefix+v.Evaluator+"."+o.Name, o.Text())
		}
	})
}

// rows reads rows of spans by their seq, in ascending order.
func (q querier) rows(ctx context.Context, seqs []int64) ([]*row, error) {
	if len(seqs) == 0 {
		return nil, nil
	}
	list := numbers(seqs)
	// The engine would test IN after decoding whole row groups; of these two, the
	// range lets it skip groups and the function is run before anything else is
	// decoded.
	where := " seq BETWEEN " + strconv.FormatInt(seqs[0], 10) + " AND " + strconv.FormatInt(seqs[len(seqs)-1], 10) +
		" AND list_contains([" + list + "]::BIGINT[], seq)"
	found := make([]*row, 0, len(seqs))
	var shapeIDs, originIDs []int32
	err := q.each(ctx, "SELECT "+spanColumns.names("")+" FROM spans WHERE"+where, nil, func(r *sql.Rows) error {
		x := &row{Span: &span.Span{}}
		found = append(found, x)
		err := r.Scan(spanColumns.into(make([]any, 0, len(spanColumns)), x)...)
		shapeIDs = append(shapeIDs, x.attributeShape, x.promptShape, x.completionShape)
		originIDs = append(originIDs, x.originID)
		return err
	})
	if err != nil {
		return nil, err
	}
	shapes, err := q.shapes(ctx, shapeIDs)
	if err != nil {
		return nil, err
	}
	origins, err := q.origins(ctx, originIDs)
	if err != nil {
		return nil, err
	}
	for _, x := range found {
		x.origin = origins[x.originID]
		x.attributes, x.prompts, x.completions = shapes[x.attributeShape], shapes[x.promptShape], shapes[x.completionShape]
	}
	return found, nil
}

// numbers spells numbers for a list.
func numbers[N int32 | int64](list []N) string {
	var b strings.Builder
	for i, n := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(int64(n), 10))
	}
	return b.String()
}

func (q querier) shapes(ctx context.Context, ids []int32) (map[int32]shape, error) {
	slices.Sort(ids)
	found := map[int32]shape{}
	if len(ids) == 0 {
		return found, nil
	}
	err := q.each(ctx, shapesSQL+"("+numbers(slices.Compact(ids))+")", nil, func(r *sql.Rows) error {
		var id int32
		var x shape
		err := r.Scan(&id, &x.kept[0], &x.kept[1], &x.kept[2], &x.kept[3], &x.folded, &x.sources)
		found[id] = x
		return err
	})
	return found, err
}

func (q querier) origins(ctx context.Context, ids []int32) (map[int32]origin, error) {
	slices.Sort(ids)
	found := map[int32]origin{}
	if len(ids) == 0 {
		return found, nil
	}
	err := q.each(ctx, originsSQL+"("+numbers(slices.Compact(ids))+")", nil, func(r *sql.Rows) error {
		var id int32
		var x origin
		err := r.Scan(&id, &x.service, &x.scopeName, &x.scopeVersion, &x.kind, &x.keys, &x.values)
		found[id] = x
		return err
	})
	return found, err
}
