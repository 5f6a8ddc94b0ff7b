// SPDX-License-Identifier: Apache-2.0

package controltest

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// backfill stores NewBackfill.
func (c *control) backfill(t *testing.T, s monitor.Setup, id string) monitor.Backfill {
	t.Helper()
	b := storetest.NewBackfill(s, id)
	require.NoError(t, store.Backfills(c).Create(t.Context(), b))
	return b
}

func (c *control) backfills(t *testing.T, env tenant.EnvironmentID, setupID string) []string {
	t.Helper()
	list, err := store.Backfills(c).Filter(t.Context(), store.DocumentFilter{Environment: env, Parent: setupID})
	require.NoError(t, err)
	return backfillIDs(list)
}

func (c *control) openBackfills(t *testing.T) []string {
	t.Helper()
	list, err := store.Backfills(c).Filter(t.Context(), store.DocumentFilter{Open: true})
	require.NoError(t, err)
	return backfillIDs(list)
}

func backfillIDs(list []monitor.Backfill) []string {
	ids := make([]string, 0, len(list))
	for _, b := range list {
		ids = append(ids, b.ID)
	}
	return ids
}

func backfillsComeBackAsTheyWere(t *testing.T, c *control) {
	s := c.setup(t, c.environment(t, "acme"), "quality")
	var full monitor.Backfill
	fill(reflect.ValueOf(&full).Elem(), new(int)) // a field added later is tested from the start
	full.EnvironmentID, full.SetupID, full.Revision = s.EnvironmentID, s.ID, 1
	widest := monitor.Backfill{
		ID: "widest", EnvironmentID: s.EnvironmentID, SetupID: s.ID, From: math.MinInt64, To: math.MaxInt64,
		Total: math.MaxInt64, CreatedAt: full.CreatedAt, Revision: 1,
	}
	for _, want := range []monitor.Backfill{full, widest} {
		given := want
		given.Revision = 41 // a new backfill has revision 1, whatever it says
		given.CreatedAt = given.CreatedAt.In(time.FixedZone("elsewhere", 5*3600))
		require.NoError(t, store.Backfills(c).Create(t.Context(), given))
		got, err := store.Backfills(c).Get(t.Context(), s.EnvironmentID, want.ID)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	list, err := store.Backfills(c).Filter(t.Context(), store.DocumentFilter{Environment: s.EnvironmentID, Parent: s.ID})
	require.NoError(t, err)
	require.Equal(t, []monitor.Backfill{full, widest}, list)
	list, err = store.Backfills(c).Filter(t.Context(), store.DocumentFilter{Open: true})
	require.NoError(t, err)
	require.Equal(t, []monitor.Backfill{full, widest}, list)
}

func backfillsNeedTheirSetup(t *testing.T, c *control) {
	acme, blue := c.environment(t, "acme"), c.environment(t, "blue")
	s := c.setup(t, acme, "quality")
	for spoiled, spoil := range map[string]func(*monitor.Backfill){
		"unknown setup":           func(b *monitor.Backfill) { b.SetupID = "nobody" },
		"no setup":                func(b *monitor.Backfill) { b.SetupID = "" },
		"an external id":          func(b *monitor.Backfill) { b.SetupID = s.ExternalID },
		"another environment":     func(b *monitor.Backfill) { b.EnvironmentID = blue.ID },
		"an unknown environment":  func(b *monitor.Backfill) { b.EnvironmentID = "nowhere" },
		"another owner of the id": func(b *monitor.Backfill) { b.EnvironmentID, b.SetupID = blue.ID, s.ID },
	} {
		b := storetest.NewBackfill(s, "homeless")
		spoil(&b)
		err := store.Backfills(c).Create(t.Context(), b)
		require.Equal(t, fault.NotFound, fault.KindOf(err), "%s: %v", spoiled, err)
	}
	c.backfill(t, s, "one")
	requireKind(t, fault.Conflict, store.Backfills(c).Create(t.Context(), storetest.NewBackfill(s, "one")))
	other := c.setup(t, blue, "other")
	requireKind(t, fault.Conflict, store.Backfills(c).Create(t.Context(), storetest.NewBackfill(other, "one")))
	require.Equal(t, []string{"one"}, c.openBackfills(t))
	for _, id := range []string{"", "two", "One", "one ", s.ID} {
		_, err := store.Backfills(c).Get(t.Context(), acme.ID, id)
		requireKind(t, fault.NotFound, err)
	}
}

func backfillsAreListedOldestFirst(t *testing.T, c *control) {
	acme, blue := c.environment(t, "acme"), c.environment(t, "blue")
	s, other, foreign := c.setup(t, acme, "quality"), c.setup(t, acme, "other"), c.setup(t, blue, "quality")
	create := func(s monitor.Setup, id string, age time.Duration, status monitor.BackfillStatus) {
		b := storetest.NewBackfill(s, id)
		b.CreatedAt, b.Status = b.CreatedAt.Add(-age), status
		require.NoError(t, store.Backfills(c).Create(t.Context(), b))
	}
	create(s, "young", 0, monitor.BackfillRunning)
	create(s, "a young twin", 0, monitor.BackfillPending)
	create(s, "old", time.Hour, monitor.BackfillPending)
	create(other, "other", time.Minute, monitor.BackfillRunning)
	create(foreign, "foreign", 2*time.Hour, monitor.BackfillRunning)
	create(s, "completed", 3*time.Hour, monitor.BackfillCompleted)
	create(s, "cancelled", 2*time.Hour, monitor.BackfillCancelled)
	create(foreign, "failed", time.Hour, monitor.BackfillFailed)

	require.Equal(t, []string{"completed", "cancelled", "old", "young", "a young twin"}, c.backfills(t, acme.ID, s.ID))
	require.Equal(t, []string{"other"}, c.backfills(t, acme.ID, other.ID))
	require.Equal(t, []string{"foreign", "failed"}, c.backfills(t, blue.ID, foreign.ID))
	require.Empty(t, c.backfills(t, blue.ID, s.ID))
	require.Empty(t, c.backfills(t, acme.ID, "nobody"))
	require.Equal(t, []string{"foreign", "old", "other", "young", "a young twin"}, c.openBackfills(t))
}

func backfillsAreReplacedByRevision(t *testing.T, c *control) {
	s := c.setup(t, c.environment(t, "acme"), "quality")
	first := c.backfill(t, s, "first")
	other := c.backfill(t, s, "other")

	var next monitor.Backfill
	fill(reflect.ValueOf(&next).Elem(), new(int))
	next.ID, next.EnvironmentID, next.SetupID, next.Revision = first.ID, s.EnvironmentID, s.ID, 1
	want := next
	want.Revision = 2
	want.CreatedAt = first.CreatedAt // which is for good
	stored, err := store.Backfills(c).Replace(t.Context(), next)
	require.NoError(t, err)
	require.Equal(t, want, stored)

	for _, revision := range []int64{1, 3} {
		stale := stored
		stale.Revision = revision
		_, err = store.Backfills(c).Replace(t.Context(), stale)
		requireKind(t, fault.Conflict, err)
	}
	gone := stored
	gone.ID = "nobody"
	_, err = store.Backfills(c).Replace(t.Context(), gone)
	requireKind(t, fault.NotFound, err)
	for id, want := range map[string]monitor.Backfill{"first": want, "other": other} {
		got, err := store.Backfills(c).Get(t.Context(), s.EnvironmentID, id)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}

	stored.Status = monitor.BackfillCompleted
	_, err = store.Backfills(c).Replace(t.Context(), stored)
	require.NoError(t, err)
	require.Equal(t, []string{"other"}, c.openBackfills(t))
}

func backfillsGoWithTheirSetup(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	s, kept := c.setup(t, env, "quality"), c.setup(t, env, "kept")
	b := c.backfill(t, s, "one")
	c.backfill(t, s, "two")
	c.backfill(t, kept, "kept")
	changed := s
	changed.ExternalID = "renamed" // which is no deletion
	_, err := store.Setups(c).Replace(t.Context(), changed)
	require.NoError(t, err)
	require.Equal(t, []string{"one", "two"}, c.backfills(t, env.ID, s.ID))

	require.NoError(t, store.Setups(c).Delete(t.Context(), env.ID, "renamed"))
	require.Empty(t, c.backfills(t, env.ID, s.ID))
	require.Equal(t, []string{"kept"}, c.openBackfills(t))
	_, err = store.Backfills(c).Get(t.Context(), env.ID, "one")
	requireKind(t, fault.NotFound, err)
	_, err = store.Backfills(c).Replace(t.Context(), b)
	requireKind(t, fault.NotFound, err)
	requireKind(t, fault.NotFound, store.Backfills(c).Create(t.Context(), b))

	c.setup(t, env, "quality") // the same id again: a setup without a past
	require.Empty(t, c.backfills(t, env.ID, s.ID))
	c.backfill(t, s, "one")
}

func backfillsAreApart(t *testing.T, c *control) {
	acme, blue := c.environment(t, "acme"), c.environment(t, "blue")
	s, other, foreign := c.setup(t, acme, "quality"), c.setup(t, acme, "other"), c.setup(t, blue, "quality")
	b := c.backfill(t, s, "one")
	_, err := store.Backfills(c).Get(t.Context(), blue.ID, "one")
	requireKind(t, fault.NotFound, err)
	stolen := b
	stolen.EnvironmentID, stolen.SetupID = blue.ID, foreign.ID
	_, err = store.Backfills(c).Replace(t.Context(), stolen)
	requireKind(t, fault.NotFound, err)
	for env, setup := range map[tenant.EnvironmentID]string{blue.ID: s.ID, acme.ID: other.ID} {
		require.Empty(t, c.backfills(t, env, setup))
	}
	moved := b // to another setup, which cannot be
	moved.SetupID = other.ID
	b.Revision++
	stored, err := store.Backfills(c).Replace(t.Context(), moved)
	require.NoError(t, err)
	require.Equal(t, b, stored)
	got, err := store.Backfills(c).Get(t.Context(), acme.ID, "one")
	require.NoError(t, err)
	require.Equal(t, b, got)
}

func setupsHaveSoManyOpenBackfills(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	s, other := c.setup(t, env, "quality"), c.setup(t, env, "other")
	var last monitor.Backfill
	for i := range store.MaxOpenBackfills {
		last = c.backfill(t, s, fmt.Sprint(i))
	}
	one := storetest.NewBackfill(s, "one more")
	requireKind(t, fault.Conflict, store.Backfills(c).Create(t.Context(), one))
	c.backfill(t, other, "of another setup")
	over := storetest.NewBackfill(s, "over")
	over.Status = monitor.BackfillCompleted
	require.NoError(t, store.Backfills(c).Create(t.Context(), over))

	last.Status = monitor.BackfillCancelled
	_, err := store.Backfills(c).Replace(t.Context(), last)
	require.NoError(t, err)
	require.NoError(t, store.Backfills(c).Create(t.Context(), one))
}

func environmentsHaveSoManyOpenBackfills(t *testing.T, c *control) {
	env, theirs := c.environment(t, "acme"), c.environment(t, "other")
	setups := 0
	for made := 0; made < store.MaxOpenBackfillsInAll; setups++ {
		s := c.setup(t, env, fmt.Sprint("setup ", setups))
		for range store.MaxOpenBackfills {
			c.backfill(t, s, fmt.Sprint("job ", made))
			made++
		}
	}
	one := storetest.NewBackfill(c.setup(t, env, "one more"), "one more")
	err := store.Backfills(c).Create(t.Context(), one)
	requireKind(t, fault.Conflict, err)
	require.ErrorContains(t, err, "the environment has 20 backfills under way")
	c.backfill(t, c.setup(t, theirs, "of another environment"), "theirs")
	open, err := store.Backfills(c).Filter(t.Context(), store.DocumentFilter{Environment: env.ID, Open: true})
	require.NoError(t, err)
	open[0].Status = monitor.BackfillCancelled
	_, err = store.Backfills(c).Replace(t.Context(), open[0])
	require.NoError(t, err)
	require.NoError(t, store.Backfills(c).Create(t.Context(), one))
}
