// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
)

const containsFilter = `[{"id":"customer","operator":"contains","value":"x"}]`

func TestQueriesThatLookAtTooMuchAreRefused(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t, func(p *parts) { p.limits = queries.Limits{AtOnce: 1, Spans: 1} })
	env, key := newEnvironmentAndKey(t, h.live)
	start := time.Now().Add(-time.Hour)
	for i := range byte(3) {
		_, err := h.spans.Write(t.Context(), store.Batch{Records: []store.Record{{Environment: env, Span: span.Span{
			TraceID: span.TraceID{1, i}, SpanID: span.ID{1}, Start: start.Add(time.Duration(i) * time.Minute).UnixNano(), Name: "chat",
		}}}})
		require.NoError(t, err)
	}
	from := "?from_timestamp_sec=1"
	require.Equal(t, http.StatusOK, h.call(t, "GET", spansPath+from, key, "").status)
	r := h.call(t, "GET", spansPath+from+"&filters="+url.QueryEscape(containsFilter), key, "")
	require.Equal(t, http.StatusBadRequest, r.status, r.body)
	require.Equal(t, "the query would look at about 3 spans, and at most 1 are looked at: ask for a shorter period, or filter by exact values", r.message(t))
	require.Empty(t, r.header.Get("Retry-After"))
}

func TestQueriesThatTakeTooLongAreGivenUp(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t, func(p *parts) {
		p.limits = queries.Limits{AtOnce: 1, Timeout: 10 * time.Millisecond}
		p.spans = findOnly{find: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
	})
	_, key := newEnvironmentAndKey(t, h.live)
	r := h.call(t, "GET", spansPath+"?from_timestamp_sec=1", key, "")
	require.Equal(t, http.StatusGatewayTimeout, r.status, r.body)
	require.Contains(t, r.message(t), "the query took longer than 10ms")
	require.Empty(t, r.header.Get("Retry-After"), "the same query would take as long")
}

func TestQueriesBeyondTheQueueAreToldToComeBack(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}), make(chan struct{})
	h := newTestAPI(t, func(p *parts) {
		p.limits = queries.Limits{AtOnce: 1, Waiting: 1, Wait: 10 * time.Millisecond}
		p.spans = findOnly{find: func(context.Context) error { begun <- struct{}{}; <-end; return nil }}
	})
	_, key := newEnvironmentAndKey(t, h.live)
	first := h.later(t, "GET", spansPath+"?from_timestamp_sec=1", key, "")
	<-begun
	r := h.call(t, "GET", spansPath+"?from_timestamp_sec=1", key, "")
	require.Equal(t, http.StatusTooManyRequests, r.status, r.body)
	require.Equal(t, "1", r.header.Get("Retry-After"))
	end <- struct{}{}
	require.Equal(t, http.StatusOK, (<-first).status)
}
