// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Retention is how long spans of the caller's environment are kept.
type Retention struct {
	Hours int64 `json:"retention_hours" doc:"How long spans stay readable." schema:"minimum=0"`
	Most  int64 `json:"max_retention_hours" doc:"The longest that the environment can set: the retention of its organization, or its own where that is longer." schema:"minimum=0"`
}

// RetentionRequest is a retention to set.
type RetentionRequest struct {
	Hours rest.Int `json:"retention_hours" doc:"How long spans stay readable." schema:"required minimum=1 maximum=720"`
}

// GetOwnRetention is the operation get-own-retention.
var GetOwnRetention = rest.Operation[rest.None, Retention]{
	Method: http.MethodGet, Path: "/v2/retention", Scope: rest.ForEnvironment,
	Tag: "Organizations", ID: "get-own-retention", Summary: "Get the retention of the environment",
	Answer:   "The retention.",
	Refusals: []int{http.StatusNotFound},
}

// SetOwnRetention is the operation set-own-retention.
var SetOwnRetention = rest.Operation[RetentionRequest, Retention]{
	Method: http.MethodPut, Path: "/v2/retention", Scope: rest.ForEnvironment,
	Tag: "Organizations", ID: "set-own-retention", Summary: "Set the retention of the environment",
	Doc:      "A shorter retention hides older spans at once, and removes them for good. A longer one does not bring them back.",
	Answer:   "The retention.",
	Refusals: []int{http.StatusNotFound},
}

// retention returns the retention of the environment of a call in its organization.
func retention(c *rest.Call, o *tenant.Organization) (e *tenant.Environment, shown Retention, err error) {
	e = o.Environment(func(e *tenant.Environment) bool { return e.ID == c.Env().ID })
	if e == nil || !o.DeletedAt.IsZero() {
		return nil, Retention{}, errNoEnvironment
	}
	now := e.Retention
	if now == 0 {
		now = o.Retention
	}
	return e, Retention{Hours: hours(now), Most: hours(max(now, o.Retention))}, nil
}

func (a *OrganizationsAPI) ownRetention(c *rest.Call, _ *rest.None) (*Retention, error) {
	found, err := a.Control.Organizations(c.Context(), c.Env().OrganizationID)
	if err == nil && len(found) == 0 {
		err = errNoEnvironment
	}
	if err != nil {
		return nil, err
	}
	_, shown, err := retention(c, &found[0])
	return &shown, err
}

func (a *OrganizationsAPI) setOwnRetention(c *rest.Call, want *RetentionRequest) (*Retention, error) {
	var shown Retention
	_, err := a.Control.ChangeOrganization(c.Context(), c.Env().OrganizationID, func(o *tenant.Organization) error {
		e, now, err := retention(c, o)
		if err != nil {
			return err
		}
		if int64(want.Hours) > now.Most {
			return fault.New(fault.Invalid, "retention_hours must be at most %d, which the operator allows", now.Most)
		}
		e.Retention = time.Duration(want.Hours) * time.Hour
		_, shown, err = retention(c, o)
		return err
	})
	return &shown, err
}
