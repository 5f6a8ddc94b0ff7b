// SPDX-License-Identifier: Apache-2.0

package queries

import (
	"math"
	"time"
)

// Queries of an environment come after all else when those it asked took more than
// usageShare of a processor, on average over the last usagePeriod, the latest counting most.
const (
	usageShare  = 0.5
	usagePeriod = 5 * time.Second
)

// usage is how long the queries of an environment ran lately, with an exponential decay.
type usage struct {
	ran   float64 // seconds
	until time.Time
}

// add adds a query that ended now and took so long.
func (u *usage) add(now time.Time, took time.Duration) {
	u.ran, u.until = u.at(now)+took.Seconds(), now
}

// at returns what counts of it at a time.
func (u *usage) at(now time.Time) float64 {
	return u.ran * math.Exp(-now.Sub(u.until).Seconds()/usagePeriod.Seconds())
}

// isHeavy reports whether they took much.
func (u *usage) isHeavy(now time.Time) bool {
	return u.at(now) > usageShare*usagePeriod.Seconds()
}

// isOver reports whether nothing of them counts any more.
func (u *usage) isOver(now time.Time) bool {
	const little = 1e-3
	return u.at(now) < little
}
