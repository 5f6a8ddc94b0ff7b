// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

// The newest spans are found without a look at all others of their ten minutes: of the last
// minute, and where the last page ended when nothing came since.
func TestTheNewestSpansAreFoundWhereTheyAre(t *testing.T) {
	t.Parallel()
	const perPart, parts, granule, limit = 3000, 4, 256, 10
	begun := storetest.Epoch.Truncate(span.BucketLength)
	now := begun
	counted := clickhousetest.Counted(t, clickhousetest.Database(t, t.Name()))
	db, err := Open(t.Context(), Config{DSN: counted.DSN(), Now: func() time.Time { return now }, keepExpired: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.conn.Exec(t.Context(), "SYSTEM STOP MERGES "+spansTable))
	env := storetest.Environment("prd")
	newest := int64(0)
	write := func(part, n int, at time.Time) {
		list := make([]store.Record, n)
		for i := range list {
			s := storetest.Span(env, part*perPart+i)
			s.Start = at.UnixNano() + int64(i)
			newest = max(newest, s.Start)
			list[i] = storetest.Record(env, s)
		}
		require.NoError(t, storetest.Write(t.Context(), db, list))
	}
	read := func() int64 {
		counted.Take()
		page, err := db.Search(t.Context(), env, query.Query{
			To: now.Add(time.Hour).UnixNano(), Order: query.Order{By: query.SortTimestamp, Descending: true}, Limit: limit,
		})
		require.NoError(t, err)
		require.Len(t, page.Spans, limit)
		require.NotNil(t, page.Next)
		for i := range page.Spans {
			require.Equal(t, newest-int64(i), page.Spans[i].Start)
		}
		rows, _ := counted.Take()
		return rows
	}
	for part := range parts {
		write(part, perPart, begun.Add(time.Duration(2*part)*time.Minute))
	}
	// Of the part of the last minute the starts are read and, once more, the rows of the page.
	const ofOnePart = 2 * (perPart + granule)
	now = time.Unix(0, newest).Add(time.Second)
	require.LessOrEqual(t, read(), int64(ofOnePart))

	now = now.Add(time.Hour) // nothing came since
	require.LessOrEqual(t, read(), int64(ofOnePart), "it is remembered where they are")
	old := newest
	write(parts, 1, begun.Add(9*time.Minute)) // less than a page
	counted.Take()
	page, err := db.Search(t.Context(), env, query.Query{To: now.UnixNano(), Order: query.Order{By: query.SortTimestamp, Descending: true}, Limit: 2, Total: true})
	require.NoError(t, err)
	require.EqualValues(t, parts*perPart+1, page.Total)
	require.Equal(t, []int64{newest, old}, []int64{page.Spans[0].Start, page.Spans[1].Start})
}
