// SPDX-License-Identifier: Apache-2.0

package main

import "math"

// quantise rounds weights to a byte each and gives the number that one step
// stands for.
func quantise(w []float64) (steps []int8, size float64) {
	largest := 0.0
	for _, v := range w {
		largest = max(largest, math.Abs(v))
	}
	steps = make([]int8, len(w))
	if largest == 0 {
		return steps, 1
	}
	size = largest / math.MaxInt8
	for i, v := range w {
		steps[i] = int8(math.RoundToEven(v / size))
	}
	return steps, size
}
