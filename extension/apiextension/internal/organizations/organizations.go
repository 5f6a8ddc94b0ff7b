// SPDX-License-Identifier: Apache-2.0

// Package organizations serves organizations, their environments and keys to
// the operator.
package organizations

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	defaultRetention = 720 * time.Hour
	defaultSlug      = "prd"
	defaultKey       = "default" // the name of an environment's first key
)

var slugPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

// Control is what organizations ask of the control store, under its contract.
type Control interface {
	CreateOrganization(ctx context.Context, org tenant.Organization, keys []tenant.Key) error
	Organizations(ctx context.Context, ids ...string) ([]tenant.Organization, error)
	ChangeOrganization(ctx context.Context, id string, change func(*tenant.Organization) error) (tenant.Organization, error)
	Keys(ctx context.Context, of ...tenant.EnvironmentID) ([]tenant.Key, error)
	ChangeKeys(ctx context.Context, of []tenant.EnvironmentID, change func([]tenant.Key) ([]tenant.Key, error)) error
}

// API serves organizations.
type API struct {
	Control Control
	Records Records
	Now     func() time.Time
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	const (
		all         = "/v2/organizations"
		one         = all + "/{id}"
		environment = one + "/environments/{slug}"
		keys        = environment + "/keys"
	)
	return []rest.Route{
		rest.Operator(http.MethodPost, all, a.create).Denying("Not allowed to create organizations").Audited("organization.create"),
		rest.Operator(http.MethodGet, all, a.list),
		rest.Operator(http.MethodGet, one, a.get),
		rest.Operator(http.MethodPatch, one, a.update).Audited("organization.update"),
		rest.Operator(http.MethodDelete, one, a.remove).Audited("organization.delete"),
		rest.Operator(http.MethodPost, one+"/environments", a.createEnvironment).Audited("environment.create"),
		rest.Operator(http.MethodPatch, environment, a.updateEnvironment).Audited("environment.update"),
		rest.Operator(http.MethodGet, keys, a.listKeys),
		rest.Operator(http.MethodPost, keys, a.createKey).Audited("key.create"),
		rest.Operator(http.MethodDelete, keys+"/{key_id}", a.revokeKey).Audited("key.revoke"),
	}
}

type organizationRequest struct {
	Name           string    `json:"org_name"`
	Environments   []string  `json:"envs"`
	RetentionHours *rest.Int `json:"retention_hours"`
}

type organizationAnswer struct {
	ID           string              `json:"org_id"`
	Environments []environmentAnswer `json:"environments"`
}

type environmentAnswer struct {
	APIKey string `json:"api_key"`
	Slug   string `json:"slug"`
}

// create makes an organization with its environments and one key for each,
// which is shown here and never again.
func (a *API) create(r *http.Request) (rest.Response, error) {
	var want organizationRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	name, err := checkName("org_name", want.Name)
	if err != nil {
		return rest.Response{}, err
	}
	slugs, err := slugsOf(want.Environments)
	if err != nil {
		return rest.Response{}, err
	}
	retention := defaultRetention
	if want.RetentionHours != nil {
		retention = time.Duration(*want.RetentionHours) * time.Hour
	}
	org, keys, shown := newOrganization(name, slugs, retention, rest.Moment(a.Now()))
	if err := a.Control.CreateOrganization(r.Context(), org, keys); err != nil {
		return rest.Response{}, err
	}
	made := []string{org.ID}
	for i := range keys {
		made = append(made, keys[i].ID)
	}
	return rest.Response{Status: http.StatusCreated, Header: noStore(), Body: shown, Made: made}, nil
}

func newOrganization(name string, slugs []string, retention time.Duration, now time.Time) (tenant.Organization, []tenant.Key, organizationAnswer) {
	project := tenant.Project{ID: uuid.NewString(), Slug: "default"}
	org := tenant.Organization{ID: uuid.NewString(), Name: name, Retention: retention, CreatedAt: now}
	shown := organizationAnswer{ID: org.ID}
	var keys []tenant.Key
	for _, slug := range slugs {
		env := tenant.Environment{
			ID:             tenant.EnvironmentID(uuid.NewString()),
			Slug:           slug,
			OrganizationID: org.ID,
			ProjectID:      project.ID,
			Retention:      retention,
		}
		key, credential := tenant.NewKey(env, defaultKey, tenant.Full, now)
		project.Environments = append(project.Environments, env)
		keys = append(keys, key)
		shown.Environments = append(shown.Environments, environmentAnswer{APIKey: credential, Slug: slug})
	}
	org.Projects = []tenant.Project{project}
	return org, keys, shown
}

// slugsOf checks the slugs of environments, which must differ.
func slugsOf(given []string) ([]string, error) {
	if len(given) == 0 {
		return []string{defaultSlug}, nil
	}
	slugs := make([]string, len(given))
	for i, slug := range given {
		path := fmt.Sprintf("envs[%d]", i)
		slug, err := checkSlug(path, slug)
		if err != nil {
			return nil, err
		}
		if earlier := slices.Index(slugs[:i], slug); earlier >= 0 {
			return nil, fault.New(fault.Invalid, "%s is the same as envs[%d]", path, earlier)
		}
		slugs[i] = slug
	}
	return slugs, nil
}

// checkSlug returns the slug of an environment without the space around it.
func checkSlug(field, slug string) (string, error) {
	slug = strings.TrimSpace(slug)
	switch {
	case slug == "":
		return "", fault.New(fault.Invalid, "%s must not be blank", field)
	case !slugPattern.MatchString(slug):
		return "", fault.New(fault.Invalid, `%s must be 1 to 63 letters, digits, ".", "_" or "-", beginning with a letter or a digit`, field)
	}
	return slug, nil
}
