// SPDX-License-Identifier: Apache-2.0

// Package fair shares what is scarce among environments, so that none of them
// takes what the others need. It reads the bodies of requests into what they may have.
//
// See docs/adr/0011-admission-and-memory-budget.md.
package fair

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrFull is the error for a request that waited for bytes in vain.
var ErrFull = errors.New("too much is under way; try again later")

// Provider is an extension whose budget other extensions share.
type Provider interface {
	Budget() *Budget
}

// Budget is the memory that requests under way share. The caller that holds
// least is served first, and a caller with several requests has at most half of
// the budget. It is safe for concurrent use.
type Budget struct {
	total int64
	wait  time.Duration
	used  func(held, total int64)

	mu      sync.Mutex
	held    int64
	callers map[string]*caller
	waiting []*waiter // in the order they came
}

// caller is what one environment holds.
type caller struct {
	held   int64
	wanted int64 // what its requests in line wait for
	leases int   // requests under way: the caller is forgotten with the last
}

type waiter struct {
	lease   *Lease
	n       int64
	granted chan struct{} // closed under the budget's mutex
}

// NewBudget returns a budget of total bytes. A request waits for its bytes at
// most as long as wait. The budget calls used, under its mutex, each time that
// requests hold more; nil is none.
func NewBudget(total int64, wait time.Duration, used func(held, total int64)) *Budget {
	if used == nil {
		used = func(int64, int64) {}
	}
	return &Budget{total: total, wait: wait, used: used, callers: make(map[string]*caller)}
}

// Lease is what one request holds. One goroutine at a time may use it.
type Lease struct {
	budget *Budget
	part   *Part // nil is none
	name   string
	caller *caller
	held   int64
}

// Lease begins a request of this caller, which holds nothing yet. The request
// ends with Release.
func (b *Budget) Lease(name string) *Lease {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.callers[name]
	if c == nil {
		c = &caller{}
		b.callers[name] = c
	}
	c.leases++
	return &Lease{budget: b, name: name, caller: c}
}

// Part is what requests of one kind may hold of a budget together, so that those
// of other kinds find the rest.
type Part struct {
	budget *Budget
	most   int64
	held   int64 // guarded by the budget's mutex
}

// Part returns a part of the budget of at most so many bytes.
func (b *Budget) Part(most int64) *Part { return &Part{budget: b, most: most} }

// Lease begins a request of this caller as Budget.Lease does.
func (p *Part) Lease(name string) *Lease {
	l := p.budget.Lease(name)
	l.part = p
	return l
}

// InUse returns the bytes that the requests of the part hold.
func (p *Part) InUse() int64 {
	p.budget.mu.Lock()
	defer p.budget.mu.Unlock()
	return p.held
}

// Total returns the bytes of the budget.
func (b *Budget) Total() int64 { return b.total }

// InUse returns the bytes that all requests hold.
func (b *Budget) InUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// Full reports whether a caller has so much under way and in line that one more
// request of it would wait in vain.
func (b *Budget) Full(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.callers[name]
	return c != nil && c.held+c.wanted > b.total
}

// fits reports whether a lease may have n more.
func (b *Budget) fits(l *Lease, n int64) bool {
	alone := l.caller.held == l.held
	return b.held+n <= b.total && l.inPart(n) && (alone || l.caller.held+n <= b.total/2)
}

// inPart reports whether n more are within the part of a lease.
func (l *Lease) inPart(n int64) bool { return l.part == nil || l.part.held+n <= l.part.most }

func (b *Budget) give(l *Lease, n int64) {
	b.held += n
	l.caller.held += n
	l.held += n
	if l.part != nil {
		l.part.held += n
	}
	if n > 0 {
		b.used(b.held, b.total)
	}
}

// Held returns the bytes that the request holds.
func (l *Lease) Held() int64 { return l.held }

// Grow lets the request hold n more bytes. It blocks until they are free, and
// returns ErrFull if that takes too long, or the error of ctx.
func (l *Lease) Grow(ctx context.Context, n int64) error {
	b := l.budget
	b.mu.Lock()
	if b.fits(l, n) && !b.before(l) {
		b.give(l, n)
		b.mu.Unlock()
		return nil
	}
	w := &waiter{lease: l, n: n, granted: make(chan struct{})}
	b.waiting = append(b.waiting, w)
	l.caller.wanted += n
	b.mu.Unlock()

	timer := time.NewTimer(b.wait)
	defer timer.Stop()
	select {
	case <-w.granted:
		return nil
	case <-timer.C:
		return b.leave(w, ErrFull)
	case <-ctx.Done():
		return b.leave(w, ctx.Err())
	}
}

// before reports whether another caller waits that holds no more than the
// caller of l, and is served first.
func (b *Budget) before(l *Lease) bool {
	for _, w := range b.waiting {
		if w.lease.caller != l.caller && w.lease.caller.held <= l.caller.held && b.fits(w.lease, w.n) {
			return true
		}
	}
	return false
}

// leave ends a wait with err, unless it was granted just now.
func (b *Budget) leave(w *waiter, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, other := range b.waiting {
		if other == w {
			b.waiting = append(b.waiting[:i], b.waiting[i+1:]...)
			w.lease.caller.wanted -= w.n
			b.serve() // it may have been in the way of others
			return err
		}
	}
	return nil
}

// Take lets the request hold n bytes that are in memory already, or returns
// ErrFull at once. An eighth beyond the total is reserved for such bytes, since
// they exist whether they are counted or not.
func (l *Lease) Take(n int64) error {
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	alone := l.caller.held == l.held
	if b.held+n > b.total+b.total/8 || !l.inPart(n) || !alone && l.caller.held+n > b.total/2 {
		return ErrFull
	}
	b.give(l, n)
	return nil
}

// Shrink gives n bytes back.
func (l *Lease) Shrink(n int64) {
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.give(l, -n)
	b.serve()
}

// Release ends the request.
func (l *Lease) Release() {
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.give(l, -l.held)
	if l.caller.leases--; l.caller.leases == 0 {
		delete(b.callers, l.name)
	}
	b.serve()
}

// serve grants what waits and fits: first to the caller that holds least, then
// in the order of arrival.
func (b *Budget) serve() {
	for {
		next := -1
		for i, w := range b.waiting {
			if b.fits(w.lease, w.n) && (next < 0 || w.lease.caller.held < b.waiting[next].lease.caller.held) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		w := b.waiting[next]
		b.waiting = append(b.waiting[:next], b.waiting[next+1:]...)
		w.lease.caller.wanted -= w.n
		b.give(w.lease, w.n)
		close(w.granted)
	}
}
