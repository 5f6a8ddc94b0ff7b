// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// CreateBackfill implements store.Backfills.
func (d *DB) CreateBackfill(ctx context.Context, b monitor.Backfill) error {
	b.Revision = 1
	row := backfillRowOf(b)
	_, err := d.bun.NewInsert().Model(&row).ExcludeColumn("seq").Returning("NULL").Exec(ctx)
	if err == nil {
		return nil
	}
	err = d.fault(err, "create backfill")
	switch fault.KindOf(err) {
	case fault.Conflict:
		return fault.Wrap(fault.Conflict, err, "backfill already exists")
	case fault.NotFound:
		return fault.Wrap(fault.NotFound, err, "auto monitor setup not found")
	}
	return err
}

// Backfill implements store.Backfills.
func (d *DB) Backfill(ctx context.Context, env tenant.EnvironmentID, setupID, id string) (monitor.Backfill, error) {
	row := new(backfillRow)
	err := d.bun.NewSelect().Model(row).
		Where("environment_id = ?", text(env)).
		Where("setup_id = ?", text(setupID)).
		Where("id = ?", text(id)).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return monitor.Backfill{}, noBackfill()
	}
	if err != nil {
		return monitor.Backfill{}, d.fault(err, "read backfill")
	}
	return row.backfill(), nil
}

func noBackfill() error { return fault.New(fault.NotFound, "backfill not found") }

// ListBackfills implements store.Backfills.
func (d *DB) ListBackfills(ctx context.Context, env tenant.EnvironmentID, setupID string) ([]monitor.Backfill, error) {
	return d.backfills(ctx, func(q *bun.SelectQuery) {
		q.Where("environment_id = ?", text(env)).Where("setup_id = ?", text(setupID))
	})
}

// OpenBackfills implements store.Backfills.
func (d *DB) OpenBackfills(ctx context.Context) ([]monitor.Backfill, error) {
	over := []monitor.BackfillStatus{monitor.BackfillCompleted, monitor.BackfillCancelled, monitor.BackfillFailed}
	return d.backfills(ctx, func(q *bun.SelectQuery) {
		q.Where("status NOT IN (?)", bun.List(convert[text](over)))
	})
}

func (d *DB) backfills(ctx context.Context, narrow func(*bun.SelectQuery)) ([]monitor.Backfill, error) {
	var rows []backfillRow
	q := d.bun.NewSelect().Model(&rows).OrderExpr(oldestFirst)
	narrow(q)
	if err := q.Scan(ctx); err != nil {
		return nil, d.fault(err, "list backfills")
	}
	list := make([]monitor.Backfill, 0, len(rows))
	for i := range rows {
		list = append(list, rows[i].backfill())
	}
	return list, nil
}

// ReplaceBackfill implements store.Backfills.
func (d *DB) ReplaceBackfill(ctx context.Context, b monitor.Backfill) (monitor.Backfill, error) {
	row := backfillRowOf(b)
	row.Revision++
	err := d.write(ctx, "replace backfill", func(ctx context.Context, tx bun.Tx) error {
		err := tx.NewUpdate().Model(&row).
			Column("status", "position", "total", "seen", "matched", "error_message", "revision", "updated_at").
			Where("environment_id = ?", row.EnvironmentID).
			Where("setup_id = ?", row.SetupID).
			Where("id = ?", row.ID).
			Where("revision = ?", b.Revision).
			Returning("*").Scan(ctx)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		exists, err := tx.NewSelect().Model((*backfillRow)(nil)).
			Where("environment_id = ?", row.EnvironmentID).
			Where("setup_id = ?", row.SetupID).
			Where("id = ?", row.ID).Exists(ctx)
		switch {
		case err != nil:
			return err
		case exists:
			return fault.New(fault.Conflict, "backfill was changed by someone else")
		}
		return noBackfill()
	})
	if err != nil {
		return monitor.Backfill{}, err
	}
	return row.backfill(), nil
}
