// SPDX-License-Identifier: Apache-2.0

package sqlbacklog

import (
	"context"
	"database/sql"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// PutOwed puts pending evaluations of spans that another store had into the queue, unless their
// retention ended before a time, Unix nanoseconds. What is there already stays as it is.
func (b *Backlog) PutOwed(ctx context.Context, list []store.Kept, at int64) error {
	if err := b.begin(ctx); err != nil {
		return err
	}
	var rows []row
	for i := range list {
		x := &list[i]
		if x.Expires() < at {
			continue
		}
		for j := range x.Evaluations {
			if v := &x.Evaluations[j]; v.Status == eval.Deferred {
				l := store.Location{Environment: x.Environment.ID, Span: x.Span.Key()}
				rows = append(rows, rowOf(l, x.Content, max(x.Environment.Retention, 0), v))
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return b.transact(ctx, "store pending evaluations", func(ctx context.Context, tx *sql.Tx) error { return owe(ctx, tx, rows, false) })
}

// Queued returns how many evaluations are in the queue, by environment, of spans that have not
// expired at a time, Unix nanoseconds.
func (b *Backlog) Queued(ctx context.Context, at int64) (map[tenant.EnvironmentID]int64, error) {
	if err := b.begin(ctx); err != nil {
		return nil, err
	}
	queued := map[tenant.EnvironmentID]int64{}
	err := b.db.Transact(ctx, "count pending evaluations", func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT environment_id, count(*) FROM owed WHERE expires >= $1::bigint GROUP BY 1", at)
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // Err says it
		for rows.Next() {
			var env tenant.EnvironmentID
			var n int64
			if err := rows.Scan(&env, &n); err != nil {
				return err
			}
			queued[env] = n
		}
		return rows.Err()
	})
	return queued, err
}
