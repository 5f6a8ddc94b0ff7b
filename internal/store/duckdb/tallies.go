// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

//go:embed sql/tallies.sql
var talliesSQL string

// Tallies counts the evaluations of a setup.
func (db *DB) Tallies(ctx context.Context, env tenant.Environment, setup string) ([]store.Tally, error) {
	type kind struct {
		evaluator string
		status    eval.Status
		reason    string
	}
	sums := map[kind]store.Tally{}
	from := db.oldest(env)
	err := db.look(ctx, "count evaluations", env.ID, func(q querier, all []held) error {
		clear(sums)
		for _, h := range all {
			if h.spans == 0 || h.max < from {
				continue
			}
			if err := q.in(ctx, h.partition); err != nil {
				return err
			}
			err := q.each(ctx, talliesSQL, []any{strings.ToValidUTF8(setup, "\uFFFD"), h.code, from}, func(rows *sql.Rows) error {
				var t store.Tally
				var reason string
				if err := rows.Scan(&t.Evaluator, &t.Status, &reason, &t.Count, &t.Last, &t.Cost); err != nil {
					return err
				}
				switch t.Status {
				case eval.Skipped:
					t.Reason = reason
				case eval.Failed, eval.Deferred:
					t.LastError = reason
				case eval.Done: // has none
				}
				k := kind{t.Evaluator, t.Status, t.Reason}
				if sum, found := sums[k]; found {
					t = addTallies(sum, t)
				}
				sums[k] = t
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	list := make([]store.Tally, 0, len(sums))
	for _, t := range sums {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b store.Tally) int {
		return cmp.Or(cmp.Compare(a.Evaluator, b.Evaluator), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Reason, b.Reason))
	})
	return list, nil
}

// addTallies adds up what is of one kind. Of errors of one time, that which
// sorts last stands for all.
func addTallies(a, b store.Tally) store.Tally {
	a.Count += b.Count
	a.Cost += b.Cost
	if order := cmp.Or(cmp.Compare(a.Last, b.Last), cmp.Compare(a.LastError, b.LastError)); order < 0 {
		a.Last, a.LastError = b.Last, b.LastError
	}
	return a
}
