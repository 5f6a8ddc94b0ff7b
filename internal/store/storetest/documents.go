// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// NewOrganization returns an organization with one project that has an
// environment of each slug, and a key for each environment. Different names
// give different ids.
func NewOrganization(name string, slugs ...string) (tenant.Organization, []tenant.Key) {
	project := tenant.Project{ID: "project of " + name, Slug: "default"}
	org := tenant.Organization{
		ID: "id of " + name, Name: name, Retention: 48 * time.Hour,
		CreatedAt: time.Date(2026, 11, 21, 1, 2, 3, 456789012, time.UTC),
	}
	var keys []tenant.Key
	for i, slug := range slugs {
		e := tenant.Environment{
			ID:             tenant.EnvironmentID(fmt.Sprintf("%s/%s", name, slug)),
			Slug:           slug,
			OrganizationID: org.ID,
			ProjectID:      project.ID,
			Retention:      time.Duration(i+1) * time.Hour,
		}
		project.Environments = append(project.Environments, e)
		keys = append(keys, NewKey(e, "default"))
	}
	org.Projects = []tenant.Project{project}
	return org, keys
}

// NewKey returns a key of full scope; its id and digest are made of environment
// and name.
func NewKey(env tenant.Environment, name string) tenant.Key {
	return tenant.Key{
		ID:     fmt.Sprintf("key %s of %s", name, env.ID),
		Digest: tenant.DigestOf(strings.TrimPrefix(name+" ", "default ") + "key of " + string(env.ID)),
		Name:   name, Scope: tenant.Full, Environment: env,
		CreatedAt: time.Date(2026, 11, 21, 1, 2, 3, 456789012, time.UTC),
	}
}

// NewSetup returns a plain setup; its id is made of environment and external id.
func NewSetup(env tenant.Environment, externalID string) monitor.Setup {
	created := time.Date(2026, 11, 21, 8, 0, 0, 123456789, time.UTC)
	value := "gpt-5"
	return monitor.Setup{
		ID:             fmt.Sprintf("%s#%s", env.ID, externalID),
		ExternalID:     externalID,
		OrganizationID: env.OrganizationID,
		ProjectID:      env.ProjectID,
		EnvironmentID:  env.ID,
		Selector: monitor.Selector{{
			Key: "llm.request.model", Value: &value, Source: monitor.SpanAttributes, Operator: query.OpEquals,
		}},
		Evaluators: []monitor.SetupEvaluator{{Slug: "char-count", Status: monitor.Pending}},
		Status:     monitor.Pending,
		Revision:   1,
		Generation: 1,
		CreatedAt:  created,
		UpdatedAt:  created,
	}
}

// NewBackfill returns a backfill of a setup that was not taken up yet.
func NewBackfill(s monitor.Setup, id string) monitor.Backfill {
	return monitor.Backfill{
		ID:            id,
		EnvironmentID: s.EnvironmentID,
		SetupID:       s.ID,
		From:          s.CreatedAt.Add(-time.Hour).UnixNano(),
		To:            s.CreatedAt.UnixNano(),
		Status:        monitor.BackfillPending,
		Revision:      1,
		CreatedAt:     s.CreatedAt,
		UpdatedAt:     s.CreatedAt,
	}
}

// NewEvaluator returns a plain evaluator; its id is made of environment and slug.
func NewEvaluator(env tenant.Environment, slug string) eval.CustomEvaluator {
	created := time.Date(2026, 11, 21, 8, 0, 0, 123456789, time.UTC)
	return eval.CustomEvaluator{
		ID:            fmt.Sprintf("%s#%s", env.ID, slug),
		Slug:          slug,
		EnvironmentID: env.ID,
		Name:          "Judge of " + slug,
		Provider:      "openai",
		Model:         "judge-1",
		Messages:      []eval.CustomMessage{{Role: eval.RoleUser, Content: "Judge {{text}}"}},
		Input:         []eval.CustomField{{Name: "text", Type: eval.CustomString}},
		Output:        []eval.CustomField{{Name: "pass", Type: eval.CustomBoolean}},
		Version:       1,
		VersionID:     fmt.Sprintf("%s#%s#1", env.ID, slug),
		CreatedAt:     created,
		UpdatedAt:     created,
	}
}
