// SPDX-License-Identifier: Apache-2.0

// Package queries stands between callers and an engine: what they ask has a
// price that is known before it runs, a deadline, and a place among what their
// environment asks at once, so that no environment's queries keep others from theirs, or
// from storing spans.
//
// See docs/adr/0037-query-limits-and-fairness.md.
package queries

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Engine is what callers ask, under the contract of store.Engine.
type Engine interface {
	store.Aggregator
	store.Searcher
	store.SpanReader
	store.EvaluationReader
}

// Provider is an extension that provides an engine for callers.
type Provider interface {
	Queries() *Queries
}

// Queries is an engine within limits. Besides what the engine answers, a query is
// refused with Invalid when its price is too high, with Limited when its
// environment asks too much at once, and with TimedOut when it takes too long.
type Queries struct {
	engine  Engine
	sizes   store.Measurer // nil where that is unknown
	limits  Limits
	places  *places
	refused [reasons]atomic.Int64
	partial atomic.Int64
}

var _ Engine = (*Queries)(nil)

// New returns an engine within limits. With nil for who knows how much is stored
// queries have no price, and what they look at says whether they are expensive.
func New(engine Engine, sizes store.Measurer, l Limits) *Queries {
	return &Queries{engine: engine, sizes: sizes, limits: l, places: newPlaces(l)}
}

// Stats returns what queries came to since the start.
func (s *Queries) Stats() Stats {
	stats := s.places.stats()
	stats.Partial = s.partial.Load()
	for i := range s.refused {
		stats.Refused[i] = s.refused[i].Load()
	}
	return stats
}

// Sent notes that an environment sent something: meanwhile others read no more than they
// may.
func (s *Queries) Sent(env tenant.EnvironmentID) { s.places.sent(env) }

// Stored returns, from memory, how many spans of an environment are stored, and
// whether anybody knows.
func (s *Queries) Stored(env tenant.EnvironmentID) (int64, bool) {
	if s.sizes == nil {
		return 0, false
	}
	return s.sizes.Spans(env), true
}

// Search implements Engine.
func (s *Queries) Search(ctx context.Context, env tenant.Environment, q query.Query) (page query.Page, err error) {
	if err := q.Validate(); err != nil {
		return query.Page{}, err
	}
	p := search(s.sizes, env.ID, &q)
	p.sorted = q.InParts && q.Order.By != query.SortTimestamp
	if s.goesInParts(&q, p) {
		return s.searchInParts(ctx, env, q, p)
	}
	return within(ctx, s, env.ID, p, func(ctx context.Context) (query.Page, error) {
		return s.engine.Search(ctx, env, q)
	})
}

// Aggregate implements Engine.
func (s *Queries) Aggregate(ctx context.Context, env tenant.Environment, a query.Aggregate) ([]query.Group, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	return within(ctx, s, env.ID, aggregate(s.sizes, env.ID, &a), func(ctx context.Context) ([]query.Group, error) {
		return s.engine.Aggregate(ctx, env, a)
	})
}

// Get implements Engine.
func (s *Queries) Get(ctx context.Context, env tenant.Environment, keys []span.Key, siblings int) ([]span.Span, error) {
	return within(ctx, s, env.ID, price{known: true}, func(ctx context.Context) ([]span.Span, error) {
		return s.engine.Get(ctx, env, keys, siblings)
	})
}

// Evaluations implements Engine. The place is one of the first span's environment:
// callers ask for one environment at a time.
func (s *Queries) Evaluations(ctx context.Context, at []store.Location, from int64, which store.Revisions) ([]store.Evaluated, error) {
	var env tenant.EnvironmentID
	if len(at) > 0 {
		env = at[0].Environment
	}
	return within(ctx, s, env, price{known: true}, func(ctx context.Context) ([]store.Evaluated, error) {
		return s.engine.Evaluations(ctx, at, from, which)
	})
}

// within runs a query of that price in its place and its time.
func within[T any](ctx context.Context, s *Queries, env tenant.EnvironmentID, p price, ask func(context.Context) (T, error)) (T, error) {
	if err := s.afford(p); err != nil {
		s.refused[OverPrice].Add(1)
		var none T
		return none, err
	}
	return run(ctx, s, env, s.kind(p), p, ask)
}

// Together has the queries that do asks with its context run in one place of their
// environment, those that are expensive apart: who asks several for one answer waits for
// its turn once, before the first, and holds nothing meanwhile.
func (s *Queries) Together(ctx context.Context, env tenant.EnvironmentID, do func(context.Context) error) error {
	in, err := s.enter(ctx, env, Cheap)
	if err != nil {
		return err
	}
	defer in.leave()
	return do(context.WithValue(ctx, placeKey{}, in))
}

// place is the place of an environment in which queries run.
type place struct {
	env   tenant.EnvironmentID
	last  bool         // they come after all else
	bytes atomic.Int64 // that they read, by estimate
	done  func(bytes int64)
}

type placeKey struct{}

// enter waits for a place, which leave gives back.
func (s *Queries) enter(ctx context.Context, env tenant.EnvironmentID, kind Kind) (*place, error) {
	done, last, err := s.places.enter(ctx, env, kind)
	if fault.Is(err, fault.Limited) {
		s.refused[OverPlaces].Add(1)
	}
	return &place{env: env, last: last, done: done}, err
}

func (p *place) leave() { p.done(p.bytes.Load()) }

// run runs a query of a kind in its place and its time.
func run[T any](ctx context.Context, s *Queries, env tenant.EnvironmentID, kind Kind, p price, ask func(context.Context) (T, error)) (T, error) {
	var none T
	in, inside := ctx.Value(placeKey{}).(*place)
	if inside = inside && in.env == env && kind == Cheap; !inside {
		var err error
		if in, err = s.enter(ctx, env, kind); err != nil {
			return none, err
		}
		defer in.leave()
	}
	in.bytes.Add(p.bytes)
	if in.last {
		inner := ask
		ask = func(ctx context.Context) (got T, err error) {
			inBackground(func() { got, err = inner(ctx) })
			return got, err
		}
	}
	if s.limits.Timeout <= 0 {
		return ask(ctx)
	}
	running, cancel := context.WithTimeout(ctx, s.limits.Timeout)
	defer cancel()
	got, err := ask(running)
	if err != nil && ctx.Err() == nil && errors.Is(running.Err(), context.DeadlineExceeded) {
		s.refused[OverDeadline].Add(1)
		return none, fault.Wrap(fault.TimedOut, err, "the query took longer than %s: ask for a shorter period, or filter by exact values", s.limits.Timeout)
	}
	return got, err
}

// kind returns which queries one of that price waits for.
func (s *Queries) kind(p price) Kind {
	if p.known && s.limits.Expensive > 0 && p.bytes >= s.limits.Expensive || !p.known && p.wide {
		return Expensive
	}
	return Cheap
}

// afford refuses a query that looks at too much.
func (s *Queries) afford(p price) error {
	advice := "ask for a shorter period, or filter by exact values"
	if p.sorted {
		advice += ", or in the order of timestamp, in which a search goes on part by part"
	}
	switch {
	case s.limits.Spans > 0 && p.spans > s.limits.Spans:
		return fault.New(fault.Invalid, "the query would look at about %d spans, and at most %d are looked at: %s", p.spans, s.limits.Spans, advice)
	case s.limits.Bytes > 0 && p.bytes > s.limits.Bytes:
		return fault.New(fault.Invalid, "the query would read about %d MiB, and at most %d are read: %s", p.bytes>>20, s.limits.Bytes>>20, advice)
	}
	return nil
}
