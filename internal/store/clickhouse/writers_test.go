// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// Three processes get the same spans over and over, at once and in any order: every
// span is there once, its evaluations with it, before parts are merged and after.
func TestWritersNeedNoOrder(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), func() time.Time { return storetest.Epoch }
	env := storetest.Environment("prd")
	const spans = 60
	var writers sync.WaitGroup
	var all []store.Engine
	errs := make(chan error, 100)
	for w := range 3 {
		e := open(t, dir, now)
		all = append(all, e)
		writers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 7))
			for range 4 {
				var batch []store.Record
				for _, n := range r.Perm(spans) {
					batch = append(batch, storetest.Record(env, storetest.Span(env, n), storetest.Verdict("s", "e", int64(n), "o", int64(n))))
				}
				errs <- storetest.Write(t.Context(), e, batch)
			}
		})
	}
	writers.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	q := query.Query{From: math.MinInt64, To: math.MaxInt64, Order: query.Order{By: query.SortTimestamp}, Limit: spans + 1, Total: true}
	for range 2 {
		for _, e := range all {
			page, err := e.Search(t.Context(), env, q)
			require.NoError(t, err)
			require.EqualValues(t, spans, page.Total)
			require.Len(t, page.Spans, spans)
			for n, s := range page.Spans {
				require.Equal(t, storetest.Span(env, n).SpanID, s.SpanID)
				text, found := s.Attributes.Get("evaluation.e.o")
				require.True(t, found)
				require.NotEmpty(t, text)
			}
		}
		for _, table := range tables {
			require.NoError(t, all[0].(*DB).conn.Exec(t.Context(), "OPTIMIZE TABLE "+table.name+" FINAL"))
		}
	}
	for _, e := range all {
		require.NoError(t, e.Close())
	}
}

// What of a stored span writers look at is what FINAL says, also where two that did not see
// each other gave the same number to two contents, whichever came first.
func TestWritersSeeTheRowsThatCount(t *testing.T) {
	t.Parallel()
	db, _ := open(t, t.TempDir(), func() time.Time { return storetest.Epoch }).(*DB)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.conn.Exec(t.Context(), "SYSTEM STOP MERGES "+spansTable))
	env := storetest.Environment("prd")
	const once, twice, again, newer, gone = 0, 1, 2, 3, 4 // spans
	put := func(n int, version, digest uint64) {
		s := storetest.Span(env, n)
		row := &spanRow{head: headOf(env, s.TraceID, s.SpanID, s.Start, storetest.Epoch), version: version, span: s}
		row.digest = digest
		require.NoError(t, insert(t.Context(), db, intoSpans, []*spanRow{row}))
	}
	put(once, 5, 1)
	put(twice, 7, 1)
	put(twice, 7, 2)
	put(again, 7, 2)
	put(again, 7, 1)
	put(newer, 8, 2)
	put(newer, 7, 1)
	var list []store.Record
	for n := range gone + 1 {
		list = append(list, storetest.Record(env, storetest.Span(env, n)))
	}
	heads, err := db.heads(t.Context(), []*request{{batch: store.Batch{Records: list}}})
	require.NoError(t, err)
	final, err := rows(t.Context(), db, "look", keyColumns, "SELECT "+names(keyColumns)+" FROM "+spansTable+" FINAL")
	require.NoError(t, err)
	require.Len(t, final, gone)
	require.Len(t, heads, gone)
	for _, r := range final {
		require.Equal(t, r.rowVersion(), heads[r.owner()].rowVersion())
	}
}
