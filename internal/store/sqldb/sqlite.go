// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"database/sql"
	"embed"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// engine is what differs between databases.
type engine struct {
	pool       *sql.DB
	dialect    schema.Dialect
	migrations fs.FS
	classify   classifier
}

//go:embed migrations/sqlite/*.sql
var sqliteMigrations embed.FS

// openSQLite prepares the files and the one connection. Nothing is read yet.
//
// One connection serialises this process's callers, so that none of them ever
// meets a lock; locking_mode EXCLUSIVE keeps other processes out, because the
// in-memory view over this store takes itself for the whole truth.
func openSQLite(path string) (engine, error) {
	if err := prepareFile(path); err != nil {
		return engine{}, err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return engine{}, err
	}
	dsn := url.URL{
		Scheme:   "file",
		OmitHost: true,
		Path:     filepath.ToSlash(absolute),
		RawQuery: url.Values{
			"_pragma": {
				"busy_timeout(1000)", // a foreign process may be on its way out
				"locking_mode(EXCLUSIVE)",
				"journal_mode(WAL)",
				"synchronous(FULL)",
				"foreign_keys(ON)",
				"trusted_schema(OFF)",
			},
			"_txlock": {"immediate"},
		}.Encode(),
	}
	pool, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return engine{}, err
	}
	pool.SetMaxOpenConns(1)
	pool.SetMaxIdleConns(1)
	migrations, err := fs.Sub(sqliteMigrations, "migrations/sqlite")
	if err != nil {
		return engine{}, errors.Join(err, pool.Close())
	}
	return engine{pool: pool, dialect: sqlitedialect.New(), migrations: migrations, classify: classifySQLite}, nil
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
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the operator names the path
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "file of the control store cannot be opened")
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}
