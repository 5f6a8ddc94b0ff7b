// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

// A page of large spans ends when it has as much as it may, whatever its limit, and goes
// on where it ended: all are found, once, in their order.
func TestPagesOfLargeSpans(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Config{DSN: clickhousetest.Database(t, t.Name()), Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	env := storetest.Environment("prd")
	const all = 20
	begun := time.Now().Add(-time.Minute)
	for n := range all {
		s := storetest.Span(env, n)
		s.Start, s.Output = begun.Add(time.Duration(n)*time.Millisecond).UnixNano(), strings.Repeat("x", 2<<20)
		if n == all-1 {
			s.Output = strings.Repeat("x", query.PageBytes+1)
		}
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{storetest.Record(env, s)}))
	}
	q := query.Query{To: 1<<63 - 1, Limit: all, Total: true, Order: query.Order{By: query.SortTimestamp}}
	var starts []int64
	pages := 0
	for page, err := range storetest.Pages(t.Context(), db, env, q) {
		pages++
		require.NoError(t, err)
		require.EqualValues(t, all, page.Total)
		require.NotEmpty(t, page.Spans)
		bytes := 0
		for i := range page.Spans {
			bytes += page.Spans[i].TextBytes()
			starts = append(starts, page.Spans[i].Start)
		}
		if len(page.Spans) > 1 {
			require.LessOrEqual(t, bytes, query.PageBytes)
		}
	}
	require.GreaterOrEqual(t, pages, 4)
	require.Len(t, starts, all)
	require.IsIncreasing(t, starts)
	q.Brief = true
	page, err := db.Search(t.Context(), env, q)
	require.NoError(t, err)
	require.Len(t, page.Spans, all, "brief spans have none of it")
}
