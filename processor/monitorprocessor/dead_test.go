// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
)

func deadSetups(t *testing.T, tel *componenttest.Telemetry) int64 {
	t.Helper()
	got, err := tel.GetMetric("touchstone_monitor_setups_dead")
	require.NoError(t, err)
	points := got.Data.(metricdata.Gauge[int64]).DataPoints
	require.Len(t, points, 1)
	return points[0].Value
}

// A setup is dead from the thousandth span on that it does not match, as long as
// it stays unchanged and none matches.
func TestDeadSetupsAreCounted(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	p, tel := startProcessor(t, live, evaluators.Catalog(), defaults())
	process := func(n int) {
		_, err := p.processTraces(t.Context(), stamped(n))
		require.NoError(t, err)
	}
	process(monitor.DeadAfter) // before there was a setup
	createSetup(t, live, "dead", []string{"char-count"}, exists("absent"))
	few := createSetup(t, newLive(t), "few", []string{"char-count"}, exists("gen_ai.system"))
	few.MinSpans = 10 * monitor.DeadAfter
	require.NoError(t, store.Setups(live).Create(t.Context(), few))
	watched := func(generations ...int64) {
		require.Eventually(t, func() bool {
			p.reconciler.mu.Lock()
			defer p.reconciler.mu.Unlock()
			var got []int64
			for _, w := range p.reconciler.watching {
				got = append(got, w.generation)
			}
			slices.Sort(got)
			return slices.Equal(got, generations)
		}, patience, time.Millisecond)
	}
	watched(1, 1)
	process(monitor.DeadAfter - 1)
	require.Zero(t, deadSetups(t, tel))
	process(1)
	require.EqualValues(t, 1, deadSetups(t, tel), "of the other one some match, though fewer than it waits for")

	changed, err := store.Setups(live).Get(t.Context(), env, "dead")
	require.NoError(t, err)
	changed.Selector = monitor.Selector{exists("absent too")}
	_, err = store.Setups(live).Replace(t.Context(), changed.Changed(time.Now(), true))
	require.NoError(t, err)
	watched(1, 2)
	require.Zero(t, deadSetups(t, tel), "it has a new chance")
	process(monitor.DeadAfter)
	require.EqualValues(t, 1, deadSetups(t, tel))
	// One that has worked for long does not any more.
	worked := createSetup(t, newLive(t), "worked", []string{"char-count"}, exists("renamed"))
	require.NoError(t, store.Setups(live).Create(t.Context(), worked))
	td := stamped(1)
	td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().PutStr("renamed", "not yet")
	require.Eventually(t, func() bool {
		_, err := p.processTraces(t.Context(), td)
		require.NoError(t, err)
		s, err := store.Setups(live).Get(t.Context(), env, "worked")
		require.NoError(t, err)
		return s.Status == monitor.Completed
	}, patience, time.Millisecond)
	watched(1, 1, 2)
	process(monitor.DeadAfter - 1)
	require.EqualValues(t, 1, deadSetups(t, tel))
	process(1)
	require.EqualValues(t, 2, deadSetups(t, tel))
	_, err = p.processTraces(t.Context(), td)
	require.NoError(t, err)
	require.EqualValues(t, 1, deadSetups(t, tel), "it matches again")
	require.NoError(t, store.Setups(live).Delete(t.Context(), env, "worked"))

	require.NoError(t, store.Setups(live).Delete(t.Context(), env, "dead"))
	require.Eventually(t, func() bool { return deadSetups(t, tel) == 0 }, patience, time.Millisecond)
}
