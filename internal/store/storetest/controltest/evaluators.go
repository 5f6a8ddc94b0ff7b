// SPDX-License-Identifier: Apache-2.0

package controltest

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// evaluator stores NewEvaluator.
func (c *control) evaluator(t *testing.T, env tenant.Environment, slug string) eval.CustomEvaluator {
	t.Helper()
	e := storetest.NewEvaluator(env, slug)
	require.NoError(t, store.Evaluators(c).Create(t.Context(), e))
	return e
}

func (c *control) slugs(t *testing.T, env tenant.Environment) []string {
	t.Helper()
	list, err := store.Evaluators(c).List(t.Context(), env.ID)
	require.NoError(t, err)
	slugs := make([]string, 0, len(list))
	for _, e := range list {
		slugs = append(slugs, e.Slug)
	}
	return slugs
}

func evaluatorsComeBackAsTheyWere(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	var full eval.CustomEvaluator
	fill(reflect.ValueOf(&full).Elem(), new(int)) // a field added later is tested from the start
	full.EnvironmentID, full.Version = env.ID, 1
	extreme := math.MaxFloat64
	empty := eval.CustomEvaluator{ID: "empty", Slug: "empty", EnvironmentID: env.ID, CreatedAt: full.CreatedAt, Version: 1}
	empty.Sampling.Temperature = &extreme
	for _, want := range []eval.CustomEvaluator{full, empty} {
		given := want
		given.Version = 41 // a new evaluator has version 1, whatever it says
		require.NoError(t, store.Evaluators(c).Create(t.Context(), given))
		got, err := store.Evaluators(c).Get(t.Context(), env.ID, want.ID)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	list, err := store.Evaluators(c).List(t.Context(), env.ID)
	require.NoError(t, err)
	require.Equal(t, []eval.CustomEvaluator{full, empty}, list)
}

func evaluatorsGoByTwoNames(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	first := c.evaluator(t, env, "first")
	second := storetest.NewEvaluator(env, first.ID) // a slug may be what is another's id
	second.ID = "second"
	require.NoError(t, store.Evaluators(c).Create(t.Context(), second))
	for name, want := range map[string]eval.CustomEvaluator{"first": first, "second": second, first.ID: second} {
		got, err := store.Evaluators(c).Get(t.Context(), env.ID, name)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
	for _, name := range []string{"", "third", "First", first.VersionID} {
		_, err := store.Evaluators(c).Get(t.Context(), env.ID, name)
		requireKind(t, fault.NotFound, err)
	}
}

func evaluatorsAreListedOldestFirst(t *testing.T, c *control) {
	acme, blue := c.environment(t, "acme"), c.environment(t, "blue")
	c.evaluator(t, acme, "young")
	c.evaluator(t, acme, "a-young-twin")
	old := storetest.NewEvaluator(acme, "old")
	old.CreatedAt = old.CreatedAt.Add(-time.Hour)
	require.NoError(t, store.Evaluators(c).Create(t.Context(), old))
	c.evaluator(t, blue, "foreign")
	require.Equal(t, []string{"old", "young", "a-young-twin"}, c.slugs(t, acme))
	require.Equal(t, []string{"foreign"}, c.slugs(t, blue))
	require.Empty(t, c.slugs(t, tenant.Environment{ID: "nowhere"}))
}

func slugsAreUnique(t *testing.T, c *control) {
	acme, blue := c.environment(t, "acme"), c.environment(t, "blue")
	c.evaluator(t, acme, "quality")
	c.evaluator(t, blue, "quality") // another environment does not care
	twin := storetest.NewEvaluator(acme, "quality")
	twin.ID = "another id"
	requireKind(t, fault.Conflict, store.Evaluators(c).Create(t.Context(), twin))
	again := storetest.NewEvaluator(acme, "another-slug")
	again.ID = storetest.NewEvaluator(acme, "quality").ID
	requireKind(t, fault.Conflict, store.Evaluators(c).Create(t.Context(), again))
	homeless := storetest.NewEvaluator(tenant.Environment{ID: "nowhere"}, "homeless")
	requireKind(t, fault.NotFound, store.Evaluators(c).Create(t.Context(), homeless))
	require.Equal(t, []string{"quality"}, c.slugs(t, acme))

	// Nothing of what was refused is left: the slug can be had.
	got, err := store.Evaluators(c).Get(t.Context(), acme.ID, "quality")
	require.NoError(t, err)
	require.Equal(t, storetest.NewEvaluator(acme, "quality"), got)
	c.evaluator(t, acme, "another-slug")
}

func evaluatorsHaveVersions(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	first := c.evaluator(t, env, "quality")

	var next eval.CustomEvaluator
	fill(reflect.ValueOf(&next).Elem(), new(int))
	next.ID, next.EnvironmentID, next.Version = first.ID, env.ID, 1
	want := next
	want.Version = 2
	want.CreatedAt = first.CreatedAt // which is for good
	stored, err := store.Evaluators(c).Replace(t.Context(), next)
	require.NoError(t, err)
	require.Equal(t, want, stored)

	latest, err := store.Evaluators(c).Get(t.Context(), env.ID, want.Slug)
	require.NoError(t, err)
	require.Equal(t, want, latest)
	for version, want := range map[string]eval.CustomEvaluator{"1": first, first.VersionID: first, "2": want, next.VersionID: want} {
		want.Slug = next.Slug // by which all versions go
		for _, name := range []string{next.Slug, first.ID} {
			got, err := store.Evaluators(c).Revision(t.Context(), env.ID, name, version)
			require.NoError(t, err, version)
			require.Equal(t, want, got)
		}
	}
	for _, version := range []string{"", "0", "3", "01", "1.0", " 1", "-1", "quality", first.ID, "\x00", "\xff", `\`, "' OR 1=1 --"} {
		_, err := store.Evaluators(c).Revision(t.Context(), env.ID, next.Slug, version)
		requireKind(t, fault.NotFound, err)
	}

	for _, version := range []int64{1, 3} {
		stale := stored
		stale.Version = version
		_, err = store.Evaluators(c).Replace(t.Context(), stale)
		requireKind(t, fault.Conflict, err)
	}
	gone := stored
	gone.ID = "nobody"
	_, err = store.Evaluators(c).Replace(t.Context(), gone)
	requireKind(t, fault.NotFound, err)
	latest, err = store.Evaluators(c).Get(t.Context(), env.ID, first.ID)
	require.NoError(t, err)
	require.Equal(t, want, latest)
}

func oldVersionsGo(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	e := c.evaluator(t, env, "quality")
	other := c.evaluator(t, env, "other")
	const dropped = 3
	for range store.KeptVersions + dropped - 1 {
		e.VersionID += "+"
		stored, err := store.Evaluators(c).Replace(t.Context(), e)
		require.NoError(t, err)
		e = stored
	}
	require.Equal(t, int64(store.KeptVersions+dropped), e.Version)
	for version := int64(1); version <= e.Version; version++ {
		_, err := store.Evaluators(c).Revision(t.Context(), env.ID, e.Slug, strconv.FormatInt(version, 10))
		if version <= dropped {
			requireKind(t, fault.NotFound, err)
			continue
		}
		require.NoError(t, err)
	}
	got, err := store.Evaluators(c).Get(t.Context(), env.ID, "other")
	require.NoError(t, err)
	require.Equal(t, other, got)
}

func racingVersions(t *testing.T, c *control) {
	const writers, additions = 8, 5
	env := c.environment(t, "acme")
	e := c.evaluator(t, env, "quality")
	errs := make(chan error, writers)
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for done := 0; done < additions; {
				now, err := store.Evaluators(c).Get(t.Context(), env.ID, e.ID)
				if err == nil {
					now.Description += "+"
					_, err = store.Evaluators(c).Replace(t.Context(), now)
				}
				switch {
				case err == nil:
					done++
				case !fault.Is(err, fault.Conflict):
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	require.NoError(t, <-errs)
	got, err := store.Evaluators(c).Get(t.Context(), env.ID, e.ID)
	require.NoError(t, err)
	require.Equal(t, int64(1+writers*additions), got.Version)
	require.Len(t, got.Description, writers*additions)
}

func evaluatorsAreApart(t *testing.T, c *control) {
	acme, blue := c.environment(t, "acme"), c.environment(t, "blue")
	e := c.evaluator(t, acme, "quality")
	for _, name := range []string{e.Slug, e.ID} {
		_, err := store.Evaluators(c).Get(t.Context(), blue.ID, name)
		requireKind(t, fault.NotFound, err)
		_, err = store.Evaluators(c).Revision(t.Context(), blue.ID, name, "1")
		requireKind(t, fault.NotFound, err)
	}
	other := c.evaluator(t, blue, "other")
	_, err := store.Evaluators(c).Revision(t.Context(), blue.ID, other.Slug, e.VersionID)
	requireKind(t, fault.NotFound, err)
	stolen := e
	stolen.EnvironmentID = blue.ID
	_, err = store.Evaluators(c).Replace(t.Context(), stolen)
	requireKind(t, fault.NotFound, err)
	got, err := store.Evaluators(c).Get(t.Context(), acme.ID, e.ID)
	require.NoError(t, err)
	require.Equal(t, e, got)
}

func evaluatorsOfUnusualText(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	texts := unusualTexts()
	var want []eval.CustomEvaluator
	for i, text := range texts {
		e := storetest.NewEvaluator(env, text)
		e.ID, e.VersionID = text+"id", text+"version"
		e.Name, e.Description, e.Provider, e.Model, e.Mode = text, text, text, text, text
		e.Messages = []eval.CustomMessage{{Role: eval.Role(text), Content: text}}
		e.Input = []eval.CustomField{{Name: text, Type: eval.CustomType(text), Description: text, Label: text, Values: texts[:i]}}
		if i == 0 {
			e.Input[0].Values = nil
		}
		e.Sampling.Stop = []string{text}
		require.NoError(t, store.Evaluators(c).Create(t.Context(), e), "%q", text)
		want = append(want, e)
	}
	c.reopen(t)
	for _, e := range want {
		for _, name := range []string{e.Slug, e.ID} {
			got, err := store.Evaluators(c).Revision(t.Context(), env.ID, name, e.VersionID)
			require.NoError(t, err, "%q", name)
			require.Equal(t, e, got)
		}
	}
}

func environmentsHaveSoManyEvaluators(t *testing.T, c *control) {
	acme, blue := c.environment(t, "acme"), c.environment(t, "blue")
	for i := range store.MaxEvaluators {
		c.evaluator(t, acme, fmt.Sprint(i))
	}
	requireKind(t, fault.Invalid, store.Evaluators(c).Create(t.Context(), storetest.NewEvaluator(acme, "one-more")))
	require.Len(t, c.slugs(t, acme), store.MaxEvaluators)
	c.evaluator(t, blue, "one-more")
}

// evaluatorCalls calls the whole role, so that all refusals can be looked at.
func evaluatorCalls(ctx context.Context, c store.Control, e eval.CustomEvaluator) []error {
	late := e
	late.ID, late.Slug = "late", "late"
	_, one := store.Evaluators(c).Get(ctx, e.EnvironmentID, e.Slug)
	_, version := store.Evaluators(c).Revision(ctx, e.EnvironmentID, e.Slug, "1")
	_, list := store.Evaluators(c).List(ctx, e.EnvironmentID)
	_, replace := store.Evaluators(c).Replace(ctx, e)
	return []error{store.Evaluators(c).Create(ctx, late), one, version, list, replace}
}

func evaluatorsSurviveReopening(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	e := c.evaluator(t, env, "quality")
	e.Name = "another"
	stored, err := store.Evaluators(c).Replace(t.Context(), e)
	require.NoError(t, err)
	for range 2 {
		c.reopen(t)
		got, err := store.Evaluators(c).Get(t.Context(), env.ID, "quality")
		require.NoError(t, err)
		require.Equal(t, stored, got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range evaluatorCalls(ctx, c, stored) {
		requireKind(t, fault.Unavailable, err)
	}
	require.Equal(t, []string{"quality"}, c.slugs(t, env))
	require.NoError(t, c.Close())
	for _, err := range evaluatorCalls(t.Context(), c, stored) {
		requireKind(t, fault.Unavailable, err)
	}
}
