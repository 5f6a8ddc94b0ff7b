// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// While the server does not answer, callers give up and send again: what they gave up
// is not kept for when it answers.
func TestWhatCallersGaveUpIsNotKept(t *testing.T) {
	t.Parallel()
	server, err := url.Parse(clickhousetest.Database(t, t.Name()))
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: server.Scheme, Host: server.Host})
	came, answer := make(chan struct{}, 1), make(chan struct{})
	var silent atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if silent.Load() {
			select {
			case came <- struct{}{}:
			default:
			}
			<-answer
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	through := *server
	through.Host = proxy.Listener.Addr().String()
	db, err := Open(t.Context(), Config{DSN: through.String(), Now: func() time.Time { return storetest.Epoch }, keepExpired: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	silent.Store(true)

	env := storetest.Environment("prd")
	first := make(chan error, 1)
	go func() {
		first <- storetest.Write(context.WithoutCancel(t.Context()), db, []store.Record{storetest.Record(env, storetest.Span(env, 0))})
	}()
	<-came
	for n := range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		require.ErrorIs(t, storetest.Write(ctx, db, []store.Record{storetest.Record(env, storetest.Span(env, 1+n))}), context.DeadlineExceeded)
		cancel()
	}
	close(answer)
	require.NoError(t, <-first)
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{storetest.Record(env, storetest.Span(env, 6))}))
	page, err := db.Search(t.Context(), env, query.Query{From: math.MinInt64, To: math.MaxInt64, Order: query.Order{By: query.SortTimestamp}, Limit: 10, Total: true})
	require.NoError(t, err)
	require.EqualValues(t, 2, page.Total)
}

// A store is closed while the server does not answer, also under a commit whose callers
// have gone; who still waits for one may send it again elsewhere.
func TestSilentServersDoNotHoldClose(t *testing.T) {
	t.Parallel()
	line := clickhousetest.Lossy(t, clickhousetest.Database(t, t.Name()), func(string) clickhousetest.Fate { return clickhousetest.Arrives })
	db, err := Open(t.Context(), Config{DSN: line.DSN(), Now: func() time.Time { return storetest.Epoch }, keepExpired: true})
	require.NoError(t, err)
	env := storetest.Environment("prd")
	line.Hold()
	defer line.Release()
	gone, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, storetest.Write(gone, db, []store.Record{storetest.Record(env, storetest.Span(env, 1))}), context.DeadlineExceeded)
	waits := make(chan error, 1)
	go func() {
		waits <- storetest.Write(context.WithoutCancel(t.Context()), db, []store.Record{storetest.Record(env, storetest.Span(env, 2))})
	}()
	require.Eventually(t, func() bool {
		db.mu.Lock()
		defer db.mu.Unlock()
		return len(db.waiting) == 1
	}, time.Minute, time.Millisecond)
	begun := time.Now()
	require.NoError(t, db.Close())
	require.Less(t, time.Since(begun), 2*closeTime)
	require.Equal(t, fault.Unavailable, fault.KindOf(<-waits))
}

// One that sends much does not keep others waiting for all of it: each commit has
// something of everybody who waits, in the order in which it came.
func TestEnvironmentsShareCommits(t *testing.T) {
	t.Parallel()
	of := func(env string, n int) *request {
		records := make([]store.Record, n)
		for i := range records {
			records[i].Environment.ID = tenant.EnvironmentID(env)
		}
		return &request{batch: store.Batch{Records: records}}
	}
	var c commits
	for range 100 {
		c.waiting = append(c.waiting, of("heavy", mostSpans/10))
	}
	first, second, large := of("light", 5), of("light", 6), of("large", 2*mostSpans)
	c.waiting = append(c.waiting, first, second, large)
	group := c.next()
	require.True(t, slices.Contains(group, first) && slices.Contains(group, second))
	require.False(t, slices.Contains(group, large), "it is more than a commit takes with others")
	require.Less(t, slices.Index(group, first), slices.Index(group, second))
	require.Equal(t, 103, len(group)+len(c.waiting))
	for n := 0; ; n++ {
		require.Less(t, n, 30, "it has its turn")
		if group := c.next(); slices.Contains(group, large) {
			require.Empty(t, group[1:])
			break
		}
	}
	for c.next() != nil {
	}
	require.False(t, c.busy)
	require.Empty(t, c.waiting)
}

// A commit waits for as many rows as the latest one had, for half of the time that it took.
func TestCommitsWaitForWhoSendsAgain(t *testing.T) {
	t.Parallel()
	const took = 200 * time.Millisecond
	of := func(rows int) *request { return &request{batch: store.Batch{Records: make([]store.Record, rows)}} }
	for name, x := range map[string]struct {
		previous commitMade
		before   int             // rows that wait already
		come     []time.Duration // when ten rows more come, each
		waits    time.Duration
	}{
		"all who waited send again":   {commitMade{rows: 40, took: took}, 10, []time.Duration{10 * time.Millisecond, 30 * time.Millisecond, 50 * time.Millisecond}, 50 * time.Millisecond},
		"some do not":                 {commitMade{rows: 40, took: took}, 10, []time.Duration{10 * time.Millisecond, 30 * time.Millisecond}, took / 2},
		"one alone":                   {commitMade{rows: 10, took: took}, 10, nil, 0},
		"who sends as much by itself": {commitMade{rows: 40, took: took}, 40, nil, 0},
		"a commit that took long":     {commitMade{rows: 40, took: time.Minute}, 10, nil, gatherTime},
		"more than a commit takes":    {commitMade{rows: 10 * mostSpans, took: took}, mostSpans, nil, 0},
		"the first":                   {commitMade{}, 10, nil, 0},
		"none waits":                  {commitMade{rows: 40, took: took}, 0, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := &commits{arrived: make(chan struct{}, 1), previous: x.previous}
				c.previous.ended = time.Now()
				if x.before > 0 {
					c.waiting = append(c.waiting, of(x.before))
				}
				for _, after := range x.come {
					time.AfterFunc(after, func() { c.add(of(10)) })
				}
				begun := time.Now()
				c.gather(t.Context())
				require.Equal(t, x.waits, time.Since(begun))
			})
		})
	}
	t.Run("later", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			c := &commits{previous: commitMade{rows: 40, took: took, ended: time.Now().Add(-took)}, waiting: []*request{of(10)}}
			begun := time.Now()
			c.gather(t.Context())
			require.Equal(t, begun, time.Now())
		})
	})
}
