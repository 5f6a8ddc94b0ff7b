// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// Postgres says where the control store is on PostgreSQL.
type Postgres struct {
	// DSN is a connection string, a URL or pairs of keys and values:
	// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING.
	// No error says anything of it.
	DSN string
	// MaxConnections bounds the connections of this process, without those that
	// hear of what others store. 0 is 8.
	MaxConnections int
	// Migration is what is done about the format of the database.
	Migration store.Migration
}

const (
	defaultConnections = 8
	// callTimeout bounds a call, the waiting for a connection included.
	callTimeout = 30 * time.Second
	// migrationWait is how long a process waits for others to change the format.
	migrationWait = time.Minute
	// migrationLock is the number of the lock that a process has while it looks at
	// the format: https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
	migrationLock = 0x746f756368 // "touch"
)

//go:embed schema/postgres/*.sql
var postgresSchema embed.FS

// OpenPostgres opens a database of PostgreSQL, which must be there and has the latest
// format then, unless checks are off. The tables are in the first schema of its search path. It
// answers Unavailable when the server may be there later.
func OpenPostgres(ctx context.Context, cfg Postgres) (*DB, error) {
	e, err := openPostgres(cfg)
	if err == nil {
		var d *DB
		if d, err = start(ctx, e); err == nil {
			return d, nil
		}
	}
	return nil, fmt.Errorf("open control store in PostgreSQL: %w", refusal(err))
}

// openPostgres prepares the connections. None is made yet.
func openPostgres(cfg Postgres) (*engine, error) {
	files, err := fs.Sub(postgresSchema, "schema/postgres")
	if err != nil {
		return nil, err
	}
	how, err := parseDSN(cfg.DSN)
	if err != nil {
		return nil, err
	}
	most := cfg.MaxConnections
	if most == 0 {
		most = defaultConnections
	}
	pool := stdlib.OpenDB(*how, stdlib.OptionAfterConnect(func(ctx context.Context, c *pgx.Conn) error { return greet(ctx, c, how) }))
	pool.SetMaxOpenConns(most)
	pool.SetMaxIdleConns(most)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	pool.SetConnMaxLifetime(30 * time.Minute) // so that a server that moved is found
	return &engine{
		pool:     pool,
		dialect:  pgdialect.New(),
		connect:  func(ctx context.Context, pool *sql.DB) error { return pool.PingContext(ctx) },
		schema:   steps{files},
		migrate:  cfg.Migration,
		tables:   "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema()",
		alone:    aloneInPostgres,
		writing:  &sql.TxOptions{Isolation: sql.LevelReadCommitted},
		snapshot: &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
		timeout:  callTimeout,
		classify: classifyPostgres,
		scrub:    func(context.Context, *sql.DB) error { return nil }, // PostgreSQL vacuums by itself
		listen: func(ctx context.Context, channel string, wake func()) error {
			return listen(ctx, how, channel, wake)
		},
		alike: how,
	}, nil
}

// aloneInPostgres has other processes wait that look at the format, too.
func aloneInPostgres(ctx context.Context, tx bun.Tx) error {
	_, err := tx.ExecContext(ctx, "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ?; SELECT pg_advisory_xact_lock(?)",
		migrationWait.Milliseconds(), migrationLock)
	return err
}
