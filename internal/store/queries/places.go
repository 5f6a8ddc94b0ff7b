// SPDX-License-Identifier: Apache-2.0

package queries

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// presence is for how long an environment counts as there after it asked or sent
// something: twice the five seconds in which SDKs collect spans before they send them,
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#batch-span-processor.
const presence = 10 * time.Second

// places says whose query runs when. An environment has places for cheap queries
// and one for expensive ones, so that neither wait for the other. Those whose turn
// it is in their environment wait for a place among the expensive ones of all, in
// the order in which they came: so environments take turns.
type places struct {
	limits    Limits
	expensive *semaphore.Weighted

	mu    sync.Mutex
	envs  map[tenant.EnvironmentID]*own
	users int // of all environments
	seen  fair.Recent[tenant.EnvironmentID]
	now   Stats // but for Refused
}

// own are the places of one environment. They are forgotten when none has or
// wants one, and it may read as much as one that never did.
type own struct {
	read    *pace.Bucket // KiB, of cheap queries; nil for any number
	ran     usage
	places  [kinds]*semaphore.Weighted
	waiting [kinds]int
	users   int
}

func newPlaces(l Limits) *places {
	l.AtOnce, l.ExpensiveAtOnce = max(l.AtOnce, 1), max(l.ExpensiveAtOnce, 1)
	return &places{
		limits: l, envs: map[tenant.EnvironmentID]*own{}, expensive: semaphore.NewWeighted(int64(l.ExpensiveAtOnce)),
	}
}

// enter waits for a place and returns what gives it back, and whether the query is to
// come after all else. The error is the context's, or Limited. leave takes the number of bytes
// that were read, but counts no more than can be read in the time that the query took. The
// number is an estimate, and figures of columns that compress well cost a tenth of it.
func (p *places) enter(ctx context.Context, env tenant.EnvironmentID, k Kind) (leave func(bytes int64), last bool, err error) {
	o, err := p.queue(env, k)
	if err != nil {
		return nil, false, err
	}
	if err := p.acquire(ctx, env, o, k); err != nil {
		p.note(func() {
			o.waiting[k]--
			p.now.Waiting[k]--
			p.forget(env, o)
		})
		return nil, false, err
	}
	began := time.Now()
	p.note(func() {
		o.waiting[k]--
		p.now.Waiting[k]--
		p.now.Running[k]++
		last = k == Expensive || o.ran.isHeavy(began)
	})
	return func(bytes int64) {
		if k == Expensive {
			p.expensive.Release(1)
		}
		o.places[k].Release(1)
		p.note(func() {
			p.now.Running[k]--
			now := time.Now()
			took := now.Sub(began)
			o.ran.add(now, took)
			p.seen.Note(env, now)
			if k == Cheap && p.others(env, o, now) {
				o.read.Take(now, int(min(bytes, bytesIn(took))>>10))
			}
			p.forget(env, o)
		})
	}, last, nil
}

// queue begins to wait, unless too many do already.
func (p *places) queue(env tenant.EnvironmentID, k Kind) (*own, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.envs[env]
	if o == nil {
		o = &own{read: pace.PerSecond(float64(p.limits.PerSecond >> 10))}
		o.places[Cheap], o.places[Expensive] = semaphore.NewWeighted(int64(p.limits.AtOnce)), semaphore.NewWeighted(1)
		p.envs[env] = o
	}
	// Who finds a place at once waits for no one: one more than may wait.
	if p.limits.Waiting > 0 && o.waiting[k] >= p.limits.Waiting && !o.free(k) {
		return nil, p.tooMany(k)
	}
	o.users++
	p.users++
	p.seen.Note(env, time.Now())
	o.waiting[k]++
	p.now.Waiting[k]++
	return o, nil
}

// free reports whether there is a place without a waiter.
func (o *own) free(k Kind) bool {
	if !o.places[k].TryAcquire(1) {
		return false
	}
	o.places[k].Release(1)
	return true
}

// others reports whether an environment shares the processors with another: one that asks
// now, or that asked or sent something lately. The caller has the lock.
func (p *places) others(env tenant.EnvironmentID, o *own, now time.Time) bool {
	return p.limits.Shared || p.users > o.users || p.seen.Another(env, now, presence)
}

// pay waits until what was read before is within what may be read, or no other environment is
// there. So a query of any size runs, and over time the rate is kept while others read.
func (p *places) pay(ctx context.Context, env tenant.EnvironmentID, o *own) error {
	for {
		now := time.Now()
		wait := o.read.Wait(now)
		if wait <= 0 {
			return nil
		}
		var shared bool
		p.note(func() { shared = p.others(env, o, now) })
		if !shared {
			return nil
		}
		if err := pace.Sleep(ctx, min(wait, time.Second)); err != nil {
			return err
		}
	}
}

// acquire takes a place of the environment, and for an expensive query one of all.
func (p *places) acquire(ctx context.Context, env tenant.EnvironmentID, o *own, k Kind) error {
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if p.limits.Wait > 0 {
		waiting, cancel = context.WithTimeout(ctx, p.limits.Wait)
	}
	defer cancel()
	err := take(waiting, o.places[k])
	if err == nil {
		if k == Expensive {
			err = take(waiting, p.expensive)
		} else {
			err = p.pay(waiting, env, o)
		}
		if err != nil {
			o.places[k].Release(1)
		}
	}
	if err != nil && ctx.Err() == nil {
		return p.tooMany(k)
	}
	return err
}

// take takes a place: one that is free at once, however long it took to ask for it.
func take(ctx context.Context, places *semaphore.Weighted) error {
	if places.TryAcquire(1) {
		return nil
	}
	return places.Acquire(ctx, 1)
}

func (p *places) tooMany(k Kind) error {
	if k == Expensive {
		const after = 5 * time.Second
		return fault.Limit(after, "the environment has too many queries under way that look at much: they run one at a time; ask for a shorter period, or try again")
	}
	return fault.Limit(time.Second, "the environment asks more than it may: %d queries of it run at once, and others wait; try again when some are answered", p.limits.AtOnce)
}

// forget ends one use of an environment's places.
func (p *places) forget(env tenant.EnvironmentID, o *own) {
	p.users--
	if o.users--; o.users > 0 {
		return
	}
	if o.isAsNew(time.Now()) {
		delete(p.envs, env)
	}
	p.sweep()
}

// isAsNew reports whether an environment may ask as one that never did.
func (o *own) isAsNew(now time.Time) bool { return o.read.Full(now) && o.ran.isOver(now) }

// sweep forgets environments that are no longer asked for, some at a time, once there
// are many of them.
func (p *places) sweep() {
	const many = 1000
	if len(p.envs) < many {
		return
	}
	now := time.Now()
	looked := 0
	for env, o := range p.envs {
		if o.users == 0 && o.isAsNew(now) {
			delete(p.envs, env)
		}
		if looked++; looked == many {
			return
		}
	}
}

func (p *places) note(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
}

// sent notes that an environment is there, though it asks nothing.
func (p *places) sent(env tenant.EnvironmentID) {
	p.note(func() { p.seen.Note(env, time.Now()) })
}

// stats returns how many have places and wait for them.
func (p *places) stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}
