// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// aStore makes a directory with one organization and one span.
func aStore(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	e := start(t, testConfig(dir))
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, e.Control().CreateOrganization(t.Context(), org, keys))
	require.NoError(t, storetest.Write(t.Context(), e.Engine(), []store.Record{{Environment: keys[0].Environment, Span: span.Span{
		Environment: keys[0].Environment.Slug, TraceID: span.TraceID{1}, SpanID: span.ID{1}, Name: "chat", Start: time.Now().UnixNano(),
		InputTokens: span.NoTokens, OutputTokens: span.NoTokens, TotalTokens: span.NoTokens,
	}}}))
	require.NoError(t, e.Shutdown(t.Context()))
	return dir
}

func TestADamagedFileOfSpansIsTold(t *testing.T) {
	t.Parallel()
	dir := aStore(t)
	files, err := filepath.Glob(filepath.Join(dir, "spans", "spans", "*.duckdb"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	telemetry := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, telemetry.Shutdown(context.WithoutCancel(t.Context()))) })
	core, logs := observer.New(zap.InfoLevel)
	set := telemetry.NewTelemetrySettings()
	set.Logger = zap.New(core)
	damaged := func() int64 {
		m, err := telemetry.GetMetric("touchstone_store_damaged_partitions")
		require.NoError(t, err)
		return m.Data.(metricdata.Gauge[int64]).DataPoints[0].Value
	}
	begin := func() *storeExtension {
		e, err := newExtension(testConfig(dir), set, openEngine)
		require.NoError(t, err)
		require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
		e.health.look(t.Context())
		return e
	}
	e := begin()
	require.Zero(t, damaged(), "there from the start")
	require.Empty(t, e.Problems())
	require.NoError(t, e.Shutdown(t.Context()))

	require.NoError(t, os.Truncate(files[0], 20_000))
	e = begin()
	require.EqualValues(t, 1, damaged())
	require.Equal(t, []store.Problem{{Name: store.ProblemDamage, Message: "a damaged file of spans was moved away: its spans are missing"}}, e.Problems())
	told := logs.FilterLevelExact(zapcore.WarnLevel).All()
	require.Len(t, told, 1)
	require.Contains(t, told[0].Message, "span store: the damaged file "+files[0]+" was moved to ")
	owed, err := e.Engine().Owed(t.Context(), tenant.EnvironmentID(""), store.Due{}, 0)
	require.NoError(t, err)
	require.Zero(t, owed.Evaluations)
	require.NoError(t, e.Shutdown(t.Context()))
}

// startOnce starts a store and ends it, and returns the error of the start.
func startOnce(t *testing.T, cfg *Config) error {
	t.Helper()
	e, err := newExtension(cfg, componenttest.NewNopTelemetrySettings(), openEngine)
	require.NoError(t, err)
	err = e.Start(t.Context(), componenttest.NewNopHost())
	require.NoError(t, e.Shutdown(t.Context()))
	return err
}

// A volume that was mounted wrong, or a restore that forgot a file, is not taken for a
// first start.
func TestAMissingControlStoreIsRefused(t *testing.T) {
	t.Parallel()
	dir := aStore(t)
	files, err := filepath.Glob(filepath.Join(dir, "control.db*"))
	require.NoError(t, err)
	for _, f := range files {
		require.NoError(t, os.Remove(f))
	}
	cfg := testConfig(dir)
	err = startOnce(t, cfg)
	require.ErrorContains(t, err, `control.db" is missing, but there are spans: restore it from a backup, or set "control::sqlite::allow_missing" to true`)
	_, err = os.Stat(filepath.Join(dir, "control.db"))
	require.ErrorIs(t, err, os.ErrNotExist, "it was not made")
	cfg.Control.SQLite.GetOrInsertDefault().AllowMissing = true
	require.NoError(t, startOnce(t, cfg))
	require.NoError(t, startOnce(t, testConfig(dir)), "now it is there")
}

func TestADamagedControlStoreIsRefused(t *testing.T) {
	t.Parallel()
	dir := aStore(t)
	path := filepath.Join(dir, "control.db")
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	begin := func(content []byte) error {
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return startOnce(t, testConfig(dir))
	}
	require.NoError(t, begin(sound))
	require.ErrorContains(t, begin(sound[:len(sound)/2/4096*4096]), "the file is damaged and was left as it is: restore it")
	require.ErrorContains(t, begin([]byte("no database, whatever its name says, and long enough to be one of any kind there is")), "the file is damaged")
	require.ErrorContains(t, begin(nil), "is empty, but there are spans: restore it from a backup, or remove it")
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Empty(t, after, "it was not created again")
	require.NoError(t, begin(sound))

	// A file of which the write-ahead log is gone that had everything.
	lost := filepath.Join(t.TempDir(), "control.db")
	db, err := sql.Open("sqlite", lost)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "PRAGMA journal_mode = WAL")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	content, err := os.ReadFile(lost)
	require.NoError(t, err)
	require.NotEmpty(t, content)
	require.ErrorContains(t, begin(content), "is empty, but there are spans: restore it from a backup, or remove it")
	require.NoError(t, begin(sound))
}
