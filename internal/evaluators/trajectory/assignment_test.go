// SPDX-License-Identifier: Apache-2.0

package trajectory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// bestByTrial is the greatest sum of weights over all ways to assign.
func bestByTrial(weights [][]float64, row int, taken int) float64 {
	if row == len(weights) {
		return 0
	}
	best := bestByTrial(weights, row+1, taken)
	for j, w := range weights[row] {
		if taken&(1<<j) == 0 {
			best = max(best, w+bestByTrial(weights, row+1, taken|1<<j))
		}
	}
	return best
}

func TestAssignFindsTheBest(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		rows, columns := r.IntN(6), 1+r.IntN(6)
		weights := make([][]float64, rows)
		for i := range weights {
			weights[i] = make([]float64, columns)
			for j := range weights[i] {
				weights[i][j] = float64(r.IntN(5)) / 4
			}
		}
		sum := sumOf(t, weights, assign(weights), columns)
		require.InDelta(t, bestByTrial(weights, 0, 0), sum, 1e-9)
		require.LessOrEqual(t, sumOf(t, weights, assignGreedily(weights), columns), sum+1e-9)
	}
}

// sumOf adds up an assignment and checks that it is one.
func sumOf(t *testing.T, weights [][]float64, of []int, columns int) float64 {
	t.Helper()
	require.Len(t, of, len(weights))
	taken, sum := make([]bool, columns), 0.0
	for i, j := range of {
		if j >= 0 {
			require.False(t, taken[j])
			taken[j] = true
			sum += weights[i][j]
		}
	}
	return sum
}
