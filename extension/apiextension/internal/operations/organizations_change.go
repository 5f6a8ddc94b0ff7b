// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxEnvironments is how many environments an organization may have.
const maxEnvironments = 100

var errNoOrganization = fault.New(fault.NotFound, "organization not found")

// list answers all organizations but those of which nothing is left.
func (a *OrganizationsAPI) list(r *http.Request) (rest.Response, error) {
	all, err := a.Control.Organizations(r.Context())
	if err != nil {
		return rest.Response{}, err
	}
	all = slices.DeleteFunc(all, func(o tenant.Organization) bool { return !o.ErasedAt.IsZero() })
	shown, err := a.showAll(r.Context(), all)
	return rest.OK(Organizations{shown}), err
}

// Organizations are all of them.
type Organizations struct {
	Organizations []OrganizationRecord `json:"organizations"`
}

// get answers one organization, a deleted one too.
func (a *OrganizationsAPI) get(r *http.Request) (rest.Response, error) {
	o, err := a.find(r)
	if err != nil {
		return rest.Response{}, err
	}
	var of []tenant.EnvironmentID
	for _, e := range o.AllEnvironments() {
		of = append(of, e.ID)
	}
	if len(of) == 0 { // nothing of it is left
		return rest.OK(showOrganization(&o)), nil
	}
	shown, err := a.showAll(r.Context(), []tenant.Organization{o}, of...)
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(shown[0]), nil
}

// find returns the organization that the path names.
func (a *OrganizationsAPI) find(r *http.Request) (tenant.Organization, error) {
	found, err := a.Control.Organizations(r.Context(), rest.PathValue(r, "id"))
	if err == nil && len(found) == 0 {
		err = errNoOrganization
	}
	if err != nil {
		return tenant.Organization{}, err
	}
	return found[0], nil
}

// change changes the organization that the path names, unless it is deleted.
func (a *OrganizationsAPI) change(r *http.Request, change func(*tenant.Organization) error) (tenant.Organization, error) {
	return a.Control.ChangeOrganization(r.Context(), rest.PathValue(r, "id"), func(o *tenant.Organization) error {
		if !o.DeletedAt.IsZero() {
			return fault.New(fault.Conflict, "the organization was deleted")
		}
		return change(o)
	})
}

// OrganizationChange says what of an organization is to be changed.
type OrganizationChange struct {
	Name           *string   `json:"name" doc:"The name." schema:"nullable minLength=1 maxLength=255"`
	RetentionHours *rest.Int `json:"retention_hours" doc:"How long spans stay readable." schema:"nullable minimum=1 maximum=720"`
}

// update changes what the body has. A retention is that of all environments.
func (a *OrganizationsAPI) update(r *http.Request) (rest.Response, error) {
	var want OrganizationChange
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	var name string
	if want.Name != nil {
		var err error
		if name, err = checkName("name", *want.Name); err != nil {
			return rest.Response{}, err
		}
	}
	changed, err := a.change(r, func(o *tenant.Organization) error {
		if want.Name != nil {
			o.Name = name
		}
		if want.RetentionHours != nil {
			o.Retention = time.Duration(*want.RetentionHours) * time.Hour
			for _, p := range o.Projects {
				for i := range p.Environments {
					p.Environments[i].Retention = o.Retention
				}
			}
		}
		return nil
	})
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(showOrganization(&changed)), nil
}

// remove deletes an organization: its keys, setups and evaluators are gone with
// the answer, its spans follow. Deleting it again changes nothing.
func (a *OrganizationsAPI) remove(r *http.Request) (rest.Response, error) {
	deleted, err := a.Control.ChangeOrganization(r.Context(), rest.PathValue(r, "id"), func(o *tenant.Organization) error {
		if o.DeletedAt.IsZero() {
			o.DeletedAt = rest.Moment(a.Now())
		}
		return nil
	})
	if err != nil {
		return rest.Response{}, err
	}
	return rest.Response{Status: http.StatusAccepted, Body: showOrganization(&deleted)}, nil
}

// checkName returns the name of something without the space around it.
func checkName(field, name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", fault.New(fault.Invalid, "%s is required", field)
	case strings.ContainsFunc(name, unicode.IsControl):
		return "", fault.New(fault.Invalid, "%s must not have control characters", field)
	}
	return name, nil
}

// EnvironmentRequest is an environment to create.
type EnvironmentRequest struct {
	Slug           string    `json:"slug" doc:"Its name within the organization." schema:"required minLength=1"`
	RetentionHours *rest.Int `json:"retention_hours" doc:"How long spans stay readable. Default: that of the organization." schema:"nullable minimum=1 maximum=720"`
}

// MadeEnvironment is a created environment with its first key.
type MadeEnvironment struct {
	EnvironmentRecord
	APIKey string `json:"api_key" doc:"A credential of the environment." pattern:"^tl_[A-Za-z0-9_-]{43}$"`
	KeyID  string `json:"key_id" doc:"The id of that key."`
}

// AmendSchema leaves out what is not known yet.
func (MadeEnvironment) AmendSchema(schema map[string]any) {
	properties := schema["properties"].(map[string]any)
	delete(properties, "stored_spans")
	delete(properties, "last_used_at")
}

// createEnvironment adds an environment, with a key that is shown here alone.
func (a *OrganizationsAPI) createEnvironment(r *http.Request) (rest.Response, error) {
	var want EnvironmentRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	slug, err := checkSlug("slug", want.Slug)
	if err != nil {
		return rest.Response{}, err
	}
	made := tenant.Environment{ID: tenant.EnvironmentID(uuid.NewString()), Slug: slug}
	_, err = a.change(r, func(o *tenant.Organization) error {
		environments := o.AllEnvironments()
		for _, e := range environments {
			if e.Slug == slug {
				return fault.New(fault.Conflict, "slug is taken by another environment of the organization")
			}
		}
		if len(environments) >= maxEnvironments || len(o.Projects) == 0 {
			return fault.New(fault.Conflict, "an organization may have at most %d environments", maxEnvironments)
		}
		made.OrganizationID, made.ProjectID, made.Retention = o.ID, o.Projects[0].ID, o.Retention
		if want.RetentionHours != nil {
			made.Retention = time.Duration(*want.RetentionHours) * time.Hour
		}
		o.Projects[0].Environments = append(o.Projects[0].Environments, made)
		return nil
	})
	if err != nil {
		return rest.Response{}, err
	}
	key, credential := tenant.NewKey(made, defaultKey, tenant.Full, rest.Moment(a.Now()))
	err = a.changeKeys(r.Context(), made.ID, func(keys []tenant.Key) ([]tenant.Key, error) { return append(keys, key), nil })
	if err != nil {
		return rest.Response{}, err
	}
	shown := MadeEnvironment{showEnvironment(&made), credential, key.ID}
	return rest.Response{Status: http.StatusCreated, Header: noStore(), Body: shown, Made: []string{string(made.ID), key.ID}}, nil
}

func noStore() http.Header { return http.Header{"Cache-Control": {"no-store"}} }
