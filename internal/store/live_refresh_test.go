// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// twoControls are two handles of one database, as two processes have them.
func twoControls(t *testing.T) (a, b *troubled) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "control.db")
	open := func() *troubled {
		c, err := sqldb.Open(t.Context(), sqldb.Config{Path: path})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, c.Close()) })
		return &troubled{Control: c}
	}
	return open(), open()
}

// requireNoNews: to ask is one small query, and nothing comes of it.
func requireNoNews(t *testing.T, l *store.Live, c *troubled) {
	t.Helper()
	calls := 0
	c.before = func() error { calls++; return nil }
	was := l.Setups()
	require.NoError(t, l.Refresh(t.Context()))
	c.before = nil
	require.Equal(t, 1, calls)
	require.Same(t, was, l.Setups())
}

func TestWritesOfAnotherProcessAreHeardOf(t *testing.T) {
	t.Parallel()
	ca, cb := twoControls(t)
	a, b := newLive(t, ca), newLive(t, cb)
	keys := createOrganization(t, a, "acme", "prd", "dev")
	prd, dev := keys[0].Environment, keys[1].Environment
	_, err := b.Key(t.Context(), keys[0].Digest)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	require.NoError(t, b.Refresh(t.Context()))
	for _, want := range keys {
		got, err := b.Key(t.Context(), want.Digest)
		require.NoError(t, err)
		require.Equal(t, want, got)
		_, known := b.Environment(want.Environment.ID)
		require.True(t, known)
	}

	s := storetest.NewSetup(prd, "quality")
	require.NoError(t, b.CreateSetup(t.Context(), storetest.NewSetup(dev, "other")))
	require.NoError(t, a.CreateSetup(t.Context(), s))
	require.Empty(t, b.Setups().Of(prd.ID))
	follow := func() {
		t.Helper()
		other := &b.Setups().Of(dev.ID)[0]
		require.NoError(t, b.Refresh(t.Context()))
		requireAgreement(t, b, cb, prd.ID, dev.ID)
		require.Same(t, other, &b.Setups().Of(dev.ID)[0], "an unchanged environment keeps its slice")
		requireNoNews(t, b, cb)
	}
	follow()
	require.Equal(t, []monitor.Setup{s}, b.Setups().Of(prd.ID))
	s.ExternalID, s.MaxCostPerDay, s.Evaluators[0].Config = "renamed", 2.5, []byte(`{ "threshold":1.0}`)
	s, err = a.ReplaceSetup(t.Context(), s)
	require.NoError(t, err)
	follow()
	require.Equal(t, []monitor.Setup{s}, b.Setups().Of(prd.ID))
	require.NoError(t, a.DeleteSetup(t.Context(), prd.ID, s.ID))
	follow()
	require.Empty(t, b.Setups().Of(prd.ID))

	require.NoError(t, a.Refresh(t.Context()))
	requireAgreement(t, a, ca, prd.ID, dev.ID)
	requireNoNews(t, a, ca)
}

func TestOwnWritesAreNoNews(t *testing.T) {
	t.Parallel()
	c := &troubled{Control: openControl(t)}
	l := newLive(t, c)
	requireNoNews(t, l, c)
	env := createOrganization(t, l, "acme", "prd", "dev")[0].Environment
	requireNoNews(t, l, c)
	s := storetest.NewSetup(env, "quality")
	require.NoError(t, l.CreateSetup(t.Context(), s))
	require.True(t, fault.Is(l.CreateSetup(t.Context(), s), fault.Conflict))
	requireNoNews(t, l, c)
	_, err := l.ReplaceSetup(t.Context(), s)
	require.NoError(t, err)
	_, err = l.ReplaceSetup(t.Context(), s)
	require.True(t, fault.Is(err, fault.Conflict))
	require.NoError(t, l.CreateBackfill(t.Context(), storetest.NewBackfill(s, "one")))
	require.NoError(t, l.CreateEvaluator(t.Context(), storetest.NewEvaluator(env, "custom")))
	requireNoNews(t, l, c)
	require.NoError(t, l.DeleteSetup(t.Context(), env.ID, s.ID))
	requireNoNews(t, l, c)
}

