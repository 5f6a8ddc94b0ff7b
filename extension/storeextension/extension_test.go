// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMain(m *testing.M) {
	clickhousetest.Serve()
	goleak.VerifyTestMain(clickhousetest.With(postgrestest.Main(m)))
}

func testConfig(dir string) *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.Directory = dir
	cfg.Spans.DuckDB.GetOrInsertDefault().MinFreeMiB = 0
	return cfg
}

func start(t *testing.T, cfg *Config) *storeExtension {
	t.Helper()
	ext, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(Type), cfg)
	require.NoError(t, err)
	require.NoError(t, ext.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, ext.Shutdown(context.WithoutCancel(t.Context()))) })
	return ext.(*storeExtension)
}

func TestStoresAreLentAndKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	e := start(t, testConfig(dir))
	org, keys := storetest.NewOrganization("acme", "prd")
	env := keys[0].Environment
	require.NoError(t, e.Control().CreateOrganization(t.Context(), org, keys))
	require.NoError(t, store.Setups(e.Control()).Create(t.Context(), storetest.NewSetup(env, "quality")))
	begun := time.Now()
	require.NoError(t, storetest.Write(t.Context(), e.Engine(), []store.Record{{Environment: env, Span: span.Span{
		Environment: env.Slug, TraceID: span.TraceID{1}, SpanID: span.ID{1}, Name: "chat", Start: begun.UnixNano(),
		InputTokens: span.NoTokens, OutputTokens: span.NoTokens, TotalTokens: span.NoTokens,
	}}}))
	require.NoError(t, e.Shutdown(t.Context()))
	require.FileExists(t, filepath.Join(dir, "control.db"))
	require.DirExists(t, filepath.Join(dir, "spans"))
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	e = start(t, testConfig(dir))
	key, err := e.Control().Key(t.Context(), keys[0].Digest)
	require.NoError(t, err)
	env.Quota.ConcurrentQueries = 16 // the default
	require.Equal(t, env, key.Environment)
	require.Len(t, e.Control().Setups(env.ID), 1)
	page, err := e.Engine().Search(t.Context(), env, query.Query{
		From: begun.Add(-time.Minute).UnixNano(), To: begun.Add(time.Minute).UnixNano(), Limit: 10, Order: query.Order{By: query.SortTimestamp},
	})
	require.NoError(t, err)
	require.Len(t, page.Spans, 1)
	require.Equal(t, "chat", page.Spans[0].Name)
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	f := NewFactory()
	require.Equal(t, Type, f.Type())
	set := extensiontest.NewNopSettings(Type)
	ext, err := f.Create(t.Context(), set, testConfig(t.TempDir()))
	require.NoError(t, err)
	require.Nil(t, ext.(cache.Provider).Control())
	require.Nil(t, ext.(store.Provider).Engine())
	require.NoError(t, ext.Shutdown(t.Context()))
	require.NoError(t, ext.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, ext.Shutdown(t.Context()))
	require.NoError(t, ext.Shutdown(t.Context()))
}

func TestDirectoryInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start(t, testConfig(dir))
	second, err := newExtension(testConfig(dir), componenttest.NewNopTelemetrySettings(), openEngine)
	require.NoError(t, err)
	err = second.Start(t.Context(), componenttest.NewNopHost())
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	require.ErrorContains(t, err, dir)
	require.ErrorContains(t, err, "in use by another process")
	require.Nil(t, second.control, "and was not asked for")
	require.NoError(t, second.Shutdown(t.Context()))
}

func TestUnusableDirectory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		e, err := newExtension(testConfig(dir), componenttest.NewNopTelemetrySettings(), openEngine)
		require.NoError(t, err)
		require.ErrorContains(t, e.Start(t.Context(), componenttest.NewNopHost()), dir)
		require.NoError(t, e.Shutdown(t.Context()))
	}
}

