// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/touchstone-otel/touchstone/internal/configtest"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	configtest.Check(t, NewFactory().CreateDefaultConfig())

	defaults := func() *Config { return NewFactory().CreateDefaultConfig().(*Config) }
	cfg := defaults()
	require.NoError(t, configtest.Load(t, component.MustNewID("monitor"), cfg))
	require.Equal(t, defaults(), cfg)

	require.NoError(t, configtest.Load(t, component.MustNewIDWithName("monitor", "full"), cfg))
	require.Equal(t, &Config{
		Store: component.MustNewIDWithName("store", "other"), Models: component.MustNewID("models"),
		Budget: 250 * time.Millisecond, ActBudget: 5 * time.Second, TraceWait: time.Second, Concurrency: 4,
		Retry: RetryConfig{MaxAttempts: 3, InitialInterval: time.Second, MaxInterval: time.Minute},

		VerdictMetrics: VerdictMetricsConfig{Setups: []string{"answers"}, MaxSeries: 50},
	}, cfg)

	for _, name := range []string{"empty", "nothing"} {
		cfg := defaults()
		require.NoError(t, configtest.Load(t, component.MustNewIDWithName("monitor", name), cfg))
		want := defaults()
		want.Store = component.ID{}
		require.Equal(t, want, cfg)
	}

	cfg = defaults()
	require.NoError(t, configtest.Load(t, component.MustNewIDWithName("monitor", "sidecar"), cfg))
	require.Equal(t, component.MustNewID("setups"), cfg.Setups)
	require.Equal(t, component.ID{}, cfg.Store)
	require.NoError(t, cfg.Validate())
	cfg.Store = component.MustNewID("store")
	require.ErrorContains(t, cfg.Validate(), `"setups" goes without "store"`)

	err := (&Config{TraceWait: -1, Retry: RetryConfig{MaxInterval: -1}}).Validate()
	for _, key := range []string{"budget", "on_verdict_budget", "trace_wait", "concurrency", "retry::max_attempts", "retry::initial_interval", "retry::max_interval", "verdict_metrics::max_series"} {
		require.ErrorContains(t, err, `"`+key+`" must`)
	}
	require.Error(t, defaults().Unmarshal(confmap.NewFromStringMap(map[string]any{"store": "no/such/id", "budget": "x"})))
}
