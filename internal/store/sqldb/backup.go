// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Backup writes the database as it is at one moment into a file, durably, which must
// not be there. It answers NotConfigured where the database has tools of its own for
// that.
func (d *DB) Backup(ctx context.Context, path string) error {
	if d.engine.backup == nil {
		return fault.New(fault.NotConfigured, "the control store is a database with a server: its own tools make backups of it")
	}
	if err := d.engine.backup(ctx, d.bun.DB, path); err != nil {
		return d.fault(err, "back up")
	}
	return nil
}

// backUpSQLite writes a copy without the pages that are free:
// https://sqlite.org/lang_vacuum.html#vacuuminto. The file is private before there is
// anything in it.
func backUpSQLite(ctx context.Context, pool *sql.DB, path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // below the operator's directory
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "file of the backup cannot be made")
	}
	_, err = pool.ExecContext(ctx, "VACUUM INTO ?", path)
	if err == nil {
		if synced := file.Sync(); synced != nil {
			err = fmt.Errorf("the backup is not durable: %w", synced)
		}
	}
	return errors.Join(err, file.Close())
}
