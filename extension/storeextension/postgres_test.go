// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

func postgresConfig(dir, dsn string) *Config {
	cfg := testConfig(dir)
	cfg.Control.Postgres = configoptional.Some(PostgresConfig{DSN: configopaque.String(dsn), MaxConnections: 4})
	return cfg
}

// Processes with directories of their own share what is in PostgreSQL, and hear of
// one another's changes without looking.
func TestControlInPostgresIsShared(t *testing.T) {
	t.Parallel()
	postgrestest.Each(t, func(t *testing.T, s *postgrestest.Server) {
		dsn, dir := s.Database(t), t.TempDir()
		one, two := postgresConfig(dir, dsn), postgresConfig(t.TempDir(), dsn)
		one.RefreshInterval, two.RefreshInterval = time.Hour, time.Hour
		a, b := start(t, one), start(t, two)
		org, keys := storetest.NewOrganization("acme", "prd")
		env := keys[0].Environment
		require.NoError(t, a.Control().CreateOrganization(t.Context(), org, keys))
		require.NoError(t, store.Setups(a.Control()).Create(t.Context(), storetest.NewSetup(env, "quality")))
		require.Eventually(t, func() bool { return len(b.Control().Setups(env.ID)) == 1 }, time.Minute, time.Millisecond)
		_, known := b.Control().Environment(env.ID)
		require.True(t, known)
		require.NoError(t, store.Setups(b.Control()).Delete(t.Context(), env.ID, "quality"))
		require.Eventually(t, func() bool { return len(a.Control().Setups(env.ID)) == 0 }, time.Minute, time.Millisecond)
		require.NoFileExists(t, filepath.Join(dir, "control.db"))
		_, err := a.Backups().Begin("one")
		require.Equal(t, fault.NotConfigured, fault.KindOf(err), "a backup without the control store would be half of one")

		require.NoError(t, a.Shutdown(t.Context()))
		_, err = start(t, one).Control().Key(t.Context(), keys[0].Digest)
		require.NoError(t, err)
	})
}

// A server that is away is reported once; memory answers meanwhile, and what changed
// is known when the server is back.
func TestPostgresMayBeAway(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	core, logs := observer.New(zap.InfoLevel)
	set := componenttest.NewNopTelemetrySettings()
	set.Logger = zap.New(core)
	cfg := postgresConfig(t.TempDir(), server.Database(t))
	cfg.RefreshInterval = minRefresh
	e, err := newExtension(cfg, set, openEngine)
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, e.Shutdown(t.Context())) })
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, e.Control().CreateOrganization(t.Context(), org, keys))

	server.Stop(t)
	require.Eventually(t, func() bool { return logs.FilterMessage("keys and setups may be out of date").Len() == 1 }, time.Minute, time.Millisecond)
	_, err = e.Control().Key(t.Context(), keys[0].Digest)
	require.NoError(t, err)
	env := keys[0].Environment
	err = store.Setups(e.Control()).Create(t.Context(), storetest.NewSetup(env, "quality"))
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	e.health.look(t.Context())
	require.Equal(t, []store.Problem{{Name: store.ProblemControl, Message: "keys and setups may be out of date: the control store cannot be read"}}, e.Problems())

	stopRounds(e) // the test does them
	told := logs.Len()
	e.deleteRound(t.Context())
	e.eraseRound(t.Context())
	require.Equal(t, told, logs.Len(), "no deletion is known")

	server.Continue(t)
	require.Eventually(t, func() bool {
		e.refresh(t.Context())
		return logs.FilterMessage("keys and setups are up to date again").Len() == 1
	}, time.Minute, time.Millisecond)
	require.NoError(t, store.Setups(e.Control()).Create(t.Context(), storetest.NewSetup(env, "quality")))
	e.health.look(t.Context())
	require.Empty(t, e.Problems())
}

func TestWithoutPostgresNothingIsOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := postgresConfig(dir, "postgres://hidden:hidden@127.0.0.1:1/hidden")
	e, err := newExtension(cfg, componenttest.NewNopTelemetrySettings(), openEngine)
	require.NoError(t, err)
	err = e.Start(t.Context(), componenttest.NewNopHost())
	require.EqualError(t, err, "open stores in \""+dir+"\": open control store in PostgreSQL: "+
		"control store cannot be reached: no server answers at the address of the DSN: connection refused")
	require.True(t, fault.Is(err, fault.Unavailable))
	start(t, testConfig(dir)) // nothing holds the directory
}
