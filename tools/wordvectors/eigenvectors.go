// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"math"
	"slices"
)

// mostSweeps bounds the rotations of a matrix; a few are enough for any that is
// symmetric.
const mostSweeps = 50

// eigenvectors returns those of a symmetric matrix, that of the smallest eigenvalue
// first, by Jacobi's rotations. The largest number of each is positive. The matrix is
// changed.
func eigenvectors(a [][]float64) [][]float64 {
	n := len(a)
	vectors := make([][]float64, n)
	for i := range vectors {
		vectors[i] = make([]float64, n)
		vectors[i][i] = 1
	}
	for range mostSweeps {
		if diagonal(a) {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				if a[p][q] != 0 {
					rotate(a, vectors, p, q)
				}
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a[i][i], a[j][j]) })
	sorted := make([][]float64, n)
	for i, from := range order {
		largest := slices.MaxFunc(vectors[from], func(x, y float64) int { return cmp.Compare(math.Abs(x), math.Abs(y)) })
		sorted[i] = vectors[from]
		if largest < 0 {
			for k := range sorted[i] {
				sorted[i][k] *= -1
			}
		}
	}
	return sorted
}

// diagonal reports whether what is off the diagonal of a symmetric matrix is
// nothing against what is on it.
func diagonal(a [][]float64) bool {
	on, beside := 0.0, 0.0
	for i := range a {
		on += a[i][i] * a[i][i]
		for _, x := range a[i][:i] {
			beside += x * x
		}
	}
	return beside <= 1e-24*on
}

// rotate turns the plane of p and q until a[p][q] is 0, and the vectors, which are
// rows, with it.
func rotate(a, vectors [][]float64, p, q int) {
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := math.Copysign(1/(math.Abs(theta)+math.Hypot(theta, 1)), theta)
	cos := 1 / math.Hypot(t, 1)
	sin := t * cos
	turn := func(x, y *float64) { *x, *y = cos**x-sin**y, sin**x+cos**y }
	for k := range a {
		turn(&a[k][p], &a[k][q])
	}
	for k := range a {
		turn(&a[p][k], &a[q][k])
		turn(&vectors[p][k], &vectors[q][k])
	}
}
