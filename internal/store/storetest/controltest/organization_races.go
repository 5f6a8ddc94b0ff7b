// SPDX-License-Identifier: Apache-2.0

package controltest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// racingOrganizationChanges: many change an organization and the keys of its
// environments at once, in every order. None waits for good, and none is lost.
func racingOrganizationChanges(t *testing.T, c *control) {
	org, keys := storetest.NewOrganization("acme", "one", "two")
	require.NoError(t, c.CreateOrganization(t.Context(), org, keys))
	one, two := keys[0].Environment, keys[1].Environment
	const many = 10
	errs := make(chan error, 3*many)
	var wg sync.WaitGroup
	for i := range many {
		add := func(of ...tenant.EnvironmentID) error {
			return c.ChangeKeys(t.Context(), of, func(keys []tenant.Key) ([]tenant.Key, error) {
				return append(keys, storetest.NewKey(one, fmt.Sprint(of[0], i)), storetest.NewKey(two, fmt.Sprint(of[0], i))), nil
			})
		}
		wg.Go(func() { errs <- add(one.ID, two.ID) })
		wg.Go(func() { errs <- add(two.ID, one.ID) })
		wg.Go(func() {
			_, err := c.ChangeOrganization(t.Context(), org.ID, func(o *tenant.Organization) error {
				o.Name += "+"
				for i := range o.Projects[0].Environments {
					o.Projects[0].Environments[i].Quota.SpansPerSecond++
				}
				return nil
			})
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	stored, err := c.Organizations(t.Context(), org.ID)
	require.NoError(t, err)
	require.Len(t, stored[0].Name, len(org.Name)+many)
	for _, e := range stored[0].AllEnvironments() {
		require.EqualValues(t, many, e.Quota.SpansPerSecond)
		keys, err := c.Keys(t.Context(), e.ID)
		require.NoError(t, err)
		require.Len(t, keys, 1+2*many)
	}
}
