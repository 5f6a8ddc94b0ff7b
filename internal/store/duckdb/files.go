// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
)

// connections are those of the pool: of readers, of one who leases, of what a
// writer must know, of checkpoints of closed partitions, and of who drops.
const connections = turns.MostReaders + 5

// Bounds of how many files of partitions that take in no more spans are attached
// at once. The fewest are as many as callers can use at the same time: those who
// read, one for whom no environment is asked, and those who write and check
// point.
const (
	defaultFiles = 16
	fewestFiles  = connections
	// fileIdle is for how long a file stays attached that nobody uses.
	fileIdle = time.Minute
)

// openFiles says which files of closed partitions are attached. Those of partitions
// that take in spans are not among them: they always are.
type openFiles struct {
	limit int

	mu    sync.Mutex
	count int          // attached, or about to be
	order []*partition // attached, those used least lately first
	used  map[*partition]time.Time
}

func newOpenFiles(limit int) *openFiles {
	return &openFiles{limit: limit, used: map[*partition]time.Time{}}
}

// reserve takes a place for one more file. If there is none, it returns instead
// a partition whose file is to be closed first, which the caller has for himself
// until open is called. Where every file is in use it goes beyond the limit.
func (f *openFiles) reserve() (victim *partition, open func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count >= f.limit {
		if victim, open = f.unused(func(p *partition) bool { return p.logSize() == 0 }); victim == nil {
			victim, open = f.unused(func(*partition) bool { return true })
		}
	}
	if victim == nil {
		f.count++
	}
	return victim, open
}

// unused returns the partition used least lately of those that nobody uses and
// that pass the test, out of order.
func (f *openFiles) unused(test func(*partition) bool) (victim *partition, open func()) {
	for i, p := range f.order {
		if !test(p) {
			continue
		}
		if open, alone := p.shutOut(0); alone {
			f.order = slices.Delete(f.order, i, i+1)
			delete(f.used, p)
			return p, open
		}
	}
	return nil, nil
}

// idle returns a partition that nobody has used since then, like unused.
func (f *openFiles) idle(since time.Time) (victim *partition, open func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unused(func(p *partition) bool { return f.used[p].Before(since) })
}

// leave returns a place back.
func (f *openFiles) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count--
}

// attached notes that the file of p is, for which there is a place.
func (f *openFiles) attached(p *partition) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.order = append(f.order, p)
	f.used[p] = time.Now()
}

// adopt notes that the file of p, which took in spans so far, stays attached.
func (f *openFiles) adopt(p *partition) {
	f.mu.Lock()
	f.count++
	f.mu.Unlock()
	f.attached(p)
}

// touch notes that the file of p is being used.
func (f *openFiles) touch(p *partition) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.Index(f.order, p); i >= 0 {
		f.order = append(slices.Delete(f.order, i, i+1), p)
		f.used[p] = time.Now()
	}
}

// drop forgets a partition, whose file is closed now.
func (f *openFiles) drop(p *partition) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.Index(f.order, p); i >= 0 {
		f.order = slices.Delete(f.order, i, i+1)
		delete(f.used, p)
		f.count--
	}
}

// pin keeps the file of p attached until p.unpin is called, and attaches it
// first if need be, on a connection without a transaction. Who has one pinned
// and wants another one gives the first up before, unless he has the turn to
// write.
func (e *engine) pin(ctx context.Context, q querier, p *partition) error {
	p.pin()
	if err := e.open(context.WithoutCancel(ctx), q, p); err != nil {
		p.unpin()
		return err
	}
	return nil
}

// open attaches the file of a pinned partition, unless it is.
func (e *engine) open(ctx context.Context, q querier, p *partition) error {
	p.opening.Lock()
	defer p.opening.Unlock()
	if p.isAttached() {
		e.files.touch(p)
		return nil
	}
	if err := e.room(ctx, q); err != nil {
		return err
	}
	if err := q.attach(ctx, p); err != nil {
		e.files.leave()
		// It may have been done all the same.
		e.suspect.Store(q.detach(ctx, p) != nil || e.suspect.Load())
		return err
	}
	p.setAttached(true)
	e.files.attached(p)
	return nil
}

// room takes a place for one more file, and closes others until there is one.
func (e *engine) room(ctx context.Context, q querier) error {
	for {
		victim, open := e.files.reserve()
		if victim == nil {
			return nil
		}
		err := e.shut(ctx, q, victim)
		open()
		e.files.leave()
		if err != nil {
			return err
		}
	}
}

// shut closes the file of a partition that the caller has for himself, and
// writes down what is known of it.
func (e *engine) shut(ctx context.Context, q querier, p *partition) error {
	err := e.shutFile(ctx, q, p)
	if err != nil {
		// Whether it is attached is not known.
		e.suspect.Store(true)
		return err
	}
	p.setAttached(false)
	p.appended.Store(0)
	if !e.suspect.Load() {
		p.summarize(len(e.cfg.formats))
	}
	return nil
}

func (e *engine) shutFile(ctx context.Context, q querier, p *partition) error {
	if p.logSize() > 0 {
		if _, err := q.conn.ExecContext(ctx, "CHECKPOINT "+p.alias()); err != nil {
			return err
		}
	}
	return q.detach(ctx, p)
}

// tidy closes the files that nobody has used for a while, until the engine is
// closed.
func (e *engine) tidy() {
	period := e.cfg.fileIdle
	ticker := time.NewTicker(period / 4)
	defer ticker.Stop()
	for {
		select {
		case <-e.ending:
			return
		case <-ticker.C:
		}
		if err := e.shutIdle(time.Now().Add(-period)); err != nil {
			e.cfg.Report("a file that nobody uses could not be closed", err)
		}
	}
}

// shutIdle closes the files that nobody has used since then.
func (e *engine) shutIdle(since time.Time) error {
	for {
		p, open := e.files.idle(since)
		if p == nil {
			return nil
		}
		ctx := context.Background()
		err := e.with(ctx, func(q querier) error { return e.shut(ctx, q, p) })
		open()
		e.files.leave()
		if err != nil {
			return err
		}
	}
}
