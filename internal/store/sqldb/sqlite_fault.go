// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// classifier gives an error of a database its kind.
type classifier func(err error, doing string) error

// classifySQLite tells what SQLite will do later from what it never will.
func classifySQLite(err error, doing string) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(fault.Unavailable, err, "%s: cancelled", doing)
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fault.Wrap(fault.Conflict, err, "%s: already exists", doing)
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fault.Wrap(fault.NotFound, err, "%s: owner not found", doing)
	}
	if busy(err) {
		return fault.Wrap(fault.Unavailable, err, "control store is in use by another process")
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return fault.Wrap(fault.Unavailable, err, "disk of the control store is full")
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY:
		return fault.Wrap(fault.Unavailable, err, "control store cannot read or write its files")
	case sqlite3.SQLITE_INTERRUPT:
		return fault.Wrap(fault.Unavailable, err, "%s: cancelled", doing)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// busy reports whether another process was in the way.
func busy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code()&0xff == sqlite3.SQLITE_BUSY || e.Code()&0xff == sqlite3.SQLITE_LOCKED)
}
