// SPDX-License-Identifier: Apache-2.0

// Package deletions removes what is stored of people, on request: the spans that
// have an association property of theirs, with verdicts, pending evaluations, messages, and
// the answers of models that this process keeps. The work goes on behind the answer,
// in one process at a time, and is taken up again by the next one after a crash.
package deletions

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// Arriving is how long after a request something of a person may still be on its
	// way into the store.
	Arriving = time.Minute
	// Kept is how long a completed deletion is remembered.
	Kept = 30 * 24 * time.Hour
	// leased is for how long a process has a deletion to itself after each step.
	leased = 10 * time.Minute
	// atOnce is how many spans one step removes: a file that has some of them is
	// rewritten in each step.
	atOnce = query.MaxBrief
	// ever is a retention that nothing is past of: what has expired may still lie in
	// a file.
	ever = 100 * 365 * 24 * time.Hour
)

// Engine is what is asked of the span store, under its contract.
type Engine interface {
	store.Searcher
	Delete(ctx context.Context, env tenant.EnvironmentID, of store.Part) error
}

// Provider is an extension that provides the deletions of an engine.
type Provider interface {
	Deletions() *Book
}

// Book takes requests for deletions and works on them. It is safe for concurrent use.
type Book struct {
	engine Engine
	jobs   store.Collection[store.Deletion]
	now    func() time.Time
	owner  string
	forget func() // answers that this process keeps

	mu     sync.Mutex
	passes map[string]int // of deletions, that this process forgot answers after
	counts Counts
}

// Counts is what became of requests since the start.
type Counts struct {
	Spans     int64 // that were deleted
	Completed int64 // requests
}

// New returns the deletions of an engine, of which control has the requests, in a process
// that leases call owner, see store.Sharing. Forget is called after each of them.
func New(engine Engine, control store.Documents, owner string, forget func(), now func() time.Time) *Book {
	return &Book{
		engine: engine, jobs: store.Deletions(control), now: now, owner: owner, forget: forget, passes: map[string]int{},
	}
}

// Request asks for the deletion of what is stored of people, and returns its id.
// When it returns, the request would survive a crash.
func (b *Book) Request(ctx context.Context, env tenant.EnvironmentID, who []map[string]string) (string, error) {
	if _, err := filterOf(who); err != nil {
		return "", err
	}
	d := store.Deletion{ID: uuid.NewString(), EnvironmentID: env, Who: who, CreatedAt: b.now().UTC().Truncate(time.Millisecond)}
	err := b.jobs.Create(ctx, d)
	if fault.Is(err, fault.Conflict) {
		err = fault.Wrap(fault.Limited, err, "the environment has %d data deletions under way: wait for one of them", store.MaxOpenDeletions)
	}
	return d.ID, err
}

// Get returns a deletion of an environment, or NotFound.
func (b *Book) Get(ctx context.Context, env tenant.EnvironmentID, id string) (store.Deletion, error) {
	return b.jobs.Get(ctx, env, id)
}

// Counts returns what became of requests since the start.
func (b *Book) Counts() Counts {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.counts
}

// Round works on what is asked for, until nothing more can be done now. What fails
// of one deletion does not keep others; a later round tries again.
func (b *Book) Round(ctx context.Context) error {
	all, err := b.jobs.Filter(ctx, store.DocumentFilter{})
	if err != nil {
		return err
	}
	var errs []error
	for _, d := range all {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		b.forgetAfter(&d)
		err := b.advance(ctx, d)
		if err != nil && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) { // another has it, or it is gone with its environment
			errs = append(errs, fmt.Errorf("data deletion %s: %w", d.ID, err))
		}
	}
	return errors.Join(errs...)
}

// forgetAfter forgets the answers that this process keeps, if another one has removed
// spans of which they may have been made.
func (b *Book) forgetAfter(d *store.Deletion) {
	b.mu.Lock()
	known := b.passes[d.ID]
	b.passes[d.ID] = d.Passes
	b.mu.Unlock()
	if d.Passes > known {
		b.forget()
	}
}

// advance does for one deletion what is to be done now.
func (b *Book) advance(ctx context.Context, d store.Deletion) error {
	now := b.now()
	arrived := now.Sub(d.CreatedAt) >= Arriving
	switch {
	case !d.CompletedAt.IsZero():
		if now.Sub(d.CompletedAt) >= Kept {
			b.mu.Lock()
			delete(b.passes, d.ID)
			b.mu.Unlock()
			return b.jobs.Delete(ctx, d.EnvironmentID, d.ID)
		}
		return nil
	case d.Owner != b.owner && now.Before(d.LeasedUntil):
		return nil
	case d.Passes > 0 && !arrived:
		return nil
	}
	d, err := b.pass(ctx, d)
	if err != nil {
		return err
	}
	d.Passes++
	d.LeasedUntil, d.Owner = time.Time{}, ""
	if arrived {
		d.CompletedAt, d.Who, d.Total = b.now().UTC(), nil, d.Deleted // what came since is of no one who asked
	}
	if d, err = b.jobs.Replace(ctx, d); err != nil {
		return err
	}
	b.forgetAfter(&d)
	if arrived {
		b.mu.Lock()
		b.counts.Completed++
		b.mu.Unlock()
	}
	return nil
}
