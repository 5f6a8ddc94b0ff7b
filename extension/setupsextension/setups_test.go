// SPDX-License-Identifier: Apache-2.0

package setupsextension

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "tl_secret-of-the-sidecar"

// gateway answers as a script says, over HTTP.
type gateway struct {
	*httptest.Server
	mu     sync.Mutex
	answer http.HandlerFunc
	asked  []time.Time
	tags   []string
}

func newGateway(t testing.TB, answer http.HandlerFunc) *gateway {
	t.Helper()
	g := &gateway{answer: answer}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.asked, g.tags = append(g.asked, time.Now()), append(g.tags, r.Header.Get("If-None-Match"))
		answer := g.answer
		g.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+key || r.URL.Path != "/v2/setups/bundle" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(g.Close)
	return g
}

func (g *gateway) say(answer http.HandlerFunc) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answer = answer
}

func (g *gateway) times() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.asked)
}

// bundle answers with setups of these ids, or that they are known.
func bundle(env tenant.EnvironmentID, ids ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b := monitor.Bundle{Version: monitor.BundleVersion, Environment: env, MadeAt: time.Now()}
		for _, id := range ids {
			b.Setups = append(b.Setups, monitor.Setup{ID: id, EnvironmentID: env, Generation: 1, Evaluators: []monitor.SetupEvaluator{{Slug: "char-count"}}})
		}
		tag := fmt.Sprintf("%q", strings.Join(ids, "+"))
		w.Header().Set("Etag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_ = json.NewEncoder(w).Encode(b)
	}
}

func code(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// running is an extension at work.
type running struct {
	*setups
	tel  *componenttest.Telemetry
	logs *observer.ObservedLogs
}

func start(t *testing.T, file, url string, change ...func(*Config)) *running {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP.Endpoint, cfg.APIKey, cfg.File, cfg.Interval, cfg.MaxInterval = url, key, file, 100*time.Millisecond, 400*time.Millisecond
	for _, c := range change {
		c(cfg)
	}
	require.NoError(t, cfg.Validate())
	r := &running{tel: componenttest.NewTelemetry()}
	core, logs := observer.New(zapcore.InfoLevel)
	set := r.tel.NewTelemetrySettings()
	set.Logger = zap.New(core)
	r.logs = logs
	var err error
	r.setups, err = newExtension(cfg, set)
	require.NoError(t, err)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() {
		require.NoError(t, r.Shutdown(context.Background()))
		require.NoError(t, r.tel.Shutdown(context.Background()))
	})
	return r
}

func (r *running) ids() (ids []string) {
	for s := range r.All() {
		ids = append(ids, s.ID)
	}
	return ids
}

func (r *running) polls(t *testing.T) map[string]int64 {
	t.Helper()
	got, err := r.tel.GetMetric("touchstone_sidecar_setups_polls")
	require.NoError(t, err)
	all := map[string]int64{}
	for _, p := range got.Data.(metricdata.Sum[int64]).DataPoints {
		o, _ := p.Attributes.Value("outcome")
		all[o.AsString()] = p.Value
	}
	return all
}

func (r *running) seconds(t *testing.T) float64 {
	t.Helper()
	got, err := r.tel.GetMetric("touchstone_sidecar_setups_age_seconds")
	require.NoError(t, err)
	return got.Data.(metricdata.Gauge[float64]).DataPoints[0].Value
}

func within(t *testing.T, holds func() bool, what string) {
	t.Helper()
	require.Eventually(t, holds, time.Minute, 5*time.Millisecond, what)
}

// who returns whose spans they are that come to the sidecar.
func (r *running) who(t *testing.T) tenant.Principal {
	t.Helper()
	ctx, err := r.Authenticate(t.Context(), nil)
	require.NoError(t, err)
	return *client.FromContext(ctx).Auth.(*tenant.Principal)
}

func TestASidecarFollowsAndKeepsItsSetups(t *testing.T) {
	t.Parallel()
	g := newGateway(t, code(http.StatusServiceUnavailable))
	file := filepath.Join(t.TempDir(), "data", "setups.json")
	r := start(t, file, g.URL)
	require.Len(t, r.polls(t), 4, "the series are there from the start")
	within(t, func() bool { return r.polls(t)["failed"] >= 3 }, "failures")
	require.Empty(t, r.ids())
	require.Equal(t, tenant.Principal{Environment: tenant.Environment{ID: "unknown"}, Scope: tenant.Ingest}, r.who(t), "spans are taken all the same")
	require.Equal(t, 1, r.logs.FilterMessageSnippet("cannot be read").Len(), "told once")

	g.say(bundle("env-1", "a"))
	within(t, func() bool { return len(r.ids()) == 1 }, "the first")
	require.Equal(t, tenant.EnvironmentID("env-1"), r.who(t).Environment.ID)
	first := r.Setups("env-1")
	require.Empty(t, r.Setups("env-2"))
	begun, before := time.Now(), r.polls(t)["unchanged"]
	within(t, func() bool { return r.polls(t)["unchanged"] >= before+2 }, "304")
	require.Same(t, &first[0], &r.Setups("env-1")[0], "the very same")
	age := r.seconds(t)
	require.LessOrEqual(t, age, time.Since(begun).Seconds(), "since the gateway said so last")
	g.say(bundle("env-1", "a", "b"))
	within(t, func() bool { return len(r.ids()) == 2 }, "a change")
	require.False(t, first[0].SameRevision(&r.Setups("env-1")[0]), "compiled again")

	require.NoError(t, r.Shutdown(t.Context())) // what was taken is kept by now
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(text), key)

	// Without the network it begins with what is on disk, and knows how old that is.
	g.say(code(http.StatusBadGateway))
	again := start(t, file, g.URL)
	require.Equal(t, []string{"a", "b"}, again.ids())
	require.Equal(t, tenant.EnvironmentID("env-1"), again.who(t).Environment.ID)
	was := again.seconds(t)
	within(t, func() bool { return again.polls(t)["failed"] > 0 && again.seconds(t) > was }, "it grows")
	require.NoError(t, again.Shutdown(t.Context()))
	g.mu.Lock()
	defer g.mu.Unlock()
	require.Equal(t, `"a+b"`, g.tags[len(g.tags)-1], "asked by the tag on disk")
}

