// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// A process that is behind is told so by an answer, or does what it was asked
// for to the right setup; then it is behind no more, without a Refresh.
func TestMemoryThatIsBehindCatchesUpWithTheAnswer(t *testing.T) {
	t.Parallel()
	for name, race := range map[string]func(t *testing.T, ahead, behind *store.Live, env tenant.Environment, s monitor.Setup){
		"created there, created here": func(t *testing.T, ahead, behind *store.Live, env tenant.Environment, _ monitor.Setup) {
			twin := storetest.NewSetup(env, "new")
			require.NoError(t, ahead.CreateSetup(t.Context(), twin))
			twin.ID = "another"
			require.True(t, fault.Is(behind.CreateSetup(t.Context(), twin), fault.Conflict))
		},
		"deleted there, replaced here": func(t *testing.T, ahead, behind *store.Live, env tenant.Environment, s monitor.Setup) {
			require.NoError(t, ahead.DeleteSetup(t.Context(), env.ID, s.ID))
			_, err := behind.ReplaceSetup(t.Context(), s)
			require.True(t, fault.Is(err, fault.NotFound), "%v", err)
		},
		"deleted there, deleted here": func(t *testing.T, ahead, behind *store.Live, env tenant.Environment, s monitor.Setup) {
			require.NoError(t, ahead.DeleteSetup(t.Context(), env.ID, s.ID))
			require.True(t, fault.Is(behind.DeleteSetup(t.Context(), env.ID, s.ID), fault.NotFound))
		},
		"deleted there, created here under the name": func(t *testing.T, ahead, behind *store.Live, env tenant.Environment, s monitor.Setup) {
			require.NoError(t, ahead.DeleteSetup(t.Context(), env.ID, s.ID))
			s.ID = "another"
			require.NoError(t, behind.CreateSetup(t.Context(), s))
		},
		"deleted there, created here with the id": func(t *testing.T, ahead, behind *store.Live, env tenant.Environment, s monitor.Setup) {
			require.NoError(t, ahead.DeleteSetup(t.Context(), env.ID, s.ID))
			s.ExternalID = "another"
			require.NoError(t, behind.CreateSetup(t.Context(), s))
		},
		"deleted there, replaced here by another under the name": func(t *testing.T, ahead, behind *store.Live, env tenant.Environment, s monitor.Setup) {
			other, err := behind.Setup(t.Context(), env.ID, "other")
			require.NoError(t, err)
			require.NoError(t, ahead.DeleteSetup(t.Context(), env.ID, s.ID))
			other.ExternalID = s.ExternalID
			_, err = behind.ReplaceSetup(t.Context(), other)
			require.NoError(t, err)
		},
		"created there, replaced here": func(t *testing.T, ahead, behind *store.Live, env tenant.Environment, _ monitor.Setup) {
			s := storetest.NewSetup(env, "new")
			require.NoError(t, ahead.CreateSetup(t.Context(), s))
			_, err := behind.ReplaceSetup(t.Context(), s)
			require.NoError(t, err)
		},
		"created there, deleted here": func(t *testing.T, ahead, behind *store.Live, env tenant.Environment, _ monitor.Setup) {
			require.NoError(t, ahead.CreateSetup(t.Context(), storetest.NewSetup(env, "new")))
			require.NoError(t, behind.DeleteSetup(t.Context(), env.ID, "new"))
		},
		"renamed there, its old name deleted here": func(t *testing.T, ahead, behind *store.Live, env tenant.Environment, s monitor.Setup) {
			other, err := ahead.Setup(t.Context(), env.ID, "other")
			require.NoError(t, err)
			name := s.ExternalID
			s.ExternalID = "renamed"
			_, err = ahead.ReplaceSetup(t.Context(), s)
			require.NoError(t, err)
			other.ExternalID = name
			_, err = ahead.ReplaceSetup(t.Context(), other)
			require.NoError(t, err)
			require.NoError(t, behind.DeleteSetup(t.Context(), env.ID, name))
			require.Equal(t, s.ID, behind.Setups().Of(env.ID)[0].ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ca, cb := twoControls(t)
			ahead := newLive(t, ca)
			env := createOrganization(t, ahead, "acme", "prd")[0].Environment
			s := storetest.NewSetup(env, "quality")
			require.NoError(t, ahead.CreateSetup(t.Context(), s))
			require.NoError(t, ahead.CreateSetup(t.Context(), storetest.NewSetup(env, "other")))
			behind := newLive(t, cb)
			race(t, ahead, behind, env, s)
			requireAgreement(t, behind, cb, env.ID)
			for range 2 {
				require.NoError(t, behind.Refresh(t.Context()))
				requireAgreement(t, behind, cb, env.ID)
			}
			requireNoNews(t, behind, cb)
		})
	}
}
