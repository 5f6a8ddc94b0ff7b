// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// troubled is a control store on a bad line: before fails calls that are not
// made, after hides that a call was made.
type troubled struct {
	store.Control
	before func() error
	after  func() error
}

func (c *troubled) call(do func() error) error {
	if c.before != nil {
		if err := c.before(); err != nil {
			return err
		}
	}
	if err := do(); err != nil {
		return err
	}
	if c.after != nil {
		return c.after()
	}
	return nil
}

func (c *troubled) CreateOrganization(ctx context.Context, org tenant.Organization, keys []tenant.Key) error {
	return c.call(func() error { return c.Control.CreateOrganization(ctx, org, keys) })
}

func (c *troubled) Keys(ctx context.Context) (keys []tenant.Key, err error) {
	err = c.call(func() error { keys, err = c.Control.Keys(ctx); return err })
	return keys, err
}

func (c *troubled) Key(ctx context.Context, d tenant.Digest) (key tenant.Key, err error) {
	err = c.call(func() error { key, err = c.Control.Key(ctx, d); return err })
	return key, err
}

func (c *troubled) CreateSetup(ctx context.Context, s monitor.Setup) error {
	return c.call(func() error { return c.Control.CreateSetup(ctx, s) })
}

func (c *troubled) ReplaceSetup(ctx context.Context, s monitor.Setup) (stored monitor.Setup, err error) {
	err = c.call(func() error { stored, err = c.Control.ReplaceSetup(ctx, s); return err })
	return stored, err
}

func (c *troubled) DeleteSetup(ctx context.Context, env tenant.EnvironmentID, name string) error {
	return c.call(func() error { return c.Control.DeleteSetup(ctx, env, name) })
}

func (c *troubled) ListSetups(ctx context.Context, env tenant.EnvironmentID, f store.SetupFilter) (list []monitor.Setup, err error) {
	err = c.call(func() error { list, err = c.Control.ListSetups(ctx, env, f); return err })
	return list, err
}

func (c *troubled) AllSetups(ctx context.Context) (list []monitor.Setup, err error) {
	err = c.call(func() error { list, err = c.Control.AllSetups(ctx); return err })
	return list, err
}

func (c *troubled) Changes(ctx context.Context) (n int64, err error) {
	err = c.call(func() error { n, err = c.Control.Changes(ctx); return err })
	return n, err
}

// writes are all calls that change something, in an order in which they work.
func writes(l *store.Live, env tenant.Environment) []func(context.Context) error {
	org, keys := storetest.NewOrganization("late", "prd")
	s := storetest.NewSetup(env, "quality")
	return []func(context.Context) error{
		func(ctx context.Context) error { return l.CreateOrganization(ctx, org, keys) },
		func(ctx context.Context) error { return l.CreateSetup(ctx, s) },
		func(ctx context.Context) error { _, err := l.ReplaceSetup(ctx, s); return err },
		func(ctx context.Context) error { return l.DeleteSetup(ctx, env.ID, "quality") },
	}
}

// TestLostAnswers: each write is stored, but its answer is an error. Memory
// must hold what is stored, at once or as soon as the store can be asked.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	lost := fault.New(fault.Unavailable, "connection lost")
	for name, outage := range map[string]int{"for one call": 1, "for two calls": 2, "for good": 1 << 30} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &troubled{Control: openControl(t)}
			l := newLive(t, c)
			env := createOrganization(t, l, "acme", "prd")[0].Environment
			for i, write := range writes(l, env) {
				left := outage
				c.after = func() error {
					if left--; left >= 0 {
						return lost
					}
					return nil
				}
				require.ErrorIs(t, write(t.Context()), lost, "write %d", i)
				if outage > 1 {
					left = 1
					_, err := l.ListSetups(t.Context(), env.ID, store.SetupFilter{})
					require.True(t, err == nil || errors.Is(err, lost), "an old list is never given: %v", err)
				}
				c.after = nil
				require.NoError(t, l.Refresh(t.Context()))
				requireAgreement(t, l, c, env.ID, "late/prd")
			}
			_, err := l.Key(t.Context(), tenant.DigestOf("key of late/prd"))
			require.NoError(t, err)
		})
	}
}

// TestRefusedWrites: no write is stored.
func TestRefusedWrites(t *testing.T) {
	t.Parallel()
	down := fault.New(fault.Unavailable, "down")
	c := &troubled{Control: openControl(t)}
	l := newLive(t, c)
	env := createOrganization(t, l, "acme", "prd")[0].Environment
	require.NoError(t, l.CreateSetup(t.Context(), storetest.NewSetup(env, "there")))
	before := l.Setups()
	c.before = func() error { return down }
	for _, write := range writes(l, env) {
		require.ErrorIs(t, write(t.Context()), down)
	}
	_, err := l.ListSetups(t.Context(), env.ID, store.SetupFilter{})
	require.ErrorIs(t, err, down)
	_, err = l.Setup(t.Context(), env.ID, "there")
	require.ErrorIs(t, err, down)
	require.ErrorIs(t, l.Refresh(t.Context()), down)

	c.before = nil
	got, err := l.Setup(t.Context(), env.ID, "there")
	require.NoError(t, err)
	require.Equal(t, "there", got.ExternalID)
	require.NoError(t, l.Refresh(t.Context()))
	require.Same(t, before, l.Setups())
	requireAgreement(t, l, c, env.ID, "late/prd")
	for _, write := range writes(l, env) {
		require.NoError(t, write(t.Context()))
	}
	requireAgreement(t, l, c, env.ID, "late/prd")
}

// TestCallersMayLeave: a write that has begun is finished in both places.
func TestCallersMayLeave(t *testing.T) {
	t.Parallel()
	c := &troubled{Control: openControl(t)}
	l := newLive(t, c)
	env := createOrganization(t, l, "acme", "prd")[0].Environment
	for i, write := range writes(l, env) {
		ctx, cancel := context.WithCancel(t.Context())
		c.before = func() error { cancel(); return nil }
		require.NoError(t, write(ctx), "write %d", i)
		c.before = nil
		requireAgreement(t, l, c, env.ID, "late/prd")
		require.True(t, fault.Is(write(ctx), fault.Unavailable), "not begun for a caller who has left")
	}
}

// TestForeignChangesAreNoticed: a setup that memory does not know is changed.
func TestForeignChangesAreNoticed(t *testing.T) {
	t.Parallel()
	c := openControl(t)
	l := newLive(t, c)
	env := createOrganization(t, l, "acme", "prd")[0].Environment
	s := storetest.NewSetup(env, "behind its back")
	require.NoError(t, c.CreateSetup(t.Context(), s))
	_, err := l.ReplaceSetup(t.Context(), s)
	require.NoError(t, err)
	requireAgreement(t, l, c, env.ID)
	require.NoError(t, c.CreateSetup(t.Context(), storetest.NewSetup(env, "too")))
	require.NoError(t, l.DeleteSetup(t.Context(), env.ID, "too"))
	requireAgreement(t, l, c, env.ID)
}
