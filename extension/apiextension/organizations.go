// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	maxName           = 255 // characters of a name or an external id
	maxEnvironments   = 100
	maxRetentionHours = 720
	defaultSlug       = "prd"
)

var slugPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

type organizationRequest struct {
	Name           *string         `json:"org_name"`
	Environments   json.RawMessage `json:"envs"`
	RetentionHours json.RawMessage `json:"retention_hours"`
}

type organizationAnswer struct {
	ID           string              `json:"org_id"`
	Environments []environmentAnswer `json:"environments"`
}

type environmentAnswer struct {
	APIKey string `json:"api_key"`
	Slug   string `json:"slug"`
}

// createOrganization makes an organization with its environments and one key
// for each, which is shown here and never again.
func (a *api) createOrganization(r *http.Request) (answer, error) {
	var want organizationRequest
	if err := decode(r, &want); err != nil {
		return answer{}, err
	}
	name, err := parseName("org_name", want.Name)
	if err != nil {
		return answer{}, err
	}
	slugs, err := parseSlugs(want.Environments)
	if err != nil {
		return answer{}, err
	}
	retention, err := parseRetention(want.RetentionHours)
	if err != nil {
		return answer{}, err
	}
	org, keys, shown := a.newOrganization(name, slugs, retention)
	if err := a.control.CreateOrganization(r.Context(), org, keys); err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, header: http.Header{"Cache-Control": {"no-store"}}, body: shown}, nil
}

func (a *api) newOrganization(name string, slugs []string, retention time.Duration) (tenant.Organization, []tenant.Key, organizationAnswer) {
	project := tenant.Project{ID: uuid.NewString(), Slug: "default"}
	org := tenant.Organization{ID: uuid.NewString(), Name: name, Retention: retention, CreatedAt: a.moment()}
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
		credential := tenant.NewCredential()
		project.Environments = append(project.Environments, env)
		keys = append(keys, tenant.Key{Digest: tenant.DigestOf(credential), Environment: env})
		shown.Environments = append(shown.Environments, environmentAnswer{APIKey: credential, Slug: slug})
	}
	org.Projects = []tenant.Project{project}
	return org, keys, shown
}

// moment is now, as exact as answers show it: what is answered at creation and
// what is read later are the same.
func (a *api) moment() time.Time { return a.now().UTC().Truncate(time.Millisecond) }

// parseName takes a required name that a person can read.
func parseName(field string, given *string) (string, error) {
	if given == nil || strings.TrimSpace(*given) == "" {
		return "", fault.New(fault.Invalid, "%s is required", field)
	}
	name := strings.TrimSpace(*given)
	switch {
	case utf8.RuneCountInString(name) > maxName:
		return "", fault.New(fault.Invalid, "%s must be at most %d characters", field, maxName)
	case strings.ContainsFunc(name, unicode.IsControl):
		return "", fault.New(fault.Invalid, "%s must not have control characters", field)
	}
	return name, nil
}

func parseSlugs(raw json.RawMessage) ([]string, error) {
	if absent(raw) {
		return []string{defaultSlug}, nil
	}
	list, err := items("envs", raw)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return []string{defaultSlug}, nil
	case len(list) > maxEnvironments:
		return nil, fault.New(fault.Invalid, "envs must have at most %d items", maxEnvironments)
	}
	slugs := make([]string, len(list))
	for i, item := range list {
		path := fmt.Sprintf("envs[%d]", i)
		var slug string
		if kindOf(item) != '"' || json.Unmarshal(item, &slug) != nil {
			return nil, fault.New(fault.Invalid, "%s must be a string", path)
		}
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

func parseRetention(raw json.RawMessage) (time.Duration, error) {
	if absent(raw) {
		return maxRetentionHours * time.Hour, nil
	}
	// 24.0 and 2.4e1 are integers too.
	hours, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || hours != float64(int(hours)) || hours < 1 || hours > maxRetentionHours {
		return 0, fault.New(fault.Invalid, "retention_hours must be a whole number from 1 to %d", maxRetentionHours)
	}
	return time.Duration(hours) * time.Hour, nil
}
