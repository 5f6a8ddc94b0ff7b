// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// commits groups what callers write: while one commit is under way the batches of
// those who wait gather, and the next commit takes them together.
type commits struct {
	mu      sync.Mutex
	waiting []*request
	busy    bool
	last    int64 // the latest version that was given
}

// request is a batch that waits for its commit.
type request struct {
	batch   store.Batch
	written store.Written
	done    chan error // has the outcome
}

// mostSpans is how many spans one commit takes, but for a batch that has more.
const mostSpans = 20_000

// commitTime is how long a commit may take with all its tries: those who wait for
// it may have gone.
const commitTime = 2 * time.Minute

// Write implements store.Engine.
func (db *DB) Write(ctx context.Context, b store.Batch) (store.Written, error) {
	leave, err := db.enter(ctx)
	if err != nil {
		return store.Written{}, err
	}
	if len(b.Records)+len(b.Messages)+len(b.Evaluations) == 0 {
		leave()
		return store.Written{}, nil
	}
	r := &request{batch: b, done: make(chan error, 1)}
	db.mu.Lock()
	db.waiting = append(db.waiting, r)
	alone := !db.busy
	db.busy = true
	db.mu.Unlock()
	if alone {
		go db.commitAll() //nolint:gosec // it works for others too, who may still wait when the caller has gone
	}
	select {
	case err = <-r.done:
		leave()
		return r.written, err
	case <-ctx.Done():
		if db.withdraw(r) {
			leave()
			return store.Written{}, ctx.Err()
		}
		go func() { // the store is not closed before the commit ended
			<-r.done
			leave()
		}()
		return store.Written{}, ctx.Err()
	}
}

// withdraw takes a request out of those that wait, unless its commit has begun:
// while the server does not answer, what callers gave up and send again must not pile
// up.
func (c *commits) withdraw(r *request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.waiting, r)
	if i < 0 {
		return false
	}
	c.waiting = slices.Delete(c.waiting, i, i+1)
	return true
}

// commitAll commits until nobody waits.
func (db *DB) commitAll() {
	for {
		group := db.next()
		if group == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), commitTime)
		err := db.commit(ctx, group)
		cancel()
		for _, r := range group {
			r.done <- err
		}
	}
}

// next returns those whose turn it is, nil if there are none.
func (c *commits) next() []*request {
	c.mu.Lock()
	defer c.mu.Unlock()
	spans, n := 0, 0
	for n < len(c.waiting) && (n == 0 || spans < mostSpans) {
		b := &c.waiting[n].batch
		spans += len(b.Records) + len(b.Messages) + len(b.Evaluations)
		n++
	}
	if n == 0 {
		c.waiting, c.busy = nil, false
		return nil
	}
	group := slices.Clone(c.waiting[:n])
	c.waiting = slices.Delete(c.waiting, 0, n)
	return group
}

// version returns a number above those before, and above least: what is written
// with it takes the place of what is there. It is made before the first try, so
// that every try writes the same rows.
func (c *commits) version(least uint64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = max(time.Now().UnixNano(), c.last+1, int64(least)+1)
	return uint64(c.last)
}
