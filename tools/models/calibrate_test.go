// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
)

// A model that is twice as sure as it is right is halved.
func TestIsotonicFindsTheShareThatIsRight(t *testing.T) {
	t.Parallel()
	var texts []scored
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		odds := 8*random.Float64() - 4
		texts = append(texts, scored{odds: odds, weight: 1, right: random.Float64() < 1/(1+math.Exp(-odds/2))})
	}
	curve, err := isotonic(texts)
	require.NoError(t, err)
	for _, k := range curve {
		require.InDelta(t, k.Raw/2, k.True, 0.25)
	}
	_, err = isotonic(texts[:1])
	require.ErrorContains(t, err, "alike")
	for i := range texts {
		texts[i].odds = -texts[i].odds
	}
	_, err = isotonic(texts)
	require.ErrorContains(t, err, "say nothing")
}

func TestACurveIsBentThroughAPoint(t *testing.T) {
	t.Parallel()
	straight := []linear.Knot{{Raw: -5, True: -5}, {Raw: 5, True: 5}}
	require.Equal(t, straight, through(straight, 0))
	at := func(curve []linear.Knot, raw float32) float32 {
		for i := 1; i < len(curve); i++ {
			if a, b := curve[i-1], curve[i]; raw <= b.Raw {
				return a.True + (raw-a.Raw)*(b.True-a.True)/(b.Raw-a.Raw)
			}
		}
		return float32(math.NaN())
	}
	for _, point := range []float64{-1, -0.4, 0.8} {
		bent := through(straight, point)
		require.InDelta(t, 0, at(bent, float32(point)), 1e-5)
		require.InDelta(t, -4, at(bent, -4), 1e-5, "far away it stays")
		require.InDelta(t, 4, at(bent, 4), 1e-5)
		for i := 1; i < len(bent); i++ {
			require.Greater(t, bent[i].True, bent[i-1].True)
		}
	}
}
