// SPDX-License-Identifier: Apache-2.0

// Package tenant holds the words for who owns spans and who is calling:
// Organization, Project, Environment, Key and Principal.
package tenant

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// EnvironmentID identifies an environment across all organizations.
type EnvironmentID string

// Organization is a customer. It owns one project to begin with.
type Organization struct {
	ID        string
	Name      string
	Retention time.Duration // a whole number of hours
	CreatedAt time.Time
	// DeletedAt is when the organization was deleted, and ErasedAt when the last
	// of what it had stored was gone; zero where that has not happened. Between
	// the two no request reaches anything of it, and after the second its name and
	// projects are gone too.
	DeletedAt time.Time
	ErasedAt  time.Time
	// Prices are its own, nil for none. They are replaced as a whole.
	Prices   *Prices
	Projects []Project
}

// AllEnvironments returns the environments of all projects with their owners
// and prices filled in. One without a retention of its own has the organization's.
func (o *Organization) AllEnvironments() []Environment {
	var all []Environment
	for _, p := range o.Projects {
		for _, e := range p.Environments {
			e.OrganizationID, e.ProjectID, e.Prices = o.ID, p.ID, o.Prices
			if e.Retention == 0 {
				e.Retention = o.Retention
			}
			all = append(all, e)
		}
	}
	return all
}

// Environment returns the first environment for which is holds, to be changed; nil for none.
// Its owners and prices are not filled in.
func (o *Organization) Environment(is func(*Environment) bool) *Environment {
	for _, p := range o.Projects {
		for i := range p.Environments {
			if e := &p.Environments[i]; is(e) {
				return e
			}
		}
	}
	return nil
}

// Project groups environments.
type Project struct {
	ID           string
	Slug         string
	Environments []Environment
}

// Environment is where spans live: every holder of a key of it sees its spans
// and no others.
type Environment struct {
	ID             EnvironmentID
	Slug           string
	OrganizationID string
	ProjectID      string
	// Retention is how long spans stay readable, counted from their start.
	Retention time.Duration
	// Quota is what the environment may take of the service.
	Quota Quota
	// Prices are the organization's, nil for none. They are never changed.
	Prices *Prices
	// Mappings say how attributes are read that no convention names.
	Mappings Mappings
}

// Principal is who is calling: the holder of an environment's key, or the
// operator who holds the access token.
type Principal struct {
	// Operator may create organizations and has no environment.
	Operator bool
	// Environment is that of the key, Scope what the key is good for and KeyID
	// its id; zero for the operator.
	Environment Environment
	Scope       Scope
	KeyID       string
}

// Check returns nil if the caller may do that in its environment, and else a
// fault of kind Forbidden. The operator has no environment to do anything in.
func (p *Principal) Check(a Access) error {
	if p.Operator || p.Environment.ID == "" {
		return fault.New(fault.Forbidden, "Not allowed with the access token: use the API key of an environment")
	}
	return p.Scope.Check(a)
}

// GetAttribute returns one fact by name, nil for any other name. With
// GetAttributeNames it makes a Principal carriable as the collector's
// client.AuthData.
func (p *Principal) GetAttribute(name string) any {
	if p.Operator {
		return nil
	}
	switch name {
	case "environment.id":
		return string(p.Environment.ID)
	case "environment.slug":
		return p.Environment.Slug
	case "organization.id":
		return p.Environment.OrganizationID
	case "key.id":
		return p.KeyID
	case "key.scope":
		return string(p.Scope)
	}
	return nil
}

// GetAttributeNames lists what GetAttribute knows.
func (p *Principal) GetAttributeNames() []string {
	if p.Operator {
		return nil
	}
	return []string{"environment.id", "environment.slug", "organization.id", "key.id", "key.scope"}
}
