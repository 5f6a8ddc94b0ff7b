// SPDX-License-Identifier: Apache-2.0

package anytime

// stakes are the shares of their capital that bettors stake, from those who look for
// small changes to those who look for large ones.
var stakes = [...]float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 0.9}

// enough keeps capital within what a float64 holds: it is evidence beyond doubt.
const enough = 1e60

// Detector tells when the mean of values between 0 and 1 rose above a bound. It begins
// a bet at every start, so that values from before the change do not delay it.
//
// If the capital of all starts together is 1 and the mean of each value, given those before,
// is at most its bound, then the evidence reaches 1/alpha with a probability of at
// most alpha. The bound may differ from value to value.
type Detector [len(stakes)]float64

// Start begins a bet with some capital.
func (d *Detector) Start(capital float64) {
	for i := range d {
		d[i] += capital / float64(len(d))
	}
}

// Add takes in a value of a weight, as Sample.Add does, whose mean is at most bound as long
// as all is well.
func (d *Detector) Add(value, weight, bound float64) {
	const least = 1e-6
	value = min(max(value, 0), 1)
	bound = min(max(bound, least), 1)
	gain := weight * (value/bound - 1)
	for i := range d {
		d[i] = min(d[i]*(1+stakes[i]*gain), enough)
	}
}

// Evidence returns the capital of all bets.
func (d *Detector) Evidence() (sum float64) {
	for _, c := range d {
		sum += c
	}
	return sum
}
