// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/controltest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func openDSN(t *testing.T, dsn string) *DB {
	t.Helper()
	d, err := OpenPostgres(t.Context(), Postgres{DSN: dsn})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// The contract holds for a role that may not change tables, which another one made.
func TestControlContractOnPostgres(t *testing.T) {
	t.Parallel()
	postgrestest.Each(t, func(t *testing.T, s *postgrestest.Server) {
		var schemas sync.Map // by the directory that the contract knows them by
		controltest.Exercise(t, func(t *testing.T, dir string) store.Control {
			dsn, there := schemas.Load(dir)
			if !there {
				made := s.Schema(t)
				owner, err := OpenPostgres(t.Context(), Postgres{DSN: made})
				require.NoError(t, err)
				require.NoError(t, owner.Close())
				dsn = s.Limited(t, made)
				schemas.Store(dir, dsn)
			}
			d, err := OpenPostgres(t.Context(), Postgres{DSN: dsn.(string), Migration: store.MigrateCheck})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, d.Close()) })
			return d
		})
	})
}

// Where other orders are usual than that of bytes, and other readings of
// backslashes, names are what they are.
func TestSettingsOfADatabaseDoNotMatter(t *testing.T) {
	t.Parallel()
	postgrestest.Each(t, func(t *testing.T, s *postgrestest.Server) {
		dsn := s.Database(t, "LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C.UTF-8'")
		d := openDSN(t, dsn)
		for _, setting := range []string{"standard_conforming_strings = off", "default_transaction_isolation = serializable", "client_encoding = LATIN1"} {
			_, err := d.bun.ExecContext(t.Context(), "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET "+setting+"'; END $$")
			require.NoError(t, err)
		}
		d = openDSN(t, dsn)
		hostile := `\'; DROP TABLE documents CASCADE; --`
		org, keys := storetest.NewOrganization("acme", "a", "B", "ä", hostile)
		require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
		require.NoError(t, store.Setups(d).Create(t.Context(), storetest.NewSetup(keys[0].Environment, hostile)))
		stored, err := d.Organizations(t.Context())
		require.NoError(t, err)
		slugs := make([]string, 0, 4)
		for _, e := range stored[0].AllEnvironments() {
			slugs = append(slugs, e.Slug)
		}
		require.Equal(t, []string{"B", hostile, "a", "ä"}, slugs)
		got, err := store.Setups(d).Get(t.Context(), keys[0].Environment.ID, hostile)
		require.NoError(t, err)
		require.Equal(t, hostile, got.ExternalID)
	})
}

// What is read by several statements is as it was at one moment.
func TestReadsAreOfOneMoment(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.One(t).Database(t)
	d, other := openDSN(t, dsn), openDSN(t, dsn)
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
	require.NoError(t, d.read(t.Context(), "read twice", func(ctx context.Context, tx bun.Tx) error {
		before, err := selectOrganizations(ctx, tx, nil)
		require.NoError(t, err)
		_, err = other.ChangeOrganization(ctx, org.ID, func(o *tenant.Organization) error {
			o.Name += "!"
			return nil
		})
		require.NoError(t, err)
		after, err := selectOrganizations(ctx, tx, nil)
		require.Equal(t, before, after)
		return err
	}))
	require.Error(t, d.read(t.Context(), "write", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Model((*keyRow)(nil)).Where("true").Exec(ctx)
		return err
	}), "who reads cannot write")
}

func requireUnavailable(t *testing.T, err error, says string) {
	t.Helper()
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	require.Contains(t, fault.Message(err), says)
}

func TestLimitsOfConnections(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.One(t).Database(t)
	d := openDSN(t, dsn)
	for setting, want := range map[string]string{
		"statement_timeout": "15s", "lock_timeout": "5s", "idle_in_transaction_session_timeout": "30s",
		"standard_conforming_strings": "on", "client_encoding": "UTF8", "application_name": "touchstone",
	} {
		var got string
		require.NoError(t, d.bun.NewRaw("SHOW "+setting).Scan(t.Context(), &got))
		require.Equal(t, want, got, setting)
	}
	var got string
	require.NoError(t, openDSN(t, dsn+" lock_timeout=7 application_name=mine").bun.NewRaw("SELECT current_setting('lock_timeout') || current_setting('application_name')").Scan(t.Context(), &got))
	require.Equal(t, "7msmine", got, "what the DSN says counts")
}