func TestHalfAStartIsUndone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := errors.New("no engine today")
	e, err := newExtension(testConfig(dir), componenttest.NewNopTelemetrySettings(),
		func(context.Context, *Config, report) (store.Engine, error) { return nil, broken })
	require.NoError(t, err)
	require.ErrorIs(t, e.Start(t.Context(), componenttest.NewNopHost()), broken)
	require.Nil(t, e.Control())
	start(t, testConfig(dir)) // nothing holds the directory
	require.NoError(t, e.Shutdown(t.Context()))

	// A directory at the place of the control store, or a file at that of the
	// span store: the other one is let go again.
	for name, block := range map[string]func(path string) error{
		"control.db": func(path string) error { return os.Mkdir(path, 0o700) },
		"spans":      func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		dir = t.TempDir()
		require.NoError(t, block(filepath.Join(dir, name)))
		e, err = newExtension(testConfig(dir), componenttest.NewNopTelemetrySettings(), openEngine)
		require.NoError(t, err)
		require.ErrorContains(t, e.Start(t.Context(), componenttest.NewNopHost()), dir)
		require.Nil(t, e.Engine())
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
		start(t, testConfig(dir))
	}
}

// housekeeping is a span store of which only Expire and Close are called, once it
// has said that nothing is pending.
type housekeeping struct {
	store.Engine
	expire func(ctx context.Context, now time.Time) error
	closed atomic.Int64
}

func (s *housekeeping) Owed(context.Context, tenant.EnvironmentID, store.Due, int) (store.OwedPage, error) {
	return store.OwedPage{}, nil
}

func (s *housekeeping) Expire(ctx context.Context, now time.Time) error { return s.expire(ctx, now) }

func (s *housekeeping) Close() error {
	s.closed.Add(1)
	return nil
}

func kept(t *testing.T, s *housekeeping) (*storeExtension, *observer.ObservedLogs, *componenttest.Telemetry) {
	t.Helper()
	telemetry := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, telemetry.Shutdown(context.WithoutCancel(t.Context()))) })
	core, logs := observer.New(zap.InfoLevel)
	set := telemetry.NewTelemetrySettings()
	set.Logger = zap.New(core)
	cfg := testConfig(t.TempDir())
	cfg.ExpireInterval, cfg.RefreshInterval = time.Millisecond, time.Millisecond // shorter than a user may choose
	e, err := newExtension(cfg, set, func(_ context.Context, _ *Config, tell report) (store.Engine, error) {
		tell("healed", errors.New("a partition"))
		return s, nil
	})
	require.NoError(t, err)
	require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
	return e, logs, telemetry
}

func TestFailingHousekeepingIsToldAndGoesOn(t *testing.T) {
	t.Parallel()
	var rounds atomic.Int64
	s := &housekeeping{expire: func(_ context.Context, now time.Time) error {
		if time.Since(now) > time.Minute {
			return errors.New("a clock that stands still")
		}
		if rounds.Add(1) == 2 {
			return errors.New("no space to give back space")
		}
		return nil
	}}
	e, logs, telemetry := kept(t, s)
	require.Eventually(t, func() bool { return rounds.Load() > 3 }, time.Minute, time.Millisecond)
	require.NoError(t, e.Shutdown(t.Context()))
	require.Equal(t, int64(1), s.closed.Load())

	failed := logs.FilterLevelExact(zapcore.ErrorLevel).All()
	require.Len(t, failed, 1)
	require.Equal(t, "no space to give back space", failed[0].ContextMap()["error"])
	require.Len(t, logs.FilterLevelExact(zapcore.WarnLevel).FilterMessage("span store: healed").All(), 1)
	require.Len(t, logs.FilterMessage("stores are open").All(), 1)
	require.Len(t, logs.FilterMessage("stores are closed").All(), 1)
	got, err := telemetry.GetMetric("touchstone_store_expire_failures")
	require.NoError(t, err)
	require.Equal(t, int64(1), got.Data.(metricdata.Sum[int64]).DataPoints[0].Value)
}

func TestShutdownCutsHousekeepingShort(t *testing.T) {
	t.Parallel()
	at := make(chan struct{})
	s := &housekeeping{expire: func(ctx context.Context, _ time.Time) error {
		close(at)
		<-ctx.Done()
		return ctx.Err()
	}}
	e, logs, _ := kept(t, s)
	<-at
	require.NoError(t, e.Shutdown(t.Context()))
	require.Empty(t, logs.FilterLevelExact(zapcore.ErrorLevel).All(), "shutdown is no failure")
}

