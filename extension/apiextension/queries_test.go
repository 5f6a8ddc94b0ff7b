// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"encoding/json"
	"fmt"
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
	r := h.call(t, "GET", spansPath+from+"&sort_by=duration_ms&filters="+url.QueryEscape(containsFilter), key, "")
	require.Equal(t, http.StatusBadRequest, r.status, r.body)
	require.Equal(t, "the query would look at about 3 spans, and at most 1 are looked at: ask for a shorter period, or filter by exact values"+
		", or in the order of timestamp, in which a search goes on part by part", r.message(t))
	require.Empty(t, r.header.Get("Retry-After"))
}

// Each list of spans goes on by its cursor where a search ends at a bound, with an empty
// page, too.
func TestSearchesThatEndAtABoundGoOn(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t, func(p *parts) { p.limits = queries.Limits{AtOnce: 1, Spans: 10} })
	env, key := newEnvironmentAndKey(t, h.live)
	start := time.Now().Add(-time.Hour).Truncate(time.Minute)
	var batch store.Batch
	for i := range 60 {
		s := span.Span{TraceID: span.TraceID{1, byte(i)}, SpanID: span.ID{1}, Start: start.Add(time.Duration(i) * time.Minute).UnixNano(), Name: fmt.Sprint("chat ", i)}
		if i == 3 || i == 57 {
			s.Output = "a needle in it"
		}
		batch.Records = append(batch.Records, store.Record{Environment: env, Span: s})
	}
	_, err := h.spans.Write(t.Context(), batch)
	require.NoError(t, err)
	const filters = `[{"id":"output","operator":"contains","value":"needle"}]`
	list := func(cursor string) searched {
		r := h.call(t, "GET", spansPath+"?from_timestamp_sec=1&sort_order=DESC&limit=2&filters="+url.QueryEscape(filters)+"&cursor="+cursor, key, "")
		require.Equal(t, http.StatusOK, r.status, r.body)
		var page shownPage
		require.NoError(t, json.Unmarshal([]byte(r.body), &page))
		return searched{page.names(), page.Spans.TotalResults, page.Spans.NextCursor, page.Spans.Partial, page.Spans.SearchedTo}
	}
	short := func(cursor string) searched {
		r := h.call(t, "POST", searchPath, key, `{"from_timestamp_sec":1,"sort_order":"DESC","limit":2,"filters":`+filters+`,"cursor":"`+cursor+`"}`)
		require.Equal(t, http.StatusOK, r.status, r.body)
		page := into[shownRows](t, r)
		var names []string
		for _, row := range page.Rows {
			names = append(names, row.Name)
		}
		return searched{names, *page.Total, page.Next, page.Partial, page.SearchedTo}
	}
	for name, ask := range map[string]func(string) searched{"list": list, "short": short} {
		var found []string
		partial, empty := 0, 0
		for cursor := ""; ; {
			page := ask(cursor)
			found = append(found, page.names...)
			if page.partial {
				partial++
				require.LessOrEqual(t, page.total, int64(2), name)
			}
			if len(page.names) == 0 && page.next != "" {
				empty++
				require.GreaterOrEqual(t, page.to, start.UnixMilli(), name)
			}
			if cursor = page.next; cursor == "" {
				break
			}
			require.Less(t, partial, 100, "it does not come to an end")
		}
		require.Equal(t, []string{"chat 57", "chat 3"}, found, name)
		require.Greater(t, partial, 2, name)
		require.Positive(t, empty, name)
	}
}

// searched is what either list of spans says.
type searched struct {
	names   []string
	total   int64
	next    string
	partial bool
	to      int64
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
