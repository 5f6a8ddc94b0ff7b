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
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type organizationRow struct {
	bun.BaseModel `bun:"table:organizations"`

	ID        string `bun:",pk"`
	Name      string
	Retention time.Duration
	CreatedAt moment
}

type projectRow struct {
	bun.BaseModel `bun:"table:projects"`

	ID             string `bun:",pk"`
	OrganizationID string
	Slug           string
}

type environmentRow struct {
	bun.BaseModel `bun:"table:environments"`

	ID        string `bun:",pk"`
	ProjectID string
	Slug      string
	Retention time.Duration
}

type keyRow struct {
	bun.BaseModel `bun:"table:keys"`

	Digest        []byte `bun:",pk"`
	EnvironmentID string
}

// CreateOrganization implements store.Organizations.
func (d *DB) CreateOrganization(ctx context.Context, org tenant.Organization, keys []tenant.Key) error {
	if !storableOrganization(&org) {
		return notStorable("names and slugs of an organization")
	}
	environments := org.AllEnvironments()
	keyRows, err := keyRowsOf(keys, environments)
	if err != nil {
		return err
	}
	projectRows := make([]projectRow, 0, len(org.Projects))
	for _, p := range org.Projects {
		projectRows = append(projectRows, projectRow{ID: p.ID, OrganizationID: org.ID, Slug: p.Slug})
	}
	environmentRows := make([]environmentRow, 0, len(environments))
	for _, e := range environments {
		environmentRows = append(environmentRows, environmentRow{
			ID: string(e.ID), ProjectID: e.ProjectID, Slug: e.Slug, Retention: e.Retention,
		})
	}
	row := &organizationRow{ID: org.ID, Name: org.Name, Retention: org.Retention, CreatedAt: moment{org.CreatedAt}}
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
		if err := insertAll(ctx, tx, keyRows); err != nil {
			return err
		}
		changes := make([]store.Change, len(environments))
		for i, e := range environments {
			changes[i].Environment = e.ID
		}
		return announce(ctx, tx, changes...)
	})
}

func storableOrganization(org *tenant.Organization) bool {
	texts := []string{org.ID, org.Name}
	for _, p := range org.Projects {
		texts = append(texts, p.ID, p.Slug)
		for _, e := range p.Environments {
			texts = append(texts, string(e.ID), e.Slug)
		}
	}
	return storable(texts...)
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
		rows = append(rows, keyRow{Digest: k.Digest[:], EnvironmentID: string(k.Environment.ID)})
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
	EnvironmentID  string
	Slug           string
	Retention      time.Duration
	OrganizationID string
	ProjectID      string
}

func (k *ownedKey) key() tenant.Key {
	return tenant.Key{
		Digest: tenant.Digest(k.Digest), // the schema says: 32 bytes
		Environment: tenant.Environment{
			ID:             tenant.EnvironmentID(k.EnvironmentID),
			Slug:           k.Slug,
			OrganizationID: k.OrganizationID,
			ProjectID:      k.ProjectID,
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
func (d *DB) Keys(ctx context.Context, of ...tenant.EnvironmentID) ([]tenant.Key, error) {
	var rows []ownedKey
	q := d.selectKeys()
	if len(of) > 0 {
		q.Where("k.environment_id IN (?)", bun.List(of))
	}
	if err := q.Scan(ctx, &rows); err != nil {
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
