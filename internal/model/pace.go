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
	requests *pace.Common
	tokens   *pace.Common

	mu    sync.Mutex
	until time.Time // nothing is sent before
}

func newThrottle(clock Clock, l *Limits) *throttle {
	common := func(perMinute int, what string) *pace.Common {
		if perMinute <= 0 {
			return nil
		}
		return pace.NewCommon(pace.MinuteRate(perMinute), l.Shared, l.SharedName+"/"+what)
	}
	return &throttle{clock: clock, requests: common(l.RequestsPerMinute, "requests"), tokens: common(l.TokensPerMinute, "tokens")}
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
	delay, giveRequest := p.requests.Take(ctx, now, 1)
	more, giveTokens := p.tokens.Take(ctx, now, tokens)
	delay = max(delay, more)
	if delay > atMost {
		giveRequest()
		giveTokens()
		return &failure{reason: ReasonBusy, cause: errPace}
	}
	if delay <= 0 {
		return nil
	}
	if err := p.clock.Sleep(ctx, delay); err != nil {
		giveRequest()
		giveTokens()
		return ofTransport(err)
	}
	return nil
}

// charge takes tokens that a request used beyond its estimate; those who come
// after wait for them.
func (p *throttle) charge(ctx context.Context, tokens int) {
	if tokens > 0 {
		p.tokens.Take(context.WithoutCancel(ctx), p.clock.Now(), tokens)
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
