// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// CreateEvaluator implements store.Evaluators.
func (d *DB) CreateEvaluator(ctx context.Context, e eval.Custom) error {
	e.Version = 1
	row, version := evaluatorRowOf(e), versionRowOf(e)
	err := d.write(ctx, "create evaluator", func(ctx context.Context, tx bun.Tx) error {
		n, err := tx.NewSelect().Model((*evaluatorRow)(nil)).Where("environment_id = ?", text(e.EnvironmentID)).Count(ctx)
		if err != nil {
			return err
		}
		if n >= store.MaxEvaluators {
			return fault.New(fault.Invalid, "an environment may have at most %d evaluators of its own", store.MaxEvaluators)
		}
		if _, err := tx.NewInsert().Model(&row).ExcludeColumn("seq").Returning("NULL").Exec(ctx); err != nil {
			return err
		}
		_, err = tx.NewInsert().Model(&version).Exec(ctx)
		return err
	})
	switch fault.KindOf(err) {
	case fault.Conflict:
		return fault.Wrap(fault.Conflict, err, "slug already exists in this environment")
	case fault.NotFound:
		return fault.Wrap(fault.NotFound, err, "environment not found")
	}
	return err
}

// Evaluator implements store.Evaluators.
func (d *DB) Evaluator(ctx context.Context, env tenant.EnvironmentID, name string) (eval.Custom, error) {
	return d.evaluator(ctx, env, name, func(row *evaluatorRow, q *bun.SelectQuery) { q.Where("version = ?", row.Version) })
}

// EvaluatorVersion implements store.Evaluators.
func (d *DB) EvaluatorVersion(ctx context.Context, env tenant.EnvironmentID, name, version string) (eval.Custom, error) {
	return d.evaluator(ctx, env, name, func(_ *evaluatorRow, q *bun.SelectQuery) {
		q.Where("CAST(version AS TEXT) = ? OR id = ?", text(version), text(version)).
			OrderExpr("CAST(version AS TEXT) = ? DESC", text(version)).Limit(1)
	})
}

func (d *DB) evaluator(ctx context.Context, env tenant.EnvironmentID, name string, pick func(*evaluatorRow, *bun.SelectQuery)) (eval.Custom, error) {
	var found eval.Custom
	err := d.read(ctx, "read evaluator", func(ctx context.Context, tx bun.Tx) error {
		row := new(evaluatorRow)
		err := tx.NewSelect().Model(row).
			Where("environment_id = ?", text(env)).
			Where("slug = ? OR id = ?", text(name), text(name)).
			OrderExpr("slug = ? DESC", text(name)).
			Limit(1).Scan(ctx)
		if err != nil {
			return err
		}
		version := new(versionRow)
		q := tx.NewSelect().Model(version).Where("evaluator_id = ?", row.ID)
		pick(row, q)
		if err := q.Scan(ctx); err != nil {
			return err
		}
		found = row.evaluator(version)
		return nil
	})
	if errors.Is(err, sql.ErrNoRows) {
		return eval.Custom{}, noEvaluator()
	}
	return found, err
}

func noEvaluator() error { return fault.New(fault.NotFound, "evaluator not found") }

// ListEvaluators implements store.Evaluators.
func (d *DB) ListEvaluators(ctx context.Context, env tenant.EnvironmentID) ([]eval.Custom, error) {
	var rows []evaluatorRow
	var versions []versionRow
	err := d.read(ctx, "list evaluators", func(ctx context.Context, tx bun.Tx) error {
		if err := tx.NewSelect().Model(&rows).Where("environment_id = ?", text(env)).OrderExpr(oldestFirst).Scan(ctx); err != nil {
			return err
		}
		return tx.NewSelect().Model(&versions).
			Join("JOIN evaluators AS e ON e.id = v.evaluator_id AND e.version = v.version").
			Where("e.environment_id = ?", text(env)).Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	latest := make(map[text]*versionRow, len(versions))
	for i := range versions {
		latest[versions[i].EvaluatorID] = &versions[i]
	}
	list := make([]eval.Custom, 0, len(rows))
	for i := range rows {
		if version, ok := latest[rows[i].ID]; ok {
			list = append(list, rows[i].evaluator(version))
		}
	}
	return list, nil
}

// ReplaceEvaluator implements store.Evaluators.
func (d *DB) ReplaceEvaluator(ctx context.Context, e eval.Custom) (eval.Custom, error) {
	var stored eval.Custom
	err := d.write(ctx, "replace evaluator", func(ctx context.Context, tx bun.Tx) error {
		row := new(evaluatorRow)
		err := tx.NewSelect().Model(row).
			Where("environment_id = ?", text(e.EnvironmentID)).Where("id = ?", text(e.ID)).Scan(ctx)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return noEvaluator()
		case err != nil:
			return err
		case row.Version != e.Version:
			return fault.New(fault.Conflict, "evaluator was changed by someone else")
		}
		row.Version++
		version := versionRowOf(e)
		version.Version = row.Version
		if _, err := tx.NewUpdate().Model(row).Column("version").WherePK().Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewInsert().Model(&version).Exec(ctx); err != nil {
			return err
		}
		_, err = tx.NewDelete().Model((*versionRow)(nil)).
			Where("evaluator_id = ?", row.ID).Where("version <= ?", row.Version-store.KeptVersions).Exec(ctx)
		stored = row.evaluator(&version)
		return err
	})
	if err != nil {
		return eval.Custom{}, err
	}
	return stored, nil
}
