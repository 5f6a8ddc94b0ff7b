// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func (h *house) monitoring(t *testing.T, key string) monitoringAnswer {
	t.Helper()
	return into[monitoringAnswer](t, h.call(t, "GET", "/v2/monitoring/status", key, ""))
}

func TestMonitoringStatusFollowsTheBacklog(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	empty := monitoringAnswer{OrganizationID: l.env.OrganizationID, Environment: "prd", Project: l.env.ProjectID, Status: "OK", Reasons: []string{}}
	require.Equal(t, empty, l.monitoring(t, l.key))

	l.write(t, 1, nil)
	got := l.monitoring(t, l.key)
	require.Equal(t, "ERROR", got.Status)
	require.Equal(t, []string{"NO_EVALUATION_DATA"}, got.Reasons)
	require.NotEmpty(t, got.LatestSpan)
	require.Empty(t, got.EvaluatedUpTo)

	deferred := time.Now().Add(-5 * time.Minute).Truncate(time.Millisecond)
	l.write(t, 3, func(i int, r *store.Record) {
		if i > 0 {
			r.Evaluations = []eval.Evaluation{{
				SetupID: "s", Evaluator: "faithfulness", Status: eval.Deferred, Reason: eval.ReasonModel,
				Time: deferred.Add(time.Duration(i-1) * time.Minute).UnixNano(), Due: deferred.UnixNano(),
			}}
		}
	})
	got = l.monitoring(t, l.key)
	require.Equal(t, "DEGRADED", got.Status)
	require.Equal(t, []string{"LAG_HIGH"}, got.Reasons)
	require.EqualValues(t, 2, got.LagSpans)
	require.GreaterOrEqual(t, got.LagSeconds, int64(300))
	require.Equal(t, isoTime(deferred), got.EvaluatedUpTo)
	require.Equal(t, "OK", l.monitoring(t, l.newKey(t)).Status, "of another environment")
}

func TestMonitoringStatusHasItsThresholds(t *testing.T) {
	t.Parallel()
	cfg := testConfig().Monitoring
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
	require.Equal(t, "OK", done.Status, "nothing is owed")
	require.Zero(t, done.LagSeconds)
	require.Equal(t, "2026-01-02T02:04:05.000Z", done.EvaluatedUpTo)
	require.Equal(t, "2026-01-02T03:04:05.000Z", done.LatestSpan)
}
