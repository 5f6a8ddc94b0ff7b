// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// DamagedError says that the file of a database is damaged.
type DamagedError struct {
	// What is what SQLite finds wrong first.
	What string
}

// Error says so, and what to do.
func (d *DamagedError) Error() string {
	return "the file is damaged and was left as it is: restore it and the -wal file beside it from a backup (" + d.What + ")"
}

// checkSQLite reads the whole database on a connection that cannot write, so that a
// damaged one stays as it is: https://sqlite.org/pragma.html#pragma_integrity_check.
// What is in the way of reading it is for whoever opens it next to say.
func checkSQLite(ctx context.Context, path string) error {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	dsn := url.URL{
		Scheme: "file", OmitHost: true, Path: filepath.ToSlash(absolute),
		RawQuery: url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)"}}.Encode(),
	}
	pool, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return err
	}
	defer pool.Close() //nolint:errcheck // it was only read
	var found string
	err = pool.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found)
	var e *sqlite.Error
	switch {
	case err == nil && found != "ok":
		return &DamagedError{What: found}
	case errors.As(err, &e) && (e.Code()&0xff == sqlite3.SQLITE_CORRUPT || e.Code()&0xff == sqlite3.SQLITE_NOTADB):
		return &DamagedError{What: sqlite.ErrorCodeString[e.Code()&0xff]}
	}
	return nil
}
