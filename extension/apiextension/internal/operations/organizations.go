// SPDX-License-Identifier: Apache-2.0

// Package operations serves what the people who run a collector ask for, and what concerns an
// environment as a whole: organizations and keys, backups, the state of the process, the state
// of evaluation, deletions of data, and who is calling.
package operations

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

// OrganizationsAPI serves organizations.
type OrganizationsAPI struct {
	Control Control
	Records Records
	Now     func() time.Time
}

// Routes returns what is served.
func (a *OrganizationsAPI) Routes() []rest.Route {
	return []rest.Route{
		CreateOrganization.Serve(rest.Alone(a.create)).Denying("Not allowed to create organizations").Audited("organization.create"),
		ListOrganizations.Serve(rest.Alone(a.list)),
		GetOrganization.Serve(rest.Alone(a.get)),
		UpdateOrganization.Serve(rest.Alone(a.update)).Audited("organization.update"),
		DeleteOrganization.Serve(rest.Alone(a.remove)).Audited("organization.delete"),
		GetPrices.Serve(rest.Alone(a.prices)),
		SetPrices.Serve(rest.Alone(a.setPrices)).Audited("prices.set"),
		CreateEnvironment.Serve(rest.Alone(a.createEnvironment)).Audited("environment.create"),
		UpdateEnvironment.Serve(rest.Alone(a.updateEnvironment)).Audited("environment.update"),
		ListKeys.Serve(rest.Alone(a.listKeys)),
		CreateKey.Serve(rest.Alone(a.createKey)).Audited("key.create"),
		RevokeKey.Serve(rest.Alone(a.revokeKey)).Audited("key.revoke"),
		ListOwnKeys.Route(a.listOwnKeys),
		CreateOwnKey.Route(a.createOwnKey).Audited("key.create"),
		RevokeOwnKey.Route(a.revokeOwnKey).Audited("key.revoke"),
		GetOwnRetention.Route(a.ownRetention),
		SetOwnRetention.Route(a.setOwnRetention).Audited("environment.update"),
	}
}

// OrganizationRequest is an organization to create.
type OrganizationRequest struct {
	Name           string    `json:"org_name" doc:"The name." schema:"required minLength=1 maxLength=255"`
	Environments   []string  `json:"envs" doc:"Slugs of the environments. Default: prd." schema:"nullable maxItems=100" items:"schema:\"minLength=1\""`
	RetentionHours *rest.Int `json:"retention_hours" doc:"How long spans stay readable." schema:"nullable minimum=1 maximum=720 default=720"`
}

// Organization is a created organization.
type Organization struct {
	ID           string               `json:"org_id" doc:"Identifies the organization." schema:"format=uuid"`
	Environments []CreatedEnvironment `json:"environments" doc:"In the order they were asked for." schema:"minItems=1"`
}

// CreatedEnvironment is an environment with its key.
type CreatedEnvironment struct {
	APIKey string `json:"api_key" doc:"The credential of the environment." pattern:"^tl_[A-Za-z0-9_-]{43}$"`
	Slug   string `json:"slug" doc:"The name of the environment."`
}

// create makes an organization with its environments and one key for each,
// which is shown here and never again.
func (a *OrganizationsAPI) create(r *http.Request) (rest.Response, error) {
	var want OrganizationRequest
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

func newOrganization(name string, slugs []string, retention time.Duration, now time.Time) (tenant.Organization, []tenant.Key, Organization) {
	project := tenant.Project{ID: uuid.NewString(), Slug: "default"}
	org := tenant.Organization{ID: uuid.NewString(), Name: name, Retention: retention, CreatedAt: now}
	shown := Organization{ID: org.ID}
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
		shown.Environments = append(shown.Environments, CreatedEnvironment{APIKey: credential, Slug: slug})
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
