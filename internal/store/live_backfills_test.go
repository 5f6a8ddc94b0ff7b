// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

func TestLiveKeepsBackfills(t *testing.T) {
	t.Parallel()
	live := newLive(t, openControl(t))
	env := createOrganization(t, live, "acme", "prd")[0].Environment
	s := storetest.NewSetup(env, "quality")
	b := storetest.NewBackfill(s, "one")
	require.Equal(t, fault.NotFound, fault.KindOf(live.CreateBackfill(t.Context(), b)))
	require.NoError(t, live.CreateSetup(t.Context(), s))
	require.NoError(t, live.CreateBackfill(t.Context(), b))

	b.Status, b.Seen = monitor.BackfillRunning, 3
	b, err := live.ReplaceBackfill(t.Context(), b)
	require.NoError(t, err)
	got, err := live.Backfill(t.Context(), env.ID, s.ID, "one")
	require.NoError(t, err)
	require.Equal(t, b, got)
	list, err := live.ListBackfills(t.Context(), env.ID, s.ID)
	require.NoError(t, err)
	require.Equal(t, []monitor.Backfill{b}, list)
	require.NoError(t, live.DeleteSetup(t.Context(), env.ID, s.ID))
	list, err = live.OpenBackfills(t.Context())
	require.NoError(t, err)
	require.Empty(t, list)
}