func TestWhoWaitsTooLongIsRefused(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.One(t).Database(t)
	holder := openDSN(t, dsn)
	d := openDSN(t, dsn+" lock_timeout=50")
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
	e := storetest.NewEvaluator(keys[0].Environment, "quality")
	require.NoError(t, holder.write(t.Context(), "hold", func(ctx context.Context, tx bun.Tx) error {
		require.NoError(t, holdEnvironment(ctx, tx, e.EnvironmentID))
		requireUnavailable(t, store.Evaluators(d).Create(t.Context(), e), "in use by another process")
		_, err := store.Evaluators(d).List(t.Context(), e.EnvironmentID) // who reads does not wait
		return err
	}))
	require.NoError(t, store.Evaluators(d).Create(t.Context(), e))

	slow, hanging := openDSN(t, dsn), openDSN(t, dsn)
	requireUnavailable(t, slow.write(t.Context(), "sleep", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, "SET LOCAL statement_timeout = 500")
		require.NoError(t, err)
		_, err = tx.ExecContext(ctx, "SELECT pg_sleep(300)")
		return err
	}), "sleep: control store took too long")
	requireUnavailable(t, hanging.write(t.Context(), "hang", func(ctx context.Context, tx bun.Tx) error {
		require.NoError(t, holdEnvironment(ctx, tx, e.EnvironmentID))
		next := storetest.NewEvaluator(keys[0].Environment, "next")
		requireUnavailable(t, store.Evaluators(d).Create(ctx, next), "in use by another process")
		_, err := tx.ExecContext(ctx, "SET LOCAL idle_in_transaction_session_timeout = 200") // it hangs from now on
		require.NoError(t, err)
		require.Eventually(t, func() bool { return store.Evaluators(d).Create(t.Context(), next) == nil }, time.Minute, 10*time.Millisecond,
			"who hangs keeps the others waiting for a while only")
		return nil
	}), "control store")
	_, err := hanging.Keys(t.Context())
	require.NoError(t, err, "the next call has another connection")
}

// So many connections are made and no more; who gets none waits for as long as it
// can.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.One(t).Database(t)
	d, err := OpenPostgres(t.Context(), Postgres{DSN: dsn + " application_name=bounded", MaxConnections: 2})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	watcher := openDSN(t, dsn)
	inside := func(run func(ctx context.Context)) error {
		return d.write(t.Context(), "stay", func(ctx context.Context, _ bun.Tx) error {
			run(ctx)
			return nil
		})
	}
	require.NoError(t, inside(func(context.Context) {
		require.NoError(t, inside(func(context.Context) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, err := d.Keys(ctx)
			requireUnavailable(t, err, "cancelled")
			var n int
			require.NoError(t, watcher.bun.NewRaw("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bounded'").Scan(t.Context(), &n))
			require.Equal(t, 2, n)
		}))
	}))
	_, err = d.Keys(t.Context())
	require.NoError(t, err)
}

// A server that is gone is Unavailable, and back when it is.
func TestAServerThatIsGoneComesBack(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	d := openDSN(t, server.Database(t))
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys))
	s := storetest.NewSetup(keys[0].Environment, "quality")
	require.NoError(t, store.Setups(d).Create(t.Context(), s))
	requireUnavailable(t, d.write(t.Context(), "change", func(ctx context.Context, tx bun.Tx) error {
		require.NoError(t, holdEnvironment(ctx, tx, s.EnvironmentID))
		server.Stop(t)
		return holdEnvironment(ctx, tx, s.EnvironmentID)
	}), "control store")
	for range 3 {
		_, err := d.Keys(t.Context())
		requireUnavailable(t, err, "control store cannot be reached: no server answers")
		require.NotContains(t, err.Error(), "/tmp", "nothing of the DSN")
		requireUnavailable(t, store.Setups(d).Delete(t.Context(), s.EnvironmentID, s.ID), "control store cannot be reached")
	}
	server.Continue(t)
	got, err := store.Setups(d).Get(t.Context(), s.EnvironmentID, s.ID)
	require.NoError(t, err)
	require.Equal(t, s.Selector, got.Selector)
}
