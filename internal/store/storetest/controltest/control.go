// SPDX-License-Identifier: Apache-2.0

// Package controltest holds the contract of store.Control as tests that every
// control store passes.
package controltest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Exercise runs the contract of store.Control. open opens the store
// that belongs to dir: an empty one the first time, and after that, once the
// earlier one is closed, the same one again. The contract closes what it opens.
func Exercise(t *testing.T, open func(t *testing.T, dir string) store.Control) {
	t.Helper()
	for _, part := range []struct {
		name string
		run  func(t *testing.T, c *control)
	}{
		{"OrganizationsAreStoredWhole", organizationsAreStoredWhole},
		{"OrganizationsAreStoredAllOrNothing", organizationsAreStoredAllOrNothing},
		{"ManyKeys", manyKeys},
		{"OrganizationsAreListedWhole", organizationsAreListedWhole},
		{"OrganizationsChange", organizationsChange},
		{"RefusedChangesOfOrganizationsChangeNothing", refusedOrganizationChanges},
		{"DeletedOrganizationsKeepNothing", deletedOrganizationsKeepNothing},
		{"RacingChangesOfOrganizationsLoseNone", racingOrganizationChanges},
		{"KeysChange", keysChange},
		{"RefusedChangesOfKeysChangeNothing", refusedKeyChanges},
		{"RacingChangesOfKeysLoseNone", racingKeyChanges},
		{"SetupsComeBackAsTheyWere", setupsComeBackAsTheyWere},
		{"SetupsGoByTwoNames", setupsGoByTwoNames},
		{"SetupsAreListedOldestFirst", setupsAreListedOldestFirst},
		{"ExternalIDsAreUniqueWithinAnEnvironment", externalIDsAreUnique},
		{"SetupsAreReplacedByRevision", setupsAreReplacedByRevision},
		{"RacingReplacementsLoseNoUpdate", racingReplacements},
		{"RacingCreationsHaveOneWinner", racingCreations},
		{"SetupsAreDeleted", setupsAreDeleted},
		{"OneEnvironmentCannotReachAnother", environmentsAreApart},
		{"SetupsNeedTheirEvaluators", setupsNeedTheirEvaluators},
		{"RacingReferencesHaveOneWinner", racingReferences},
		{"UnusualText", unusualText},
		{"SecretsAreMadeOnce", secretsAreMadeOnce},
		{"EvaluatorsComeBackAsTheyWere", evaluatorsComeBackAsTheyWere},
		{"EvaluatorsGoByTwoNames", evaluatorsGoByTwoNames},
		{"EvaluatorsAreListedOldestFirst", evaluatorsAreListedOldestFirst},
		{"SlugsAreUniqueWithinAnEnvironment", slugsAreUnique},
		{"EvaluatorsHaveVersions", evaluatorsHaveVersions},
		{"OldVersionsGo", oldVersionsGo},
		{"RacingVersionsLoseNoUpdate", racingVersions},
		{"OneEnvironmentCannotReachAnothersEvaluators", evaluatorsAreApart},
		{"EvaluatorsOfUnusualText", evaluatorsOfUnusualText},
		{"EnvironmentsHaveSoManyEvaluators", environmentsHaveSoManyEvaluators},
		{"EvaluatorsSurviveReopeningAndNothingElse", evaluatorsSurviveReopening},
		{"ConfigurationsComeBackAsTheyWere", configurationsComeBackAsTheyWere},
		{"BackfillsComeBackAsTheyWere", backfillsComeBackAsTheyWere},
		{"BackfillsNeedTheirSetup", backfillsNeedTheirSetup},
		{"BackfillsAreListedOldestFirst", backfillsAreListedOldestFirst},
		{"BackfillsAreReplacedByRevision", backfillsAreReplacedByRevision},
		{"RacingBackfillsLoseNoUpdate", racingBackfills},
		{"BackfillsGoWithTheirSetup", backfillsGoWithTheirSetup},
		{"OneEnvironmentCannotReachAnothersBackfills", backfillsAreApart},
		{"BackfillsOfUnusualText", backfillsOfUnusualText},
		{"BackfillsSurviveReopeningAndNothingElse", backfillsSurviveReopening},
		{"SetupsHaveSoManyOpenBackfills", setupsHaveSoManyOpenBackfills},
		{"EnvironmentsHaveSoManyOpenBackfills", environmentsHaveSoManyOpenBackfills},
		{"AlertsComeBackAsTheyWere", alertsComeBackAsTheyWere},
		{"StatesOfAlertsHaveOneWriter", statesOfAlertsHaveOneWriter},
		{"AlertsTakeAllWithThem", alertsTakeAllWithThem},
		{"EnvironmentsHaveSoManyAlerts", environmentsHaveSoManyAlerts},
		{"ViewsBelongToTheirEnvironment", viewsBelongToTheirEnvironment},
		{"BoundsHoldInARace", boundsHoldInARace},
		{"ChangesAreTold", changesAreTold},
		{"ForgottenChangesAreAll", forgottenChangesAreAll},
		{"NamesThatNoDatabaseTakes", namesThatNoDatabaseTakes},
		{"EverythingSurvivesReopening", everythingSurvivesReopening},
		{"ClosedStoresRefuse", closedStoresRefuse},
		{"CancelledCallsChangeNothing", cancelledCallsChangeNothing},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := &control{open: func() store.Control { return open(t, dir) }}
			c.Control = c.open()
			t.Cleanup(func() { require.NoError(t, c.Close()) })
			part.run(t, c)
		})
	}
}

// control is the store under test.
type control struct {
	store.Control
	open func() store.Control
}

func (c *control) reopen(t *testing.T) {
	t.Helper()
	require.NoError(t, c.Close())
	c.Control = c.open()
}

// environment stores an organization with one environment.
func (c *control) environment(t *testing.T, name string) tenant.Environment {
	t.Helper()
	org, keys := storetest.NewOrganization(name, "prd")
	require.NoError(t, c.CreateOrganization(t.Context(), org, keys))
	return keys[0].Environment
}

// setup stores NewSetup.
func (c *control) setup(t *testing.T, env tenant.Environment, externalID string) monitor.Setup {
	t.Helper()
	s := storetest.NewSetup(env, externalID)
	require.NoError(t, store.Setups(c).Create(t.Context(), s))
	return s
}

func requireKind(t *testing.T, kind fault.Kind, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, kind, fault.KindOf(err), "%v", err)
}

func externalIDs(setups []monitor.Setup) []string {
	ids := make([]string, 0, len(setups))
	for _, s := range setups {
		ids = append(ids, s.ExternalID)
	}
	return ids
}

func (c *control) list(ctx context.Context, t *testing.T, env tenant.EnvironmentID) []string {
	t.Helper()
	setups, err := store.Setups(c).List(ctx, env)
	require.NoError(t, err)
	return externalIDs(setups)
}
