// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// ExerciseControl runs the contract of store.Control. open opens the store
// that belongs to dir: an empty one the first time, and after that, once the
// earlier one is closed, the same one again. The contract closes what it opens.
func ExerciseControl(t *testing.T, open func(t *testing.T, dir string) store.Control) {
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

// NewOrganization makes an organization with one project that has an
// environment of each slug, and a key for each environment. Different names
// give different ids.
func NewOrganization(name string, slugs ...string) (tenant.Organization, []tenant.Key) {
	project := tenant.Project{ID: "project of " + name, Slug: "default"}
	org := tenant.Organization{
		ID: "id of " + name, Name: name, Retention: 48 * time.Hour,
		CreatedAt: time.Date(2026, 11, 21, 1, 2, 3, 456789012, time.UTC),
	}
	var keys []tenant.Key
	for i, slug := range slugs {
		e := tenant.Environment{
			ID:             tenant.EnvironmentID(fmt.Sprintf("%s/%s", name, slug)),
			Slug:           slug,
			OrganizationID: org.ID,
			ProjectID:      project.ID,
			Retention:      time.Duration(i+1) * time.Hour,
		}
		project.Environments = append(project.Environments, e)
		keys = append(keys, NewKey(e, "default"))
	}
	org.Projects = []tenant.Project{project}
	return org, keys
}

// NewKey makes a key of full scope; its id and digest are made of environment
// and name.
func NewKey(env tenant.Environment, name string) tenant.Key {
	return tenant.Key{
		ID:     fmt.Sprintf("key %s of %s", name, env.ID),
		Digest: tenant.DigestOf(strings.TrimPrefix(name+" ", "default ") + "key of " + string(env.ID)),
		Name:   name, Scope: tenant.Full, Environment: env,
		CreatedAt: time.Date(2026, 11, 21, 1, 2, 3, 456789012, time.UTC),
	}
}

// environment stores an organization with one environment.
func (c *control) environment(t *testing.T, name string) tenant.Environment {
	t.Helper()
	org, keys := NewOrganization(name, "prd")
	require.NoError(t, c.CreateOrganization(t.Context(), org, keys))
	return keys[0].Environment
}

// NewSetup makes a plain setup; its id is made of environment and external id.
func NewSetup(env tenant.Environment, externalID string) monitor.Setup {
	created := time.Date(2026, 11, 21, 8, 0, 0, 123456789, time.UTC)
	value := "gpt-5"
	return monitor.Setup{
		ID:             fmt.Sprintf("%s#%s", env.ID, externalID),
		ExternalID:     externalID,
		OrganizationID: env.OrganizationID,
		ProjectID:      env.ProjectID,
		EnvironmentID:  env.ID,
		Selector: monitor.Selector{{
			Key: "llm.request.model", Value: &value, Source: monitor.SpanAttributes, Operator: query.OpEquals,
		}},
		Evaluators: []monitor.SetupEvaluator{{Slug: "char-count", Status: monitor.Pending}},
		Status:     monitor.Pending,
		Revision:   1,
		Generation: 1,
		CreatedAt:  created,
		UpdatedAt:  created,
	}
}

// setup stores NewSetup.
func (c *control) setup(t *testing.T, env tenant.Environment, externalID string) monitor.Setup {
	t.Helper()
	s := NewSetup(env, externalID)
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
