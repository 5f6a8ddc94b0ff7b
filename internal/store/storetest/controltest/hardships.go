// SPDX-License-Identifier: Apache-2.0

package controltest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// racingReplacements: every goroutine adds one to a count kept in the setup,
// trying again when another was first. No addition may be lost.
func racingReplacements(t *testing.T, c *control) {
	const writers, additions = 8, 10
	env := c.environment(t, "acme")
	s := c.setup(t, env, "quality")
	errs := make(chan error, writers)
	var conflicts atomic.Int64
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for done := 0; done < additions; {
				now, err := store.Setups(c).Get(t.Context(), env.ID, s.ID)
				if err == nil {
					now.Evaluators = append(now.Evaluators, monitor.SetupEvaluator{Slug: "x"})
					_, err = store.Setups(c).Replace(t.Context(), now)
				}
				switch {
				case err == nil:
					done++
				case fault.Is(err, fault.Conflict):
					conflicts.Add(1)
				default:
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	require.NoError(t, <-errs)
	got, err := store.Setups(c).Get(t.Context(), env.ID, s.ID)
	require.NoError(t, err)
	require.Equal(t, int64(1+writers*additions), got.Revision)
	require.Len(t, got.Evaluators, 1+writers*additions)
}

func racingCreations(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	var won, lost atomic.Int64
	errs := make(chan error, 16)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			s := storetest.NewSetup(env, "wanted by all")
			s.ID = fmt.Sprint("try ", i)
			switch err := store.Setups(c).Create(t.Context(), s); {
			case err == nil:
				won.Add(1)
			case fault.Is(err, fault.Conflict):
				lost.Add(1)
			default:
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	require.NoError(t, <-errs)
	require.Equal(t, int64(1), won.Load())
	require.Equal(t, int64(15), lost.Load())
}

// unusualTexts are names that people would not choose.
func unusualTexts() []string {
	return []string{
		"�", `quote ' " ` + "`", `back \ slash`, `\x00`, `\\x00`, `\`, "percent % _ underscore", "new\r\nline", "emoji 🪨 和",
		"?", "?0", "'; DROP TABLE setups; --", strings.Repeat("long ", 20_000), " ", "	", "<&>\u2028",
	}
}

// textsNoDatabaseTakes have NUL, or are not UTF-8.
func textsNoDatabaseTakes() []string {
	return []string{"nul \x00 byte", "\x00", "\xff\xfe", "cut \xe2\x82"}
}

func unusualText(t *testing.T, c *control) {
	texts := unusualTexts()
	org, keys := storetest.NewOrganization("org", texts...)
	org.Name, org.Projects[0].Slug = strings.Join(texts, ""), texts[0]
	require.NoError(t, c.CreateOrganization(t.Context(), org, keys))
	stored, err := c.Keys(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, keys, stored)

	env := keys[0].Environment
	want := make([]monitor.Setup, 0, len(texts))
	for i, text := range texts {
		s := storetest.NewSetup(env, text)
		s.ID = text + "id"
		value := text + "\x00" // in a body NUL is a character as any other
		s.Selector = monitor.Selector{{Key: text, Value: &value, Values: texts[:i], Source: monitor.SpanAttributes, Operator: query.OpEquals}}
		if i == 0 {
			s.Selector[0].Values = nil
		}
		source := monitor.InputSource{Source: monitor.Source(text), Key: text, Path: text, Pattern: text}
		s.Evaluators[0] = monitor.SetupEvaluator{
			Slug: text, CustomID: text, Backend: text, Status: monitor.Status(text),
			ErrorMessage: value, Inputs: map[string]monitor.InputSource{text: source, text + "2": source},
		}
		s.EntityType, s.EntityValue = "agent", text
		c.refer(t, env, s)
		require.NoError(t, store.Setups(c).Create(t.Context(), s), "%q", text)
		want = append(want, s)
	}
	c.reopen(t)
	for _, s := range want {
		for _, name := range []string{s.ExternalID, s.ID} {
			got, err := store.Setups(c).Get(t.Context(), env.ID, name)
			require.NoError(t, err, "%q", name)
			require.Equal(t, s, got)
		}
	}
	for _, s := range want {
		require.NoError(t, store.Setups(c).Delete(t.Context(), env.ID, s.ExternalID))
	}
	require.Empty(t, c.list(t.Context(), t, env.ID))
}

// namesThatNoDatabaseTakes are refused, and nothing is found by them; in bodies
// what is not UTF-8 becomes U+FFFD.
func namesThatNoDatabaseTakes(t *testing.T, c *control) {
	ctx, env := t.Context(), c.environment(t, "acme")
	for i, text := range textsNoDatabaseTakes() {
		org, keys := storetest.NewOrganization(fmt.Sprint("org ", i), "prd")
		org.Name = text
		requireKind(t, fault.Invalid, c.CreateOrganization(ctx, org, keys))
		for _, spoil := range []func(*monitor.Setup){
			func(s *monitor.Setup) { s.ID = text }, func(s *monitor.Setup) { s.ExternalID = text },
		} {
			s := storetest.NewSetup(env, "m")
			spoil(&s)
			requireKind(t, fault.Invalid, store.Setups(c).Create(ctx, s))
		}
		s := c.setup(t, env, fmt.Sprint("m", i))
		renamed := s
		renamed.ExternalID = text
		_, err := store.Setups(c).Replace(ctx, renamed)
		requireKind(t, fault.Invalid, err)
		renamed = s
		renamed.ID = text
		_, err = store.Setups(c).Replace(ctx, renamed)
		requireKind(t, fault.NotFound, err)
		_, err = store.Setups(c).Get(ctx, env.ID, text)
		requireKind(t, fault.NotFound, err)
		requireKind(t, fault.NotFound, store.Setups(c).Delete(ctx, env.ID, text))
		b := storetest.NewBackfill(s, fmt.Sprint("b", i))
		b.SetupID = text
		requireKind(t, fault.NotFound, store.Backfills(c).Create(ctx, b))

		s.EntityValue = text
		stored, err := store.Setups(c).Replace(ctx, s)
		require.NoError(t, err)
		require.Equal(t, string([]rune(text)), stored.EntityValue)
	}
}

func everythingSurvivesReopening(t *testing.T, c *control) {
	org, keys := storetest.NewOrganization("acme", "prd", "dev")
	require.NoError(t, c.CreateOrganization(t.Context(), org, keys))
	kept := c.setup(t, keys[0].Environment, "kept")
	c.setup(t, keys[0].Environment, "deleted")
	require.NoError(t, store.Setups(c).Delete(t.Context(), keys[0].Environment.ID, "deleted"))
	kept.Status = monitor.Completed
	kept, err := store.Setups(c).Replace(t.Context(), kept)
	require.NoError(t, err)

	for range 2 {
		c.reopen(t)
		stored, err := c.Keys(t.Context())
		require.NoError(t, err)
		require.ElementsMatch(t, keys, stored)
		all, err := store.Setups(c).Filter(t.Context(), store.DocumentFilter{})
		require.NoError(t, err)
		require.Equal(t, []monitor.Setup{kept}, all)
	}
	c.setup(t, keys[1].Environment, "written after reopening")
}

func closedStoresRefuse(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	s := c.setup(t, env, "quality")
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())

	org, keys := storetest.NewOrganization("late", "prd")
	requireKind(t, fault.Unavailable, c.CreateOrganization(t.Context(), org, keys))
	requireKind(t, fault.Unavailable, store.Setups(c).Create(t.Context(), storetest.NewSetup(env, "late")))
	requireKind(t, fault.Unavailable, store.Setups(c).Delete(t.Context(), env.ID, s.ID))
	for _, err := range reads(t.Context(), c, env.ID, s) {
		requireKind(t, fault.Unavailable, err)
	}
}

// reads calls everything else, so that all refusals can be looked at.
func reads(ctx context.Context, c store.Control, env tenant.EnvironmentID, s monitor.Setup) []error {
	_, keys := c.Keys(ctx)
	_, organizations := c.Organizations(ctx)
	_, renamed := c.ChangeOrganization(ctx, s.OrganizationID, func(*tenant.Organization) error { return nil })
	changed := c.ChangeKeys(ctx, []tenant.EnvironmentID{env}, func([]tenant.Key) ([]tenant.Key, error) { return nil, nil })
	_, one := store.Setups(c).Get(ctx, env, s.ID)
	_, list := store.Setups(c).List(ctx, env)
	_, all := store.Setups(c).Filter(ctx, store.DocumentFilter{})
	_, replace := store.Setups(c).Replace(ctx, s)
	_, secret := c.Secret(ctx, "late")
	_, changes := c.Changes(ctx, 0)
	return []error{keys, organizations, renamed, changed, one, list, all, replace, secret, changes}
}

func cancelledCallsChangeNothing(t *testing.T, c *control) {
	env := c.environment(t, "acme")
	s := c.setup(t, env, "quality")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	org, keys := storetest.NewOrganization("late", "prd")
	requireKind(t, fault.Unavailable, c.CreateOrganization(ctx, org, keys))
	requireKind(t, fault.Unavailable, store.Setups(c).Create(ctx, storetest.NewSetup(env, "late")))
	requireKind(t, fault.Unavailable, store.Setups(c).Delete(ctx, env.ID, s.ID))
	for _, err := range reads(ctx, c, env.ID, s) {
		requireKind(t, fault.Unavailable, err)
	}
	all, err := store.Setups(c).Filter(t.Context(), store.DocumentFilter{})
	require.NoError(t, err)
	require.Equal(t, []monitor.Setup{s}, all)
	require.NoError(t, c.CreateOrganization(t.Context(), org, keys))
}
