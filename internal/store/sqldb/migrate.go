// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"
)

// migrateTo runs the migrations that the database has not seen, each in a
// transaction of its own. It refuses a database with migrations that are not
// among them: a newer release wrote it.
func migrateTo(ctx context.Context, db *bun.DB, files fs.FS) error {
	migrations := migrate.NewMigrations()
	if err := migrations.Discover(files); err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	m := migrate.NewMigrator(db, migrations,
		migrate.WithTableName("migrations"),
		migrate.WithLocksTableName("migration_locks"),
		migrate.WithMarkAppliedOnSuccess(true))
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
	if _, err := m.Migrate(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}
