// SPDX-License-Identifier: Apache-2.0

// Package backlog keeps the pending work in memory, over an engine in which it
// lies durably: what is due first, who has leased which evaluations until when,
// what of a completion counts, and the money that setups spend.
//
// The engine's rows are written first and memory after; what memory says may be
// out of date, and only what the engine answers is leased. So either may be
// repeated, and a process that starts reads pending evaluations from the engine.
//
// See docs/adr/0009-pending-evaluations-in-the-store.md.
package backlog

import (
	"context"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/completion"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Engine is what a backlog works on, under the contract of store.Engine.
type Engine interface {
	store.Aggregator
	Write(ctx context.Context, b store.Batch) (store.Written, error)
	Evaluations(ctx context.Context, at []store.Location, from int64, which store.Revisions) ([]store.Evaluated, error)
	Owed(ctx context.Context, of tenant.EnvironmentID, behind store.Due, limit int) (store.OwedPage, error)
}

// Backlog implements store.Backlog for one process, which is the only one that
// writes to the engine.
type Backlog struct {
	engine Engine
	now    func() time.Time
	turn   chan struct{} // of leasing: one caller at a time
	added  completion.Added

	mu      sync.Mutex
	index   turns
	leases  map[store.Owner]*lease
	soonest time.Time // no lease runs out before, zero if there is none
	// busy are spans of which evaluations are being completed, and idle is closed
	// when one is not any more; during a lease call, touched are those that
	// changed since.
	busy    map[store.Owner]bool
	idle    chan struct{}
	touched map[store.Owner]bool
	ledgers map[account]*ledger
	dropped map[tenant.EnvironmentID]bool
	closed  bool
}

var _ store.Backlog = (*Backlog)(nil)

// Open returns the backlog of what the engine has, by the clock now.
func Open(ctx context.Context, engine Engine, now func() time.Time) (*Backlog, error) {
	return open(ctx, engine, now, keptDue)
}

func open(ctx context.Context, engine Engine, now func() time.Time, kept int) (*Backlog, error) {
	b := &Backlog{
		engine:  engine,
		now:     now,
		turn:    make(chan struct{}, 1),
		added:   completion.NewAdded(),
		index:   newTurns(kept),
		leases:  map[store.Owner]*lease{},
		busy:    map[store.Owner]bool{},
		idle:    make(chan struct{}),
		ledgers: map[account]*ledger{},
		dropped: map[tenant.EnvironmentID]bool{},
	}
	return b, b.load(ctx)
}

// Over returns the engine as everybody else is to use it: what is written to it
// becomes known to the backlog, and the backlog ends with it.
func (b *Backlog) Over(engine store.Engine) store.Engine { return recorder{Engine: engine, backlog: b} }

// recorder is an engine that tells the backlog what is written.
type recorder struct {
	store.Engine
	backlog *Backlog
}

// Write implements store.Engine.
func (r recorder) Write(ctx context.Context, batch store.Batch) (store.Written, error) {
	return r.backlog.Write(ctx, batch)
}

// Close implements store.Engine.
func (r recorder) Close() error {
	r.backlog.Close()
	return r.Engine.Close()
}

// Write writes to the engine, and notes what is pending from then on.
func (b *Backlog) Write(ctx context.Context, batch store.Batch) (store.Written, error) {
	batch = b.withoutDropped(batch)
	written, err := b.engine.Write(ctx, batch)
	defer b.added.Tell(&batch, b.now())
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range written.Replaced {
		b.touch(l.Owner())
		b.finish(l.Owner(), nil)
	}
	// After an error, too: any part of the batch may have been stored.
	for i := range batch.Records {
		r := &batch.Records[i]
		b.note(store.Location{Environment: r.Environment.ID, Span: r.Span.Key()}, r.Evaluations)
	}
	for i := range batch.Evaluations {
		e := &batch.Evaluations[i]
		b.note(e.Location(), e.Evaluations)
	}
	return written, err
}

// Added implements store.Backlog.
func (b *Backlog) Added() <-chan struct{} { return b.added }

// note puts what is deferred in its place by time, each time once.
func (b *Backlog) note(at store.Location, list []eval.Evaluation) {
	last := store.Due{}
	for i := range list {
		if list[i].Status != eval.Deferred {
			continue
		}
		d := store.Due{Location: at, At: list[i].Due, Since: list[i].Time}
		if d != last {
			b.index.push(d)
			last = d
		}
	}
}

// Close ends the backlog: every later call is Unavailable.
func (b *Backlog) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// begin returns the error of a call that cannot begin.
func (b *Backlog) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return fault.New(fault.Unavailable, "the span store is closed")
	}
	return nil
}

// Stats implements store.Backlog.
func (b *Backlog) Stats(ctx context.Context) (store.BacklogStats, error) {
	if err := b.begin(ctx); err != nil {
		return store.BacklogStats{}, err
	}
	all, err := b.engine.Owed(ctx, "", store.Due{}, 0)
	if err != nil || all.Evaluations == 0 {
		return store.BacklogStats{}, err
	}
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	s := store.BacklogStats{Evaluations: all.Evaluations, OldestOwed: b.index.waiting(now.UnixNano())}
	for _, l := range b.leases {
		for _, x := range l.list {
			if x.until.After(now) {
				s.Leased++
			}
			s.OldestOwed = earlier(s.OldestOwed, x.since)
		}
	}
	return s, nil
}
