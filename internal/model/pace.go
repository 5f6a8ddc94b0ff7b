// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// pace spreads requests and tokens over time. It also keeps everybody waiting
// when the server asked one of us to.
type pace struct {
	clock    Clock
	requests *bucket
	tokens   *bucket

	mu    sync.Mutex
	until time.Time // nothing is sent before
}

func newPace(clock Clock, requests, tokens int) *pace {
	return &pace{clock: clock, requests: newBucket(requests), tokens: newBucket(tokens)}
}

var errPace = errors.New("requests or tokens per minute")

// wait returns when a request of about so many tokens may be sent. If that
// would be later than in atMost, or after the context's deadline, it fails at
// once and takes nothing.
func (p *pace) wait(ctx context.Context, tokens int, atMost time.Duration) error {
	now := p.clock.Now()
	if deadline, ok := ctx.Deadline(); ok {
		// A deadline is in machine time, which an injected clock need not follow.
		atMost = min(atMost, time.Until(deadline))
	}
	if pause := p.paused(now); pause > 0 {
		if pause > atMost {
			return &failure{reason: ReasonBusy, cause: errPace}
		}
		if err := p.clock.Sleep(ctx, pause); err != nil {
			return ofTransport(err)
		}
		now, atMost = p.clock.Now(), atMost-pause
	}
	request, token := p.requests.take(now, 1), p.tokens.take(now, tokens)
	delay := max(request.delay(now), token.delay(now))
	if delay > atMost {
		request.giveBack(now)
		token.giveBack(now)
		return &failure{reason: ReasonBusy, cause: errPace}
	}
	if delay <= 0 {
		return nil
	}
	if err := p.clock.Sleep(ctx, delay); err != nil {
		request.giveBack(now)
		token.giveBack(now)
		return ofTransport(err)
	}
	return nil
}

// charge takes tokens that a request used beyond its estimate; those who come
// after wait for them.
func (p *pace) charge(tokens int) {
	if tokens > 0 {
		p.tokens.take(p.clock.Now(), tokens)
	}
}

// pause keeps everybody from sending for a while.
func (p *pace) pause(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := p.clock.Now().Add(d); until.After(p.until) {
		p.until = until
	}
}

func (p *pace) paused(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until.Sub(now)
}

// bucket hands out a number of things per minute; a nil one has no end.
type bucket struct {
	limiter *rate.Limiter
}

// newBucket makes a bucket that never gives more than perMinute in any
// minute: a tenth may go at once, and that tenth is what the refill is slower
// by. Zero is no limit.
func newBucket(perMinute int) *bucket {
	if perMinute <= 0 {
		return nil
	}
	burst := max(1, perMinute/10)
	return &bucket{rate.NewLimiter(rate.Limit(float64(perMinute-burst+1)/60), burst)}
}

// taken is what a bucket gave: the last part of it comes last.
type taken []*rate.Reservation

// take reserves n, in as many parts as the bucket's size demands.
func (b *bucket) take(now time.Time, n int) taken {
	if b == nil {
		return nil
	}
	var all taken
	for n > 0 {
		part := min(n, b.limiter.Burst())
		all = append(all, b.limiter.ReserveN(now, part))
		n -= part
	}
	return all
}

func (t taken) delay(now time.Time) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return t[len(t)-1].DelayFrom(now)
}

func (t taken) giveBack(now time.Time) {
	for i := len(t) - 1; i >= 0; i-- {
		t[i].CancelAt(now)
	}
}
