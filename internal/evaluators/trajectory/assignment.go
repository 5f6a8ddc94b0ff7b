// SPDX-License-Identifier: Apache-2.0

package trajectory

import "math"

// assign assigns each row a column of its own, or -1, so that the weights, all
// from 0 to 1, add up to the most. It is the Hungarian method with potentials:
// rows enter one after another, each along the cheapest augmenting path.
// https://doi.org/10.1002/nav.3800020109 (Kuhn, 1955)
func assign(weights [][]float64) []int {
	rows := len(weights)
	if rows == 0 {
		return nil
	}
	columns := len(weights[0])
	// The method needs a column for every row: those past the real ones weigh 0.
	n := max(rows, columns)
	cost := func(row, column int) float64 {
		if column < columns {
			return 1 - weights[row][column]
		}
		return 1
	}
	// Row and column 0 stand for "none".
	rowPotential, columnPotential := make([]float64, rows+1), make([]float64, n+1)
	rowOf, cameFrom := make([]int, n+1), make([]int, n+1)
	for row := 1; row <= rows; row++ {
		rowOf[0] = row
		at := 0
		shortest, visited := make([]float64, n+1), make([]bool, n+1)
		for j := range shortest {
			shortest[j] = math.Inf(1)
		}
		for rowOf[at] != 0 {
			visited[at] = true
			step, next := math.Inf(1), 0
			for j := 1; j <= n; j++ {
				if visited[j] {
					continue
				}
				reduced := cost(rowOf[at]-1, j-1) - rowPotential[rowOf[at]] - columnPotential[j]
				if reduced < shortest[j] {
					shortest[j], cameFrom[j] = reduced, at
				}
				if shortest[j] < step {
					step, next = shortest[j], j
				}
			}
			for j := range n + 1 {
				if visited[j] {
					rowPotential[rowOf[j]] += step
					columnPotential[j] -= step
				} else {
					shortest[j] -= step
				}
			}
			at = next
		}
		for at != 0 {
			rowOf[at] = rowOf[cameFrom[at]]
			at = cameFrom[at]
		}
	}
	of := make([]int, rows)
	for i := range of {
		of[i] = -1
	}
	for j := 1; j <= columns; j++ {
		if rowOf[j] != 0 {
			of[rowOf[j]-1] = j - 1
		}
	}
	return of
}
