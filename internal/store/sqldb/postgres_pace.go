// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"time"

	"github.com/touchstone-otel/touchstone/internal/pace"
)

// Paces returns what holds processes to rates together, nil where none share the
// database.
func (d *DB) Paces() pace.Shared {
	if !d.Shared() {
		return nil
	}
	return paces{d}
}

// paces are rates of which each is one row: the time at which a bucket of it is full
// again, the theoretical arrival time of the generic cell rate algorithm. The clock is
// the server's: those of processes need not agree.
// https://www.itu.int/rec/T-REC-I.371 (A.1)
type paces struct{ db *DB }

// takeSQL moves that time on by $2 nanoseconds, from now on if it is past, and returns by
// how much it is ahead.
const takeSQL = `
	INSERT INTO paces AS p (name, "full") VALUES ($1, greatest($2::bigint, 0) + extract(epoch FROM clock_timestamp()) * 1000000000)
	ON CONFLICT (name) DO UPDATE SET "full" = greatest(p."full", (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint) + $2::bigint
	RETURNING (p."full" - extract(epoch FROM clock_timestamp()) * 1000000000)::bigint`

// Take implements pace.Shared.
func (p paces) Take(ctx context.Context, name string, r pace.Rate, n int) (delay time.Duration, err error) {
	one := float64(time.Second) / r.PerSecond
	var ahead int64
	err = p.db.Transact(ctx, "take of what processes share", func(ctx context.Context, tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, takeSQL, name, int64(one*float64(n))).Scan(&ahead)
	})
	return max(time.Duration(ahead)-time.Duration(one*float64(r.Burst)), 0), err
}
