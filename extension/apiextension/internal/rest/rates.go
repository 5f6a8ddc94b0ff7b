// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Rates gives each environment the same rate. Callers without one share that of "".
type Rates struct {
	rate pace.Rate
	now  func() time.Time

	mu      sync.Mutex
	buckets map[tenant.EnvironmentID]*rateOf
}

// rateOf is what an environment has taken, and how much was refused since.
type rateOf struct {
	*pace.Bucket
	missed int
}

// manyRates is the number of environments from which on those are forgotten that have
// taken nothing lately.
const manyRates = 1024

// NewRates returns rates by the clock now.
func NewRates(r pace.Rate, now func() time.Time) *Rates {
	return &Rates{rate: r, now: now, buckets: map[tenant.EnvironmentID]*rateOf{}}
}

// take takes one from the rate of an environment. It returns how many were refused since
// the last one was given, or how long to wait until there is another one.
func (r *Rates) take(env tenant.EnvironmentID) (missed int, wait time.Duration) {
	if r == nil {
		return 0, 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	x := r.buckets[env]
	if x == nil {
		r.forget(now)
		x = &rateOf{Bucket: pace.NewBucket(r.rate.PerSecond, r.rate.Burst)}
		r.buckets[env] = x
	}
	if wait = x.Wait(now); wait > 0 {
		x.missed++
		return 0, wait
	}
	x.Take(now, 1)
	missed, x.missed = x.missed, 0
	return missed, 0
}

// forget drops the rates of which all is there, when there are many.
func (r *Rates) forget(now time.Time) {
	if len(r.buckets) < manyRates {
		return
	}
	for env, x := range r.buckets {
		if x.missed == 0 && x.Full(now) {
			delete(r.buckets, env)
		}
	}
}

// mayChange returns nil unless the route changes something and the environment has
// changed too much lately. The operator has no bound.
func (s *Server) mayChange(route *Route, p *tenant.Principal) error {
	if route.action == "" || p.Operator {
		return nil
	}
	if _, wait := s.Changes.take(p.Environment.ID); wait > 0 {
		return fault.Limit(wait, "the environment may make %v changes per second: try again later", s.Changes.rate.PerSecond)
	}
	return nil
}
