// SPDX-License-Identifier: Apache-2.0

package controltest

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/alert"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// filled returns a value of which every field has something: one that is added later is
// tested from the start.
func filled[T any]() (v T) {
	fill(reflect.ValueOf(&v).Elem(), new(int))
	return v
}

func newAlert(env tenant.Environment, name string) alert.Rule {
	r := filled[alert.Rule]()
	r.ID, r.EnvironmentID, r.Name, r.Revision = "alert "+name+" of "+string(env.ID), env.ID, name, 1
	return r
}

func alertsComeBackAsTheyWere(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	rule := newAlert(env, "quality")
	require.NoError(t, store.Alerts(c).Create(t.Context(), rule))
	got, err := store.Alerts(c).Get(t.Context(), env.ID, "quality")
	require.NoError(t, err)
	require.Equal(t, rule, got)

	state := filled[alert.State]()
	state.ID, state.EnvironmentID, state.Revision = rule.ID, env.ID, 1
	require.NoError(t, store.AlertStates(c).Create(t.Context(), state))
	known, err := store.AlertStates(c).Get(t.Context(), env.ID, rule.ID)
	require.NoError(t, err)
	require.Equal(t, state, known)

	note := filled[alert.Notification]()
	note.EnvironmentID, note.RuleID, note.Revision = env.ID, rule.ID, 1
	require.NoError(t, store.Notifications(c).Create(t.Context(), note))
	open, err := store.Notifications(c).Filter(t.Context(), store.DocumentFilter{Open: true})
	require.NoError(t, err)
	require.Equal(t, []alert.Notification{note}, open)
	for i := range note.Deliveries {
		note.Deliveries[i].NextAttempt = time.Time{}
	}
	note, err = store.Notifications(c).Replace(t.Context(), note)
	require.NoError(t, err)
	require.EqualValues(t, 2, note.Revision)
	open, err = store.Notifications(c).Filter(t.Context(), store.DocumentFilter{Open: true})
	require.NoError(t, err)
	require.Empty(t, open)
}

// Of processes that evaluate a minute at once one stores what came of it.
func statesOfAlertsHaveOneWriter(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	rule := newAlert(env, "quality")
	require.NoError(t, store.Alerts(c).Create(t.Context(), rule))
	state := alert.NewState(&rule, 1)
	require.NoError(t, store.AlertStates(c).Create(t.Context(), state))
	requireKind(t, fault.Conflict, store.AlertStates(c).Create(t.Context(), state))
	state.Revision = 1
	const writers = 8
	failed := make(chan error, writers)
	for i := range writers {
		go func() {
			mine := state
			mine.Owner = fmt.Sprint(i)
			_, err := store.AlertStates(c).Replace(t.Context(), mine)
			failed <- err
		}()
	}
	won := 0
	for range writers {
		if err := <-failed; err == nil {
			won++
		} else {
			requireKind(t, fault.Conflict, err)
		}
	}
	require.Equal(t, 1, won)
}

func alertsTakeAllWithThem(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	rule, other := newAlert(env, "quality"), newAlert(env, "cost")
	for _, r := range []alert.Rule{rule, other} {
		require.NoError(t, store.Alerts(c).Create(t.Context(), r))
		require.NoError(t, store.AlertStates(c).Create(t.Context(), alert.NewState(&r, 1)))
		require.NoError(t, store.Notifications(c).Create(t.Context(), alert.Notification{ID: "n " + r.Name, EnvironmentID: env.ID, RuleID: r.ID}))
	}
	requireKind(t, fault.NotFound, store.Alerts(c).Delete(t.Context(), "elsewhere", "quality"))
	require.NoError(t, store.Alerts(c).Delete(t.Context(), env.ID, "quality"))
	states, err := store.AlertStates(c).List(t.Context(), env.ID)
	require.NoError(t, err)
	require.Len(t, states, 1)
	require.Equal(t, other.ID, states[0].ID)
	notes, err := store.Notifications(c).List(t.Context(), env.ID)
	require.NoError(t, err)
	require.Len(t, notes, 1)
	requireKind(t, fault.NotFound, store.AlertStates(c).Create(t.Context(), alert.NewState(&rule, 1)))
}

func environmentsHaveSoManyAlerts(t *testing.T, c *control) {
	env, blue := c.environment(t, "acme"), c.environment(t, "blue")
	for i := range store.MaxAlerts {
		require.NoError(t, store.Alerts(c).Create(t.Context(), alert.Rule{ID: fmt.Sprint("a", i), EnvironmentID: env.ID, Name: fmt.Sprint(i)}))
	}
	requireKind(t, fault.Invalid, store.Alerts(c).Create(t.Context(), newAlert(env, "one more")))
	require.NoError(t, store.Alerts(c).Create(t.Context(), newAlert(blue, "another's")))
}
