// SPDX-License-Identifier: Apache-2.0

package setupsextension

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// FuzzKept has whatever on disk. A sidecar works with what can be read of it or without,
// and in any case goes on asking its gateway.
func FuzzKept(f *testing.F) {
	made := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	g := newGateway(f, code(http.StatusNotModified))
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP.Endpoint, cfg.APIKey, cfg.File = g.URL, key, filepath.Join(f.TempDir(), "setups.json")
	opened := func(t testing.TB) *setups {
		e, err := newExtension(cfg, componenttest.NewNopTelemetrySettings())
		require.NoError(t, err)
		return e
	}
	whose := opened(f).whose()
	for _, tag := range []string{`"a"`, "", "a\x7f", "a\nX-Other: b"} {
		bundle, err := json.Marshal(monitor.Bundle{Version: monitor.BundleVersion, Environment: "env-1", MadeAt: made, Setups: []monitor.Setup{
			{ID: "s", EnvironmentID: "env-1", Generation: 1, Evaluators: []monitor.SetupEvaluator{{Slug: "char-count"}}},
		}})
		require.NoError(f, err)
		for _, at := range []time.Time{made, {}, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
			text, err := json.Marshal(kept{whose, at, tag, bundle})
			require.NoError(f, err)
			f.Add(text)
		}
	}
	f.Add([]byte(`{"for":"` + whose + `","tag":"A SECRET","bundle":{"version":1}}`))
	f.Add([]byte(`A SECRET`))
	f.Fuzz(func(t *testing.T, text []byte) {
		require.NoError(t, os.WriteFile(cfg.File, text, 0o600))
		e := opened(t)
		now := made.Add(time.Hour)
		e.now = func() time.Time { return now }
		_, _, err := e.read()
		e.restore()
		if err != nil {
			require.Less(t, len(err.Error()), 200)
			require.NotContains(t, err.Error(), "SECRET")
			require.Nil(t, e.current.Load())
		} else {
			require.NotNil(t, e.current.Load())
			require.NoError(t, e.write())
			again := opened(t)
			again.now = e.now
			again.restore()
			require.Equal(t, e.tag(), again.tag())
			require.Equal(t, e.asked.Load(), again.asked.Load())
			require.Equal(t, e.current.Load().bundle.Setups, again.current.Load().bundle.Setups)
		}
		require.LessOrEqual(t, e.asked.Load(), now.UnixNano())
		require.GreaterOrEqual(t, e.asked.Load(), int64(0))

		asking, err := e.newAsker(t.Context(), componenttest.NewNopHost())
		require.NoError(t, err)
		defer asking.client.CloseIdleConnections()
		_, what, err := asking.ask(t.Context(), e.tag())
		if e.tag() == "" {
			require.Equal(t, failed, what, "304 to who has nothing")
			return
		}
		require.NoError(t, err)
		require.Equal(t, unchanged, what)
	})
}
