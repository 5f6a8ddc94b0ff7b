// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
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
