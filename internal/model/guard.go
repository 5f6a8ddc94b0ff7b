// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Limits of a Guard. Zero values are no limit, but for those
// that say otherwise.
type Limits struct {
	// Concurrency is how many requests may be under way at once.
	Concurrency int
	// RequestsPerMinute and TokensPerMinute hold in every minute. Tokens are
	// estimated before a request and corrected after it.
	RequestsPerMinute int
	TokensPerMinute   int
	// Shared is where processes take requests and tokens together, under SharedName
	// and what they are; nil for a process that shares nothing.
	Shared     pace.Shared
	SharedName string
	// MaxWait is how long a request may wait for its turn, and for a server
	// that asks for time. Zero is not at all.
	MaxWait time.Duration
	// Timeout is how long one request may take.
	Timeout time.Duration
	// Attempts is how often a request is sent at most; at least once. The
	// first wait between two is about FirstWait, and they double.
	Attempts  int
	FirstWait time.Duration
	// BreakAfter outages in a row nothing is sent for BreakFor.
	BreakAfter int
	BreakFor   time.Duration
}

// Guard holds the requests of all callers of one model server to its limits. Every
// request passes, in this order: the retries, the circuit breaker, the limit of
// concurrency, the pace, the timeout.
type Guard struct {
	name     string
	limits   Limits
	clock    Clock
	observer Observer
	breaker  *breaker
	turns    *fair.Slots[tenant.EnvironmentID] // nil for no limit of concurrency
	pace     *throttle
	caches   []interface{ forget() } // of its server's answers; complete before it is used
}

// ForgetAnswers forgets the answers of the server that are kept.
func (g *Guard) ForgetAnswers() {
	for _, c := range g.caches {
		c.forget()
	}
}

// reservedFor is for how long, after an environment asked a server of so many turns, no
// other may have all of them. Of fewer, one that is kept would be too large a part.
const (
	reservedFor = time.Minute
	reservedOf  = 4
)

// NewGuard makes the guard of the server that is configured under the name.
// A nil clock is the machine's; a nil observer observes nothing.
func NewGuard(name string, limits Limits, clock Clock, observer Observer) *Guard {
	if clock == nil {
		clock = wallClock{}
	}
	if observer == nil {
		observer = noObserver{}
	}
	g := &Guard{
		name: name, limits: limits, clock: clock, observer: observer,
		breaker: newBreaker(limits.BreakAfter, limits.BreakFor, observer.BreakerChanged),
		pace:    newThrottle(clock, &limits),
	}
	switch {
	case limits.Concurrency >= reservedOf:
		g.turns = fair.NewReservingSlots[tenant.EnvironmentID](limits.Concurrency, reservedFor, clock.Now)
	case limits.Concurrency > 0:
		g.turns = fair.NewSlots[tenant.EnvironmentID](limits.Concurrency)
	}
	return g
}

// request is one exchange. It returns the usage even if it fails, and its errors
// are *failure.
type request[A any] func(ctx context.Context) (A, eval.Usage, error)

// send sends until there is an answer, as often as the limits allow. Tokens
// are about how many the request holds. The error is a *failure.
func send[A any](ctx context.Context, g *Guard, kind Kind, tokens int, r request[A]) (A, eval.Usage, error) {
	waits := backoff.ExponentialBackOff{
		InitialInterval:     g.limits.FirstWait,
		RandomizationFactor: backoff.DefaultRandomizationFactor,
		Multiplier:          2,
		MaxInterval:         max(g.limits.MaxWait, g.limits.FirstWait),
	}
	var total eval.Usage
	for attempt := 1; ; attempt++ {
		answer, used, err := once(ctx, g, kind, tokens, r)
		total = total.Add(used)
		if err == nil {
			return answer, total, nil
		}
		f := asFailure(err)
		if ctx.Err() != nil {
			f = &failure{reason: ReasonCancelled, cause: ctx.Err()}
		}
		if f.after > 0 {
			g.pace.pause(min(f.after, g.limits.MaxWait))
		}
		if !f.retried() || attempt >= g.limits.Attempts || f.after > g.limits.MaxWait {
			return answer, total, f
		}
		// Not before the server wants, and not all of us at once.
		wait := f.after + waits.NextBackOff()
		if err := g.clock.Sleep(ctx, wait); err != nil {
			return answer, total, &failure{reason: ReasonCancelled, cause: err}
		}
	}
}

// once sends one request when its turn comes.
func once[A any](ctx context.Context, g *Guard, kind Kind, tokens int, r request[A]) (A, eval.Usage, error) {
	var (
		answer A
		call   Call
	)
	err := g.breaker.do(func() error {
		leave, err := g.enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
		if err := g.pace.wait(ctx, tokens, g.limits.MaxWait); err != nil {
			return err
		}
		call.Sent = true
		began := g.clock.Now()
		answer, call.Usage, err = within(ctx, g.limits.Timeout, r)
		call.Took = g.clock.Now().Sub(began)
		g.pace.charge(ctx, int(call.Usage.PromptTokens+call.Usage.CompletionTokens)-tokens)
		return err
	})
	if err != nil {
		call.Reason = asFailure(err).reason
	}
	g.observer.Called(ctx, kind, call)
	return answer, call.Usage, err
}

// enter waits for a turn, which leave ends. Environments share the server: one that asks
// little does not stand in line behind all that another asks.
func (g *Guard) enter(ctx context.Context) (leave func(), err error) {
	if g.turns == nil {
		return func() {}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, g.limits.MaxWait)
	defer cancel()
	env := tenant.EnvironmentOf(ctx)
	if err := g.turns.Take(waiting, env); err != nil {
		if ctx.Err() != nil {
			return nil, ofTransport(ctx.Err())
		}
		return nil, &failure{reason: ReasonBusy, cause: errors.New("concurrency")}
	}
	began := g.clock.Now()
	return func() { g.turns.Give(env, g.clock.Now().Sub(began)) }, nil
}

// cacheLookup reports a look into a cache, if there is one.
func (g *Guard) cacheLookup(ctx context.Context, kind Kind, limits CacheLimits, hit bool) {
	if !limits.off() {
		g.observer.CacheLookup(ctx, kind, hit)
	}
}

// within limits the duration of a request to timeout; 0 is no limit. When that runs out the server was too
// slow; when the caller's own runs out, the caller was cancelled.
func within[A any](ctx context.Context, timeout time.Duration, r request[A]) (A, eval.Usage, error) {
	if timeout <= 0 {
		return r(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer, usage, err := r(limited)
	if err != nil && ctx.Err() != nil {
		err = &failure{reason: ReasonCancelled, cause: ctx.Err()}
	}
	return answer, usage, err
}
