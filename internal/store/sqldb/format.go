// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// steps holds the statements that lead from each format version of a database
// to the next: 1.sql makes version 1 of an empty one.
type steps struct{ files fs.FS }

// latest returns the version that the files lead to.
func (s steps) latest() (int, error) {
	files, err := fs.Glob(s.files, "*.sql")
	return len(files), err
}

// open brings a database to the latest version, or looks whether it has that, or does
// neither.
func (s steps) open(ctx context.Context, db *bun.DB, e *engine) error {
	switch e.migrate {
	case store.MigrateOff:
		return nil
	case store.MigrateCheck:
		return s.check(ctx, db, e)
	}
	return s.bring(ctx, db, e)
}

// check refuses a database that bring would change, or not take.
func (s steps) check(ctx context.Context, db *bun.DB, e *engine) error {
	latest, err := s.latest()
	if err != nil {
		return err
	}
	var had int
	err = db.RunInTx(ctx, e.snapshot, func(ctx context.Context, tx bun.Tx) (err error) {
		had, err = version(ctx, tx, e)
		return err
	})
	switch {
	case err != nil:
		return err
	case had > latest:
		return newerFormat(had, latest)
	case had < latest:
		return fmt.Errorf("the database has format %d, and this release needs %d: run touchstone migrate, or set migrate to auto", had, latest)
	}
	return nil
}

// bring leads a database to the latest version, in one transaction: however
// many processes open it, and whenever one is killed, each step is done once
// and wholly. It refuses a database of a newer version, and one that has tables
// and no version.
func (s steps) bring(ctx context.Context, db *bun.DB, e *engine) error {
	latest, err := s.latest()
	if err != nil {
		return err
	}
	return db.RunInTx(ctx, e.writing, func(ctx context.Context, tx bun.Tx) error {
		if err := e.alone(ctx, tx); err != nil {
			return err
		}
		had, err := version(ctx, tx, e)
		if err == nil && had == 0 && e.used {
			return ErrEmpty
		}
		if err == nil && had == 0 {
			_, err = tx.ExecContext(ctx, "CREATE TABLE format (version INTEGER NOT NULL); INSERT INTO format (version) VALUES (0)")
		}
		if err != nil {
			return err
		}
		if had > latest {
			return newerFormat(had, latest)
		}
		for next := had + 1; next <= latest; next++ {
			if err := s.step(ctx, tx, next); err != nil {
				return fmt.Errorf("format %d: %w", next, err)
			}
		}
		if had == latest {
			return nil
		}
		_, err = tx.NewUpdate().Table("format").Set("version = ?", latest).Where("true").Exec(ctx)
		return err
	})
}

// version returns the format version that a database has, 0 if it is empty.
func version(ctx context.Context, tx bun.Tx, e *engine) (int, error) {
	var tables []string
	if err := tx.NewRaw(e.tables).Scan(ctx, &tables); err != nil {
		return 0, err
	}
	switch {
	case len(tables) == 0:
		return 0, nil
	case !slices.Contains(tables, "format"):
		return 0, errNoVersion
	}
	var had int
	err := tx.NewSelect().Table("format").Column("version").Scan(ctx, &had)
	return had, err
}

func (s steps) step(ctx context.Context, tx bun.Tx, to int) error {
	text, err := fs.ReadFile(s.files, strconv.Itoa(to)+".sql")
	if err != nil {
		return err
	}
	_, err = tx.Tx.ExecContext(ctx, string(text)) // one of our own files, as it stands: it has no arguments
	return err
}

func newerFormat(had, latest int) error {
	return fmt.Errorf("the database has format %d, which a newer release made: this one knows formats up to %d", had, latest)
}

var errNoVersion = errors.New("the database has tables and no format version: no release of Touchstone made it")
