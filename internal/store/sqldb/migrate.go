// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"
)

// errRan ends a migration that another process was faster to run.
var errRan = errors.New("migration ran already")

// migrateTo runs the migrations that the database has not seen, each in one
// transaction with the note that it ran: it runs once, whatever happens and
// however many processes open the database. It refuses a database with
// migrations that are not among them: a newer release wrote it.
func migrateTo(ctx context.Context, db *bun.DB, files fs.FS) error {
	migrations := migrate.NewMigrations()
	if err := migrations.Discover(files); err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	m := migrate.NewMigrator(db, migrations,
		migrate.WithTableName("migrations"),
		migrate.WithLocksTableName("migration_locks"),
		migrate.BeforeMigration(notRan),
		migrate.AfterMigration(note),
		migrate.WithMarkAppliedOnSuccess(true), // which finds our note, and
		migrate.WithUpsert(true))               // leaves it at one
	if err := m.Init(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	unknown, err := m.MissingMigrations(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if len(unknown) > 0 {
		return fmt.Errorf("the database has migration %s, which this release does not know: a newer release wrote it", unknown[0].Name)
	}
	_, err = m.Migrate(ctx)
	for errors.Is(err, errRan) { // one less to run
		_, err = m.Migrate(ctx)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// notRan looks again, within the migration's transaction.
func notRan(ctx context.Context, tx bun.IConn, m *migrate.Migration) error {
	var ran bool
	err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM migrations WHERE name = ?)", m.Name).Scan(&ran)
	if err == nil && ran {
		err = errRan
	}
	return err
}

func note(ctx context.Context, tx bun.IConn, m *migrate.Migration) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO migrations (name, group_id) VALUES (?, ?)", m.Name, m.GroupID)
	return err
}
