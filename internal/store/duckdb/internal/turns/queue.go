// SPDX-License-Identifier: Apache-2.0

// Package turns says who may use the engine when: one caller writes at a time, for
// all who wait, and a bounded number of callers read.
package turns

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Bounds of one commit, about: its rows, and while several environments send its rows
// and bytes, which take a tenth of a second then, or some hundredths where one of them sends
// much and another little. Requests are divided by the last.
const (
	groupRecords  = 16_384
	sharedRecords = 8192
	sharedBytes   = 8 << 20
	shortRecords  = 2048
	shortBytes    = 2 << 20
)

// limits are how many rows and bytes a commit may have.
type limits struct{ records, bytes int }

// Queue lets one caller write at a time. A caller that has the turn writes for those
// who wait, too: many small requests make one commit.
type Queue struct {
	turn chan struct{}
	// Bytes is how much one group has at most, if it has more than one request.
	Bytes int

	spacing spacing       // of the caller that has the turn
	arrived chan struct{} // has a value when something came into line since that was last taken

	mu      sync.Mutex
	senders senders
	// restUntil is up to when nothing of who sends much is committed, while others send little.
	restUntil time.Time
	waiting   []*Request
	// served are the environments that some of what waits is of: when each last had
	// something in a group, by the groups' number.
	served map[tenant.EnvironmentID]int
	groups int
}

// NewQueue returns a queue whose groups have about groupBytes at most.
func NewQueue(groupBytes int) Queue {
	return Queue{turn: make(chan struct{}, 1), arrived: make(chan struct{}, 1), Bytes: groupBytes}
}

// Enter waits for the turn, which ends with Leave. The error is the context's.
func (q *Queue) Enter(ctx context.Context) error {
	select {
	case q.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// EnterUnless waits for the turn or until done is closed, and reports whether the caller has
// the turn. The error is the context's.
func (q *Queue) EnterUnless(ctx context.Context, done <-chan struct{}) (bool, error) {
	select {
	case q.turn <- struct{}{}:
		return true, nil
	case <-done:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// Leave ends the turn.
func (q *Queue) Leave() { <-q.turn }

// Submit has r written by write, which is called with requests that belong
// into one commit, r or parts of it among them, and fills in their errors. What has begun to
// be written is finished whatever becomes of ctx. Then end is called, which must leave the queue.
// The error is that of r, or the context's where not all of it had begun.
func (q *Queue) Submit(ctx context.Context, r *Request, write func([]*Request), end func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	parts := r.parts(min(shortBytes, q.Bytes))
	q.mu.Lock()
	q.waiting = append(q.waiting, parts...)
	q.mu.Unlock()
	select {
	case q.arrived <- struct{}{}:
	default:
	}
	mine := false
	for next := unwritten(parts); next != nil && !mine; next = unwritten(parts) {
		select {
		case <-next.done:
		case q.turn <- struct{}{}:
			mine = true
		case <-ctx.Done():
			if q.withdraw(parts) {
				return ctx.Err()
			}
		}
	}
	if !mine {
		return r.outcome(parts)
	}
	defer end()
	for unwritten(parts) != nil {
		q.spacing.wait(q)
		q.await()
		group := q.take()
		q.spacing.begin(group)
		write(group)
		q.rested(group)
		q.spacing.end(group, q.length())
		for _, x := range group {
			close(x.done)
		}
	}
	return r.outcome(parts)
}

// unwritten returns one of the parts of which it is not known yet what became, nil if
// there is none. Those of one environment are written in their order; of several they
// are in any.
func unwritten(parts []*Request) *Request {
	for _, p := range parts {
		select {
		case <-p.done:
		default:
			return p
		}
	}
	return nil
}

// take returns requests in line that go into one commit: all of them, or where that
// would be too much those of environments in turn. While several environments send a
// commit is bounded, and short while they do not send alike, so that none waits long for what
// another sends. While there is a rest, it is of who sends little.
func (q *Queue) take() []*Request {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	q.senders.note(q.waiting, now)
	if all := q.waiting; q.rests(now) && slices.ContainsFunc(all, q.isLight) {
		heavy := func(r *Request) bool { return !q.isLight(r) }
		q.waiting = slices.DeleteFunc(slices.Clone(all), heavy)
		group := q.group(now)
		q.waiting = slices.DeleteFunc(all, func(r *Request) bool { return slices.Contains(group, r) })
		return group
	}
	return q.group(now)
}

// group takes requests in line, all or those that share makes a group of. The caller has
// the lock.
func (q *Queue) group(now time.Time) []*Request {
	records, bytes := q.size()
	most := limits{groupRecords, q.Bytes}
	switch {
	case q.senders.unequal(now):
		most = limits{shortRecords, min(shortBytes, q.Bytes)}
	case q.senders.several(now):
		most = limits{sharedRecords, min(sharedBytes, q.Bytes)}
	}
	if len(q.waiting) < 2 || records <= most.records && bytes <= most.bytes {
		group := q.waiting
		q.waiting, q.served = nil, nil
		return group
	}
	group, rest := q.share(most)
	q.waiting = rest
	return group
}

// withdraw takes parts of a request out of the line whose commit has not begun, and waits for
// the others. It reports whether there were any to take out.
func (q *Queue) withdraw(parts []*Request) bool {
	q.mu.Lock()
	withdrawn := map[*Request]bool{}
	q.waiting = slices.DeleteFunc(q.waiting, func(r *Request) bool {
		if !slices.Contains(parts, r) {
			return false
		}
		withdrawn[r] = true
		return true
	})
	q.mu.Unlock()
	for _, p := range parts {
		if !withdrawn[p] {
			<-p.done
		}
	}
	return len(withdrawn) > 0
}

// size returns how many rows and bytes are in line. The caller has the lock.
func (q *Queue) size() (records, bytes int) { return sizeOf(q.waiting) }

func sizeOf(list []*Request) (records, bytes int) {
	for _, r := range list {
		records += r.Rows()
		bytes += r.Bytes
	}
	return records, bytes
}

// isSmall reports whether a commit of what is in line would be small.
func (q *Queue) isSmall() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return IsSmall(q.waiting)
}

// IsSmall reports whether a commit of requests is small.
func IsSmall(list []*Request) bool {
	records, bytes := sizeOf(list)
	return records < spacingRows && bytes < spacingBytes
}

// some reports whether something in line is of an environment for which that is so.
func (q *Queue) some(is func(tenant.EnvironmentID) bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.waiting, func(r *Request) bool { return is(r.Environment()) })
}

// length returns how many requests are in line.
func (q *Queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
