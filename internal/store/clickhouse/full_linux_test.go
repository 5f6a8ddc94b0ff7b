// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

// A server whose disk is full refuses what it cannot store, so that it is sent again,
// and goes on by itself when there is room. All that was acknowledged is there once.
func TestTheDiskOfTheServerIsFull(t *testing.T) {
	t.Parallel()
	server, disk := clickhousetest.OnDisk(t, 128<<20)
	db, err := Open(t.Context(), Config{DSN: server.DSN(), Now: time.Now, MinFreeBytes: 32 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	env := storetest.Environment("prd")
	begun := time.Now().Add(-time.Minute)
	clients := startSending(t, db, func(n int) store.Batch {
		s := storetest.Span(env, n)
		s.Start, s.Output = begun.Add(time.Duration(n)*time.Microsecond).UnixNano(), strings.Repeat("text ", 100)
		return store.Batch{Records: []store.Record{storetest.Record(env, s, storetest.Verdict("set", "made", s.Start, "o", true))}}
	})
	for range 2 {
		clients.await(20)
		// A merge that comes to the end of the disk may leave a part that the server cannot
		// read.
		require.NoError(t, db.conn.Exec(t.Context(), "SYSTEM STOP MERGES"))
		disk.Fill(t)
		clients.awaitRefused(3)
		stored := clients.acknowledged.Load()
		page, err := db.Search(t.Context(), env, query.Query{To: 1<<63 - 1, Limit: 1, Total: true, Order: query.Order{By: query.SortTimestamp}})
		require.NoError(t, err, "who reads needs no room")
		require.GreaterOrEqual(t, page.Total, stored)
		disk.Free(t)
		require.NoError(t, db.conn.Exec(t.Context(), "SYSTEM START MERGES"))
	}
	clients.await(20)
	clients.end()

	q := query.Query{To: 1<<63 - 1, Limit: query.MaxLimit, Total: true, Order: query.Order{By: query.SortTimestamp}}
	seen := map[span.TraceID]bool{}
	for page, err := range storetest.Pages(t.Context(), db, env, q) {
		require.NoError(t, err)
		require.Equal(t, clients.acknowledged.Load(), page.Total)
		for i := range page.Spans {
			require.False(t, seen[page.Spans[i].TraceID])
			seen[page.Spans[i].TraceID] = true
		}
	}
	require.Len(t, seen, int(clients.acknowledged.Load()))
}
