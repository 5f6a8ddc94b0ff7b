// SPDX-License-Identifier: Apache-2.0

package controltest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
)

func viewsBelongToTheirEnvironment(t *testing.T, c *control) {
	env, other := c.environment(t, "acme"), c.environment(t, "bolt")
	v := filled[store.View]()
	v.EnvironmentID, v.Revision = env.ID, 1
	require.NoError(t, store.Views(c).Create(t.Context(), v))
	got, err := store.Views(c).Get(t.Context(), env.ID, v.Name)
	require.NoError(t, err)
	require.Equal(t, v, got)
	_, err = store.Views(c).Get(t.Context(), other.ID, v.Name)
	requireKind(t, fault.NotFound, err)
	again := v
	again.ID = "another id"
	requireKind(t, fault.Conflict, store.Views(c).Create(t.Context(), again))

	v.Query = "t=24h"
	v, err = store.Views(c).Replace(t.Context(), v)
	require.NoError(t, err)
	list, err := store.Views(c).List(t.Context(), env.ID)
	require.NoError(t, err)
	require.Equal(t, []store.View{v}, list)

	for i := 1; i < store.MaxViews; i++ {
		require.NoError(t, store.Views(c).Create(t.Context(), store.View{ID: fmt.Sprint(i), EnvironmentID: env.ID, Name: fmt.Sprint("view ", i)}))
	}
	requireKind(t, fault.Invalid, store.Views(c).Create(t.Context(), store.View{ID: "more", EnvironmentID: env.ID, Name: "more"}))
	require.NoError(t, store.Views(c).Delete(t.Context(), env.ID, v.Name))
	_, err = store.Views(c).Get(t.Context(), env.ID, v.Name)
	requireKind(t, fault.NotFound, err)
}
