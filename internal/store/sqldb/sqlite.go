// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// busyTimeout is how long one process waits for another.
const busyTimeout = 5 * time.Second

//go:embed schema/sqlite/*.sql
var sqliteSchema embed.FS

// openSQLite prepares the files and the one connection. Nothing is read yet.
//
// One connection serialises this process's callers. Other processes may have
// the file open too: writers wait for one another, up to busy_timeout, from the
// beginning of their transactions on, so that none has to be undone.
func openSQLite(path string, patience time.Duration) (*engine, error) {
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(sqliteSchema, "schema/sqlite")
	if err != nil {
		return nil, err
	}
	dsn := url.URL{
		Scheme:   "file",
		OmitHost: true,
		Path:     filepath.ToSlash(absolute),
		RawQuery: url.Values{
			"_pragma": {
				fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()),
				"journal_mode(WAL)",
				"synchronous(FULL)",
				"foreign_keys(ON)",
				"trusted_schema(OFF)",
				"secure_delete(ON)", // what is deleted is overwritten
			},
			"_txlock": {"immediate"},
		}.Encode(),
	}
	pool, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	pool.SetMaxIdleConns(1)
	return &engine{
		pool:     pool,
		dialect:  sqlitedialect.New(),
		connect:  func(ctx context.Context, pool *sql.DB) error { return connectSQLite(ctx, pool, patience) },
		schema:   steps{files},
		tables:   "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
		alone:    func(context.Context, bun.Tx) error { return nil }, // as every transaction that writes
		writing:  &sql.TxOptions{},
		snapshot: &sql.TxOptions{ReadOnly: true},
		classify: classifySQLite,
		scrub:    scrubSQLite,
		backup:   backUpSQLite,
	}, nil
}

// scrubSQLite works the write-ahead log into the database and empties it: older
// pages in it have what was deleted. Where another process reads just then, the
// log is emptied by a later call or by the last process that closes the file.
// https://sqlite.org/pragma.html#pragma_wal_checkpoint
func scrubSQLite(ctx context.Context, pool *sql.DB) error {
	_, err := pool.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	if busy(err) {
		return nil
	}
	return err
}

// connectSQLite opens the connection. Of processes that do so at once on a new
// file only one can turn it to WAL, and SQLite does not have the others wait for
// that: they get the error that the file is busy, and try again for as long as they have patience.
// https://sqlite.org/wal.html#sometimes_queries_return_sqlite_busy_in_wal_mode
func connectSQLite(ctx context.Context, pool *sql.DB, patience time.Duration) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := pool.PingContext(ctx)
		if err != nil && !busy(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(backoff.NewConstantBackOff(10*time.Millisecond)), backoff.WithMaxElapsedTime(patience))
	return err
}

// prepareFile makes directory and file private before SQLite sees them; its
// other files inherit the mode of this one.
func prepareFile(path string) error {
	if path == "" {
		return errors.New("path is required")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fault.Wrap(fault.Unavailable, err, "directory of the control store cannot be created")
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator names the path
	if err == nil {
		err = f.Close()
	}
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = narrow(path)
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "file of the control store cannot be opened")
	}
	return nil
}

// narrow makes a file private without opening it: closing it again would end
// the locks that this process may have on it already.
func narrow(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is not a file")
	case info.Mode().Perm() == 0o600:
		return nil
	}
	return os.Chmod(path, 0o600)
}
