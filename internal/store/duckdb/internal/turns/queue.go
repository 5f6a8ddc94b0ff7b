// SPDX-License-Identifier: Apache-2.0

// Package turns says who may use the engine when: one caller writes at a time, for
// all who wait, and a bounded number of callers read.
package turns

import (
	"context"
	"slices"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// groupRecords bounds the rows of one commit, about.
const groupRecords = 16_384

// Queue lets one caller write at a time. Whoever has the turn writes for those
// who wait, too: many small requests make one commit.
type Queue struct {
	turn chan struct{}
	// Bytes is how much one group has at most, if it has more than one request.
	Bytes int

	spacing spacing // of whoever has the turn

	mu      sync.Mutex
	waiting []*Request
	// served are the environments that some of what waits is of: when each last had
	// something in a group, by the groups' number.
	served map[tenant.EnvironmentID]int
	groups int
}

// NewQueue returns a queue whose groups have about groupBytes at most.
func NewQueue(groupBytes int) Queue {
	return Queue{turn: make(chan struct{}, 1), Bytes: groupBytes}
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

// Leave ends the turn.
func (q *Queue) Leave() { <-q.turn }

// Submit has r written by write, which is called with requests that belong
// into one commit and fills in their errors. Once that has begun, r is finished
// whatever becomes of ctx. Then end is called, which must leave the queue. The
// error is that of r, or the context's where the writing had not begun.
func (q *Queue) Submit(ctx context.Context, r *Request, write func([]*Request), end func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	q.waiting = append(q.waiting, r)
	q.mu.Unlock()
	select {
	case <-r.done:
		return r.Err
	case q.turn <- struct{}{}:
		defer end()
	case <-ctx.Done():
		if q.withdraw(r) {
			return ctx.Err()
		}
		<-r.done
		return r.Err
	}
	for {
		select {
		case <-r.done:
			return r.Err
		default:
		}
		q.spacing.wait()
		group := q.take()
		q.spacing.begin(group)
		write(group)
		q.spacing.end(q.length())
		for _, x := range group {
			close(x.done)
		}
	}
}

// take returns requests in line that go into one commit: all of them, or where that
// would be too much those of environments in turn.
func (q *Queue) take() []*Request {
	q.mu.Lock()
	defer q.mu.Unlock()
	records, bytes := 0, 0
	for _, r := range q.waiting {
		records += r.size()
		bytes += r.Bytes
	}
	if len(q.waiting) < 2 || records <= groupRecords && bytes <= q.Bytes {
		group := q.waiting
		q.waiting, q.served = nil, nil
		return group
	}
	group, rest := q.share()
	q.waiting = rest
	return group
}

// withdraw takes r out of the line, unless its commit has begun.
func (q *Queue) withdraw(r *Request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, r)
	if i < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

// length returns how many requests are in line.
func (q *Queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
