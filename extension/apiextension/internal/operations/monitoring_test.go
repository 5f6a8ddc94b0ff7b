// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMonitoringStatusHasItsThresholds(t *testing.T) {
	t.Parallel()
	cfg := MonitoringConfig{DegradedAfter: 3 * time.Minute, ErrorAfter: 10 * time.Minute}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	owed := func(lag time.Duration) store.Progress {
		return store.Progress{LatestSpan: now.UnixNano(), LatestEvaluation: 1, OldestOwed: now.Add(-lag).UnixNano(), OwedEvaluations: 3, OwedSpans: 2}
	}
	for lag, want := range map[time.Duration]string{
		0: "OK", -time.Hour: "OK", 3 * time.Minute: "OK", 3*time.Minute + time.Second: "DEGRADED", 10 * time.Minute: "DEGRADED", 10*time.Minute + time.Second: "ERROR",
	} {
		got := cfg.judge(tenant.Environment{}, owed(lag), now)
		require.Equal(t, want, got.Status, lag)
		require.Equal(t, want != "OK", len(got.Reasons) > 0)
		require.Equal(t, max(0, int64(lag/time.Second)), got.LagSeconds)
		require.EqualValues(t, 2, got.LagSpans)
	}
	done := cfg.judge(tenant.Environment{}, store.Progress{LatestSpan: now.UnixNano(), LatestEvaluation: now.Add(-time.Hour).UnixNano()}, now)
	require.Equal(t, "OK", done.Status, "nothing is pending")
	require.Zero(t, done.LagSeconds)
	require.Equal(t, "2026-01-02T02:04:05.000Z", done.EvaluatedUpTo)
	require.Equal(t, "2026-01-02T03:04:05.000Z", done.LatestSpan)
}
