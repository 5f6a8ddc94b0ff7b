// SPDX-License-Identifier: Apache-2.0

package turns

import (
	"slices"
	"time"
)

// A rest begins after a commit that could not be short, since one row of it is large, and
// lasts as long as that took: while some send much and others little, nothing of the
// first is committed until then, so that long commits have half of the time at most.

// restMost is how long a rest lasts at most.
const restMost = time.Second

// rested begins a rest behind a group that was just committed and could not be short.
func (q *Queue) rested(group []*Request) {
	bytes := 0
	for _, r := range group {
		bytes += r.Bytes
	}
	if bytes <= shortBytes {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	q.restUntil = now.Add(min(now.Sub(q.spacing.began), restMost))
}

// await waits while there is a rest, and nothing in line of who sends little.
func (q *Queue) await() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		left := q.resting()
		if left <= 0 {
			return
		}
		timer.Reset(left)
		select {
		case <-timer.C:
		case <-q.arrived:
		}
	}
}

// resting returns for how long nothing in line may be committed.
func (q *Queue) resting() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	q.senders.note(q.waiting, now)
	if !q.rests(now) || slices.ContainsFunc(q.waiting, q.isLight) {
		return 0
	}
	return q.restUntil.Sub(now)
}

// rests reports whether nothing may be committed of who sends much. The caller has the
// lock.
func (q *Queue) rests(now time.Time) bool {
	return now.Before(q.restUntil) && q.senders.unequal(now)
}

// isLight reports whether a request is of who did not send much lately. The caller has
// the lock.
func (q *Queue) isLight(r *Request) bool {
	_, heavy := q.senders.heavy[r.Environment()]
	return !heavy
}
