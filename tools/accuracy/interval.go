// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand/v2"
	"slices"
)

// resamples is the number of samples that an interval is made from.
const resamples = 400

// bootstrap returns the interval of a figure of n texts: of is called with the
// indices of samples of n drawn with replacement, the same every time.
// (Efron 1979, https://doi.org/10.1214/aos/1176344552)
func bootstrap(n int, of func(sample []int) float64) (low, high float64) {
	if n == 0 {
		return 0, 0
	}
	random := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // the same samples every time is the point
	drawn := make([]float64, resamples)
	sample := make([]int, n)
	for i := range drawn {
		for j := range sample {
			sample[j] = random.IntN(n)
		}
		drawn[i] = of(sample)
	}
	slices.Sort(drawn)
	return drawn[resamples/40], drawn[resamples-1-resamples/40]
}

// interval is the bootstrap of what is counted: verdicts of a kind are alike.
func (c counts) interval(of func(counts) float64) (low, high float64) {
	return bootstrap(c.size(), func(sample []int) float64 {
		var s counts
		for _, i := range sample {
			switch n := float64(i); {
			case n < c.hits:
				s.hits++
			case n < c.hits+c.alarms:
				s.alarms++
			case n < c.hits+c.alarms+c.misses:
				s.misses++
			default:
				s.passes++
			}
		}
		return of(s)
	})
}

// bins is the number of parts into which probabilities are put to be compared
// with what holds.
const bins = 10

// reliability are texts by the probability that was given to them, in bins of equal
// width: the sum of the probabilities of each bin, how many of its texts are right, and
// how many there are.
type reliability struct{ sum, hit, n [bins]float64 }

func reliabilityOf(probabilities []float64, right []bool) (r reliability) {
	for i, p := range probabilities {
		b := min(int(p*bins), bins-1)
		r.sum[b] += p
		r.n[b]++
		if right[i] {
			r.hit[b]++
		}
	}
	return r
}

// calibrationError is the mean distance of probabilities from the share that
// is right among texts given about the same (Naeini et al. 2015,
// https://doi.org/10.1609/aaai.v29i1.9602).
func calibrationError(probabilities []float64, right []bool) float64 {
	r, off := reliabilityOf(probabilities, right), 0.0
	for b := range bins {
		off += max(r.sum[b]-r.hit[b], r.hit[b]-r.sum[b])
	}
	return ratio(off, float64(len(probabilities)))
}

// calibration returns the calibration error as a figure.
func calibration(set string, probabilities []float64, right []bool) figure {
	f := score(set, len(right), "calibration error", calibrationError(probabilities, right)).
		within(bootstrap(len(right), func(sample []int) float64 {
			p, r := make([]float64, len(sample)), make([]bool, len(sample))
			for i, n := range sample {
				p[i], r[i] = probabilities[n], right[n]
			}
			return calibrationError(p, r)
		}))
	curve := reliabilityOf(probabilities, right)
	f.curve = &curve
	return f
}
