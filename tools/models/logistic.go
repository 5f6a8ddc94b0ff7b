// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"math/rand/v2"

	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
)

// sample is one vector to learn from.
type sample struct {
	features []linear.Feature
	// sequence has the words of the passage in their order, where they are asked for.
	sequence []int32
	positive bool
	// cost says how much a mistake on this sample weighs.
	cost float64
}

// effort bounds the passes over the samples, and enough is the largest change
// of a multiplier at which nothing is left to learn.
const (
	effort = 60
	enough = 0.01
)

// logistic finds the weights that minimise
//
//	½ |w|² + Σ cost · ln(1 + exp(-y w·x))
//
// by coordinate descent in the dual (Yu, Huang and Lin 2011). The last weight
// is of a feature that every sample has. The order of the visits is a fixed
// pseudo-random one, and products are rounded before they are added, so that
// the weights do not depend on the machine.
func logistic(samples []sample, bits uint8) []float64 {
	w := make([]float64, 1<<bits+1)
	bias := &w[1<<bits]
	alphas := make([]float64, len(samples))
	order := make([]int, len(samples))
	for i, s := range samples {
		order[i] = i
		alphas[i] = min(0.001*s.cost, 1e-8)
		step := signed(s.positive, alphas[i])
		for _, f := range s.features {
			w[f.Index] += float64(step * f.Value)
		}
		*bias += step
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same order every time is the point
	for range effort {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		largest := 0.0
		for _, i := range order {
			s := &samples[i]
			product, square := *bias, 1.0
			for _, f := range s.features {
				product += float64(w[f.Index] * f.Value)
				square += float64(f.Value * f.Value)
			}
			a := newton(alphas[i], s.cost, square, signed(s.positive, product))
			delta := a - alphas[i]
			alphas[i] = a
			largest = max(largest, math.Abs(delta)/s.cost)
			step := signed(s.positive, delta)
			for _, f := range s.features {
				w[f.Index] += float64(step * f.Value)
			}
			*bias += step
		}
		if largest < enough {
			break
		}
	}
	return w
}

func signed(positive bool, v float64) float64 {
	if positive {
		return v
	}
	return -v
}

// newton minimises over z in (0, c) what the dual is along one coordinate,
// z ln z + (c-z) ln(c-z) + ½ square (z-a)² + product (z-a), from its present
// value a.
func newton(a, c, square, product float64) float64 {
	low, high := c*1e-12, c*(1-1e-12)
	z := min(max(a, low), high)
	for range 30 {
		slope := math.Log(z/(c-z)) + float64(square*(z-a)) + product
		if math.Abs(slope) < 1e-6 {
			break
		}
		if slope > 0 {
			high = z
		} else {
			low = z
		}
		next := z - slope/(c/(float64(z*(c-z)))+square)
		if next <= low || next >= high {
			next = (low + high) / 2
		}
		z = next
	}
	return z
}
