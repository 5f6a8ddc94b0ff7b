// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// Of a trace of thousands of spans, between which others were stored, each is found
// once and has its own evaluations.
func TestLongTraces(t *testing.T) {
	t.Parallel()
	db := open(t, Config{Dir: t.TempDir()})
	env := testEnv("prd", time.Hour)
	const all, every = 4500, 3
	trace := span.TraceID{7}
	begun := time.Now().Add(-time.Minute)
	records := make([]store.Record, 0, all)
	for n := range all {
		r := numbered(env, n, begun.Add(time.Duration(n)*time.Millisecond))
		if n%every == 0 {
			r.Span.TraceID = trace
		}
		r.Evaluations[0].Duration = int64(n)
		records = append(records, r)
	}
	require.NoError(t, storetest.Write(t.Context(), db, records))
	page, err := db.Search(t.Context(), env, query.Query{
		To: 1<<63 - 1, Limit: query.MaxBrief, Brief: true, Total: true, Order: query.Order{By: query.SortTimestamp},
		Filters: []query.Filter{{Field: query.TraceField, Operator: query.OpEquals, Value: trace.String()}},
	})
	require.NoError(t, err)
	require.EqualValues(t, all/every, page.Total)
	require.Len(t, page.Spans, all/every)
	made, err := store.EvaluationsOf(t.Context(), db, env.ID, page.Spans)
	require.NoError(t, err)
	for i := range page.Spans {
		require.Equal(t, i*every, numberOf(&page.Spans[i]))
		require.Len(t, made[i], 1)
		require.EqualValues(t, i*every, made[i][0].Duration)
	}
}
