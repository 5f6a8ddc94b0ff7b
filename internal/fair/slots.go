// SPDX-License-Identifier: Apache-2.0

package fair

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Slots let a bounded number of callers work at once. When more want to, the caller that
// has had the least time since it was last idle comes first. It is safe for concurrent use.
type Slots[K comparable] struct {
	waiting atomic.Int64
	most    int // at once
	reserve *reserve[K]

	mu     sync.Mutex // guards all below
	free   int
	shares map[K]*share // of callers that have a slot or wait for one
	lent   int          // slots beyond most
	// patience is how long a slot may be held until another is lent; 0 is for ever.
	patience time.Duration
}

// Lend adds a slot for each one held longer than patience while a caller waits as long, at
// most as many again. Work that ignores its deadline keeps its slot, and all others would
// wait for it. Call Lend before the first Take.
func (l *Slots[K]) Lend(patience time.Duration) { l.patience = patience }

// Stuck returns the number of slots held longer than the patience.
func (l *Slots[K]) Stuck() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stuck()
}

func (l *Slots[K]) stuck() (n int) {
	if l.patience == 0 {
		return 0
	}
	for _, s := range l.shares {
		for _, since := range s.since {
			if time.Since(since) >= l.patience {
				n++
			}
		}
	}
	return n
}

// lend adds a slot for the caller that comes next.
func (l *Slots[K]) lend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lent < min(l.most, l.stuck()) {
		l.lent++
		l.free++
		l.next()
	}
}

// reserve keeps one slot free for whichever caller comes next, while several come.
type reserve[K comparable] struct {
	now    func() time.Time
	within time.Duration
	recent Recent[K] // who took a slot
}

// share is what one caller has.
type share struct {
	had     time.Duration
	running int
	since   []time.Time     // when those slots were taken
	queue   []chan struct{} // a channel is closed to give a slot
}

// begin takes a slot.
func (s *share) begin() {
	s.running++
	s.since = append(s.since, time.Now())
}

// end gives back the slot that was taken about so long ago.
func (s *share) end(took time.Duration) {
	s.running--
	s.had += took
	begun, at := time.Now().Add(-took), 0
	for i, since := range s.since {
		if since.Sub(begun).Abs() < s.since[at].Sub(begun).Abs() {
			at = i
		}
	}
	s.since = slices.Delete(s.since, at, at+1)
}

// NewSlots returns n slots.
func NewSlots[K comparable](n int) *Slots[K] {
	return &Slots[K]{most: n, free: n, shares: make(map[K]*share)}
}

// NewReservingSlots returns n slots, of which no caller has all while another one has had
// one within a period by the clock now. So a caller with little to do does not wait for
// the work of one with much. It is for work that takes long and cannot be interrupted.
func NewReservingSlots[K comparable](n int, within time.Duration, now func() time.Time) *Slots[K] {
	l := NewSlots[K](n)
	l.reserve = &reserve[K]{now: now, within: within}
	return l
}

// Take waits for a slot for a caller. The error is the context's.
func (l *Slots[K]) Take(ctx context.Context, who K) error {
	l.mu.Lock()
	s := l.shares[who]
	if s == nil {
		s = &share{had: l.least()}
		l.shares[who] = s
	}
	if l.free > 0 && l.may(who, s) {
		l.free--
		s.begin()
		l.took(who)
		l.mu.Unlock()
		return nil
	}
	slot := make(chan struct{})
	s.queue = append(s.queue, slot)
	l.waiting.Add(1)
	l.mu.Unlock()
	var late <-chan time.Time
	if l.patience > 0 {
		look := time.NewTicker(l.patience)
		defer look.Stop()
		late = look.C
	}
waiting:
	for {
		select {
		case <-slot:
			return nil
		case <-late:
			l.lend()
		case <-ctx.Done():
			break waiting
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := slices.Index(s.queue, slot); at >= 0 {
		s.queue = slices.Delete(s.queue, at, at+1)
		l.waiting.Add(-1)
		l.forget(who, s)
	} else {
		l.end(who, s, 0)
	}
	return ctx.Err()
}

// least returns the time of the caller that has had the least. A caller that comes back
// begins there, so it cannot save up time.
func (l *Slots[K]) least() time.Duration {
	least, first := time.Duration(0), true
	for _, s := range l.shares {
		if first || s.had < least {
			least, first = s.had, false
		}
	}
	return least
}

// Give gives back a slot that was held so long.
func (l *Slots[K]) Give(who K, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(who, l.shares[who], took)
}

func (l *Slots[K]) end(who K, s *share, took time.Duration) {
	s.end(took)
	if l.lent > l.stuck() {
		l.lent--
	} else {
		l.free++
	}
	l.next()
	l.forget(who, s)
}

// next gives free slots to callers that wait.
func (l *Slots[K]) next() {
	for l.free > 0 {
		var chosen *share
		var who K
		for k, s := range l.shares {
			if len(s.queue) > 0 && (chosen == nil || s.had < chosen.had) && l.may(k, s) {
				chosen, who = s, k
			}
		}
		if chosen == nil {
			return
		}
		l.took(who)
		close(chosen.queue[0])
		chosen.queue = chosen.queue[1:]
		chosen.begin()
		l.free--
		l.waiting.Add(-1)
	}
}

// may reports whether a caller may have one of the free slots. A caller that may not has
// slots itself, and next asks again when it gives one back.
func (l *Slots[K]) may(who K, s *share) bool {
	if l.reserve == nil || l.most == 1 || s.running < l.most-1 {
		return true
	}
	return !l.reserve.recent.Another(who, l.reserve.now(), l.reserve.within)
}

// took notes which caller took a slot.
func (l *Slots[K]) took(who K) {
	if l.reserve != nil {
		l.reserve.recent.Note(who, l.reserve.now())
	}
}

func (l *Slots[K]) forget(who K, s *share) {
	if s.running == 0 && len(s.queue) == 0 {
		delete(l.shares, who)
	}
}

// Due reports whether another caller waits that has had less time than this one, counting
// the time for which this one has held its present slot.
func (l *Slots[K]) Due(who K, took time.Duration) bool {
	if l.waiting.Load() == 0 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	mine := l.shares[who]
	for _, s := range l.shares {
		if s != mine && len(s.queue) > 0 && s.had < mine.had+took {
			return true
		}
	}
	return false
}

// Waiting returns how many requests for slots wait.
func (l *Slots[K]) Waiting() int64 { return l.waiting.Load() }
