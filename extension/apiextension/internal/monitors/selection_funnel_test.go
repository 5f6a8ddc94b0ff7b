// SPDX-License-Identifier: Apache-2.0

package monitors_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/monitors"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestFunnelIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	count := func(until time.Time, rules ...monitor.Rule) (*monitors.RuleFunnel, int) {
		f := &monitors.RuleFunnel{Selector: rules, To: math.MaxInt64, MaxSpans: 10_000, Until: until, Now: func() time.Time { return now }}
		var e endless
		require.NoError(t, f.Count(t.Context(), &e, tenant.Environment{}))
		return f, e.asked
	}
	derived := equals("llm.vendor", "x")
	f, asked := count(now.Add(time.Hour), derived)
	require.Equal(t, 10, asked)
	require.EqualValues(t, 10_000, f.Spans)
	require.True(t, f.Truncated)
	require.Equal(t, monitors.Looked, f.Basis)
	stop, found := f.Stop()
	require.True(t, found)
	require.Zero(t, stop)
	require.False(t, f.Lost(0).Present)

	_, asked = count(now.Add(-1), derived)
	require.Equal(t, 1, asked, "there is no time for more")

	counted := make([]monitor.Rule, 10)
	for i := range counted {
		counted[i] = equals("k", "v")
	}
	f, asked = count(now.Add(time.Hour), counted...)
	require.Equal(t, 11, asked)
	require.Equal(t, monitors.Totals, f.Basis)
	_, found = f.Stop()
	require.False(t, found)
	f, asked = count(now.Add(time.Hour), append(counted, equals("k", "v"))...)
	require.Equal(t, 10, asked, "so many rules are not counted one by one")
	require.Equal(t, monitors.Looked, f.Basis)
	f, asked = count(now.Add(-1), counted...)
	require.Equal(t, 2, asked, "counting is given up when there is no time")
	require.Equal(t, monitors.Looked, f.Basis)
	require.EqualValues(t, 1000, f.Spans)
}
