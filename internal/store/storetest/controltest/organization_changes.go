// SPDX-License-Identifier: Apache-2.0

package controltest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func organizationsAreListedWhole(t *testing.T, c *control) {
	none, err := c.Organizations(t.Context())
	require.NoError(t, err)
	require.Empty(t, none)
	acme, acmeKeys := storetest.NewOrganization("acme", "dev", "prd")
	blue, blueKeys := storetest.NewOrganization("blue", "prd")
	blue.CreatedAt = acme.CreatedAt.Add(-time.Hour)
	blue.Projects[0].Environments[0].Quota = tenant.Quota{SpansPerSecond: 5}
	require.NoError(t, c.CreateOrganization(t.Context(), acme, acmeKeys))
	require.NoError(t, c.CreateOrganization(t.Context(), blue, blueKeys))
	for range 2 {
		all, err := c.Organizations(t.Context())
		require.NoError(t, err)
		require.Equal(t, []tenant.Organization{blue, acme}, all)
		c.reopen(t)
	}
	one, err := c.Organizations(t.Context(), acme.ID, "nowhere", "\x00")
	require.NoError(t, err)
	require.Empty(t, one, "what no database takes is not found, and spoils the question")
	one, err = c.Organizations(t.Context(), acme.ID, "nowhere")
	require.NoError(t, err)
	require.Equal(t, []tenant.Organization{acme}, one)
}

func organizationsChange(t *testing.T, c *control) {
	org, keys := storetest.NewOrganization("acme", "dev")
	require.NoError(t, c.CreateOrganization(t.Context(), org, keys))
	number := lastChange(t, c)
	added := tenant.Environment{
		ID: "acme/new", Slug: "new", OrganizationID: org.ID, ProjectID: org.Projects[0].ID,
		Retention: time.Hour, Quota: tenant.Quota{BytesPerSecond: 7}, Mappings: "[]",
	}
	changed, err := c.ChangeOrganization(t.Context(), org.ID, func(o *tenant.Organization) error {
		require.Equal(t, org, *o)
		o.ID, o.CreatedAt = "mine", time.Now() // which stay
		o.Name, o.Retention = "Acme & Sons", 2*time.Hour
		o.Projects[0].Environments[0].Retention = 2 * time.Hour
		o.Projects[0].Environments[0].Quota.ConcurrentQueries = 3
		o.Projects[0].Environments[0].Mappings = `[{"attribute":"a","role":"input"}]`
		o.Projects[0].Environments = append(o.Projects[0].Environments, added)
		return nil
	})
	require.NoError(t, err)
	want := org
	want.Name, want.Retention = "Acme & Sons", 2*time.Hour
	dev := org.Projects[0].Environments[0]
	dev.Retention, dev.Quota.ConcurrentQueries, dev.Mappings = 2*time.Hour, 3, `[{"attribute":"a","role":"input"}]`
	want.Projects = []tenant.Project{{ID: org.Projects[0].ID, Slug: "default", Environments: []tenant.Environment{dev, added}}}
	require.Equal(t, want, changed)
	require.ElementsMatch(t, []store.Change{{Environment: dev.ID}, {Environment: added.ID}}, changesAfter(t, c, number))

	stored, err := c.Organizations(t.Context(), org.ID)
	require.NoError(t, err)
	require.Equal(t, []tenant.Organization{want}, stored)
	got, err := c.Keys(t.Context(), dev.ID)
	require.NoError(t, err)
	require.Equal(t, dev, got[0].Environment, "keys know what their environment is now")
	require.NoError(t, store.Setups(c).Create(t.Context(), storetest.NewSetup(added, "m")))

	number = lastChange(t, c)
	cached := 0.5
	prices := &tenant.Prices{"m": {Input: 1, Output: 2, CacheRead: &cached}}
	for _, p := range []*tenant.Prices{prices, nil} {
		_, err = c.ChangeOrganization(t.Context(), org.ID, func(o *tenant.Organization) error { o.Prices = p; return nil })
		require.NoError(t, err)
		stored, err = c.Organizations(t.Context(), org.ID)
		require.NoError(t, err)
		require.Equal(t, p, stored[0].Prices)
		got, err = c.Keys(t.Context(), dev.ID)
		require.NoError(t, err)
		require.Equal(t, p, got[0].Environment.Prices, "keys know the prices of their organization")
		require.ElementsMatch(t, []store.Change{{Environment: dev.ID}, {Environment: added.ID}}, changesAfter(t, c, number))
		number = lastChange(t, c)
	}
	again, err := c.ChangeOrganization(t.Context(), org.ID, func(o *tenant.Organization) error { o.Projects = nil; return nil })
	require.NoError(t, err)
	require.Equal(t, want, again, "environments that are left out stay")
	require.Empty(t, changesAfter(t, c, number))
}

