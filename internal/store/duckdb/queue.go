// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"slices"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// Bounds of what is committed at once.
const (
	groupRecords = 16_384
	groupBytes   = 64 << 20
)

// request is what one caller wants written.
type request struct {
	records     []store.Record
	messages    []store.Messages
	settlements []store.Settlement
	done        chan error // takes one answer
}

// size gives how many rows, about, are to be written.
func (r *request) size() int { return len(r.records) + len(r.messages) + len(r.settlements) }

// queue lets one caller write at a time. Whoever has the turn writes for those
// who wait, too: many small requests make one commit.
type queue struct {
	turn chan struct{}

	mu      sync.Mutex
	waiting []*request
}

func newQueue() queue { return queue{turn: make(chan struct{}, 1)} }

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
// into one commit. Once that has begun, r is finished whatever becomes of ctx.
func (q *queue) submit(ctx context.Context, r *request, write func([]*request) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	q.waiting = append(q.waiting, r)
	q.mu.Unlock()
	select {
	case err := <-r.done:
		return err
	case q.turn <- struct{}{}:
		defer q.leave()
	case <-ctx.Done():
		if q.withdraw(r) {
			return ctx.Err()
		}
		return <-r.done
	}
	for {
		select {
		case err := <-r.done:
			return err
		default:
		}
		group := q.take()
		err := write(group)
		for _, x := range group {
			x.done <- err
		}
	}
}

// take gives the first requests in line that go into one commit.
func (q *queue) take() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, records := 0, 0
	for n < len(q.waiting) {
		records += q.waiting[n].size()
		if n > 0 && records > groupRecords {
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
