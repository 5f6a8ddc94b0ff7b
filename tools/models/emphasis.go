// SPDX-License-Identifier: Apache-2.0

package main

import "math"

// emphasise returns a factor for each feature: features that are much more
// common on one side are given more room (after Wang and Manning 2012, halfway
// between their factor and none).
func emphasise(samples []sample, bits uint8) []float64 {
	in, out := make([]float64, 1<<bits), make([]float64, 1<<bits)
	for _, s := range samples {
		side := out
		if s.positive {
			side = in
		}
		for _, f := range s.features {
			side[f.Index] += s.cost
		}
	}
	sumIn, sumOut := 0.0, 0.0
	for i := range in {
		// One occurrence more than were seen: a feature that was seen once
		// proves nothing.
		in[i]++
		out[i]++
		sumIn += in[i]
		sumOut += out[i]
	}
	factors := in
	for i := range factors {
		factors[i] = (1 + math.Abs(math.Log(in[i]/sumIn)-math.Log(out[i]/sumOut))) / 2
	}
	return factors
}
