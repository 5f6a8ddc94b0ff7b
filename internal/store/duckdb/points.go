// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Points gives one page of points: first their places, from the few columns that
// filters and order need, then the rest of them.
func (db *DB) Points(ctx context.Context, env tenant.Environment, q store.PointQuery) (store.PointPage, error) {
	if err := validatePoints(q); err != nil {
		return store.PointPage{}, err
	}
	var s *pointSearch
	err := db.look(ctx, "find points", env.ID, func(conn querier, all []held) error {
		s = &pointSearch{query: q}
		s.spans = search{env: env, all: all, query: query.Query{
			From: max(s.query.From, db.oldest(env)), To: s.query.To,
			Order: query.Order{By: query.SortTimestamp, Descending: s.query.Descending},
		}}
		return s.do(ctx, conn)
	})
	if err != nil {
		return store.PointPage{}, err
	}
	return s.page, nil
}

func validatePoints(q store.PointQuery) error {
	if q.Limit < 1 || q.Limit > query.MaxLimit {
		return fault.New(fault.Invalid, "limit must be between 1 and %d", query.MaxLimit)
	}
	switch q.By {
	case store.PointByStart, store.PointByEvaluator, store.PointByNumber:
		return nil
	}
	return fault.New(fault.Invalid, "sort_by %q is not known", q.By)
}

// pointSearch is one call of Points. Its search is for the spans that points are
// of; it has the conditions on both.
type pointSearch struct {
	query store.PointQuery
	spans search
	hits  []pointHit
	page  store.PointPage
}

// pointHit is the place of a point in the order, and where its rows are.
type pointHit struct {
	store.PointPosition
	partition *partition
	seq, row  int64 // of the span, and of the evaluation
	at        int   // of the output in the list of values
	kind      string
	backend   string
}

func (s *pointSearch) do(ctx context.Context, q querier) error {
	if err := s.conditions(); err != nil {
		return err
	}
	if s.spans.conditions.never {
		return nil
	}
	if err := s.spans.prepare(ctx, q); err != nil {
		return err
	}
	s.spans.order()
	if err := s.collect(ctx, q); err != nil {
		return err
	}
	if err := s.count(ctx, q); err != nil {
		return err
	}
	return s.fetch(ctx, q)
}

// count gives the page its total.
func (s *pointSearch) count(ctx context.Context, q querier) error {
	for _, h := range s.spans.partitions {
		if err := q.in(ctx, h.partition); err != nil {
			return err
		}
		text, args := s.statement("count(*)", h).points("")
		var n int64
		if err := q.conn.QueryRowContext(ctx, text, args...).Scan(&n); err != nil {
			return err
		}
		s.page.Total += n
	}
	return nil
}

// passed reports whether no point of h can come before the worst of enough hits.
func (s *pointSearch) passed(h held) bool {
	if s.query.By != store.PointByStart || len(s.hits) <= s.query.Limit {
		return false
	}
	worst := s.hits[s.query.Limit].Start
	if s.query.Descending {
		return h.max < worst
	}
	return h.min > worst
}
