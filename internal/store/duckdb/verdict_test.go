// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// TestVerdictsUnderManyNumbers has one evaluator's verdicts under different
// numbers, kinds and places of the output, and its spans in many partitions.
func TestVerdictsUnderManyNumbers(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 40})
	env := testEnv("prd", 100*time.Hour)
	const spans = 200
	for i := range spans {
		x := numbered(env, i+1, clk.now())
		e := eval.Evaluation{SetupID: "s", Evaluator: "e", Status: eval.Done, Version: string(rune('a' + i%26)), Time: 1}
		for range i % 3 {
			e.Outputs = append(e.Outputs, eval.Output{Name: "other" + string(rune('a'+len(e.Outputs))), Value: 1e9})
		}
		value := []any{int64(i), float64(i) + 0.5, "7", true}[i%4]
		e.Outputs = append(e.Outputs, eval.Output{Name: "o", Value: value})
		x.Evaluations = []eval.Evaluation{e}
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{x}))
	}
	require.Greater(t, len(db.engine.partitions), 3)
	for _, descending := range []bool{false, true} {
		order := query.Order{By: query.SortEvaluation, Slug: "e", Output: "o", Descending: descending}
		q := query.Query{To: 1<<63 - 1, Limit: 17, Total: true, Order: order}
		var last *query.Position
		seen := 0
		for page, err := range storetest.Pages(t.Context(), db, env, q) {
			require.NoError(t, err)
			require.EqualValues(t, spans, page.Total)
			for i := range page.Spans {
				at := order.Position(&page.Spans[i])
				require.Greater(t, at.Real, -1.0)
				if last != nil {
					require.Positive(t, order.Compare(&at, last))
				}
				last = &at
				seen++
			}
		}
		require.Equal(t, spans, seen)
	}
}