func refusedOrganizationChanges(t *testing.T, c *control) {
	org, keys := storetest.NewOrganization("acme", "dev")
	require.NoError(t, c.CreateOrganization(t.Context(), org, keys))
	own := errors.New("no")
	for name, x := range map[string]struct {
		id     string
		change func(*tenant.Organization) error
		is     func(error) bool
	}{
		"unknown": {"nowhere", func(*tenant.Organization) error { return nil }, isKind(fault.NotFound)},
		"no id":   {"\x00", func(*tenant.Organization) error { return nil }, isKind(fault.NotFound)},
		"own":     {org.ID, func(o *tenant.Organization) error { o.Name = "x"; return own }, func(err error) bool { return errors.Is(err, own) }},
		"text":    {org.ID, func(o *tenant.Organization) error { o.Name = "\xff"; return nil }, isKind(fault.Invalid)},
		"slug": {org.ID, func(o *tenant.Organization) error {
			p := &o.Projects[0]
			o.Name = "x"
			p.Environments = append(p.Environments, tenant.Environment{ID: "other", Slug: p.Environments[0].Slug})
			return nil
		}, isKind(fault.Conflict)},
		"project": {org.ID, func(o *tenant.Organization) error {
			o.Projects = append(o.Projects, tenant.Project{ID: "p", Environments: []tenant.Environment{{ID: "other", Slug: "x"}}})
			return nil
		}, isKind(fault.NotFound)},
	} {
		number := lastChange(t, c)
		_, err := c.ChangeOrganization(t.Context(), x.id, x.change)
		require.Error(t, err, name)
		require.True(t, x.is(err), "%s: %v", name, err)
		stored, err := c.Organizations(t.Context())
		require.NoError(t, err)
		require.Equal(t, []tenant.Organization{org}, stored, name)
		require.Empty(t, changesAfter(t, c, number), name)
	}
}

func isKind(kind fault.Kind) func(error) bool {
	return func(err error) bool { return fault.Is(err, kind) }
}

