// SPDX-License-Identifier: Apache-2.0

package evaluators

// scoreNoise forgives what floating point loses in sums such as 1/3 + 1/3.
const scoreNoise = 1e-9

// share is part/whole held between 0 and 1, and 0 of nothing.
func share(part, whole int) float64 {
	if whole <= 0 {
		return 0
	}
	return min(1, max(0, float64(part)/float64(whole)))
}

// unit holds a number that a judge gave between 0 and 1.
func unit(n float64) float64 { return min(1, max(0, n)) }
