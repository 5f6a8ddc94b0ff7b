// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// listening listens until the test ends, and counts.
func listening(t *testing.T, d *DB) *atomic.Int64 {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var woken atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() { d.Listen(ctx, func() { woken.Add(1) }) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return &woken
}

func requireWoken(t *testing.T, woken *atomic.Int64, more func(was int64) bool) {
	t.Helper()
	require.Eventually(t, func() bool { return more(woken.Load()) }, 5*time.Minute, time.Millisecond)
}

// Who listens hears of changes when they can be read and not before, and of
// nothing else; beginning to listen counts as a change.
func TestWhoListensIsWoken(t *testing.T) {
	t.Parallel()
	postgrestest.Each(t, func(t *testing.T, s *postgrestest.Server) {
		dsn := s.Database(t)
		d, other := openDSN(t, dsn), openDSN(t, dsn)
		woken := listening(t, d)
		requireWoken(t, woken, func(n int64) bool { return n == 1 })
		org, keys := storetest.NewOrganization("acme", "prd")
		require.NoError(t, other.CreateOrganization(t.Context(), org, keys))
		requireWoken(t, woken, func(n int64) bool { return n == 2 })
		stored, err := d.Keys(t.Context())
		require.NoError(t, err)
		require.Len(t, stored, 1)
		setup := storetest.NewSetup(keys[0].Environment, "quality")
		require.NoError(t, store.Evaluators(other).Create(t.Context(), storetest.NewEvaluator(keys[0].Environment, "announced to no one")))
		require.Error(t, other.CreateOrganization(t.Context(), org, keys), "which is taken back")
		require.NoError(t, store.Setups(other).Create(t.Context(), setup))
		requireWoken(t, woken, func(n int64) bool { return n == 3 })
		require.EqualValues(t, 3, woken.Load())
	})
}

// A connection that is cut is made again, and what was missed is woken for.
func TestListeningGoesOnWhenItIsCut(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	d := openDSN(t, server.Database(t)+" application_name=cut")
	woken := listening(t, d)
	requireWoken(t, woken, func(n int64) bool { return n == 1 })
	_, err := d.bun.ExecContext(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut' AND pid <> pg_backend_pid()")
	require.NoError(t, err)
	requireWoken(t, woken, func(n int64) bool { return n == 2 })
	server.Stop(t)
	org, keys := storetest.NewOrganization("acme", "prd")
	require.Error(t, d.CreateOrganization(t.Context(), org, keys))
	server.Continue(t)
	requireWoken(t, woken, func(n int64) bool { return n == 3 })
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
	requireWoken(t, woken, func(n int64) bool { return n == 4 })
}

func TestNobodyListensToSQLite(t *testing.T) {
	t.Parallel()
	open(t, filepath.Join(t.TempDir(), "control.db")).Listen(t.Context(), func() { t.Error("woken") })
}

// Of several processes one leads, as long as it lives and its connection does.
func TestOneProcessLeads(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	dsn := server.Database(t)
	a, b := openDSN(t, dsn), openDSN(t, dsn)
	first, err := a.Lead(t.Context(), 7)
	require.NoError(t, err)
	require.True(t, first.Held(t.Context()))
	second, err := b.Lead(t.Context(), 7)
	require.NoError(t, err)
	require.Nil(t, second)
	other, err := b.Lead(t.Context(), 8)
	require.NoError(t, err)
	require.NotNil(t, other, "of other work")
	other.End()
	first.End()
	require.Eventually(t, func() bool { // the server hears of it a little later
		second, err = b.Lead(t.Context(), 7)
		return err != nil || second != nil
	}, time.Minute, time.Millisecond)
	require.NoError(t, err)
	server.Stop(t)
	require.False(t, second.Held(t.Context()))
	_, err = a.Lead(t.Context(), 7)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	server.Continue(t)
	first, err = a.Lead(t.Context(), 7)
	require.NoError(t, err)
	require.NotNil(t, first, "a lead ends with its connection")
	second.End()
	first.End()
}
