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
// width: the sum of the probabilities of each bin, how many of its texts are right, how
// many there are, all by the weights of the texts, and how many there are without.
type reliability struct{ sum, hit, weight, n [bins]float64 }

// reliabilityOf puts texts into bins; without weights all weigh the same.
func reliabilityOf(probabilities []float64, right []bool, weights []float64) (r reliability) {
	for i, p := range probabilities {
		b, weight := min(int(p*bins), bins-1), 1.0
		if weights != nil {
			weight = weights[i]
		}
		r.sum[b] += float64(weight * p)
		r.weight[b] += weight
		r.n[b]++
		if right[i] {
			r.hit[b] += weight
		}
	}
	return r
}

// calibrationError is the mean distance of probabilities from the share that
// is right among texts given about the same (Naeini et al. 2015,
// https://doi.org/10.1609/aaai.v29i1.9602).
func (r reliability) calibrationError() float64 {
	off, all := 0.0, 0.0
	for b := range bins {
		off += max(r.sum[b]-r.hit[b], r.hit[b]-r.sum[b])
		all += r.weight[b]
	}
	return ratio(off, all)
}

// calibration returns the calibration error as a figure; without weights all texts
// weigh the same.
func calibration(set string, probabilities []float64, right []bool, weights []float64) figure {
	curve := reliabilityOf(probabilities, right, weights)
	f := score(set, len(right), "calibration error", curve.calibrationError()).
		within(bootstrap(len(right), func(sample []int) float64 {
			p, r := make([]float64, len(sample)), make([]bool, len(sample))
			var w []float64
			if weights != nil {
				w = make([]float64, len(sample))
			}
			for i, n := range sample {
				p[i], r[i] = probabilities[n], right[n]
				if w != nil {
					w[i] = weights[n]
				}
			}
			return reliabilityOf(p, r, w).calibrationError()
		}))
	f.curve = &curve
	return f
}
