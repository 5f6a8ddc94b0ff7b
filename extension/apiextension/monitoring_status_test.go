// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

func (h *testAPI) monitoring(t *testing.T, key string) monitoringAnswer {
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
	require.Equal(t, rest.Time(deferred), got.EvaluatedUpTo)
	require.Equal(t, "OK", l.monitoring(t, l.newKey(t)).Status, "of another environment")
}
