// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

// A server that is killed under load, in the middle of inserts, costs refusals that can
// retry. When it is back nothing has to be opened again, and every acknowledged
// span is there once, with its verdict.
func TestTheServerIsKilledUnderLoad(t *testing.T) {
	t.Parallel()
	server := clickhousetest.Own(t)
	db, err := Open(t.Context(), Config{DSN: server.DSN(), Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	env := storetest.Environment("prd")
	begun := time.Now().Add(-time.Minute)
	const perBatch = 20
	clients := startSending(t, db, func(n int) (batch store.Batch) {
		for i := range perBatch {
			s := storetest.Span(env, n*perBatch+i)
			s.Start = begun.Add(time.Duration(n*perBatch+i) * time.Microsecond).UnixNano()
			batch.Records = append(batch.Records, storetest.Record(env, s, storetest.Verdict("set", "made", s.Start, "o", true)))
		}
		return batch
	})
	for range 3 {
		clients.await(200)
		server.Kill(t)
		clients.awaitRefused(0)
		_, err := db.Search(t.Context(), env, query.Query{To: 1<<63 - 1, Limit: 1, Order: query.Order{By: query.SortTimestamp}})
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		server.Start(t)
	}
	clients.await(200)
	clients.end()

	q := query.Query{To: 1<<63 - 1, Limit: query.MaxLimit, Total: true, Order: query.Order{By: query.SortTimestamp}}
	seen := map[string]bool{}
	for page, err := range storetest.Pages(t.Context(), db, env, q) {
		require.NoError(t, err)
		require.Equal(t, clients.acknowledged.Load(), page.Total)
		for i := range page.Spans {
			s := &page.Spans[i]
			seen[s.TraceID.String()+s.SpanID.String()] = true
			verdict, _ := s.Attributes.Get("evaluation.made.o")
			require.Equal(t, "true", verdict)
		}
	}
	require.Len(t, seen, int(clients.acknowledged.Load()))
}
