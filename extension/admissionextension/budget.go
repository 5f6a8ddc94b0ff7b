// SPDX-License-Identifier: Apache-2.0

package admissionextension

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/freemem"
)

// errMemory is what a request gets that waited for memory in vain.
var errMemory = errors.New("too much is under way; try again later")

// budget is the memory that requests under way share. Whoever holds least is
// served first, and a caller with several requests has at most half of it, so
// that none can keep the others out.
type budget struct {
	total  int64
	wait   time.Duration
	memory *freemem.Giver

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
	lease   *lease
	n       int64
	granted chan struct{} // closed under the budget's mutex
}

func newBudget(total int64, wait time.Duration) *budget {
	return &budget{total: total, wait: wait, memory: freemem.New(), callers: make(map[string]*caller)}
}

// lease is what one request holds. It is used by one goroutine at a time.
type lease struct {
	budget *budget
	name   string
	caller *caller
	held   int64
}

// lease begins a request of this caller, which holds nothing yet.
func (b *budget) lease(name string) *lease {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.callers[name]
	if c == nil {
		c = &caller{}
		b.callers[name] = c
	}
	c.leases++
	return &lease{budget: b, name: name, caller: c}
}

// fits reports whether a lease may have n more.
func (b *budget) fits(l *lease, n int64) bool {
	alone := l.caller.held == l.held
	return b.held+n <= b.total && (alone || l.caller.held+n <= b.total/2)
}

// full reports whether a caller has so much under way and in line that one more request
// of it would wait in vain: what waits is as much as it may hold.
func (b *budget) full(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.callers[name]
	return c != nil && c.held+c.wanted > b.total
}

func (b *budget) give(l *lease, n int64) {
	b.held += n
	l.caller.held += n
	l.held += n
	if n > 0 {
		b.memory.Used(b.held, b.total)
	}
}

// grow lets the request hold n more bytes. It waits until they are there, and
// gives errMemory if that takes too long, or the error of ctx.
func (l *lease) grow(ctx context.Context, n int64) error {
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
		return b.leave(w, errMemory)
	case <-ctx.Done():
		return b.leave(w, ctx.Err())
	}
}

// before reports whether somebody waits who holds less than the caller of l,
// and is served first.
func (b *budget) before(l *lease) bool {
	for _, w := range b.waiting {
		if w.lease.caller != l.caller && w.lease.caller.held <= l.caller.held && b.fits(w.lease, w.n) {
			return true
		}
	}
	return false
}

// leave ends a wait with err, unless it was granted just now.
func (b *budget) leave(w *waiter, err error) error {
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

// take lets the request hold n bytes that are in memory already, or gives
// errMemory at once. Beyond the total there is an eighth for such bytes, since
// they are there whether they are counted or not.
func (l *lease) take(n int64) error {
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	alone := l.caller.held == l.held
	if b.held+n > b.total+b.total/8 || !alone && l.caller.held+n > b.total/2 {
		return errMemory
	}
	b.give(l, n)
	return nil
}

// shrink returns n bytes back.
func (l *lease) shrink(n int64) {
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.give(l, -n)
	b.serve()
}

// release ends the request.
func (l *lease) release() {
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.give(l, -l.held)
	if l.caller.leases--; l.caller.leases == 0 {
		delete(b.callers, l.name)
	}
	b.serve()
}

// serve grants what waits and fits: first to whose caller holds least, then to
// who came first.
func (b *budget) serve() {
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

// inUse returns what all requests hold.
func (b *budget) inUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}
