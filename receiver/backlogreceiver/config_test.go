// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/touchstone-otel/touchstone/internal/configtest"
	"github.com/touchstone-otel/touchstone/internal/store"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	configtest.Check(t, createDefaultConfig())
	cfg := createDefaultConfig()
	require.NoError(t, configtest.Load(t, component.NewID(Type), cfg))
	require.Equal(t, createDefaultConfig(), cfg)
	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "all"), cfg))
	require.Equal(t, &Config{
		Store:   component.MustNewIDWithName("store", "other"),
		Workers: 2, Batch: 8, PollInterval: time.Second, Lease: time.Minute, Timeout: 10 * time.Minute, Rate: 12.5,
		Backfill: BackfillConfig{Share: 1, Page: 1000},
	}, cfg)

	wrong := createDefaultConfig().(*Config)
	wrong.Store = component.ID{}
	require.ErrorContains(t, wrong.Validate(), `"store"`)
	err := configtest.Load(t, component.NewIDWithName(Type, "wrong"), createDefaultConfig())
	for _, s := range configtest.Settings(createDefaultConfig()) {
		if s.Key != "store" {
			require.ErrorContains(t, err, `"`+s.Key+`"`)
		}
	}
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	f := NewFactory()
	require.Equal(t, Type, f.Type())
	r, err := f.CreateTraces(t.Context(), receivertest.NewNopSettings(Type), f.CreateDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, r.Shutdown(t.Context()), "without a start")
	require.ErrorContains(t, r.Start(t.Context(), componenttest.NewNopHost()), `"store"`)
	require.NoError(t, r.Shutdown(t.Context()))

	h := newTestbed(t)
	require.NoError(t, r.Start(t.Context(), h))
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, r.Shutdown(t.Context()))
}

// A shutdown that is itself cut short cancels at once.
func TestShutdownThatIsCutShort(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	s := h.setup("m", nil, "toxicity-detector")
	h.write(h.newSpan(0), owedBy(s, "toxicity-detector"))
	at := make(chan struct{})
	cfg := testConfig()
	cfg.ShutdownGrace = time.Hour
	r := h.newReceiver(cfg, func(ctx context.Context, _ ptrace.Traces) error {
		close(at)
		<-ctx.Done()
		return ctx.Err()
	})
	require.NoError(t, r.Start(t.Context(), h))
	<-at
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, r.Shutdown(ctx))
	require.Zero(t, h.real.stats(t).Leased)
}

func TestGaugesShowWhatIsOwed(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	s := h.setup("m", nil, "toxicity-detector")
	e := owedBy(s, "toxicity-detector")
	e.Time = time.Now().Add(-time.Minute).UnixNano()
	h.write(h.newSpan(0), e)
	later := owedBy(s, "toxicity-detector")
	later.Due = time.Now().Add(time.Hour).UnixNano()
	h.write(h.newSpan(1), later)
	at, goOn := make(chan struct{}), make(chan struct{})
	stop := h.start(testConfig(), func(ctx context.Context, td ptrace.Traces) error {
		close(at)
		<-goOn
		return h.complete(ctx, td)
	})
	<-at
	gauge := func(name string) (n int64) {
		got, err := h.telemetry.GetMetric(name)
		require.NoError(t, err)
		return got.Data.(metricdata.Gauge[int64]).DataPoints[0].Value
	}
	require.EqualValues(t, 2, gauge("touchstone_backlog_evaluations"))
	require.EqualValues(t, 1, gauge("touchstone_backlog_leased"))
	lag, err := h.telemetry.GetMetric("touchstone_evaluation_lag_seconds")
	require.NoError(t, err)
	told := lag.Data.(metricdata.Gauge[float64]).DataPoints[0].Value
	require.GreaterOrEqual(t, told, 60.0)
	require.LessOrEqual(t, told, time.Since(time.Unix(0, e.Time)).Seconds())
	close(goOn)
	stop()
	_, err = h.telemetry.GetMetric("touchstone_backlog_evaluations")
	require.Error(t, err, "the store is not asked once the receiver has ended")
}

func TestLagIsNeverNegative(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	r := h.newReceiver(testConfig(), h.complete)
	future := time.Now().Add(time.Hour).UnixNano()
	require.NoError(t, r.metrics.observe(func(context.Context) (store.BacklogStats, error) {
		return store.BacklogStats{OldestOwed: future}, nil
	}, time.Now))
	defer r.metrics.forget()
	lag, err := h.telemetry.GetMetric("touchstone_evaluation_lag_seconds")
	require.NoError(t, err)
	require.Zero(t, lag.Data.(metricdata.Gauge[float64]).DataPoints[0].Value)
}
