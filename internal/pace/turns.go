// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Turns share what has room for so many at once among those who want it. When more
// want to, that one comes first who has had the least time since he last had nothing to
// do. It is safe for concurrent use.
type Turns[K comparable] struct {
	waiting atomic.Int64
	most    int // at once
	reserve *reserve[K]

	mu     sync.Mutex // guards all below
	free   int
	shares map[K]*share // of who has a turn or waits for one
	lent   int          // turns that there are besides
	// patience is how long a turn may last until another is lent; 0 is for ever.
	patience time.Duration
}

// Lend has there be another turn for each that lasts longer than patience while somebody
// waits as long, at most as many again: what ignores that it should end keeps its turn,
// and all others would wait for it. It is called before the first Take.
func (t *Turns[K]) Lend(patience time.Duration) { t.patience = patience }

// Stuck returns how many turns last longer than those do that none is lent for.
func (t *Turns[K]) Stuck() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stuck()
}

func (t *Turns[K]) stuck() (n int) {
	if t.patience == 0 {
		return 0
	}
	for _, s := range t.shares {
		for _, since := range s.since {
			if time.Since(since) >= t.patience {
				n++
			}
		}
	}
	return n
}

// lend gives a turn besides to whoever comes next.
func (t *Turns[K]) lend() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lent < min(t.most, t.stuck()) {
		t.lent++
		t.free++
		t.next()
	}
}

// reserve keeps one turn free for whoever comes next, while several come.
type reserve[K comparable] struct {
	now           func() time.Time
	within        time.Duration
	last, another visit[K] // the last one who took a turn, and the last one who was not that
}

// visit is when one took a turn; zero where nobody has.
type visit[K comparable] struct {
	who  K
	when time.Time
}

// share is what one has.
type share struct {
	had     time.Duration
	running int
	since   []time.Time     // when those turns began
	queue   []chan struct{} // is closed to give a turn
}

// begin begins a turn.
func (s *share) begin() {
	s.running++
	s.since = append(s.since, time.Now())
}

// end ends the turn that began so long ago, as nearly as can be told.
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

// NewTurns returns turns of so many at once.
func NewTurns[K comparable](n int) *Turns[K] {
	return &Turns[K]{most: n, free: n, shares: make(map[K]*share)}
}

// NewReservingTurns returns turns of so many at once, of which nobody has all while
// somebody else has had one within a time by the clock now: who comes with little does
// not wait until a turn ends of one who has much to do. It is for turns that take long
// and that cannot be interrupted.
func NewReservingTurns[K comparable](n int, within time.Duration, now func() time.Time) *Turns[K] {
	t := NewTurns[K](n)
	t.reserve = &reserve[K]{now: now, within: within}
	return t
}

// Take waits for a turn of who. The error is the context's.
func (t *Turns[K]) Take(ctx context.Context, who K) error {
	t.mu.Lock()
	s := t.shares[who]
	if s == nil {
		s = &share{had: t.least()}
		t.shares[who] = s
	}
	if t.free > 0 && t.may(who, s) {
		t.free--
		s.begin()
		t.took(who)
		t.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	s.queue = append(s.queue, turn)
	t.waiting.Add(1)
	t.mu.Unlock()
	var late <-chan time.Time
	if t.patience > 0 {
		look := time.NewTicker(t.patience)
		defer look.Stop()
		late = look.C
	}
waiting:
	for {
		select {
		case <-turn:
			return nil
		case <-late:
			t.lend()
		case <-ctx.Done():
			break waiting
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := slices.Index(s.queue, turn); at >= 0 {
		s.queue = slices.Delete(s.queue, at, at+1)
		t.waiting.Add(-1)
		t.forget(who, s)
	} else {
		t.end(who, s, 0)
	}
	return ctx.Err()
}

// least is how much time he has had who has had the least. What
// comes anew begins there: nobody saves up turns.
func (t *Turns[K]) least() time.Duration {
	least, first := time.Duration(0), true
	for _, s := range t.shares {
		if first || s.had < least {
			least, first = s.had, false
		}
	}
	return least
}

// Give ends a turn that took so long.
func (t *Turns[K]) Give(who K, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end(who, t.shares[who], took)
}

func (t *Turns[K]) end(who K, s *share, took time.Duration) {
	s.end(took)
	if t.lent > t.stuck() {
		t.lent--
	} else {
		t.free++
	}
	t.next()
	t.forget(who, s)
}

// next returns free turns to who waits.
func (t *Turns[K]) next() {
	for t.free > 0 {
		var chosen *share
		var who K
		for k, s := range t.shares {
			if len(s.queue) > 0 && (chosen == nil || s.had < chosen.had) && t.may(k, s) {
				chosen, who = s, k
			}
		}
		if chosen == nil {
			return
		}
		t.took(who)
		close(chosen.queue[0])
		chosen.queue = chosen.queue[1:]
		chosen.begin()
		t.free--
		t.waiting.Add(-1)
	}
}

// may reports whether who may have one of the turns that are free. Who may not has turns,
// and is asked about again when one of those ends.
func (t *Turns[K]) may(who K, s *share) bool {
	if t.reserve == nil || t.most == 1 || s.running < t.most-1 {
		return true
	}
	other := t.reserve.last
	if other.who == who {
		other = t.reserve.another
	}
	return other.when.IsZero() || t.reserve.now().Sub(other.when) > t.reserve.within
}

// took notes who took a turn.
func (t *Turns[K]) took(who K) {
	if t.reserve == nil {
		return
	}
	if t.reserve.last.who != who {
		t.reserve.another = t.reserve.last
	}
	t.reserve.last = visit[K]{who: who, when: t.reserve.now()}
}

func (t *Turns[K]) forget(who K, s *share) {
	if s.running == 0 && len(s.queue) == 0 {
		delete(t.shares, who)
	}
}

// Due reports whether another one waits who has had less time than who has, counting the
// time that the present turn of who took so far.
func (t *Turns[K]) Due(who K, took time.Duration) bool {
	if t.waiting.Load() == 0 {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.shares[who]
	for _, s := range t.shares {
		if s != mine && len(s.queue) > 0 && s.had < mine.had+took {
			return true
		}
	}
	return false
}

// Waiting returns how many wait.
func (t *Turns[K]) Waiting() int64 { return t.waiting.Load() }
