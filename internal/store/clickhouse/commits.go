// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// commits groups what callers write: while one commit is under way the batches of
// those who wait gather, and the next commit takes them together. Callers who send again as
// soon as they have their answer come one by one after a commit; so the next one waits for
// as many rows as that had, see gather.
type commits struct {
	mu       sync.Mutex
	waiting  []*request
	busy     bool
	last     int64         // the latest version that was given
	previous commitMade    // the latest commit
	arrived  chan struct{} // has something when a request came

	until context.Context // of commits; it ends when the store is closed and they take too long
	end   context.CancelFunc
}

// request is a batch that waits for its commit.
type request struct {
	batch   store.Batch
	written store.Written
	done    chan error // has the outcome
}

// commitMade is what the next commit looks at of the one before it.
type commitMade struct {
	rows  int
	ended time.Time
	took  time.Duration
}

// gatherShare is which part of the time that a commit took the next one waits for as many
// rows at most, and gatherTime bounds it.
const (
	gatherShare = 2
	gatherTime  = 500 * time.Millisecond
)

// mostSpans is how many spans one commit takes, but for a batch that has more.
const mostSpans = 20_000

// commitTime is how long a commit may take with all its tries: those who wait for
// it may have gone.
const commitTime = 2 * time.Minute

// closeTime is how long Close waits for commits that are under way, to a server that does
// not answer: no sender knows that they are stored.
const closeTime = 5 * time.Second

// Write implements store.Engine.
func (db *DB) Write(ctx context.Context, b store.Batch) (store.Written, error) {
	leave, err := db.enter(ctx)
	if err != nil {
		return store.Written{}, err
	}
	if b.Rows() == 0 {
		leave()
		return store.Written{}, nil
	}
	r := &request{batch: b, done: make(chan error, 1)}
	if alone := db.add(r); alone {
		go db.commitAll() // for others too, who may still wait when the caller has gone
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

// add has a request wait for its commit, and reports whether no commit is under way.
func (c *commits) add(r *request) (alone bool) {
	c.mu.Lock()
	c.waiting = append(c.waiting, r)
	alone = !c.busy
	c.busy = true
	c.mu.Unlock()
	select {
	case c.arrived <- struct{}{}:
	default: // an earlier signal still waits for the collecting goroutine
	}
	return alone
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

// commitAll commits until no request waits. What the server refuses for good is tried again
// one by one: no batch costs another one.
func (db *DB) commitAll() {
	for {
		db.gather(db.until)
		group := db.next()
		if group == nil {
			return
		}
		begun := time.Now()
		err := db.commitOnce(group)
		db.note(group, begun)
		if err == nil || len(group) == 1 || fault.KindOf(err) == fault.Unavailable {
			for _, r := range group {
				r.done <- err
			}
			continue
		}
		for _, r := range group {
			r.written = store.Written{}
			r.done <- db.commitOnce([]*request{r})
		}
	}
}

// gather waits until as many rows wait as the latest commit had: those who waited for it
// send again, and one who comes first has no commit of its own, which would cost as much as one
// of them all. It waits for a part of the time that the latest commit took, from its end;
// who sends as little as before, or comes later, does not wait.
func (c *commits) gather(ctx context.Context) {
	c.mu.Lock()
	end := c.previous.ended.Add(min(c.previous.took/gatherShare, gatherTime))
	c.mu.Unlock()
	timer := time.NewTimer(time.Until(end))
	defer timer.Stop()
	for !c.gathered() {
		select {
		case <-c.arrived:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// gathered reports whether as many rows wait as the latest commit had, or none is waiting.
func (c *commits) gathered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting) == 0 || rowsOf(c.waiting) >= min(c.previous.rows, mostSpans)
}

// note keeps what the next commit looks at of this one.
func (c *commits) note(group []*request, begun time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.previous = commitMade{rows: rowsOf(group), ended: now, took: now.Sub(begun)}
}

func rowsOf(list []*request) (rows int) {
	for _, r := range list {
		rows += r.batch.Rows()
	}
	return rows
}

func (db *DB) commitOnce(group []*request) error {
	ctx, cancel := context.WithTimeout(db.until, commitTime)
	defer cancel()
	err := db.commit(ctx, group)
	if err != nil && db.until.Err() != nil {
		return fault.Wrap(fault.Unavailable, err, "the span store was closed before the rows were stored")
	}
	return err
}

// next returns those whose turn it is, nil if there are none: all that wait or, where
// that would be too much, those of environments in turn.
func (c *commits) next() []*request {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		c.waiting, c.busy = nil, false
		return nil
	}
	group := share(c.waiting)
	taken := make(map[*request]bool, len(group))
	for _, r := range group {
		taken[r] = true
	}
	c.waiting = slices.DeleteFunc(c.waiting, func(r *request) bool { return taken[r] })
	return group
}

// share returns which of the requests that wait go into one commit. What comes next into
// it is of the environment that has the least in it, or came first: so no request waits for
// all that another sends. What is of one environment keeps its order. Only rows
// are bounded: what waits is in memory all the same.
func share(waiting []*request) (group []*request) {
	type line struct {
		list  []*request
		spans int // in the group
	}
	index := map[tenant.EnvironmentID]*line{}
	var lines []*line
	for _, r := range waiting {
		l := index[r.batch.Environment()]
		if l == nil {
			l = &line{}
			index[r.batch.Environment()] = l
			lines = append(lines, l)
		}
		l.list = append(l.list, r)
	}
	for spans := 0; len(lines) > 0; {
		l := slices.MinFunc(lines, func(a, b *line) int { return cmp.Compare(a.spans, b.spans) })
		n := l.list[0].batch.Rows()
		if spans+n <= mostSpans || len(group) == 0 {
			group = append(group, l.list[0])
			spans, l.spans, l.list = spans+n, l.spans+n, l.list[1:]
		} else {
			l.list = nil // for another commit, and what came after it too
		}
		if len(l.list) == 0 {
			lines = slices.DeleteFunc(lines, func(x *line) bool { return x == l })
		}
	}
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
