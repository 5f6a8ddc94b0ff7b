// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/pace"
)

// throttle spreads requests and tokens over time. It also keeps everybody waiting
// when the server asked one of us to.
type throttle struct {
	clock    Clock
	requests *pace.Bucket
	tokens   *pace.Bucket

	mu    sync.Mutex
	until time.Time // nothing is sent before
}

func newThrottle(clock Clock, requests, tokens int) *throttle {
	return &throttle{clock: clock, requests: pace.PerMinute(requests), tokens: pace.PerMinute(tokens)}
}

var errPace = errors.New("requests or tokens per minute")

// wait returns when a request of about so many tokens may be sent. If that
// would be later than in atMost, or after the context's deadline, it fails at
// once and takes nothing.
func (p *throttle) wait(ctx context.Context, tokens int, atMost time.Duration) error {
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
	request, token := p.requests.Take(now, 1), p.tokens.Take(now, tokens)
	delay := max(request.Delay(now), token.Delay(now))
	if delay > atMost {
		request.GiveBack(now)
		token.GiveBack(now)
		return &failure{reason: ReasonBusy, cause: errPace}
	}
	if delay <= 0 {
		return nil
	}
	if err := p.clock.Sleep(ctx, delay); err != nil {
		request.GiveBack(now)
		token.GiveBack(now)
		return ofTransport(err)
	}
	return nil
}

// charge takes tokens that a request used beyond its estimate; those who come
// after wait for them.
func (p *throttle) charge(tokens int) {
	if tokens > 0 {
		p.tokens.Take(p.clock.Now(), tokens)
	}
}

// pause keeps everybody from sending for a while.
func (p *throttle) pause(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := p.clock.Now().Add(d); until.After(p.until) {
		p.until = until
	}
}

func (p *throttle) paused(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.until.Sub(now)
}