// What is on disk of another gateway or key, or damaged, is not used, and neither is
// what a gateway may not say.
func TestNobodyElsesSetupsAreUsed(t *testing.T) {
	t.Parallel()
	g := newGateway(t, bundle("env-1", "a"))
	file := filepath.Join(t.TempDir(), "setups.json")
	r := start(t, file, g.URL)
	within(t, func() bool { _, err := os.Stat(file); return err == nil && len(r.ids()) == 1 }, "kept")
	require.NoError(t, r.Shutdown(t.Context()))
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	g.say(code(http.StatusServiceUnavailable))
	for name, text := range map[string][]byte{
		"cut": whole[:len(whole)/2], "empty": nil, "other": []byte(strings.Replace(string(whole), `"for":"`, `"for":"0`, 1)),
		"version": []byte(strings.Replace(string(whole), `"version":1`, `"version":9`, 1)),
	} {
		other := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(other, text, 0o600))
		x := start(t, other, g.URL)
		require.Empty(t, x.ids(), name)
		require.Equal(t, 1, x.logs.FilterMessageSnippet("are not used").Len(), name)
	}
	x := start(t, file, g.URL, func(c *Config) { c.APIKey = "tl_another" })
	require.Empty(t, x.ids())
	within(t, func() bool { return x.polls(t)["refused"] > 0 }, "401")

	y := start(t, filepath.Join(t.TempDir(), "none"), g.URL)
	for i, answer := range []http.HandlerFunc{
		func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"version":2,"environment_id":"e"}`))
		},
		func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`<html>`)) },
		code(http.StatusNotModified),
		func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		},
		func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, monitor.MaxBundle+2)) },
	} {
		before := y.polls(t)["failed"]
		g.say(answer)
		within(t, func() bool { return y.polls(t)["failed"] >= before+2 }, fmt.Sprint(i))
		require.Empty(t, y.ids())
	}
	for _, entry := range append(x.logs.All(), y.logs.All()...) {
		require.NotContains(t, fmt.Sprint(entry.Message, entry.ContextMap()), "tl_")
	}
}

// Waits double up to a bound after failures, and differ by chance.
// Where setups are required, no sender reads that spans were accepted before there are some.
func TestSpansWaitForSetupsThatAreRequired(t *testing.T) {
	t.Parallel()
	g := newGateway(t, code(http.StatusServiceUnavailable))
	file := filepath.Join(t.TempDir(), "setups.json")
	required := func(c *Config) { c.Required = true }
	r := start(t, file, g.URL, required)
	within(t, func() bool { return g.times() > 1 }, "the gateway is asked again")
	_, err := r.Authenticate(t.Context(), nil)
	require.True(t, fault.Is(err, fault.Unavailable), err)
	require.Equal(t, codes.Unavailable, status.Code(err))
	require.EqualError(t, err, "The sidecar has no setups yet: try again")

	g.say(bundle("env-1"))
	within(t, func() bool {
		_, err := r.Authenticate(t.Context(), nil)
		return err == nil
	}, "there are setups")
	require.Equal(t, tenant.EnvironmentID("env-1"), r.who(t).Environment.ID)
	within(t, func() bool {
		_, err := os.Stat(file)
		return err == nil
	}, "they are kept")

	g.say(code(http.StatusServiceUnavailable))
	again := start(t, file, g.URL, required)
	require.Equal(t, tenant.EnvironmentID("env-1"), again.who(t).Environment.ID)
}

func TestFailuresAreWaitedFor(t *testing.T) {
	t.Parallel()
	e := &setups{cfg: &Config{Interval: 5 * time.Second, MaxInterval: time.Minute}}
	for failures, most := range []time.Duration{5 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, time.Minute, time.Minute} {
		seen := map[time.Duration]bool{}
		for range 20 {
			d := e.wait(failures)
			require.LessOrEqual(t, d, most)
			require.GreaterOrEqual(t, d, most/2)
			seen[d] = true
		}
		require.Greater(t, len(seen), 10)
	}
}

// A directory that cannot be written costs nothing but the file.
func TestWithoutADiskItGoesOn(t *testing.T) {
	t.Parallel()
	blocked := filepath.Join(t.TempDir(), "a-file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	g := newGateway(t, bundle("env-1", "a"))
	r := start(t, filepath.Join(blocked, "setups.json"), g.URL)
	within(t, func() bool { return len(r.ids()) == 1 }, "followed")
	within(t, func() bool { return r.logs.FilterMessageSnippet("could not be kept").Len() > 0 }, "told")
	require.Positive(t, g.times())
}
