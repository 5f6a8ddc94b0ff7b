// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"math/rand/v2"
	"time"
)

// Doubled returns how long to wait after so many failures, counted from 1:
// first, and twice as long after each more, up to most.
func Doubled(first, most time.Duration, failures int) time.Duration {
	d := first
	for i := 1; i < failures && d < most; i++ {
		d *= 2
	}
	return min(d, most)
}

// Spread returns a duration between d and half of it by chance, so that not all
// who wait come back at once.
func Spread(d time.Duration) time.Duration {
	return d/2 + rand.N(d/2+1) //nolint:gosec // it only spreads
}
