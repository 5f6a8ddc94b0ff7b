// SPDX-License-Identifier: Apache-2.0

// Package pace holds work to a rate, and says how long to wait after failures.
package pace

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// Rate is how many things there are: so many a second, of which Burst may go at once.
type Rate struct {
	PerSecond float64
	Burst     int
}

// MinuteRate returns the rate that never gives more than perMinute in any minute: a
// tenth may go at once, and that tenth is what the refill is slower by.
func MinuteRate(perMinute int) Rate {
	burst := max(1, perMinute/10)
	return Rate{PerSecond: float64(perMinute-burst+1) / 60, Burst: burst}
}

// SecondRate returns the rate of which what one second brings may go at once.
func SecondRate(perSecond float64) Rate {
	return Rate{PerSecond: perSecond, Burst: max(1, int(math.Ceil(min(perSecond, 1e6))))}
}

// Bucket hands out things at a rate. What is taken beyond what is there is a
// debt, which runs off with time. It is safe for concurrent use; a nil Bucket
// has no end.
type Bucket struct {
	limiter *rate.Limiter
}

// NewBucket makes a bucket that is refilled at perSecond things a second and
// holds at most burst of them, at least one.
func NewBucket(perSecond float64, burst int) *Bucket {
	return &Bucket{rate.NewLimiter(rate.Limit(perSecond), max(burst, 1))}
}

// PerSecond makes a bucket that holds what one second brings, nil if that is 0.
func PerSecond(perSecond float64) *Bucket {
	if perSecond == 0 {
		return nil
	}
	return SecondRate(perSecond).bucket()
}

func (r Rate) bucket() *Bucket { return NewBucket(r.PerSecond, r.Burst) }

// Most returns the smaller of n and of what the bucket holds.
func (b *Bucket) Most(n int) int {
	if b == nil {
		return n
	}
	return min(n, b.limiter.Burst())
}

// Wait returns how long it takes until there is one thing, at most an hour.
func (b *Bucket) Wait(now time.Time) time.Duration {
	if b == nil {
		return 0
	}
	lacking := 1 - b.limiter.TokensAt(now)
	if lacking <= 0 {
		return 0
	}
	seconds := min(lacking/float64(b.limiter.Limit()), 3600)
	return time.Duration(math.Ceil(seconds * float64(time.Second)))
}

// Full reports whether the bucket holds all that it can: it is as a new one then.
func (b *Bucket) Full(now time.Time) bool {
	return b == nil || b.limiter.TokensAt(now) >= float64(b.limiter.Burst())
}

// Taken is what a bucket gave; the last part of it comes last.
type Taken []*rate.Reservation

// Take reserves n things, in as many parts as the size of the bucket demands.
func (b *Bucket) Take(now time.Time, n int) Taken {
	if b == nil {
		return nil
	}
	var all Taken
	for n > 0 {
		part := b.Most(n)
		all = append(all, b.limiter.ReserveN(now, part))
		n -= part
	}
	return all
}

// Delay returns how long it takes until all of it may be used.
func (t Taken) Delay(now time.Time) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return t[len(t)-1].DelayFrom(now)
}

// GiveBack returns to the bucket what is not used after all.
func (t Taken) GiveBack(now time.Time) {
	for i := len(t) - 1; i >= 0; i-- {
		t[i].CancelAt(now)
	}
}
