// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

// A query that finds all connections in use waits for a while and is refused for a while. When the
// server answers again, so does the store, and what was written meanwhile is there once.
func TestAllConnectionsAreInUse(t *testing.T) {
	t.Parallel()
	line := clickhousetest.Lossy(t, clickhousetest.Database(t, t.Name()), func(string) clickhousetest.Fate { return clickhousetest.Arrives })
	db, err := Open(t.Context(), Config{DSN: line.DSN() + "?dial_timeout=2s", Now: func() time.Time { return storetest.Epoch }, MaxConnections: 2, keepExpired: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	env := storetest.Environment("prd")
	record := storetest.Record(env, storetest.Span(env, 1))
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{record}))
	search := func() (int64, error) {
		page, err := db.Search(t.Context(), env, query.Query{From: -1 << 63, To: 1<<63 - 1, Limit: 1, Total: true, Order: query.Order{By: query.SortTimestamp}})
		return page.Total, err
	}

	line.Hold()
	var reading sync.WaitGroup
	errs := make(chan error, 10)
	for range cap(errs) {
		reading.Go(func() {
			_, err := search()
			errs <- err
		})
	}
	for range cap(errs) - 2 { // who has a connection waits for the server
		err := <-errs
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
		require.ErrorContains(t, err, "all connections are in use")
	}
	err = storetest.Write(t.Context(), db, []store.Record{record})
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	line.Release()
	reading.Wait()
	for range 2 { // a connection that was not made in time is none
		if err := <-errs; err != nil {
			require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
		}
	}
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{record}))
	total, err := search()
	require.NoError(t, err)
	require.EqualValues(t, 1, total)
}
