// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// What an organization may be.
const (
	statusActive   = "active"
	statusDeleting = "deleting"
	statusDeleted  = "deleted"
)

// OrganizationRecord is an organization.
type OrganizationRecord struct {
	ID             string              `json:"id" doc:"Identifies the organization."`
	Name           string              `json:"name" doc:"The name; empty once nothing of it is left."`
	RetentionHours int64               `json:"retention_hours" doc:"How long spans stay readable." schema:"minimum=0"`
	Status         string              `json:"status" doc:"deleting: it was deleted, and not all of its spans are gone yet. deleted: nothing of it is left." enum:"active,deleting,deleted"`
	CreatedAt      string              `json:"created_at" doc:"When it was made." schema:"format=date-time"`
	DeletedAt      string              `json:"deleted_at,omitempty" doc:"When it was deleted." schema:"format=date-time"`
	ErasedAt       string              `json:"erased_at,omitempty" doc:"When the last of it was gone." schema:"format=date-time"`
	Environments   []EnvironmentRecord `json:"environments" doc:"By slug."`
}

// EnvironmentRecord is an environment.
type EnvironmentRecord struct {
	ID             tenant.EnvironmentID `json:"id" doc:"Identifies the environment."`
	Slug           string               `json:"slug" doc:"Its name within the organization."`
	RetentionHours int64                `json:"retention_hours" doc:"How long spans stay readable." schema:"minimum=0"`
	Quota          tenant.Quota         `json:"quota"`
	StoredSpans    *int64               `json:"stored_spans,omitempty" doc:"How many spans are stored, past their retention or not, where organizations are read; missing where the store does not know that by heart." schema:"minimum=0"`
	LastUsedAt     string               `json:"last_used_at,omitempty" doc:"When one of its keys was used last, to the minute, where organizations are read; missing where none was." schema:"format=date-time"`
}

func showOrganization(o *tenant.Organization) OrganizationRecord {
	shown := OrganizationRecord{
		ID: o.ID, Name: o.Name, RetentionHours: hours(o.Retention), Status: statusOf(o),
		CreatedAt: rest.Time(o.CreatedAt), DeletedAt: rest.TimeIfAny(o.DeletedAt), ErasedAt: rest.TimeIfAny(o.ErasedAt),
		Environments: []EnvironmentRecord{},
	}
	for _, e := range o.AllEnvironments() {
		shown.Environments = append(shown.Environments, showEnvironment(&e))
	}
	return shown
}

func showEnvironment(e *tenant.Environment) EnvironmentRecord {
	return EnvironmentRecord{ID: e.ID, Slug: e.Slug, RetentionHours: hours(e.Retention), Quota: e.Quota}
}

func statusOf(o *tenant.Organization) string {
	switch {
	case !o.ErasedAt.IsZero():
		return statusDeleted
	case !o.DeletedAt.IsZero():
		return statusDeleting
	}
	return statusActive
}

func hours(d time.Duration) int64 { return int64(d / time.Hour) }
