// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type keyRow struct {
	bun.BaseModel `bun:"table:keys"`

	ID            string `bun:",pk"`
	Digest        []byte
	EnvironmentID tenant.EnvironmentID
	Name          string
	Scope         tenant.Scope
	CreatedAt     moment
	ExpiresAt     moment
	RevokedAt     moment
	UsedAt        moment
}

func keyRowOf(k *tenant.Key) keyRow {
	return keyRow{
		ID: k.ID, Digest: k.Digest[:], EnvironmentID: k.Environment.ID, Name: k.Name, Scope: k.Scope,
		CreatedAt: moment{k.CreatedAt}, ExpiresAt: moment{k.ExpiresAt}, RevokedAt: moment{k.RevokedAt}, UsedAt: moment{k.UsedAt},
	}
}

// ownedKey is a key with all that a Principal tells of its environment.
type ownedKey struct {
	keyRow `bun:",extend"`

	Slug           string
	Retention      time.Duration
	Quota          quota
	Prices         prices
	Mappings       tenant.Mappings
	OrganizationID string
	ProjectID      string
}

func (k *ownedKey) key() tenant.Key {
	return tenant.Key{
		ID:     k.ID,
		Digest: tenant.Digest(k.Digest), // the schema says: 32 bytes
		Name:   k.Name,
		Scope:  k.Scope,
		Environment: tenant.Environment{
			ID:             k.EnvironmentID,
			Slug:           k.Slug,
			OrganizationID: k.OrganizationID,
			ProjectID:      k.ProjectID,
			Retention:      k.Retention,
			Quota:          tenant.Quota(k.Quota),
			Prices:         k.Prices.Prices,
			Mappings:       k.Mappings,
		},
		CreatedAt: k.CreatedAt.Time, ExpiresAt: k.ExpiresAt.Time, RevokedAt: k.RevokedAt.Time, UsedAt: k.UsedAt.Time,
	}
}

// Keys implements store.Organizations.
func (d *DB) Keys(ctx context.Context, of ...tenant.EnvironmentID) ([]tenant.Key, error) {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	keys, err := selectKeys(ctx, d.bun, of)
	return keys, d.fault(err, "read keys")
}

func selectKeys(ctx context.Context, db bun.IDB, of []tenant.EnvironmentID) ([]tenant.Key, error) {
	var rows []ownedKey
	q := db.NewSelect().
		TableExpr("keys AS k").
		Join("JOIN environments AS e ON e.id = k.environment_id").
		Join("JOIN projects AS p ON p.id = e.project_id").
		Join("JOIN organizations AS o ON o.id = p.organization_id").
		ColumnExpr("k.*, e.slug, e.retention, e.quota, e.mappings, o.prices, p.organization_id, e.project_id").
		OrderExpr("k.created_at NULLS FIRST, k.id")
	if len(of) > 0 {
		q.Where("k.environment_id IN (?)", bun.List(of))
	}
	if err := q.Scan(ctx, &rows); err != nil {
		return nil, err
	}
	keys := make([]tenant.Key, 0, len(rows))
	for i := range rows {
		keys = append(keys, rows[i].key())
	}
	return keys, nil
}

// ChangeKeys implements store.Organizations.
func (d *DB) ChangeKeys(ctx context.Context, of []tenant.EnvironmentID, change func([]tenant.Key) ([]tenant.Key, error)) error {
	if len(of) == 0 {
		return nil
	}
	return d.write(ctx, "change keys", func(ctx context.Context, tx bun.Tx) error {
		if err := holdEnvironments(ctx, tx, of); err != nil {
			return err
		}
		had, err := selectKeys(ctx, tx, of)
		if err != nil {
			return err
		}
		want, err := change(slices.Clone(had))
		if err != nil {
			return err
		}
		return storeKeys(ctx, tx, of, had, want)
	})
}

// holdEnvironments keeps others from changing the keys of some environments, and
// from creating documents there, until the transaction ends. Who holds several does
// so in the order of their ids, so that no two wait for one another.
func holdEnvironments(ctx context.Context, tx bun.Tx, ids []tenant.EnvironmentID) error {
	var held []tenant.EnvironmentID
	return hold(tx, tx.NewSelect().Model((*environmentRow)(nil)).Column("id").
		Where("id IN (?)", bun.List(ids)).OrderExpr("id")).Scan(ctx, &held)
}

// storeKeys makes the keys of some environments those that are wanted, and
// announces the environments in which more changed than the last use.
func storeKeys(ctx context.Context, tx bun.Tx, of []tenant.EnvironmentID, had, want []tenant.Key) error {
	before := make(map[string]tenant.Key, len(had))
	for _, k := range had {
		before[k.ID] = k
	}
	changed := make(map[tenant.EnvironmentID]bool)
	for i := range want {
		k := &want[i]
		was, there := before[k.ID]
		if there {
			delete(before, k.ID)
			k.Digest, k.Environment = was.Digest, was.Environment
			used := k.UsedAt
			if k.UsedAt = was.UsedAt; *k != was {
				changed[k.Environment.ID] = true
			} else if used.Equal(was.UsedAt) {
				continue
			}
			k.UsedAt = used
		} else {
			changed[k.Environment.ID] = true
		}
		if err := storeKey(ctx, tx, of, k, there); err != nil {
			return err
		}
	}
	for id, k := range before {
		changed[k.Environment.ID] = true
		if _, err := tx.NewDelete().Model((*keyRow)(nil)).Where("id = ?", id).Exec(ctx); err != nil {
			return err
		}
	}
	var changes []store.Change
	for _, id := range of {
		if changed[id] {
			changes = append(changes, store.Change{Environment: id})
		}
	}
	return announce(ctx, tx, changes...)
}

func storeKey(ctx context.Context, tx bun.Tx, of []tenant.EnvironmentID, k *tenant.Key, there bool) error {
	if err := checkKey(k); err != nil {
		return err
	}
	row := keyRowOf(k)
	if there {
		_, err := tx.NewUpdate().Model(&row).
			Column("name", "scope", "created_at", "expires_at", "revoked_at", "used_at").WherePK().Exec(ctx)
		return err
	}
	if !slices.Contains(of, k.Environment.ID) {
		return fault.New(fault.Invalid, "a key belongs to another environment")
	}
	if err := holdEnvironment(ctx, tx, k.Environment.ID); err != nil {
		return err
	}
	_, err := tx.NewInsert().Model(&row).Exec(ctx)
	return err
}

// checkKey refuses a key that has no id, and texts that no database takes.
func checkKey(k *tenant.Key) error {
	switch {
	case k.ID == "":
		return fault.New(fault.Invalid, "a key has no id")
	case !storable(k.ID, k.Name, string(k.Scope)):
		return notStorable("id, name and scope of a key")
	}
	return nil
}

func keyRowsOf(keys []tenant.Key, environments []tenant.Environment) ([]keyRow, error) {
	own := make(map[tenant.EnvironmentID]bool, len(environments))
	for _, e := range environments {
		own[e.ID] = true
	}
	rows := make([]keyRow, 0, len(keys))
	for i := range keys {
		if !own[keys[i].Environment.ID] {
			return nil, fault.New(fault.Invalid, "a key belongs to an environment that is not the organization's")
		}
		if err := checkKey(&keys[i]); err != nil {
			return nil, err
		}
		rows = append(rows, keyRowOf(&keys[i]))
	}
	return rows, nil
}