func deletedOrganizationsKeepNothing(t *testing.T, c *control) {
	ctx := t.Context()
	org, keys := storetest.NewOrganization("acme", "dev", "prd")
	require.NoError(t, c.CreateOrganization(ctx, org, keys))
	other := c.environment(t, "blue")
	kept := c.setup(t, other, "kept")
	s := c.setup(t, keys[0].Environment, "gone")
	require.NoError(t, store.Backfills(c).Create(ctx, storetest.NewBackfill(s, "b")))
	e := storetest.NewEvaluator(keys[1].Environment, "ours")
	require.NoError(t, store.Evaluators(c).Create(ctx, e))
	number := lastChange(t, c)

	at := time.Date(2026, 11, 22, 0, 0, 0, 1, time.UTC)
	deleted, err := c.ChangeOrganization(ctx, org.ID, func(o *tenant.Organization) error { o.DeletedAt = at; return nil })
	require.NoError(t, err)
	want := org
	want.DeletedAt = at
	require.Equal(t, want, deleted, "it is known what is to be erased")
	require.ElementsMatch(t, []store.Change{
		{Environment: keys[0].Environment.ID}, {Environment: keys[1].Environment.ID}, {Environment: s.EnvironmentID, ID: s.ID},
	}, changesAfter(t, c, number))
	for range 2 {
		left, err := c.Keys(ctx)
		require.NoError(t, err)
		require.Len(t, left, 1)
		require.Equal(t, other, left[0].Environment)
		setups, err := store.Setups(c).Filter(ctx, store.DocumentFilter{})
		require.NoError(t, err)
		require.Equal(t, []string{kept.ExternalID}, externalIDs(setups))
		open, err := store.Backfills(c).Filter(ctx, store.DocumentFilter{})
		require.NoError(t, err)
		require.Empty(t, open)
		customs, err := store.Evaluators(c).Filter(ctx, store.DocumentFilter{})
		require.NoError(t, err)
		require.Empty(t, customs)
		c.reopen(t)
	}
	requireKind(t, fault.NotFound, store.Setups(c).Create(ctx, storetest.NewSetup(keys[0].Environment, "late")))
	requireKind(t, fault.NotFound, c.ChangeKeys(ctx, []tenant.EnvironmentID{keys[0].Environment.ID},
		func([]tenant.Key) ([]tenant.Key, error) {
			return []tenant.Key{storetest.NewKey(keys[0].Environment, "late")}, nil
		}))

	erased, err := c.ChangeOrganization(ctx, org.ID, func(o *tenant.Organization) error { o.ErasedAt = at.Add(1); return nil })
	require.NoError(t, err)
	require.Equal(t, tenant.Organization{
		ID: org.ID, Retention: org.Retention, CreatedAt: org.CreatedAt, DeletedAt: at, ErasedAt: at.Add(1),
	}, erased)
	again, _ := storetest.NewOrganization("acme", "dev")
	again.ID = "another"
	require.NoError(t, c.CreateOrganization(ctx, again, nil), "nothing of it is in the way")
}

func keysChange(t *testing.T, c *control) {
	ctx := t.Context()
	org, keys := storetest.NewOrganization("acme", "dev", "prd")
	require.NoError(t, c.CreateOrganization(ctx, org, keys))
	dev, prd := keys[0], keys[1]
	of := []tenant.EnvironmentID{dev.Environment.ID, prd.Environment.ID}
	change := func(do func(keys []tenant.Key) []tenant.Key) []store.Change {
		t.Helper()
		number := lastChange(t, c)
		require.NoError(t, c.ChangeKeys(ctx, of, func(keys []tenant.Key) ([]tenant.Key, error) { return do(keys), nil }))
		return changesAfter(t, c, number)
	}
	at := time.Date(2026, 11, 22, 0, 0, 0, 1, time.UTC)
	fresh := storetest.NewKey(dev.Environment, "fresh")
	fresh.CreatedAt, fresh.ExpiresAt, fresh.Scope = at, at.Add(time.Hour), tenant.Read
	require.Equal(t, []store.Change{{Environment: of[0]}}, change(func(keys []tenant.Key) []tenant.Key {
		require.ElementsMatch(t, []tenant.Key{dev, prd}, keys)
		return append(keys, fresh)
	}))
	require.Empty(t, change(func(keys []tenant.Key) []tenant.Key {
		for i := range keys {
			keys[i].UsedAt = at
		}
		return keys
	}), "no process has to hear when a key was used")
	require.Equal(t, []store.Change{{Environment: of[1]}}, change(func(keys []tenant.Key) []tenant.Key {
		for i := range keys {
			if keys[i].ID == prd.ID {
				keys[i].RevokedAt, keys[i].Name = at, "old"
				keys[i].Digest, keys[i].Environment = tenant.Digest{1}, dev.Environment // which stay
			}
		}
		return keys
	}))
	dev.UsedAt, fresh.UsedAt, prd.UsedAt = at, at, at
	prd.RevokedAt, prd.Name = at, "old"
	for range 2 {
		got, err := c.Keys(ctx)
		require.NoError(t, err)
		require.Equal(t, fresh, got[2], "oldest first")
		require.ElementsMatch(t, []tenant.Key{dev, prd}, got[:2])
		c.reopen(t)
	}
	require.Equal(t, []store.Change{{Environment: of[0]}}, change(func([]tenant.Key) []tenant.Key { return []tenant.Key{fresh, prd} }))
	got, err := c.Keys(ctx)
	require.NoError(t, err)
	require.Equal(t, []tenant.Key{prd, fresh}, got)
}

