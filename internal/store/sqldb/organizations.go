// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type organizationRow struct {
	bun.BaseModel `bun:"table:organizations"`

	ID        string `bun:",pk"`
	Name      string
	Retention time.Duration
	CreatedAt moment
	DeletedAt moment
	ErasedAt  moment
	Prices    prices
}

type projectRow struct {
	bun.BaseModel `bun:"table:projects"`

	ID             string `bun:",pk"`
	OrganizationID string
	Slug           string
}

type environmentRow struct {
	bun.BaseModel `bun:"table:environments"`

	ID        tenant.EnvironmentID `bun:",pk"`
	ProjectID string
	Slug      string
	Retention time.Duration
	Quota     quota
	IsClosed  int // 0 or 1
	Mappings  tenant.Mappings
}

func organizationRowOf(o *tenant.Organization) *organizationRow {
	return &organizationRow{
		ID: o.ID, Name: o.Name, Retention: o.Retention,
		CreatedAt: moment{o.CreatedAt}, DeletedAt: moment{o.DeletedAt}, ErasedAt: moment{o.ErasedAt}, Prices: prices{o.Prices},
	}
}

func environmentRowsOf(environments []tenant.Environment) []environmentRow {
	rows := make([]environmentRow, 0, len(environments))
	for _, e := range environments {
		rows = append(rows, environmentRow{ID: e.ID, ProjectID: e.ProjectID, Slug: e.Slug, Retention: e.Retention, Quota: quota(e.Quota), Mappings: e.Mappings})
	}
	return rows
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
	environmentRows := environmentRowsOf(environments)
	return d.write(ctx, "create organization", func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewInsert().Model(organizationRowOf(&org)).Exec(ctx); err != nil {
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
		return announce(ctx, tx, changesOf(environments)...)
	})
}

// changesOf returns what is announced where environments or their keys changed.
func changesOf(environments []tenant.Environment) []store.Change {
	changes := make([]store.Change, len(environments))
	for i, e := range environments {
		changes[i].Environment = e.ID
	}
	return changes
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

// Organizations implements store.Organizations.
func (d *DB) Organizations(ctx context.Context, ids ...string) (list []tenant.Organization, err error) {
	if !storable(ids...) {
		return nil, nil
	}
	err = d.read(ctx, "read organizations", func(ctx context.Context, tx bun.Tx) error {
		list, err = selectOrganizations(ctx, tx, ids)
		return err
	})
	return list, err
}

// selectOrganizations reads organizations whole; all of them without an id.
func selectOrganizations(ctx context.Context, tx bun.Tx, ids []string) ([]tenant.Organization, error) {
	var rows []organizationRow
	var projects []projectRow
	var environments []environmentRow
	organization := tx.NewSelect().Model(&rows).OrderExpr("created_at NULLS FIRST, id")
	project := tx.NewSelect().Model(&projects).OrderExpr("slug")
	environment := tx.NewSelect().Model(&environments).OrderExpr("slug")
	if len(ids) > 0 {
		organization.Where("id IN (?)", bun.List(ids))
		project.Where("organization_id IN (?)", bun.List(ids))
		environment.Where("project_id IN (SELECT id FROM projects WHERE organization_id IN (?))", bun.List(ids))
	}
	for _, q := range []*bun.SelectQuery{organization, project, environment} {
		if err := q.Scan(ctx); err != nil {
			return nil, err
		}
	}
	return assembled(rows, projects, environments), nil
}

// assembled puts environments into their projects, and those into their
// organizations.
func assembled(rows []organizationRow, projects []projectRow, environments []environmentRow) []tenant.Organization {
	ofProject := make(map[string][]environmentRow)
	for _, e := range environments {
		ofProject[e.ProjectID] = append(ofProject[e.ProjectID], e)
	}
	ofOrganization := make(map[string][]tenant.Project)
	for _, p := range projects {
		project := tenant.Project{ID: p.ID, Slug: p.Slug}
		for _, e := range ofProject[p.ID] {
			project.Environments = append(project.Environments, tenant.Environment{
				ID: e.ID, Slug: e.Slug, OrganizationID: p.OrganizationID, ProjectID: p.ID,
				Retention: e.Retention, Quota: tenant.Quota(e.Quota), Mappings: e.Mappings,
			})
		}
		ofOrganization[p.OrganizationID] = append(ofOrganization[p.OrganizationID], project)
	}
	list := make([]tenant.Organization, len(rows))
	for i, r := range rows {
		list[i] = tenant.Organization{
			ID: r.ID, Name: r.Name, Retention: r.Retention,
			CreatedAt: r.CreatedAt.Time, DeletedAt: r.DeletedAt.Time, ErasedAt: r.ErasedAt.Time, Prices: r.Prices.Prices,
			Projects: ofOrganization[r.ID],
		}
	}
	return list
}
