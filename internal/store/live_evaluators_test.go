// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

func TestLiveKeepsEvaluators(t *testing.T) {
	t.Parallel()
	live := newLive(t, openControl(t))
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, live.CreateOrganization(t.Context(), org, keys))
	env := keys[0].Environment
	first := storetest.NewEvaluator(env, "quality")
	require.NoError(t, live.CreateEvaluator(t.Context(), first))
	require.Equal(t, fault.Conflict, fault.KindOf(live.CreateEvaluator(t.Context(), first)))

	second := first
	second.Name, second.VersionID = "Another", "another"
	second, err := live.ReplaceEvaluator(t.Context(), second)
	require.NoError(t, err)
	got, err := live.Evaluator(t.Context(), env.ID, "quality")
	require.NoError(t, err)
	require.Equal(t, second, got)
	got, err = live.EvaluatorVersion(t.Context(), env.ID, "quality", "1")
	require.NoError(t, err)
	require.Equal(t, first, got)
	list, err := live.ListEvaluators(t.Context(), env.ID)
	require.NoError(t, err)
	require.Equal(t, []eval.Custom{second}, list)
}
