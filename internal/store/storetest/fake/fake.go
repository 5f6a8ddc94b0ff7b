// SPDX-License-Identifier: Apache-2.0

// Package fake holds as much of a span engine in memory as a backlog works on: what
// is simple to see is right, so that the rules above an engine can be tested in
// milliseconds.
package fake

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Engine keeps spans and evaluations in memory. Its methods may be called
// concurrently, under the contract of store.Engine.
type Engine struct {
	now func() time.Time

	mu     sync.Mutex
	closed bool
	rows   []*row // in the order in which they were stored
	index  map[identity]*row
	refs   uint64
}

// identity is what tells spans apart.
type identity struct {
	env  tenant.EnvironmentID
	span span.Identity
}

// row is one stored span.
type row struct {
	store.Record
	predecessors []eval.Evaluation
	ref          uint64
	content      uint64
}

// New returns an empty engine with a clock.
func New(now func() time.Time) *Engine {
	return &Engine{now: now, index: map[identity]*row{}}
}

// Reopen undoes Close; nothing is lost.
func (e *Engine) Reopen() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = false
}

// Close implements store.Engine.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	return nil
}

// enter begins a call, which ends with leave.
func (e *Engine) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return fault.New(fault.Unavailable, "the span store is closed")
	}
	return nil
}

func (e *Engine) leave() { e.mu.Unlock() }

// expired reports whether a row is past its retention.
func (e *Engine) expired(r *row, retention time.Duration) bool {
	return e.now().Sub(time.Unix(0, r.Span.Start)) > retention
}

// Write implements store.Engine, but for messages.
func (e *Engine) Write(ctx context.Context, b store.Batch) (store.Written, error) {
	if err := e.enter(ctx); err != nil {
		return store.Written{}, err
	}
	defer e.leave()
	var written store.Written
	for i := range b.Records {
		r := &row{Record: b.Records[i]}
		r.Evaluations = stored(r.Evaluations)
		r.content, _ = store.Digest(nil, &r.Span)
		id := identity{r.Environment.ID, r.Span.Key().Identity()}
		if old := e.index[id]; old != nil {
			if old.content == r.content {
				continue
			}
			written.Replaced = append(written.Replaced, store.Location{Environment: id.env, Span: r.Span.Key()})
			e.rows = slices.DeleteFunc(e.rows, func(x *row) bool { return x == old })
		}
		e.refs++
		r.ref = e.refs
		e.index[id] = r
		e.rows = append(e.rows, r)
	}
	for i := range b.Evaluations {
		x := &b.Evaluations[i]
		r := e.index[identity{x.Environment, x.Span.Identity()}]
		if r == nil || e.expired(r, r.Environment.Retention) || x.Content != 0 && x.Content != r.content {
			continue
		}
		r.take(stored(x.Evaluations))
	}
	return written, nil
}

// take puts evaluations in the place of those of their setup and evaluator.
func (r *row) take(made []eval.Evaluation) {
	list := slices.Clone(r.Evaluations)
	for _, v := range made {
		i := slices.IndexFunc(list, func(o eval.Evaluation) bool { return o.SetupID == v.SetupID && o.Evaluator == v.Evaluator })
		switch {
		case i < 0:
			list = append(list, v)
			continue
		case v.Revision < list[i].Revision:
			continue
		case v.Revision > list[i].Revision:
			r.predecessors = append(slices.Clone(r.predecessors), list[i])
		}
		list = append(slices.Delete(list, i, i+1), v)
	}
	r.Evaluations = list
}

// stored returns evaluations with texts as an engine has them: UTF-8.
func stored(list []eval.Evaluation) []eval.Evaluation {
	list = slices.Clone(list)
	for i := range list {
		for _, text := range []*string{&list[i].SetupID, &list[i].Evaluator, &list[i].Reason} {
			*text = strings.ToValidUTF8(*text, "\uFFFD")
		}
	}
	return list
}

// Evaluations implements store.Engine.
func (e *Engine) Evaluations(ctx context.Context, at []store.Location, from int64, which store.Revisions) ([]store.Evaluated, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.leave()
	var list []store.Evaluated
	seen := map[*row]bool{}
	for _, l := range at {
		for _, r := range e.meant(l) {
			if seen[r] || e.expired(r, r.Environment.Retention) || r.Span.Start < from {
				continue
			}
			seen[r] = true
			list = append(list, r.evaluated(which))
		}
	}
	return list, nil
}

