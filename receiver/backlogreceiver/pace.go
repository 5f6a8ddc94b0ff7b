// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// pace holds evaluations to a rate. What a lease has more of than is left is a
// debt, which has to run off before the next lease: so a lease is never held by
// somebody who waits. A nil pace has no limit.
type pace struct {
	limiter *rate.Limiter
	burst   int // as many as one second brings, at least one
}

func newPace(perSecond float64) *pace {
	if perSecond == 0 {
		return nil
	}
	burst := int(math.Ceil(min(perSecond, 1e6)))
	return &pace{limiter: rate.NewLimiter(rate.Limit(perSecond), burst), burst: burst}
}

// wait tells how long it takes until something may be handed out.
func (p *pace) wait(now time.Time) time.Duration {
	if p == nil {
		return 0
	}
	lacking := 1 - p.limiter.TokensAt(now)
	if lacking <= 0 {
		return 0
	}
	seconds := lacking / float64(p.limiter.Limit())
	return time.Duration(math.Ceil(min(seconds, 3600) * float64(time.Second)))
}

// most tells how many spans one lease may be about, of so many.
func (p *pace) most(batch int) int {
	if p == nil {
		return batch
	}
	return min(batch, p.burst)
}

// pay notes that n evaluations were handed out.
func (p *pace) pay(now time.Time, n int) {
	if p == nil {
		return
	}
	for ; n > 0; n -= p.burst {
		p.limiter.ReserveN(now, min(n, p.burst))
	}
}
