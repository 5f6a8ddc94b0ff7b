// SPDX-License-Identifier: Apache-2.0

// Package anytime holds statistics that stay valid however often one looks at
// them: confidence sequences for the mean of values between 0 and 1, and a detector
// of a mean that rose above a bound at an unknown time.
//
// Both bet against a mean. A bettor who cannot gain while the mean is as assumed
// gains without limit when it is not, and the capital is the evidence (Ville's
// inequality). https://arxiv.org/abs/2010.09686 describes the method.
package anytime

import "math"

// Sample sums up independent values between 0 and 1. A value of weight v, above 0 and
// at most 1, stands for v times as many as one of weight 1: where values were drawn
// with different probabilities p, v is the smallest of these divided by p.
type Sample struct {
	Count   float64 `json:"n"`  // of values
	Sum     float64 `json:"s"`  // of weight times value
	Weight  float64 `json:"w"`  // of weights
	Squares float64 `json:"w2"` // of weights
}

// Add adds a value. One beyond 0 and 1 counts as the nearer of these.
func (s *Sample) Add(value, weight float64) {
	value = min(max(value, 0), 1)
	s.Merge(Sample{Count: 1, Sum: weight * value, Weight: weight, Squares: weight * weight})
}

// Merge adds the values of another sample.
func (s *Sample) Merge(o Sample) {
	s.Count, s.Sum, s.Weight, s.Squares = s.Count+o.Count, s.Sum+o.Sum, s.Weight+o.Weight, s.Squares+o.Squares
}

// Scale multiplies all weights.
func (s *Sample) Scale(by float64) {
	s.Sum, s.Weight, s.Squares = s.Sum*by, s.Weight*by, s.Squares*by*by
}

// Decay lets the sample count for less.
func (s *Sample) Decay(by float64) {
	s.Count, s.Sum, s.Weight, s.Squares = s.Count*by, s.Sum*by, s.Weight*by, s.Squares*by
}

// Mean returns the weighted mean, and not a number where there is no value.
func (s Sample) Mean() float64 { return s.Sum / s.Weight }

// Effective returns how many values of one weight would tell as much.
func (s Sample) Effective() float64 {
	if s.Squares == 0 {
		return 0
	}
	return s.Weight * s.Weight / s.Squares
}

// Interval returns bounds of the mean that values are drawn around. While values are
// added one by one, the mean is within every interval with a probability of at
// least 1-alpha. Values between 0 and 1 that differ little get a wider interval than
// they need.
func (s Sample) Interval(alpha float64) (low, high float64) {
	if s.Weight == 0 {
		return 0, 1
	}
	mean := s.Mean()
	return s.bound(0, mean, alpha), s.bound(1, mean, alpha)
}

// Contains reports whether a mean is within the interval.
func (s Sample) Contains(mean, alpha float64) bool { return s.capital(mean) < -math.Log(alpha) }

// bound returns where, between the mean and an end of all values, the interval ends.
func (s Sample) bound(end, mean, alpha float64) float64 {
	if s.Contains(end, alpha) {
		return end
	}
	const steps = 40
	for range steps {
		middle := (mean + end) / 2
		if s.Contains(middle, alpha) {
			mean = middle
		} else {
			end = middle
		}
	}
	return end
}

// capital returns the logarithm of what a bettor has who bet against a mean: a mixture of
// bets with the weights of Jeffreys' prior.
func (s Sample) capital(mean float64) float64 {
	// Each value is drawn towards the mean as far as its weight is below 1, which
	// leaves the mean as it is and every value between 0 and 1.
	up := s.Count*mean + s.Sum - mean*s.Weight
	up = min(max(up, 0), s.Count)
	down := s.Count - up
	return logBeta(up+0.5, down+0.5) - logBeta(0.5, 0.5) - times(up, math.Log(mean)) - times(down, math.Log1p(-mean))
}

// times is the product of a number and a logarithm, 0 where the number is.
func times(n, log float64) float64 {
	if n == 0 {
		return 0
	}
	return n * log
}

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	sum, _ := math.Lgamma(a + b)
	return x + y - sum
}
