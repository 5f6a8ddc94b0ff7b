// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The expected values were computed with exact fractions and 40 decimal digits from
// the formulas of Fleiss, Cohen and Everitt, apart from this code. The first table
// is an example of SAS's PROC FREQ, whose printout has 0.4842, 0.1380, 0.2137 and
// 0.7547, as the tests of statsmodels.stats.inter_rater have it; the next three are
// those of https://en.wikipedia.org/wiki/Cohen%27s_kappa, with kappas 0.4, 0.1304
// and 0.2593.
func TestKappaEqualsAReference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		table                         [][]int
		accuracy, kappa, e, low, high float64
	}{
		{[][]int{{0, 4, 1}, {0, 8, 0}, {0, 1, 5}}, 0.6842105263157894, 0.4841628959276018, 0.1380135783058146, 0.2136612530707066, 0.7546645387844969},
		{[][]int{{20, 5}, {10, 15}}, 0.7, 0.4, 0.1269960629311003, 0.1510922904766610, 0.6489077095233389},
		{[][]int{{45, 15}, {25, 15}}, 0.6, 0.1304347826086956, 0.0986615376234396, -0.062938277792589, 0.3238078430099808},
		{[][]int{{25, 35}, {5, 35}}, 0.6, 0.2592592592592592, 0.0771597317444457, 0.1080289639833737, 0.4104895545351448},
		{[][]int{{0, 7}, {9, 0}}, 0, -0.969230769230769, 0.1202329589880239, -1.204883038601977, -0.733578499859560},
		{[][]int{{118, 5}, {2, 0}}, 0.944, -0.023391812865497, 0.0122867566728034, -0.047473413430998, 0.0006897877000048},
		{[][]int{{88, 14, 18}, {10, 40, 10}, {2, 6, 12}}, 0.7, 0.4915254237288135, 0.0510018155760778, 0.3915637020535470, 0.5914871454040801},
		{[][]int{{1, 0}, {0, 1}}, 1, 1, 0, 1, 1},
	} {
		got := kappa(c.table)
		require.InDelta(t, c.accuracy, accuracy(c.table), 1e-9, "%v", c.table)
		require.InDelta(t, c.kappa, got.Value, 1e-9, "%v", c.table)
		require.InDelta(t, c.e, got.StandardError, 1e-9, "%v", c.table)
		require.InDelta(t, c.low, got.Low, 1e-9, "%v", c.table)
		require.InDelta(t, c.high, got.High, 1e-9, "%v", c.table)
	}
	require.Nil(t, kappa([][]int{{5}}), "both know one category")
	require.Nil(t, kappa([][]int{{5, 0}, {0, 0}}))
	require.NotNil(t, kappa([][]int{{5, 1}, {0, 0}}))
}
