// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestACurveTurnsOddsIntoThoseThatHold(t *testing.T) {
	t.Parallel()
	m := sized(t, 10, "apple")
	require.InDelta(t, 0.7, m.calibrated(0.7), 0, "without a curve as they are")
	require.NoError(t, m.Calibrate([]Knot{{-2, -4}, {0, -1}, {2, 1}}))
	for odds, want := range map[float64]float64{-2: -4, -1: -2.5, 0: -1, 1: 0, 2: 1, 4: 3, -4: -7} {
		require.InDelta(t, want, m.calibrated(odds), 1e-9, "%v", odds)
	}
	require.True(t, math.IsInf(m.calibrated(math.Inf(-1)), -1), "a text without words")

	text := "an apple a day"
	require.InDelta(t, 1/(1+math.Exp(-m.calibrated(m.Odds(text)))), m.Probability(text), 1e-12)
	again, err := Decode(m.Encode())
	require.NoError(t, err)
	require.Equal(t, m.curve, again.curve)
	require.InDelta(t, m.Probability(text), again.Probability(text), 0)
}

func TestTheLikeliestClassIsCalibratedToo(t *testing.T) {
	t.Parallel()
	m := sized(t, 10, "apple", "badger")
	label, p, ok := m.Best("a badger")
	require.True(t, ok)
	require.NoError(t, m.Calibrate([]Knot{{-1, -2}, {1, 0}}))
	same, less, ok := m.Best("a badger")
	require.True(t, ok)
	require.Equal(t, label, same)
	require.InDelta(t, 1/(1+math.Exp(1)*(1-p)/p), less, 1e-6, "odds less by one")
}

func TestACurveMustRise(t *testing.T) {
	t.Parallel()
	m := sized(t, 10, "apple")
	nan := float32(math.NaN())
	for _, curve := range [][]Knot{
		{{0, 0}},
		{{0, 0}, {0, 1}},
		{{0, 0}, {1, 0}},
		{{1, 0}, {0, 1}},
		{{nan, 0}, {1, 1}},
		{{0, 0}, {1, float32(math.Inf(1))}},
		make([]Knot, maxKnots+1),
	} {
		require.Error(t, m.Calibrate(curve), "%v", curve)
	}
}