func refusedKeyChanges(t *testing.T, c *control) {
	org, keys := storetest.NewOrganization("acme", "dev", "prd")
	require.NoError(t, c.CreateOrganization(t.Context(), org, keys))
	own := errors.New("no")
	twin, stranger, nameless := storetest.NewKey(keys[0].Environment, "twin"), storetest.NewKey(keys[1].Environment, "stranger"), storetest.NewKey(keys[0].Environment, "x")
	twin.Digest, nameless.ID = keys[1].Digest, ""
	taken, unstorable := storetest.NewKey(keys[0].Environment, "taken"), storetest.NewKey(keys[0].Environment, "\x00")
	taken.ID = keys[1].ID
	for name, x := range map[string]struct {
		add tenant.Key
		err error
		is  func(error) bool
	}{
		"own":        {err: own, is: func(err error) bool { return errors.Is(err, own) }},
		"digest":     {add: twin, is: isKind(fault.Conflict)},
		"id":         {add: taken, is: isKind(fault.Conflict)},
		"stranger":   {add: stranger, is: isKind(fault.Invalid)},
		"nameless":   {add: nameless, is: isKind(fault.Invalid)},
		"unstorable": {add: unstorable, is: isKind(fault.Invalid)},
	} {
		number := lastChange(t, c)
		err := c.ChangeKeys(t.Context(), []tenant.EnvironmentID{keys[0].Environment.ID}, func(keys []tenant.Key) ([]tenant.Key, error) {
			keys[0].Name = "changed"
			return append(keys, x.add), x.err
		})
		require.Error(t, err, name)
		require.True(t, x.is(err), "%s: %v", name, err)
		stored, err := c.Keys(t.Context())
		require.NoError(t, err)
		require.ElementsMatch(t, keys, stored, name)
		require.Empty(t, changesAfter(t, c, number), name)
	}
	requireKind(t, fault.NotFound, c.ChangeKeys(t.Context(), []tenant.EnvironmentID{"nowhere"}, func(keys []tenant.Key) ([]tenant.Key, error) {
		require.Empty(t, keys)
		return []tenant.Key{storetest.NewKey(tenant.Environment{ID: "nowhere"}, "x")}, nil
	}))
}

func racingKeyChanges(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	const many = 20
	errs := make(chan error, many)
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			errs <- c.ChangeKeys(t.Context(), []tenant.EnvironmentID{env.ID}, func(keys []tenant.Key) ([]tenant.Key, error) {
				return append(keys, storetest.NewKey(env, fmt.Sprint(i))), nil
			})
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	keys, err := c.Keys(t.Context(), env.ID)
	require.NoError(t, err)
	require.Len(t, keys, 1+many)
}

// lastChange returns the number of the latest change.
func lastChange(t *testing.T, c *control) int64 {
	t.Helper()
	changes, err := c.Changes(t.Context(), -1)
	require.NoError(t, err)
	return changes.Number
}

// changesAfter returns what changed after a change.
func changesAfter(t *testing.T, c *control, number int64) []store.Change {
	t.Helper()
	changes, err := c.Changes(t.Context(), number)
	require.NoError(t, err)
	require.False(t, changes.All)
	return changes.List
}
