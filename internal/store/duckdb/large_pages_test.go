// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// A page of large spans ends when it has as much as it may, whatever its limit, and
// goes on where it ended: all are found, once, in their order.
func TestPagesOfLargeSpans(t *testing.T) {
	t.Parallel()
	db := open(t, Config{Dir: t.TempDir()})
	env := testEnv("prd", time.Hour)
	const all = 70
	begun := time.Now().Add(-time.Minute)
	for n := range all {
		r := numbered(env, n, begun.Add(time.Duration(n)*time.Millisecond))
		r.Span.Output = strings.Repeat("x", 1<<20)
		if n == all-1 {
			r.Span.Output = strings.Repeat("x", query.PageBytes+1)
		}
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{r}))
	}
	for _, descending := range []bool{false, true} {
		q := query.Query{To: 1<<63 - 1, Limit: all, Total: true, Order: query.Order{By: query.SortTimestamp, Descending: descending}}
		var seen []int
		pages := 0
		for page, err := range storetest.Pages(t.Context(), db, env, q) {
			pages++
			require.NoError(t, err)
			require.EqualValues(t, all, page.Total)
			bytes := 0
			for i := range page.Spans {
				bytes += page.Spans[i].TextBytes()
				seen = append(seen, numberOf(&page.Spans[i]))
			}
			if len(page.Spans) > 1 {
				require.LessOrEqual(t, bytes, query.PageBytes)
			}
			require.NotEmpty(t, page.Spans)
		}
		require.GreaterOrEqual(t, pages, 6)
		require.Len(t, seen, all)
		for i, n := range seen {
			if descending {
				i = all - 1 - i
			}
			require.Equal(t, i, n)
		}
	}
}

// Spans of a page are not read before it is known how large they are: fifty that are
// three times the page together take no more memory than the page.
func TestLargeSpansAreNotReadAtOnce(t *testing.T) { //nolint:paralleltest // it measures what the process allocates
	db := open(t, Config{Dir: t.TempDir()})
	env := testEnv("prd", time.Hour)
	const all, each = 50, 1 << 20
	for n := range all {
		r := numbered(env, n, time.Now())
		r.Span.Output = strings.Repeat("x", each)
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{r}))
	}
	q := query.Query{To: 1<<63 - 1, Limit: all, Order: query.Order{By: query.SortTimestamp, Descending: true}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	page, err := db.Search(t.Context(), env, q)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Len(t, page.Spans, query.PageBytes/each-1)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2*query.PageBytes))
}
