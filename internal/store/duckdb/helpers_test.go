// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/backlog"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func testEnv(name string, retention time.Duration) tenant.Environment {
	return tenant.Environment{ID: tenant.EnvironmentID("env_" + name), Slug: name, Retention: retention}
}

// numbered makes the record of a span known by its number.
func numbered(env tenant.Environment, n int, start time.Time) store.Record {
	s := span.Span{Name: "span", Service: "shop", Start: start.UnixNano(), InputTokens: -1, OutputTokens: -1, TotalTokens: -1}
	binary.BigEndian.PutUint64(s.TraceID[8:], uint64(n))
	binary.BigEndian.PutUint64(s.SpanID[:], uint64(n))
	s.Input = strings.Repeat("0123456789abcdef", 32)
	return store.Record{Environment: env, Span: s, Evaluations: []eval.Evaluation{{SetupID: "s", Evaluator: "e", Status: eval.Done}}}
}

func numberOf(s *span.Span) int { return int(binary.BigEndian.Uint64(s.SpanID[:])) }

// clock is a clock that tests move.
type clock struct{ atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.Store(time.Date(2025, 11, 21, 10, 30, 0, 0, time.UTC).UnixNano())
	return c
}

func (c *clock) now() time.Time                { return time.Unix(0, c.Load()).UTC() }
func (c *clock) pass(d time.Duration)          { c.Add(int64(d)) }
func (c *clock) ago(d time.Duration) time.Time { return c.now().Add(-d) }

// stored returns all spans of env, and expects none to be there twice.
func stored(tb testing.TB, db *DB, env tenant.Environment) map[int]span.Span {
	tb.Helper()
	found := map[int]span.Span{}
	q := query.Query{From: 0, To: 1<<63 - 1, Limit: query.MaxLimit, Total: true, Order: query.Order{By: query.SortTraceID}}
	total := int64(0)
	for page, err := range storetest.Pages(tb.Context(), db, env, q) {
		require.NoError(tb, err)
		for _, s := range page.Spans {
			require.NotContains(tb, found, numberOf(&s))
			found[numberOf(&s)] = s
		}
		total = page.Total
	}
	require.Len(tb, found, int(total))
	return found
}

// countFor returns the number of env's spans, by count and by what is found.
func (db *DB) countFor(ctx context.Context, env tenant.Environment) (int, error) {
	q := query.Query{From: 0, To: 1<<63 - 1, Limit: query.MaxLimit, Total: true, Order: query.Order{By: query.SortTraceID}}
	found := map[int]bool{}
	total := int64(0)
	for page, err := range storetest.Pages(ctx, db, env, q) {
		if err != nil {
			return 0, err
		}
		for _, s := range page.Spans {
			found[numberOf(&s)] = true
		}
		total = page.Total
	}
	if int(total) != len(found) {
		return 0, fmt.Errorf("found %d, counted %d", len(found), total)
	}
	return len(found), nil
}

// owedIn is the backlog of a store, for tests.
type owedIn struct {
	*backlog.Backlog
	tb testing.TB
}

// backlogOf opens the backlog of a store. What is to be known to it is written
// through it.
func backlogOf(tb testing.TB, db *DB) owedIn {
	tb.Helper()
	b, err := backlog.Open(tb.Context(), db, db.cfg.Now)
	require.NoError(tb, err)
	return owedIn{Backlog: b, tb: tb}
}

// stats asks for the pending evaluations and expects an answer.
func (o owedIn) stats() store.BacklogStats {
	o.tb.Helper()
	s, err := o.Stats(context.Background())
	require.NoError(o.tb, err)
	return s
}

// evaluationsOf returns those of a record's span.
func evaluationsOf(tb testing.TB, db *DB, env tenant.Environment, r store.Record) []eval.Evaluation {
	tb.Helper()
	list, err := db.Evaluations(tb.Context(), []store.Location{{Environment: env.ID, Span: r.Span.Key()}}, 0, store.Latest)
	require.NoError(tb, err)
	if len(list) == 0 {
		return nil
	}
	return list[0].Evaluations
}
