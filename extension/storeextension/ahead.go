// SPDX-License-Identifier: Apache-2.0

package storeextension

import "time"

const (
	// stepAhead is how far a clock may be set forward without a doubt: time servers
	// do that.
	stepAhead = 5 * time.Minute
	// patience is how long a clock that was set forward by more is doubted.
	patience = time.Hour
)

// doubtful is the clock by which files of spans are removed. What is removed is gone,
// and a wall clock that is set forward by mistake is set back within the hour: until
// then files go by the clock as it was.
type doubtful struct {
	begun time.Time     // when the clock was first looked at
	ahead time.Duration // of the wall clock before the monotonic one since, as far as it is believed
	since time.Time     // when it was found to be further ahead, zero if it is not
}

// at returns the time by which files may go, and how much the clock was set forward
// when that was found just now.
func (d *doubtful) at(now time.Time) (at time.Time, found time.Duration) {
	ahead := now.Round(0).Sub(d.begun.Round(0)) - now.Sub(d.begun)
	switch {
	case ahead <= d.ahead+stepAhead:
	case d.since.IsZero():
		d.since = now
		return now.Add(d.ahead - ahead), ahead - d.ahead
	case now.Sub(d.since) < patience:
		return now.Add(d.ahead - ahead), 0
	}
	d.ahead, d.since = ahead, time.Time{}
	return now, 0
}
