// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// description is what a page learns about its session.
type description struct {
	Token        string        `json:"token,omitempty"`
	ExpiresAt    string        `json:"expires_at"`
	Environments []environment `json:"environments"`
	Operator     bool          `json:"operator"`
}

type environment struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
	// Organization is the name of the owner.
	Organization string `json:"organization"`
	// Scope is what the key of the session is good for.
	Scope tenant.Scope `json:"scope"`
}

// describe tells which credentials of a session are valid now, and a fault of
// kind Unauthorized if none is.
func (s *sessions) describe(ctx context.Context, x *session) (description, error) {
	shown := description{ExpiresAt: time.Unix(x.Ends, 0).UTC().Format(time.RFC3339), Environments: []environment{}}
	for _, c := range x.Credentials {
		p, err := s.auth.ask(ctx, c.Key)
		switch {
		case fault.Is(err, fault.Unauthorized):
			continue // it was revoked
		case err != nil:
			return description{}, err
		case p.Operator:
			shown.Operator = true
			continue
		}
		env := environment{ID: string(p.Environment.ID), Slug: p.Environment.Slug, Scope: p.Scope}
		owners, err := s.owners.Organizations(ctx, p.Environment.OrganizationID)
		if err != nil {
			return description{}, err
		}
		if len(owners) > 0 {
			env.Organization = owners[0].Name
		}
		shown.Environments = append(shown.Environments, env)
	}
	if !shown.Operator && len(shown.Environments) == 0 {
		return description{}, fault.New(fault.Unauthorized, unauthorized)
	}
	return shown, nil
}
