// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// changesAreCounted: exactly those that other processes have to hear of.
func changesAreCounted(t *testing.T, c *control) {
	ctx := t.Context()
	count := func() int64 {
		n, err := c.Changes(ctx)
		require.NoError(t, err)
		return n
	}
	n := count()
	step := func(by int64, doing string, err error) {
		t.Helper()
		require.Equal(t, n+by, count(), "%s: %v", doing, err)
		n += by
	}
	org, keys := NewOrganization("acme", "prd", "dev", "stg")
	step(1, "an organization", c.CreateOrganization(ctx, org, keys))
	step(0, "the same organization", c.CreateOrganization(ctx, org, keys))
	s := NewSetup(keys[0].Environment, "quality")
	step(1, "a setup", c.CreateSetup(ctx, s))
	step(0, "the same setup", c.CreateSetup(ctx, s))
	replaced, err := c.ReplaceSetup(ctx, s)
	step(1, "a replacement", err)
	_, err = c.ReplaceSetup(ctx, s)
	step(0, "a lost race", err)
	_, err = c.ReplaceSetup(ctx, replaced) // which changes nothing but the revision
	step(1, "the same again", err)
	e := NewEvaluator(keys[0].Environment, "custom")
	step(0, "an evaluator", c.CreateEvaluator(ctx, e))
	for i := range 3 {
		step(0, "a backfill", c.CreateBackfill(ctx, NewBackfill(s, fmt.Sprint(i))))
	}
	_, err = c.ReplaceBackfill(ctx, NewBackfill(s, "1"))
	step(0, "a backfill's progress", err)
	_, err = c.Secret(ctx, "cursor")
	step(0, "a secret", err)
	c.reopen(t)
	step(0, "reopening", nil)
	step(1, "a deletion", c.DeleteSetup(ctx, s.EnvironmentID, s.ID))
	step(0, "no deletion", c.DeleteSetup(ctx, s.EnvironmentID, s.ID))
}