// Two processes replace the same revision: one wins, and the other has the
// winner's setup in memory when it is told so.
func TestRacingProcessesConverge(t *testing.T) {
	t.Parallel()
	ca, cb := twoControls(t)
	a, b := newLive(t, ca), newLive(t, cb)
	env := createOrganization(t, a, "acme", "prd")[0].Environment
	s := storetest.NewSetup(env, "quality")
	require.NoError(t, a.CreateSetup(t.Context(), s))
	require.NoError(t, b.Refresh(t.Context()))
	for range 20 {
		now, err := a.Setup(t.Context(), env.ID, s.ID)
		require.NoError(t, err)
		var won atomic.Int64
		errs := make([]error, 2)
		var wg sync.WaitGroup
		for i, l := range []*store.Live{a, b} {
			wg.Go(func() {
				mine := now
				mine.EntityValue = fmt.Sprint(i)
				if _, errs[i] = l.ReplaceSetup(t.Context(), mine); errs[i] == nil {
					won.Add(1)
				}
			})
		}
		wg.Wait()
		require.Equal(t, int64(1), won.Load(), "%v", errs)
		loser, winner := a, b
		if errs[0] == nil {
			loser, winner = b, a
		}
		require.Equal(t, winner.Setups().Of(env.ID), loser.Setups().Of(env.ID))
		require.NoError(t, a.Refresh(t.Context()))
		require.NoError(t, b.Refresh(t.Context()))
		requireAgreement(t, a, cb, env.ID)
		requireAgreement(t, b, ca, env.ID)
	}
	requireNoNews(t, a, ca)
	requireNoNews(t, b, cb)
}

// An own write that is under way while changes are counted must not hide a
// foreign one that comes after it.
func TestWritesUnderWayHideNothing(t *testing.T) {
	t.Parallel()
	ca, cb := twoControls(t)
	a, b := newLive(t, ca), newLive(t, cb)
	env := createOrganization(t, a, "acme", "prd")[0].Environment
	s := storetest.NewSetup(env, "quality")
	require.NoError(t, a.CreateSetup(t.Context(), s))
	require.NoError(t, b.Refresh(t.Context()))

	refreshed := make(chan error, 1)
	ca.after = func() error { // stored, not yet in memory
		asked := make(chan struct{})
		var once sync.Once
		ca.after = func() error {
			once.Do(func() { close(asked) })
			return nil
		}
		go func() { refreshed <- a.Refresh(context.WithoutCancel(t.Context())) }()
		<-asked
		return nil
	}
	s, err := a.ReplaceSetup(t.Context(), s)
	require.NoError(t, err)
	require.NoError(t, <-refreshed)
	ca.after = nil

	require.NoError(t, b.Refresh(t.Context()))
	s, err = b.ReplaceSetup(t.Context(), s)
	require.NoError(t, err)
	require.NoError(t, a.Refresh(t.Context()))
	require.Equal(t, []monitor.Setup{s}, a.Setups().Of(env.ID))
	require.NoError(t, a.Refresh(t.Context()))
	requireNoNews(t, a, ca)
}

// What goes wrong is told, and made good the next time.
func TestRefreshGoesOnWhereItFailed(t *testing.T) {
	t.Parallel()
	down := fault.New(fault.Unavailable, "down")
	for failing := range 4 { // the changes, the keys, all setups, those of one environment
		ca, cb := twoControls(t)
		a, b := newLive(t, ca), newLive(t, cb)
		env := createOrganization(t, a, "acme", "prd")[0].Environment
		require.NoError(t, a.CreateSetup(t.Context(), storetest.NewSetup(env, "quality")))
		calls := 0
		cb.before = func() error {
			if calls++; calls > failing {
				return down
			}
			return nil
		}
		require.ErrorIs(t, b.Refresh(t.Context()), down)
		require.ErrorIs(t, b.Refresh(t.Context()), down)
		cb.before = nil
		require.NoError(t, b.Refresh(t.Context()))
		requireAgreement(t, b, cb, env.ID)
		requireNoNews(t, b, cb)
	}
}

// TestProcessesConverge does what callers of two processes may do, many at a
// time, while both refresh, and then compares.
func TestProcessesConverge(t *testing.T) {
	t.Parallel()
	ca, cb := twoControls(t)
	lives := []*store.Live{newLive(t, ca), newLive(t, cb)}
	keys := createOrganization(t, lives[0], "acme", "prd", "dev")
	envs := []tenant.EnvironmentID{keys[0].Environment.ID, keys[1].Environment.ID}
	var writing, refreshing sync.WaitGroup
	done := make(chan struct{})
	for i, l := range lives {
		for worker := range 3 {
			writing.Go(func() {
				dice := rand.New(rand.NewPCG(uint64(i), uint64(worker)))
				for range 40 {
					ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
					_ = anyCall(ctx, l, dice, keys[dice.IntN(len(keys))].Environment, fmt.Sprint("s", dice.IntN(6)))
					cancel()
				}
			})
		}
		refreshing.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if err := l.Refresh(t.Context()); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	writing.Wait()
	close(done)
	refreshing.Wait()
	for i, c := range []*troubled{ca, cb} {
		require.NoError(t, lives[i].Refresh(t.Context()))
		requireAgreement(t, lives[i], c, envs...)
		require.NoError(t, lives[i].Refresh(t.Context()))
		requireNoNews(t, lives[i], c)
	}
}
