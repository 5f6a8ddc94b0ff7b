// SPDX-License-Identifier: Apache-2.0

// Package tenant holds the words for who owns spans and who is calling:
// Organization, Project, Environment, Key and Principal.
package tenant

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"
)

// EnvironmentID identifies an environment across all organizations.
type EnvironmentID string

// Organization is a customer. It owns one project to begin with.
type Organization struct {
	ID        string
	Name      string
	Retention time.Duration // a whole number of hours
	CreatedAt time.Time
	Projects  []Project
}

// AllEnvironments gives the environments of all projects with their owners
// filled in. One without a retention of its own has the organization's.
func (o *Organization) AllEnvironments() []Environment {
	var all []Environment
	for _, p := range o.Projects {
		for _, e := range p.Environments {
			e.OrganizationID, e.ProjectID = o.ID, p.ID
			if e.Retention == 0 {
				e.Retention = o.Retention
			}
			all = append(all, e)
		}
	}
	return all
}

// Project groups environments.
type Project struct {
	ID           string
	Slug         string
	Environments []Environment
}

// Environment is where spans live: whoever holds a key of it sees its spans
// and no others.
type Environment struct {
	ID             EnvironmentID
	Slug           string
	OrganizationID string
	ProjectID      string
	// Retention is how long spans stay readable, counted from their start.
	Retention time.Duration
}

// Digest is the SHA-256 of a credential: what we keep of it.
type Digest [sha256.Size]byte

// DigestOf gives the digest of an offered credential.
func DigestOf(credential string) Digest { return sha256.Sum256([]byte(credential)) }

// Key lets its holder write and read one environment.
type Key struct {
	Digest      Digest
	Environment Environment
}

// NewCredential makes the text of an API key: "tl_" and 32 random bytes in 43
// base64url characters. It is shown once and never stored.
func NewCredential() string { return "tl_" + NewToken() }

// NewToken makes 32 random bytes in 43 base64url characters.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Principal is who is calling: the holder of an environment's key, or the
// operator who holds the access token.
type Principal struct {
	// Operator may create organizations and has no environment.
	Operator bool
	// Environment is that of the key; zero for the operator.
	Environment Environment
}

// GetAttribute gives one fact by name, nil for any other name. With
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
	}
	return nil
}

// GetAttributeNames lists what GetAttribute knows.
func (p *Principal) GetAttributeNames() []string {
	if p.Operator {
		return nil
	}
	return []string{"environment.id", "environment.slug", "organization.id"}
}
