// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
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
	return "the file is damaged and was left as it is: restore it and its -wal file from a backup (" + d.What + ")"
}

// checkSQLite reads the whole database, so that a damaged one stays as it is. What
// is in the way of reading it is for the caller that opens it next to say.
func checkSQLite(ctx context.Context, path string) error {
	pool, err := openToRead(path)
	if err != nil {
		return err
	}
	defer pool.Close() //nolint:errcheck // it was only read
	return checkIntegrity(ctx, pool)
}

// checkIntegrity reads the whole database. The error is a DamagedError, or nil.
// https://sqlite.org/pragma.html#pragma_integrity_check
func checkIntegrity(ctx context.Context, pool *sql.DB) error {
	var found string
	err := pool.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found)
	var e *sqlite.Error
	switch {
	case err == nil && found != "ok":
		return &DamagedError{What: found}
	case errors.As(err, &e) && (e.Code()&0xff == sqlite3.SQLITE_CORRUPT || e.Code()&0xff == sqlite3.SQLITE_NOTADB):
		return &DamagedError{What: sqlite.ErrorCodeString[e.Code()&0xff]}
	}
	return nil
}

// openToRead returns connections that cannot write.
func openToRead(path string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	dsn := url.URL{
		Scheme: "file", OmitHost: true, Path: filepath.ToSlash(absolute),
		RawQuery: url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)"}}.Encode(),
	}
	return sql.Open("sqlite", dsn.String())
}

// UnknownFormatError says that no release up to this one made a database.
type UnknownFormatError struct{ What string }

// Error says why.
func (u *UnknownFormatError) Error() string { return u.What }

// Verify reads the whole database of a control store and changes nothing. The error
// is a DamagedError or an UnknownFormatError if something is wrong with it.
func Verify(ctx context.Context, path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	if st.Size() == 0 {
		return &DamagedError{What: "it is empty"}
	}
	pool, err := openToRead(path)
	if err != nil {
		return err
	}
	defer pool.Close() //nolint:errcheck // it was only read
	if err := checkIntegrity(ctx, pool); err != nil {
		return err
	}
	files, err := fs.Sub(sqliteSchema, "schema/sqlite")
	if err != nil {
		return err
	}
	latest, err := steps{files}.latest()
	if err != nil {
		return err
	}
	var had int
	err = pool.QueryRowContext(ctx, "SELECT version FROM format").Scan(&had)
	var e *sqlite.Error
	switch {
	case errors.As(err, &e) && e.Code() == sqlite3.SQLITE_ERROR, errors.Is(err, sql.ErrNoRows):
		return &UnknownFormatError{What: errNoVersion.Error()}
	case err != nil:
		return err
	case had > latest:
		return &UnknownFormatError{What: newerFormat(had, latest).Error()}
	}
	return nil
}
