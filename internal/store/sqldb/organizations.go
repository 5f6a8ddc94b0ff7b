// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type organizationRow struct {
	bun.BaseModel `bun:"table:organizations"`

	ID        text `bun:",pk"`
	Name      text
	Retention time.Duration
	CreatedAt moment
}

type projectRow struct {
	bun.BaseModel `bun:"table:projects"`

	ID             text `bun:",pk"`
	OrganizationID text
	Slug           text
}

type environmentRow struct {
	bun.BaseModel `bun:"table:environments"`

	ID        text `bun:",pk"`
	ProjectID text
	Slug      text
	Retention time.Duration
}

type keyRow struct {
	bun.BaseModel `bun:"table:keys"`

	Digest        []byte `bun:",pk"`
	EnvironmentID text
}

// CreateOrganization implements store.Organizations.
func (d *DB) CreateOrganization(ctx context.Context, org tenant.Organization, keys []tenant.Key) error {
	environments := org.AllEnvironments()
	keyRows, err := keyRowsOf(keys, environments)
	if err != nil {
		return err
	}
	projectRows := make([]projectRow, 0, len(org.Projects))
	for _, p := range org.Projects {
		projectRows = append(projectRows, projectRow{ID: text(p.ID), OrganizationID: text(org.ID), Slug: text(p.Slug)})
	}
	environmentRows := make([]environmentRow, 0, len(environments))
	for _, e := range environments {
		environmentRows = append(environmentRows, environmentRow{
			ID: text(e.ID), ProjectID: text(e.ProjectID), Slug: text(e.Slug), Retention: e.Retention,
		})
	}
	row := &organizationRow{
		ID: text(org.ID), Name: text(org.Name), Retention: org.Retention, CreatedAt: moment{org.CreatedAt},
	}
	return d.write(ctx, "create organization", func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return err
		}
		if err := insertAll(ctx, tx, projectRows); err != nil {
			return err
		}
		if err := insertAll(ctx, tx, environmentRows); err != nil {
			return err
		}
		return insertAll(ctx, tx, keyRows)
	})
}

func keyRowsOf(keys []tenant.Key, environments []tenant.Environment) ([]keyRow, error) {
	own := make(map[tenant.EnvironmentID]bool, len(environments))
	for _, e := range environments {
		own[e.ID] = true
	}
	rows := make([]keyRow, 0, len(keys))
	for _, k := range keys {
		if !own[k.Environment.ID] {
			return nil, fault.New(fault.Invalid, "a key belongs to an environment that is not the organization's")
		}
		rows = append(rows, keyRow{Digest: k.Digest[:], EnvironmentID: text(k.Environment.ID)})
	}
	return rows, nil
}

func insertAll[Row any](ctx context.Context, tx bun.Tx, rows []Row) error {
	for chunk := range slices.Chunk(rows, 1000) { // a statement has a greatest length
		if _, err := tx.NewInsert().Model(&chunk).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ownedKey is a key with all that a Principal tells of its environment.
type ownedKey struct {
	Digest         []byte
	EnvironmentID  text
	Slug           text
	Retention      time.Duration
	OrganizationID text
	ProjectID      text
}

func (k *ownedKey) key() tenant.Key {
	return tenant.Key{
		Digest: tenant.Digest(k.Digest), // the schema says: 32 bytes
		Environment: tenant.Environment{
			ID:             tenant.EnvironmentID(k.EnvironmentID),
			Slug:           string(k.Slug),
			OrganizationID: string(k.OrganizationID),
			ProjectID:      string(k.ProjectID),
			Retention:      k.Retention,
		},
	}
}

func (d *DB) selectKeys() *bun.SelectQuery {
	return d.bun.NewSelect().
		TableExpr("keys AS k").
		Join("JOIN environments AS e ON e.id = k.environment_id").
		Join("JOIN projects AS p ON p.id = e.project_id").
		ColumnExpr("k.digest, k.environment_id, e.slug, e.retention, p.organization_id, e.project_id")
}

// Keys implements store.Organizations.
func (d *DB) Keys(ctx context.Context) ([]tenant.Key, error) {
	var rows []ownedKey
	if err := d.selectKeys().Scan(ctx, &rows); err != nil {
		return nil, d.fault(err, "read keys")
	}
	keys := make([]tenant.Key, 0, len(rows))
	for i := range rows {
		keys = append(keys, rows[i].key())
	}
	return keys, nil
}

// Key implements store.Organizations.
func (d *DB) Key(ctx context.Context, digest tenant.Digest) (tenant.Key, error) {
	var row ownedKey
	err := d.selectKeys().Where("k.digest = ?", digest[:]).Scan(ctx, &row)
	if errors.Is(err, sql.ErrNoRows) {
		return tenant.Key{}, fault.New(fault.NotFound, "key not found")
	}
	if err != nil {
		return tenant.Key{}, d.fault(err, "read key")
	}
	return row.key(), nil
}
