// SPDX-License-Identifier: Apache-2.0

package organizations

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

type shownOrganization struct {
	ID             string             `json:"id"`
	Name           string             `json:"name"`
	RetentionHours int64              `json:"retention_hours"`
	Status         string             `json:"status"`
	CreatedAt      string             `json:"created_at"`
	DeletedAt      string             `json:"deleted_at,omitempty"`
	ErasedAt       string             `json:"erased_at,omitempty"`
	Environments   []shownEnvironment `json:"environments"`
}

type shownEnvironment struct {
	ID             tenant.EnvironmentID `json:"id"`
	Slug           string               `json:"slug"`
	RetentionHours int64                `json:"retention_hours"`
	Quota          tenant.Quota         `json:"quota"`
	// What is known of its use, where organizations are read.
	StoredSpans *int64 `json:"stored_spans,omitempty"` // past their retention or not
	LastUsedAt  string `json:"last_used_at,omitempty"` // one of its keys
}

func show(o *tenant.Organization) shownOrganization {
	shown := shownOrganization{
		ID: o.ID, Name: o.Name, RetentionHours: hours(o.Retention), Status: statusOf(o),
		CreatedAt: rest.Time(o.CreatedAt), DeletedAt: rest.TimeIfAny(o.DeletedAt), ErasedAt: rest.TimeIfAny(o.ErasedAt),
		Environments: []shownEnvironment{},
	}
	for _, e := range o.AllEnvironments() {
		shown.Environments = append(shown.Environments, showEnvironment(&e))
	}
	return shown
}

func showEnvironment(e *tenant.Environment) shownEnvironment {
	return shownEnvironment{ID: e.ID, Slug: e.Slug, RetentionHours: hours(e.Retention), Quota: e.Quota}
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
