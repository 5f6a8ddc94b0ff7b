// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// OwedEngine is the part of an engine that a backlog is tested with.
type OwedEngine interface {
	store.Aggregator
	Write(ctx context.Context, b store.Batch) (store.Written, error)
	Evaluations(ctx context.Context, at []store.Location, from int64, which store.Revisions) ([]store.Evaluated, error)
	Owed(ctx context.Context, of tenant.EnvironmentID, behind store.Due, limit int) (store.OwedPage, error)
	Expire(ctx context.Context, now time.Time) error
	Drop(ctx context.Context, env tenant.EnvironmentID) error
	Close() error
}

// OpenBacklog opens an engine in dir with a clock, and its backlog, which is told
// of what is written; it fails the test if it cannot. Opened again with the same
// dir after Close, the engine has what it had.
type OpenBacklog func(t *testing.T, dir string, now func() time.Time) (OwedEngine, store.Backlog)

// ExerciseBacklog holds a backlog to the contract of store.Backlog.
func ExerciseBacklog(t *testing.T, open OpenBacklog) {
	for _, group := range []struct {
		name string
		run  func(t *testing.T, open OpenBacklog)
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
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			group.run(t, open)
		})
	}
}

// desk is a backlog under test, its engine and its clock.
type desk struct {
	OwedEngine
	store.Backlog
	t     *testing.T
	open  OpenBacklog
	dir   string
	clock *atomic.Int64
}

func newDesk(t *testing.T, open OpenBacklog) *desk {
	t.Helper()
	b := &desk{t: t, open: open, dir: t.TempDir(), clock: new(atomic.Int64)}
	b.clock.Store(epoch.UnixNano())
	b.OwedEngine, b.Backlog = open(t, b.dir, b.now)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func (b *desk) now() time.Time { return time.Unix(0, b.clock.Load()).UTC() }

// pass lets time pass.
func (b *desk) pass(d time.Duration) { b.clock.Add(int64(d)) }

// reopen closes the engine and opens it again, with a new backlog.
func (b *desk) reopen() {
	b.t.Helper()
	require.NoError(b.t, b.Close())
	b.OwedEngine, b.Backlog = b.open(b.t, b.dir, b.now)
}

// write stores records and expects that to work.
func (b *desk) write(records ...store.Record) {
	b.t.Helper()
	require.NoError(b.t, Write(b.t.Context(), b, records))
}

// lease leases what is due now for a minute.
func (b *desk) lease(limit int) []store.Evaluated {
	b.t.Helper()
	list, err := b.Lease(b.t.Context(), b.now(), b.now().Add(time.Minute), limit)
	require.NoError(b.t, err)
	return list
}

// complete stores evaluations and expects that to work.
func (b *desk) complete(list ...store.Evaluated) {
	b.t.Helper()
	require.NoError(b.t, b.Complete(b.t.Context(), list))
}

// stats asks what is owed and expects an answer.
func (b *desk) stats() store.BacklogStats {
	b.t.Helper()
	s, err := b.Stats(b.t.Context())
	require.NoError(b.t, err)
	return s
}

// evaluations gives those of a span.
func (b *desk) evaluations(env tenant.Environment, s span.Span) []eval.Evaluation {
	b.t.Helper()
	list, err := evaluationsOf(b.t.Context(), b, env, s)
	require.NoError(b.t, err)
	return list
}

// evaluationsOf reads the evaluations of one span, whose start the engine is not
// told.
func evaluationsOf(ctx context.Context, from interface {
	Evaluations(ctx context.Context, at []store.Location, from int64, which store.Revisions) ([]store.Evaluated, error)
}, env tenant.Environment, s span.Span,
) ([]eval.Evaluation, error) {
	key := s.Key()
	key.Start = 0
	list, err := from.Evaluations(ctx, []store.Location{{Environment: env.ID, Span: key}}, math.MinInt64, store.Latest)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0].Evaluations, nil
}
