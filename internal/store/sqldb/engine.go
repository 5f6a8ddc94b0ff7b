// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// engine is what differs between databases.
type engine struct {
	pool     *sql.DB
	dialect  schema.Dialect
	connect  func(ctx context.Context, pool *sql.DB) error // the first time
	schema   steps
	migrate  store.Migration
	used     bool                                       // it had something before
	tables   string                                     // the query for the names of all tables
	alone    func(ctx context.Context, tx bun.Tx) error // keeps others from changing the format until the transaction ends
	writing  *sql.TxOptions                             // of transactions that write
	snapshot *sql.TxOptions                             // of transactions that read all as it was at one moment
	timeout  time.Duration                              // of one call, waiting for a connection included; 0 is none
	classify classifier
	scrub    func(ctx context.Context, pool *sql.DB) error                // leaves nothing of what was deleted in the files
	backup   func(ctx context.Context, pool *sql.DB, path string) error   // nil where a server does it
	listen   func(ctx context.Context, channel string, wake func()) error // nil where nothing tells of changes
	alike    *pgx.ConnConfig                                              // of a connection outside the pool, nil where processes share nothing
}

// hold has a query of a transaction keep its rows from being changed by others
// until the transaction ends. A transaction of SQLite that writes keeps everything.
func hold(tx bun.Tx, q *bun.SelectQuery) *bun.SelectQuery {
	if tx.Dialect().Name() == dialect.PG {
		q.For("NO KEY UPDATE") // rows that refer to these may come
	}
	return q
}
