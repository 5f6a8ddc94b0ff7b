// SPDX-License-Identifier: Apache-2.0

package controltest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func organizationsAreStoredWhole(t *testing.T, c *control) {
	none, err := c.Keys(t.Context())
	require.NoError(t, err)
	require.Empty(t, none)

	acme, acmeKeys := storetest.NewOrganization("acme", "prd", "stg", "dev")
	require.NoError(t, c.CreateOrganization(t.Context(), acme, acmeKeys))
	blue, blueKeys := storetest.NewOrganization("blue", "prd")
	require.NoError(t, c.CreateOrganization(t.Context(), blue, blueKeys))

	keys, err := c.Keys(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, append(acmeKeys, blueKeys...), keys)
	some, err := c.Keys(t.Context(), blueKeys[0].Environment.ID, "nowhere")
	require.NoError(t, err)
	require.Equal(t, blueKeys, some)

	// Owners and retention may be left to the organization.
	bare, bareKeys := storetest.NewOrganization("bare", "prd")
	want := bareKeys[0]
	want.Environment.Retention = bare.Retention
	bare.Projects[0].Environments[0] = tenant.Environment{ID: want.Environment.ID, Slug: "prd"}
	bareKeys[0].Environment = tenant.Environment{ID: want.Environment.ID}
	require.NoError(t, c.CreateOrganization(t.Context(), bare, bareKeys))
	got, err := c.Keys(t.Context(), want.Environment.ID)
	require.NoError(t, err)
	require.Equal(t, []tenant.Key{want}, got)
}

func organizationsAreStoredAllOrNothing(t *testing.T, c *control) {
	acme, acmeKeys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, c.CreateOrganization(t.Context(), acme, acmeKeys))

	refused := func(name string, kind fault.Kind, spoil func(*tenant.Organization, []tenant.Key) []tenant.Key) {
		org, keys := storetest.NewOrganization(name, "one", "two")
		requireKind(t, kind, c.CreateOrganization(t.Context(), org, spoil(&org, keys)))
		stored, err := c.Keys(t.Context())
		require.NoError(t, err)
		require.Equal(t, acmeKeys, stored, name)
	}
	refused("same id", fault.Conflict, func(o *tenant.Organization, keys []tenant.Key) []tenant.Key {
		o.ID = acme.ID
		return keys
	})
	refused("same slugs", fault.Conflict, func(o *tenant.Organization, keys []tenant.Key) []tenant.Key {
		o.Projects[0].Environments[1].Slug = "one"
		return keys
	})
	refused("same environment", fault.Conflict, func(o *tenant.Organization, keys []tenant.Key) []tenant.Key {
		o.Projects[0].Environments[1].ID = o.Projects[0].Environments[0].ID
		return keys[:1]
	})
	refused("same digest", fault.Conflict, func(_ *tenant.Organization, keys []tenant.Key) []tenant.Key {
		keys[1].Digest = acmeKeys[0].Digest
		return keys
	})
	refused("same key id", fault.Conflict, func(_ *tenant.Organization, keys []tenant.Key) []tenant.Key {
		keys[1].ID = acmeKeys[0].ID
		return keys
	})
	refused("key without an id", fault.Invalid, func(_ *tenant.Organization, keys []tenant.Key) []tenant.Key {
		keys[1].ID = ""
		return keys
	})
	refused("key of another organization", fault.Invalid, func(_ *tenant.Organization, keys []tenant.Key) []tenant.Key {
		keys[1].Environment = acmeKeys[0].Environment
		return keys
	})

	// Nothing of the refused is in the way later on.
	org, keys := storetest.NewOrganization("same slugs", "one", "two")
	require.NoError(t, c.CreateOrganization(t.Context(), org, keys))
}

func manyKeys(t *testing.T, c *control) {
	slugs := make([]string, 2500)
	for i := range slugs {
		slugs[i] = fmt.Sprint("env-", i)
	}
	org, want := storetest.NewOrganization("large", slugs...)
	require.NoError(t, c.CreateOrganization(t.Context(), org, want))
	keys, err := c.Keys(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, digests(want), digests(keys))
}

func digests(keys []tenant.Key) []tenant.Digest {
	list := make([]tenant.Digest, 0, len(keys))
	for _, k := range keys {
		list = append(list, k.Digest)
	}
	return list
}

func secretsAreMadeOnce(t *testing.T, c *control) {
	answers := make([][]byte, 8)
	errs := make([]error, len(answers))
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i], errs[i] = c.Secret(t.Context(), "cursor") })
	}
	wg.Wait()
	for i := range answers {
		require.NoError(t, errs[i])
		require.Equal(t, answers[0], answers[i])
	}
	require.Len(t, answers[0], 32)
	require.NotEqual(t, make([]byte, 32), answers[0])

	other, err := c.Secret(t.Context(), "something else")
	require.NoError(t, err)
	require.False(t, bytes.Equal(answers[0], other))
	c.reopen(t)
	again, err := c.Secret(t.Context(), "cursor")
	require.NoError(t, err)
	require.Equal(t, answers[0], again)
}