func TestOtherProcessesAreHeardOf(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t.TempDir())
	e := start(t, cfg)
	other, err := openControl(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })
	org, keys := storetest.NewOrganization("acme", "prd")
	require.NoError(t, other.CreateOrganization(t.Context(), org, keys))
	env := keys[0].Environment
	require.NoError(t, store.Setups(other).Create(t.Context(), storetest.NewSetup(env, "quality")))
	require.Eventually(t, func() bool { return len(e.Control().Setups(env.ID)) == 1 }, time.Minute, 10*time.Millisecond)
	_, err = e.Control().Key(t.Context(), keys[0].Digest)
	require.NoError(t, err)
	require.NoError(t, store.Setups(other).Delete(t.Context(), env.ID, "quality"))
	require.Eventually(t, func() bool { return len(e.Control().Setups(env.ID)) == 0 }, time.Minute, 10*time.Millisecond)
}

// A process that alone can have its spans open has the same name whenever it starts;
// one that shares them with others has one of its own.
func TestNamesOfProcesses(t *testing.T) {
	t.Parallel()
	one, other := testConfig(t.TempDir()), testConfig(t.TempDir())
	first, again := processOf(one), processOf(one)
	require.Equal(t, first, again)
	require.NotEqual(t, first, processOf(other))
	shared := serversConfig("", "http://127.0.0.1/spans", "postgres://127.0.0.1/control")
	first, again = processOf(shared), processOf(shared)
	require.NotEqual(t, first, again)
	relative := *one
	relative.Directory = one.Directory + "/../" + filepath.Base(one.Directory)
	require.Equal(t, processOf(one), processOf(&relative), "the directory is the same")
}

// stopRounds stops the background work.
func stopRounds(e *storeExtension) {
	for _, k := range e.rounds {
		k.stop()
	}
}

// A control store that cannot be asked is reported once, and once when it can.
func TestAnOutageIsToldOnce(t *testing.T) {
	t.Parallel()
	e, logs, telemetry := kept(t, &housekeeping{expire: func(context.Context, time.Time) error { return nil }})
	stopRounds(e)
	live, down := e.cache, e.control
	broken, err := cache.New(t.Context(), &outage{Control: down})
	require.NoError(t, err)
	for _, l := range []*cache.Cache{broken, broken, broken, live, live, broken} {
		e.cache = l
		e.refresh(t.Context())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	e.refresh(ended)
	require.NoError(t, e.Shutdown(t.Context()))
	told := logs.FilterMessage("keys and setups may be out of date").All()
	require.Len(t, told, 2)
	require.Equal(t, "no line", told[0].ContextMap()["error"])
	require.Len(t, logs.FilterMessage("keys and setups are up to date again").All(), 1)
	got, err := telemetry.GetMetric("touchstone_store_refresh_failures")
	require.NoError(t, err)
	require.Equal(t, int64(4), got.Data.(metricdata.Sum[int64]).DataPoints[0].Value)
}

// A control store that does not answer is reported before the call ends.
func TestAControlStoreThatDoesNotAnswerIsTold(t *testing.T) {
	t.Parallel()
	e, _, _ := kept(t, &housekeeping{expire: func(context.Context, time.Time) error { return nil }})
	stopRounds(e)
	hung := &hanging{Control: e.control, answers: make(chan struct{})}
	close(hung.answers)
	var err error
	e.cache, err = cache.New(t.Context(), hung)
	require.NoError(t, err)
	hung.answers = make(chan struct{})
	e.lateAfter = time.Millisecond
	var looking sync.WaitGroup
	looking.Go(func() { e.refresh(t.Context()) })
	require.Eventually(t, e.health.control.Load, time.Minute, time.Millisecond)
	close(hung.answers)
	looking.Wait()
	e.lateAfter = time.Minute
	e.refresh(t.Context())
	require.False(t, e.health.control.Load())
	require.NoError(t, e.Shutdown(t.Context()))
}

// hanging is a control store that tells of changes when it answers.
type hanging struct {
	store.Control
	answers chan struct{}
}

func (c *hanging) Changes(ctx context.Context, after int64) (store.Changes, error) {
	<-c.answers
	return c.Control.Changes(ctx, after)
}

// outage is a control store that can be asked for its changes once.
type outage struct {
	store.Control
	asked bool
}

func (c *outage) Changes(ctx context.Context, after int64) (store.Changes, error) {
	if c.asked {
		return store.Changes{}, errors.New("no line")
	}
	c.asked = true
	return c.Control.Changes(ctx, after)
}

var _ component.Component = (*storeExtension)(nil)
