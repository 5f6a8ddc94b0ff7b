// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// Shared reports whether the database has the tables of a backlog that processes
// share.
func (d *DB) Shared() bool { return d.bun.Dialect().Name() == dialect.PG }

// Transact runs do in one transaction that writes, which is kept when do and its
// commit give no error. Errors of the database get their kinds.
func (d *DB) Transact(ctx context.Context, doing string, do func(ctx context.Context, tx *sql.Tx) error) error {
	return d.write(ctx, doing, func(ctx context.Context, tx bun.Tx) error { return do(ctx, tx.Tx) })
}
