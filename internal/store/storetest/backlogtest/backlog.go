// SPDX-License-Identifier: Apache-2.0

// Package backlogtest holds the contract of store.Backlog as tests that every
// backlog passes, over any engine.
package backlogtest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Engine is the part of an engine that a backlog is tested with.
type Engine interface {
	store.Aggregator
	Write(ctx context.Context, b store.Batch) (store.Written, error)
	Evaluations(ctx context.Context, at []store.Location, from int64, which store.Revisions) ([]store.Evaluated, error)
	Owed(ctx context.Context, of tenant.EnvironmentID, behind store.Due, limit int) (store.OwedPage, error)
	Expire(ctx context.Context, now time.Time) error
	Delete(ctx context.Context, env tenant.EnvironmentID, of store.Part) error
	Close() error
}

// Open opens an engine in dir with a clock, and its backlog, which follows
// what is written; it fails the test if it cannot. Opened again with the same
// dir after Close, the engine has what it had.
type Open func(t *testing.T, dir string, now func() time.Time) (Engine, store.Backlog)

// Exercise holds a backlog to the contract of store.Backlog, one whose leases end
// with the process, or to the groups of it that are named.
func Exercise(t *testing.T, open Open, some ...string) { exercise(t, open, some) }

// ExerciseShared holds a backlog to it whose leases outlive the process: who ends
// gives back what he has.
func ExerciseShared(t *testing.T, open Open, some ...string) {
	exercise(t, func(t *testing.T, dir string, now func() time.Time) (Engine, store.Backlog) {
		e, b := open(t, dir, now)
		s := &shared{Backlog: b}
		return sharing{Engine: e, leased: s}, s
	}, some)
}

// shared is a backlog that remembers what was leased.
type shared struct {
	store.Backlog
	mu     sync.Mutex
	leased []store.Evaluated
}

// Lease implements store.Backlog.
func (s *shared) Lease(ctx context.Context, now, until time.Time, limit int, but ...tenant.EnvironmentID) ([]store.Evaluated, error) {
	list, err := s.Backlog.Lease(ctx, now, until, limit, but...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leased = append(s.leased, list...)
	return list, err
}

// sharing is an engine that is closed when what was leased is given back.
type sharing struct {
	Engine
	leased *shared
}

// Close implements Engine.
func (s sharing) Close() error {
	s.leased.mu.Lock()
	list := s.leased.leased
	s.leased.leased = nil
	s.leased.mu.Unlock()
	err := s.leased.Release(context.Background(), list, time.Time{})
	if fault.Is(err, fault.Unavailable) {
		err = nil // it is closed
	}
	return errors.Join(err, s.Engine.Close())
}

func exercise(t *testing.T, open Open, some []string) {
	for _, group := range []struct {
		name string
		run  func(t *testing.T, open Open)
	}{
		{"Lease", exerciseLease},
		{"Turns", exerciseTurns},
		{"Complete", exerciseComplete},
		{"Revisions", exerciseRevised},
		{"Life", exerciseBacklogLife},
		{"Stats", exerciseStats},
		{"Money", exerciseMoney},
		{"Drop", exerciseBacklogDrop},
	} {
		if len(some) > 0 && !slices.Contains(some, group.name) {
			continue
		}
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			group.run(t, open)
		})
	}
}

// fixture is a backlog under test, its engine and its clock.
type fixture struct {
	Engine
	store.Backlog
	t     *testing.T
	open  Open
	dir   string
	clock *atomic.Int64
}

func newFixture(t *testing.T, open Open) *fixture {
	t.Helper()
	b := &fixture{t: t, open: open, dir: t.TempDir(), clock: new(atomic.Int64)}
	b.clock.Store(storetest.Epoch.UnixNano())
	b.Engine, b.Backlog = open(t, b.dir, b.now)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func (b *fixture) now() time.Time { return time.Unix(0, b.clock.Load()).UTC() }

// pass lets time pass.
func (b *fixture) pass(d time.Duration) { b.clock.Add(int64(d)) }

// reopen closes the engine and opens it again, with a new backlog.
func (b *fixture) reopen() {
	b.t.Helper()
	require.NoError(b.t, b.Close())
	b.Engine, b.Backlog = b.open(b.t, b.dir, b.now)
}

// write stores records and expects that to work.
func (b *fixture) write(records ...store.Record) {
	b.t.Helper()
	require.NoError(b.t, storetest.Write(b.t.Context(), b, records))
}

// lease leases what is due now for a minute.
func (b *fixture) lease(limit int) []store.Evaluated {
	b.t.Helper()
	list, err := b.Lease(b.t.Context(), b.now(), b.now().Add(time.Minute), limit)
	require.NoError(b.t, err)
	return list
}

// complete stores evaluations and expects that to work.
func (b *fixture) complete(list ...store.Evaluated) {
	b.t.Helper()
	require.NoError(b.t, b.Complete(b.t.Context(), list))
}

// stats asks for the pending evaluations and expects an answer.
func (b *fixture) stats() store.BacklogStats {
	b.t.Helper()
	s, err := b.Stats(b.t.Context())
	require.NoError(b.t, err)
	return s
}

// evaluations returns those of a span, and expects an answer.
func (b *fixture) evaluations(env tenant.Environment, s span.Span) []eval.Evaluation {
	b.t.Helper()
	list, err := storetest.EvaluationsOf(b.t.Context(), b, env, s)
	require.NoError(b.t, err)
	return list
}

// spansOf names the spans that have pending evaluations, in order.
func spansOf(list []store.Evaluated) []span.Key {
	keys := []span.Key{}
	for _, x := range list {
		keys = append(keys, x.Span)
	}
	return keys
}