// meant returns the rows that a location means, earliest first.
func (e *Engine) meant(l store.Location) []*row {
	var list []*row
	for _, r := range e.rows {
		if r.Environment.ID == l.Environment && l.Span.Means(r.Span.Key()) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *row) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return list
}

// evaluated returns the evaluations of a row.
func (r *row) evaluated(which store.Revisions) store.Evaluated {
	made := slices.Clone(r.Evaluations)
	if which == store.AllRevisions {
		made = append(made, r.predecessors...)
	}
	slices.SortStableFunc(made, func(a, b eval.Evaluation) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Revision, b.Revision))
	})
	return store.Evaluated{Environment: r.Environment.ID, Span: r.Span.Key(), Content: r.content, Evaluations: made}
}

// Owed implements store.Engine.
func (e *Engine) Owed(ctx context.Context, of tenant.EnvironmentID, behind store.Due, limit int) (store.OwedPage, error) {
	if err := e.enter(ctx); err != nil {
		return store.OwedPage{}, err
	}
	defer e.leave()
	var all []store.Due
	var page store.OwedPage
	for _, r := range e.rows {
		for i := range r.Evaluations {
			v := &r.Evaluations[i]
			if v.Status != eval.Deferred {
				continue
			}
			page.Evaluations++
			if !slices.Contains(page.Environments, r.Environment.ID) {
				page.Environments = append(page.Environments, r.Environment.ID)
			}
			if of != "" && of != r.Environment.ID {
				continue
			}
			d := store.Due{
				Location: store.Location{Environment: r.Environment.ID, Span: r.Span.Key()}, At: v.Due, Since: v.Time, Ref: r.ref,
			}
			if compareDue(d, behind) > 0 {
				all = append(all, d)
			}
		}
	}
	if limit <= 0 {
		return page, nil
	}
	page.Environments = nil
	slices.SortStableFunc(all, compareDue)
	page.List = all[:min(limit, len(all))]
	if rest := all[len(page.List):]; len(page.List) == limit {
		page.More, page.Last, page.Oldest = true, page.List[limit-1], math.MaxInt64
		for _, d := range rest {
			page.Oldest = min(page.Oldest, d.Since)
		}
		if len(rest) == 0 {
			page.Oldest = 0
		}
	}
	return page, nil
}

func compareDue(a, b store.Due) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Ref, b.Ref))
}

// Aggregate implements store.Engine.
func (e *Engine) Aggregate(ctx context.Context, env tenant.Environment, a query.Aggregate) ([]query.Group, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.leave()
	return a.Answer(func(a query.Aggregate) ([]query.Group, error) {
		groups := query.NewGroups(&a)
		for _, r := range e.rows {
			if r.Environment.ID == env.ID && !e.expired(r, env.Retention) {
				groups.Add(&r.Span, r.Evaluations)
			}
		}
		if a.Limit > 0 && groups.Len() > a.Limit {
			return nil, a.ErrGroups()
		}
		return groups.List(), nil
	})
}

// Expire implements store.Engine.
func (e *Engine) Expire(ctx context.Context, _ time.Time) error {
	if err := e.enter(ctx); err != nil {
		return err
	}
	defer e.leave()
	for id, r := range e.index {
		if e.expired(r, r.Environment.Retention) {
			delete(e.index, id)
		}
	}
	e.rows = slices.DeleteFunc(e.rows, func(r *row) bool { return e.expired(r, r.Environment.Retention) })
	return nil
}

// Delete implements store.Engine.
func (e *Engine) Delete(ctx context.Context, env tenant.EnvironmentID, of store.Part) error {
	if err := e.enter(ctx); err != nil {
		return err
	}
	defer e.leave()
	gone := map[identity]bool{}
	for _, k := range of.Spans {
		gone[identity{env, k.Identity()}] = true
	}
	for id, r := range e.index {
		if gone[id] || of.Everything && id.env == env {
			delete(e.index, id)
			e.rows = slices.DeleteFunc(e.rows, func(x *row) bool { return x == r })
		}
	}
	return nil
}
