// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var errNoOrganization = fault.New(fault.NotFound, "organization not found")

// ChangeOrganization implements store.Organizations.
func (d *DB) ChangeOrganization(ctx context.Context, id string, change func(*tenant.Organization) error) (changed tenant.Organization, err error) {
	if !storable(id) {
		return tenant.Organization{}, errNoOrganization
	}
	erased := false
	err = d.write(ctx, "change organization", func(ctx context.Context, tx bun.Tx) error {
		if err := holdOrganization(ctx, tx, id); err != nil {
			return err
		}
		found, err := selectOrganizations(ctx, tx, []string{id})
		if err != nil {
			return err
		}
		was := found[0]
		next := was
		if next.Projects = nil; len(was.Projects) > 0 { // change gets lists of its own
			for _, p := range was.Projects {
				p.Environments = append([]tenant.Environment(nil), p.Environments...)
				next.Projects = append(next.Projects, p)
			}
		}
		if err := change(&next); err != nil {
			return err
		}
		next.ID, next.CreatedAt = was.ID, was.CreatedAt
		if err := storeOrganization(ctx, tx, &was, &next); err != nil {
			return err
		}
		erased = was.ErasedAt.IsZero() && !next.ErasedAt.IsZero()
		stored, err := selectOrganizations(ctx, tx, []string{id})
		if err == nil {
			changed = stored[0]
		}
		return err
	})
	if err != nil {
		return tenant.Organization{}, err
	}
	if erased {
		err = d.fault(d.engine.scrub(ctx, d.bun.DB), "scrub")
	}
	return changed, err
}

// holdOrganization keeps others from changing an organization and its environments
// until the transaction ends, or answers NotFound.
func holdOrganization(ctx context.Context, tx bun.Tx, id string) error {
	var held string
	err := hold(tx, tx.NewSelect().Model((*organizationRow)(nil)).Column("id").Where("id = ?", id)).Scan(ctx, &held)
	if errors.Is(err, sql.ErrNoRows) {
		return errNoOrganization
	}
	if err != nil {
		return err
	}
	var environments []tenant.EnvironmentID
	err = tx.NewSelect().Model((*environmentRow)(nil)).Column("id").
		Where("project_id IN (SELECT id FROM projects WHERE organization_id = ?)", id).Scan(ctx, &environments)
	if err != nil || len(environments) == 0 {
		return err
	}
	return holdEnvironments(ctx, tx, environments)
}

// storeOrganization stores what is different in next.
func storeOrganization(ctx context.Context, tx bun.Tx, was, next *tenant.Organization) error {
	if !storableOrganization(next) {
		return notStorable("names and slugs of an organization")
	}
	erase := was.ErasedAt.IsZero() && !next.ErasedAt.IsZero()
	if erase {
		next.Name, next.Prices = "", nil
	}
	if _, err := tx.NewUpdate().Model(organizationRowOf(next)).WherePK().Exec(ctx); err != nil {
		return err
	}
	changes, err := storeEnvironments(ctx, tx, was, next)
	if err != nil {
		return err
	}
	ids := idsOf(was.AllEnvironments())
	if was.DeletedAt.IsZero() && !next.DeletedAt.IsZero() {
		announced, err := closeEnvironments(ctx, tx, ids)
		if err != nil {
			return err
		}
		changes = append(changesOf(was.AllEnvironments()), announced...)
	}
	if erase && len(ids) > 0 {
		if err := eraseEnvironments(ctx, tx, ids, was.ID); err != nil {
			return err
		}
	}
	return announce(ctx, tx, changes...)
}

func idsOf(environments []tenant.Environment) []tenant.EnvironmentID {
	ids := make([]tenant.EnvironmentID, len(environments))
	for i, e := range environments {
		ids[i] = e.ID
	}
	return ids
}

// storeEnvironments stores environments that are new or different, and returns
// what is to be announced of them.
func storeEnvironments(ctx context.Context, tx bun.Tx, was, next *tenant.Organization) ([]store.Change, error) {
	before := make(map[tenant.EnvironmentID]tenant.Environment)
	for _, e := range was.AllEnvironments() {
		before[e.ID] = e
	}
	projects := make(map[string]bool)
	for _, p := range was.Projects {
		projects[p.ID] = true
	}
	var changes []store.Change
	for _, e := range next.AllEnvironments() {
		old, there := before[e.ID]
		if there && old == e {
			continue
		}
		changes = append(changes, store.Change{Environment: e.ID})
		if there {
			if err := updateEnvironment(ctx, tx, &e); err != nil {
				return nil, err
			}
			continue
		}
		if !projects[e.ProjectID] {
			return nil, fault.New(fault.NotFound, "project not found")
		}
		if _, err := tx.NewInsert().Model(&environmentRowsOf([]tenant.Environment{e})[0]).Exec(ctx); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

func updateEnvironment(ctx context.Context, tx bun.Tx, e *tenant.Environment) error {
	_, err := tx.NewUpdate().Model((*environmentRow)(nil)).
		Set("retention = ?", e.Retention).Set("quota = ?", quota(e.Quota)).Set("mappings = ?", e.Mappings).Where("id = ?", e.ID).Exec(ctx)
	return err
}

// closeEnvironments takes keys and documents away from environments for good,
// and returns what is to be announced of the documents.
func closeEnvironments(ctx context.Context, tx bun.Tx, ids []tenant.EnvironmentID) (changes []store.Change, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if _, err := tx.NewUpdate().Model((*environmentRow)(nil)).Set("is_closed = 1").Where("id IN (?)", bun.List(ids)).Exec(ctx); err != nil {
		return nil, err
	}
	if _, err := tx.NewDelete().Model((*keyRow)(nil)).Where("environment_id IN (?)", bun.List(ids)).Exec(ctx); err != nil {
		return nil, err
	}
	var documents []documentRow
	err = tx.NewSelect().Model(&documents).Column("kind", "environment_id", "id").Where("environment_id IN (?)", bun.List(ids)).Scan(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range documents {
		if r.Kind.Rules().Announced {
			changes = append(changes, store.Change{Environment: r.EnvironmentID, ID: r.ID})
		}
	}
	_, err = tx.NewDelete().Model((*documentRow)(nil)).Where("environment_id IN (?)", bun.List(ids)).Exec(ctx)
	return changes, err
}

// eraseEnvironments removes the environments and projects of an organization
// that was deleted before.
func eraseEnvironments(ctx context.Context, tx bun.Tx, ids []tenant.EnvironmentID, organization string) error {
	if _, err := tx.NewDelete().Model((*environmentRow)(nil)).Where("id IN (?)", bun.List(ids)).Exec(ctx); err != nil {
		return err
	}
	_, err := tx.NewDelete().Model((*projectRow)(nil)).Where("organization_id = ?", organization).Exec(ctx)
	return err
}
