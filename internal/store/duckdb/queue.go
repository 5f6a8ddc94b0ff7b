// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"slices"
	"sync"
)

// groupRecords bounds the rows of one commit, about.
const groupRecords = 16_384

// queue lets one caller write at a time. Whoever has the turn writes for those
// who wait, too: many small requests make one commit.
type queue struct {
	turn  chan struct{}
	bytes int // of one group, at most, if it has more than one request

	spacing spacing // of whoever has the turn

	mu      sync.Mutex
	waiting []*request
}

func newQueue(groupBytes int) queue {
	return queue{turn: make(chan struct{}, 1), bytes: groupBytes}
}

// enter waits for the turn.
func (q *queue) enter(ctx context.Context) error {
	select {
	case q.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *queue) leave() { <-q.turn }

// submit has r written by write, which is called with requests that belong
// into one commit and fills in their errors. Once that has begun, r is finished
// whatever becomes of ctx. Then end is called, which must leave the queue.
func (q *queue) submit(ctx context.Context, r *request, write func([]*request), end func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	q.waiting = append(q.waiting, r)
	q.mu.Unlock()
	select {
	case <-r.done:
		return r.err
	case q.turn <- struct{}{}:
		defer end()
	case <-ctx.Done():
		if q.withdraw(r) {
			return ctx.Err()
		}
		<-r.done
		return r.err
	}
	for {
		select {
		case <-r.done:
			return r.err
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

// take returns the first requests in line that go into one commit.
func (q *queue) take() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, records, bytes := 0, 0, 0
	for n < len(q.waiting) {
		records += q.waiting[n].size()
		bytes += q.waiting[n].bytes
		if n > 0 && (records > groupRecords || bytes > q.bytes) {
			break
		}
		n++
	}
	group := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return group
}

// withdraw takes r out of the line, unless its commit has begun.
func (q *queue) withdraw(r *request) bool {
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
func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
