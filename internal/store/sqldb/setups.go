// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// oldestFirst is the order of every list of setups.
const oldestFirst = "created_at, seq"

// CreateSetup implements store.Setups.
func (d *DB) CreateSetup(ctx context.Context, s monitor.Setup) error {
	s.Revision = 1
	row := rowOf(s)
	_, err := d.bun.NewInsert().Model(&row).ExcludeColumn("seq").Returning("NULL").Exec(ctx)
	if err == nil {
		return nil
	}
	return setupFault(d.fault(err, "create setup"))
}

// setupFault says which name is taken or missing.
func setupFault(err error) error {
	switch fault.KindOf(err) {
	case fault.Conflict:
		return fault.Wrap(fault.Conflict, err, "external_id already exists in this environment")
	case fault.NotFound:
		return fault.Wrap(fault.NotFound, err, "environment not found")
	}
	return err
}

// Setup implements store.Setups.
func (d *DB) Setup(ctx context.Context, env tenant.EnvironmentID, name string) (monitor.Setup, error) {
	row, err := named(ctx, d.bun, env, name)
	if err != nil {
		return monitor.Setup{}, d.fault(err, "read setup")
	}
	return row.setup(), nil
}

// named gives the row that goes by name in env: its external id, or else its id.
func named(ctx context.Context, db bun.IDB, env tenant.EnvironmentID, name string) (*setupRow, error) {
	row := new(setupRow)
	err := db.NewSelect().Model(row).
		Where("environment_id = ?", text(env)).
		Where("external_id = ? OR id = ?", text(name), text(name)).
		OrderExpr("external_id = ? DESC", text(name)).
		Limit(1).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, noSetup()
	}
	return row, err
}

func noSetup() error { return fault.New(fault.NotFound, "auto monitor setup not found") }

// ListSetups implements store.Setups.
func (d *DB) ListSetups(ctx context.Context, env tenant.EnvironmentID, f store.SetupFilter) ([]monitor.Setup, error) {
	return d.list(ctx, func(q *bun.SelectQuery) {
		q.Where("environment_id = ?", text(env))
		if f.Status != "" {
			q.Where("status = ?", text(f.Status))
		}
		if f.ExternalID != "" {
			q.Where("external_id = ?", text(f.ExternalID))
		}
		if f.EntityType != "" {
			q.Where("entity_type = ?", text(f.EntityType))
		}
	})
}

// AllSetups implements store.Setups.
func (d *DB) AllSetups(ctx context.Context) ([]monitor.Setup, error) {
	return d.list(ctx, func(*bun.SelectQuery) {})
}

func (d *DB) list(ctx context.Context, narrow func(*bun.SelectQuery)) ([]monitor.Setup, error) {
	var rows []setupRow
	q := d.bun.NewSelect().Model(&rows).OrderExpr(oldestFirst)
	narrow(q)
	if err := q.Scan(ctx); err != nil {
		return nil, d.fault(err, "list setups")
	}
	setups := make([]monitor.Setup, 0, len(rows))
	for i := range rows {
		setups = append(setups, rows[i].setup())
	}
	return setups, nil
}

// ReplaceSetup implements store.Setups. Owner, id and creation time stay as
// they are stored.
func (d *DB) ReplaceSetup(ctx context.Context, s monitor.Setup) (monitor.Setup, error) {
	row := rowOf(s)
	row.Revision++
	err := d.write(ctx, "replace setup", func(ctx context.Context, tx bun.Tx) error {
		err := tx.NewUpdate().Model(&row).
			Column("external_id", "selector", "evaluators", "bounds", "entity_type", "entity_value",
				"status", "revision", "generation", "updated_at").
			Where("environment_id = ?", text(s.EnvironmentID)).
			Where("id = ?", text(s.ID)).
			Where("revision = ?", s.Revision).
			Returning("*").Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return whyNotReplaced(ctx, tx, s)
		}
		return err
	})
	if err != nil {
		return monitor.Setup{}, setupConflict(err)
	}
	return row.setup(), nil
}

// setupConflict tells a taken external id from a lost race.
func setupConflict(err error) error {
	var known *fault.Error
	if errors.As(err, &known) && known.Kind == fault.Conflict && known.Cause != nil {
		return setupFault(err)
	}
	return err
}

func whyNotReplaced(ctx context.Context, tx bun.Tx, s monitor.Setup) error {
	exists, err := tx.NewSelect().Model((*setupRow)(nil)).
		Where("environment_id = ?", text(s.EnvironmentID)).
		Where("id = ?", text(s.ID)).Exists(ctx)
	switch {
	case err != nil:
		return err
	case exists:
		return fault.New(fault.Conflict, "auto monitor setup was changed by someone else")
	}
	return noSetup()
}

// DeleteSetup implements store.Setups.
func (d *DB) DeleteSetup(ctx context.Context, env tenant.EnvironmentID, name string) error {
	return d.write(ctx, "delete setup", func(ctx context.Context, tx bun.Tx) error {
		row, err := named(ctx, tx, env, name)
		if err != nil {
			return err
		}
		_, err = tx.NewDelete().Model(row).WherePK().Exec(ctx)
		return err
	})
}
