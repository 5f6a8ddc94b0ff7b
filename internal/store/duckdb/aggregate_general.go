// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/reading"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/statements"
)

// general answers an aggregate that asks for more than records have, of the
// partitions in list; held are all of the environment. Quantiles are taken of all
// partitions together: their values are gathered first.
func (a *aggregation) general(ctx context.Context, q *partitions.Querier, list, held []partitions.Held) error {
	if a.Gathers() {
		return a.gather(ctx, q, list, held)
	}
	s, err := statements.NewBreakdown(&a.Aggregate, a.env.Slug, reading.HaveMessages(held))
	if err != nil {
		return err
	}
	if list, err = a.recall(q, list, held); err != nil {
		return err
	}
	return each(ctx, q, s, list, held, func(h partitions.Held, text string, args []any) error {
		return a.remember(q, h, held, func(part *aggregation) error { return part.take(ctx, q, text, args) })
	})
}

// gather answers an aggregate from the rows that were gathered for it, or for an
// earlier part of the same rollup.
func (a *aggregation) gather(ctx context.Context, q *partitions.Querier, list, held []partitions.Held) error {
	if a.rows.from == nil {
		s, err := statements.NewBreakdown(&a.rows.of, a.env.Slug, reading.HaveMessages(held))
		if err != nil {
			return err
		}
		err = each(ctx, q, s, list, held, func(_ partitions.Held, text string, args []any) error {
			if text == "" {
				return nil
			}
			_, err := q.Conn.ExecContext(ctx, text, args...)
			return err
		})
		if err != nil || s.Never() {
			return err
		}
		a.rows.from = s
	}
	text, args := a.rows.from.Gathered(&a.Aggregate)
	return a.take(ctx, q, text, args)
}

// each calls f with the statement, and its arguments, for each partition in list, with ""
// for one that has nothing.
func each(ctx context.Context, q *partitions.Querier, s *statements.Breakdown, list, held []partitions.Held, f func(partitions.Held, string, []any) error) error {
	if s.Never() {
		return nil
	}
	if err := s.Prepare(ctx, q, held); err != nil {
		return err
	}
	for _, h := range list {
		if err := q.In(ctx, h.Partition); err != nil {
			return err
		}
		text, args, err := s.On(ctx, q, h.Bounds)
		if err == nil {
			err = f(h, text, args)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take takes in the groups of a statement; "" has none.
func (a *aggregation) take(ctx context.Context, q *partitions.Querier, text string, args []any) error {
	if text == "" {
		return nil
	}
	group := query.Group{Values: make([]query.Value, len(a.Figures))}
	keys := make([]string, len(a.By))
	whole, reals := make([]sql.NullInt64, len(a.Figures)), make([]sql.NullFloat64, len(a.Figures))
	into := []any{&group.Time, &group.Rest}
	for i := range keys {
		into = append(into, &keys[i])
	}
	for i := range a.Figures {
		if a.Figures[i].IsReal() {
			into = append(into, &reals[i])
		} else {
			into = append(into, &whole[i])
		}
	}
	return q.Each(ctx, text, args, func(rows *sql.Rows) error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		group.Keys = slices.Clone(keys)
		for i := range a.Figures {
			group.Values[i] = query.Value{Whole: whole[i].Int64, Real: reals[i].Float64, None: !whole[i].Valid && !reals[i].Valid}
		}
		return a.merge(group)
	})
}
