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
// partitions together: their values go into a temporary table first.
func (a *aggregation) general(ctx context.Context, q *partitions.Querier, list, held []partitions.Held) error {
	s, err := statements.NewBreakdown(&a.Aggregate, a.slug, reading.HaveMessages(held))
	if err != nil || s.Never() {
		return err
	}
	if err := s.Prepare(ctx, q, held); err != nil {
		return err
	}
	for _, h := range list {
		if err := q.In(ctx, h.Partition); err != nil {
			return err
		}
		text, args, err := s.On(ctx, q, h.Bounds)
		switch {
		case err != nil:
			return err
		case text == "": // nothing of the partition matches
		case s.Gathers():
			_, err = q.Conn.ExecContext(ctx, text, args...)
		default:
			err = a.take(ctx, q, text, args)
		}
		if err != nil {
			return err
		}
	}
	if !s.Gathers() {
		return nil
	}
	text, args := s.Gathered()
	return a.take(ctx, q, text, args)
}

// take takes in the groups of a statement.
func (a *aggregation) take(ctx context.Context, q *partitions.Querier, text string, args []any) error {
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
		a.groups.Merge(group)
		if a.Limit > 0 && a.groups.Len() > a.Limit {
			return a.ErrGroups()
		}
		return nil
	})
}
