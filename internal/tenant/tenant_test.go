// SPDX-License-Identifier: Apache-2.0

package tenant

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCredentialsAreUnguessable(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 100 {
		c := NewCredential()
		require.Regexp(t, `^tl_[A-Za-z0-9_-]{43}$`, c)
		require.False(t, seen[c])
		seen[c] = true
		require.Equal(t, Digest(sha256.Sum256([]byte(c))), DigestOf(c))
	}
	require.Regexp(t, `^[A-Za-z0-9_-]{43}$`, NewToken())
}

func TestAllEnvironmentsKnowTheirOwners(t *testing.T) {
	t.Parallel()
	org := Organization{ID: "acme", Retention: time.Hour, Projects: []Project{
		{ID: "shop", Environments: []Environment{{ID: "1", Slug: "prd"}, {ID: "2", Slug: "dev", Retention: time.Minute}}},
		{ID: "bare"},
		{ID: "blog", Environments: []Environment{{ID: "3", OrganizationID: "claimed", ProjectID: "claimed"}}},
	}}
	require.Equal(t, []Environment{
		{ID: "1", Slug: "prd", OrganizationID: "acme", ProjectID: "shop", Retention: time.Hour},
		{ID: "2", Slug: "dev", OrganizationID: "acme", ProjectID: "shop", Retention: time.Minute},
		{ID: "3", OrganizationID: "acme", ProjectID: "blog", Retention: time.Hour},
	}, org.AllEnvironments())
	require.Empty(t, org.Projects[0].Environments[0].OrganizationID, "the organization is left as it is")
	require.Empty(t, new(Organization).AllEnvironments())
}

func TestPrincipalTellsWhoIsCalling(t *testing.T) {
	t.Parallel()
	p := &Principal{Environment: Environment{ID: "1", Slug: "prd", OrganizationID: "acme", ProjectID: "shop"}, KeyID: "k", Scope: Read}
	facts := make(map[string]any)
	for _, name := range p.GetAttributeNames() {
		facts[name] = p.GetAttribute(name)
	}
	require.Equal(t, map[string]any{
		"environment.id": "1", "environment.slug": "prd", "organization.id": "acme", "key.id": "k", "key.scope": "read",
	}, facts)
	require.Nil(t, p.GetAttribute("project.id"))

	operator := &Principal{Operator: true, Environment: p.Environment}
	require.Empty(t, operator.GetAttributeNames())
	require.Nil(t, operator.GetAttribute("environment.id"))
}

func TestReserved(t *testing.T) {
	t.Parallel()
	for key, reserved := range map[string]bool{
		AttributeEnvironmentID:             true,
		AttributeEvaluations:               true,
		AttributeContent:                   true,
		"touchstone.":                      true,
		"touchstone.anything":              true,
		"touchstone.\x00":                  true,
		"evaluation.char-count.char_count": true,
		"evaluation.":                      true,
		"touchstone":                       false,
		"touchstones.x":                    false,
		"evaluation":                       false,
		"evaluations.x":                    false,
		"Touchstone.environment.id":        false,
		" touchstone.environment.id":       false,
		"app.touchstone.environment.id":    false,
		"":                                 false,
	} {
		require.Equal(t, reserved, Reserved(key), key)
	}
}
