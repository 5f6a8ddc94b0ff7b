// SPDX-License-Identifier: Apache-2.0

package controltest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// changesAreTold: exactly those that other processes have to hear of.
func changesAreTold(t *testing.T, c *control) {
	ctx := t.Context()
	start, err := c.Changes(ctx, -1)
	require.NoError(t, err)
	require.True(t, start.All, "who has nothing yet is to read everything")
	number := start.Number
	step := func(doing string, err error, want ...store.Change) {
		t.Helper()
		got, failed := c.Changes(ctx, number)
		require.NoError(t, failed)
		require.False(t, got.All, doing)
		require.Equal(t, want, got.List, "%s: %v", doing, err)
		require.Equal(t, number+int64(len(want)), got.Number, doing)
		number = got.Number
	}
	org, keys := storetest.NewOrganization("acme", "prd", "dev", "stg")
	step("nothing", nil)
	step("an organization", c.CreateOrganization(ctx, org, keys),
		store.Change{Environment: "acme/prd"}, store.Change{Environment: "acme/dev"}, store.Change{Environment: "acme/stg"})
	step("the same organization", c.CreateOrganization(ctx, org, keys))
	s := storetest.NewSetup(keys[0].Environment, "quality")
	changed := store.Change{Environment: s.EnvironmentID, ID: s.ID}
	step("a setup", store.Setups(c).Create(ctx, s), changed)
	step("the same setup", store.Setups(c).Create(ctx, s))
	replaced, err := store.Setups(c).Replace(ctx, s)
	step("a replacement", err, changed)
	_, err = store.Setups(c).Replace(ctx, s)
	step("a lost race", err)
	_, err = store.Setups(c).Replace(ctx, replaced) // which changes nothing but the revision
	step("the same again", err, changed)
	e := storetest.NewEvaluator(keys[0].Environment, "custom")
	step("an evaluator", store.Evaluators(c).Create(ctx, e))
	for i := range 3 {
		step("a backfill", store.Backfills(c).Create(ctx, storetest.NewBackfill(s, fmt.Sprint(i))))
	}
	_, err = store.Backfills(c).Replace(ctx, storetest.NewBackfill(s, "1"))
	step("a backfill's progress", err)
	_, err = c.Secret(ctx, "cursor")
	step("a secret", err)
	c.reopen(t)
	step("reopening", nil)
	step("a deletion", store.Setups(c).Delete(ctx, s.EnvironmentID, s.ID), changed)
	step("no deletion", store.Setups(c).Delete(ctx, s.EnvironmentID, s.ID))

	all, err := c.Changes(ctx, start.Number)
	require.NoError(t, err)
	require.Len(t, all.List, 7)
	require.Equal(t, number, all.Number)

	some, err := c.Keys(ctx, keys[2].Environment.ID, keys[0].Environment.ID, "nowhere")
	require.NoError(t, err)
	require.ElementsMatch(t, []tenant.Key{keys[0], keys[2]}, some)
}

// forgottenChangesAreAll: a process that is too far behind, or ahead of a database that
// was restored, reads everything.
func forgottenChangesAreAll(t *testing.T, c *control) {
	ctx := t.Context()
	start, err := c.Changes(ctx, -1)
	require.NoError(t, err)
	slugs := make([]string, store.KeptChanges+1)
	for i := range slugs {
		slugs[i] = fmt.Sprint("env-", i)
	}
	org, keys := storetest.NewOrganization("large", slugs...)
	require.NoError(t, c.CreateOrganization(ctx, org, keys[:1]))
	now := start.Number + int64(len(slugs))
	for _, after := range []int64{start.Number, now + 1} {
		changes, err := c.Changes(ctx, after)
		require.NoError(t, err)
		require.Equal(t, store.Changes{Number: now, All: true}, changes)
	}
	changes, err := c.Changes(ctx, now-store.KeptChanges+1)
	require.NoError(t, err)
	require.False(t, changes.All)
	require.Len(t, changes.List, store.KeptChanges-1)
}
