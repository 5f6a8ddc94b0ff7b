// SPDX-License-Identifier: Apache-2.0

// Package enginetest holds the contract of store.Engine as tests that every engine
// passes.
package enginetest

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Open opens the store in dir with a clock; it fails the test if it
// cannot. Opened again with the same dir after Close, it has what it had.
type Open func(t *testing.T, dir string, now func() time.Time) store.Engine

// Exercise holds an engine to the contract of store.Engine, or to the groups of it that
// are named.
func Exercise(t *testing.T, open Open, some ...string) {
	t.Helper()
	exercise(t, open, 1, some)
}

// ExerciseBriefly is Exercise of an engine that differs in little from one that is held to all
// of the contract: it asks one in so many of the random queries.
func ExerciseBriefly(t *testing.T, open Open, oneIn int, some ...string) {
	t.Helper()
	exercise(t, open, oneIn, some)
}

func exercise(t *testing.T, open Open, oneIn int, some []string) {
	t.Helper()
	for _, group := range []struct {
		name string
		run  func(t *testing.T, open Open)
	}{
		{"Write", exerciseWrite},
		{"Repeat", exerciseRepeat},
		{"Identity", exerciseIdentity},
		{"Text", exerciseText},
		{"Find", exerciseFind},
		{"Pages", exercisePages},
		{"Filters", exerciseFilters},
		{"Model", func(t *testing.T, open Open) { t.Helper(); exerciseModel(t, open, 260/oneIn) }},
		{"OrderByVerdict", exerciseOrderByVerdict},
		{"Evaluations", exerciseEvaluations},
		{"Outputs", exerciseOutputs},
		{"Tallies", exerciseTallies},
		{"Messages", exerciseMessages},
		{"Retention", exerciseRetention},
		{"Drop", exerciseDrop},
		{"Delete", exerciseDelete},
		{"Life", exerciseLife},
		{"Completed", exerciseCompleted},
		{"Revisions", exerciseRevisions},
		{"Owed", exerciseOwed},
		{"Aggregate", func(t *testing.T, open Open) { t.Helper(); exerciseAggregate(t, open, 300/oneIn) }},
		{"Breakdown", exerciseBreakdown},
		{"Progress", exerciseProgress},
		{"Get", exerciseGet},
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

// fixture is a store under test and its clock.
type fixture struct {
	store.Engine
	t     *testing.T
	open  Open
	dir   string
	clock *atomic.Int64
}

func newFixture(t *testing.T, open Open) *fixture {
	t.Helper()
	b := &fixture{t: t, open: open, dir: t.TempDir(), clock: new(atomic.Int64)}
	b.clock.Store(storetest.Epoch.UnixNano())
	b.Engine = open(t, b.dir, b.now)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func (b *fixture) now() time.Time { return time.Unix(0, b.clock.Load()).UTC() }

// pass lets time pass.
func (b *fixture) pass(d time.Duration) { b.clock.Add(int64(d)) }

// reopen closes the store and opens it again.
func (b *fixture) reopen() {
	b.t.Helper()
	require.NoError(b.t, b.Close())
	b.Engine = b.open(b.t, b.dir, b.now)
}

// write stores records and expects that to work.
func (b *fixture) write(records ...store.Record) {
	b.t.Helper()
	require.NoError(b.t, storetest.Write(b.t.Context(), b, records))
}

// complete stores evaluations of stored spans and expects that to work.
func (b *fixture) complete(list ...store.Evaluated) {
	b.t.Helper()
	_, err := b.Write(b.t.Context(), store.Batch{Evaluations: list})
	require.NoError(b.t, err)
}

// evaluations returns those of a span, and expects an answer.
func (b *fixture) evaluations(env tenant.Environment, s span.Span) []eval.Evaluation {
	b.t.Helper()
	list, err := storetest.EvaluationsOf(b.t.Context(), b, env, s)
	require.NoError(b.t, err)
	return list
}

// find asks for a page and expects an answer.
func (b *fixture) find(env tenant.Environment, q query.Query) query.Page {
	b.t.Helper()
	page, err := b.Search(b.t.Context(), env, q)
	require.NoError(b.t, err)
	return page
}

// all returns every span of an environment, oldest first.
func (b *fixture) all(env tenant.Environment) []span.Span {
	b.t.Helper()
	page := b.find(env, everything())
	require.Nil(b.t, page.Next)
	require.EqualValues(b.t, len(page.Spans), page.Total)
	return page.Spans
}

// everything asks for all spans there are, up to the limit.
func everything(filters ...query.Filter) query.Query {
	return query.Query{
		From:    -1 << 63,
		To:      1<<63 - 1,
		Filters: filters,
		Order:   query.Order{By: query.SortTimestamp},
		Limit:   query.MaxLimit,
		Total:   true,
	}
}
