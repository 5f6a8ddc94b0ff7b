// SPDX-License-Identifier: Apache-2.0

// Package organizations serves the creation of organizations.
package organizations

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

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
}

// API serves organizations.
type API struct {
	Control Control
	Now     func() time.Time
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	return []rest.Route{
		rest.Operator(http.MethodPost, "/v2/organizations", a.create).Denying("Not allowed to create organizations"),
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
func (a *API) create(r *http.Request) (rest.Answer, error) {
	var want organizationRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Answer{}, err
	}
	name := strings.TrimSpace(want.Name)
	switch {
	case name == "":
		return rest.Answer{}, fault.New(fault.Invalid, "org_name is required")
	case strings.ContainsFunc(name, unicode.IsControl):
		return rest.Answer{}, fault.New(fault.Invalid, "org_name must not have control characters")
	}
	slugs, err := slugsOf(want.Environments)
	if err != nil {
		return rest.Answer{}, err
	}
	retention := defaultRetention
	if want.RetentionHours != nil {
		retention = time.Duration(*want.RetentionHours) * time.Hour
	}
	org, keys, shown := newOrganization(name, slugs, retention, rest.Moment(a.Now()))
	if err := a.Control.CreateOrganization(r.Context(), org, keys); err != nil {
		return rest.Answer{}, err
	}
	return rest.Answer{Status: http.StatusCreated, Header: http.Header{"Cache-Control": {"no-store"}}, Body: shown}, nil
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
		slug = strings.TrimSpace(slug)
		switch {
		case slug == "":
			return nil, fault.New(fault.Invalid, "%s must not be blank", path)
		case !slugPattern.MatchString(slug):
			return nil, fault.New(fault.Invalid, `%s must be 1 to 63 letters, digits, ".", "_" or "-", beginning with a letter or a digit`, path)
		}
		if earlier := slices.Index(slugs[:i], slug); earlier >= 0 {
			return nil, fault.New(fault.Invalid, "%s is the same as envs[%d]", path, earlier)
		}
		slugs[i] = slug
	}
	return slugs, nil
}
