// SPDX-License-Identifier: Apache-2.0

// Package sqldb is the control store on a SQL database: SQLite, embedded, or
// PostgreSQL. What differs from one database to the next is an engine (see
// sqlite.go and postgres.go), and the queries know next to nothing of it.
//
// See docs/adr/0010-control-store-documents-and-changes.md.
package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// Config says where the control store is on SQLite.
type Config struct {
	// Path is the file of the database. It is created if it is not
	// there, together with its directory, readable by its owner alone.
	Path string
	// Used refuses, with ErrEmpty, a database that has nothing: without its write-ahead
	// log a file may have lost everything.
	Used bool

	// patience is how long one process waits for another, busyTimeout where it is 0.
	patience time.Duration
}

// ErrEmpty says that a database that was used has nothing.
var ErrEmpty = errors.New("it is empty")

// DB is a control store. It is safe for concurrent use, by several processes
// too.
type DB struct {
	bun    *bun.DB
	engine *engine
	closed atomic.Bool
	close  func() error
}

var (
	_ store.Control = (*DB)(nil)
	_ store.Telling = (*DB)(nil)
)

// Open opens a database of SQLite and brings it to the latest format. It answers
// Unavailable when another process keeps it locked.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	err := checkSQLite(ctx, cfg.Path)
	var e *engine
	if err == nil {
		e, err = openSQLite(cfg.Path, cmp.Or(cfg.patience, busyTimeout))
	}
	if err == nil {
		e.used = cfg.Used
		var d *DB
		if d, err = start(ctx, e); err == nil {
			return d, nil
		}
	}
	return nil, fmt.Errorf("open control store %q: %w", cfg.Path, err)
}

// start returns the store on an engine, which it closes if it cannot.
func start(ctx context.Context, e *engine) (*DB, error) {
	d := &DB{bun: bun.NewDB(e.pool, e.dialect), engine: e}
	d.close = sync.OnceValue(d.bun.Close)
	err := d.fault(e.connect(ctx, e.pool), "connect")
	if err == nil {
		err = d.fault(e.schema.open(ctx, d.bun, e), "read its format")
	}
	if err != nil {
		_ = d.Close()
		return nil, err
	}
	return d, nil
}

// Close implements store.Control.
func (d *DB) Close() error {
	d.closed.Store(true)
	return d.close()
}

// write runs do in one transaction, which is kept when do and its commit give
// no error.
func (d *DB) write(ctx context.Context, doing string, do func(ctx context.Context, tx bun.Tx) error) error {
	return d.transact(ctx, d.engine.writing, doing, do)
}

// read runs do, which only reads, on the database as it is at one moment.
func (d *DB) read(ctx context.Context, doing string, do func(ctx context.Context, tx bun.Tx) error) error {
	return d.transact(ctx, d.engine.snapshot, doing, do)
}

func (d *DB) transact(ctx context.Context, how *sql.TxOptions, doing string, do func(ctx context.Context, tx bun.Tx) error) error {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	if err := d.bun.RunInTx(ctx, how, do); err != nil {
		return d.fault(err, doing)
	}
	return nil
}

// bounded returns the context of one call.
func (d *DB) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if d.engine.timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d.engine.timeout)
}

// fault returns an error of the database its kind and says what was being done.
// Faults pass as they are, and nil does.
func (d *DB) fault(err error, doing string) error {
	if err == nil {
		return nil
	}
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	if d.closed.Load() {
		return fault.Wrap(fault.Unavailable, err, "control store is closed")
	}
	return d.engine.classify(err, doing)
}
