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
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// A copy of a file may give the numbers of small rows again: what is remembered of the
// file that it takes the place of is not taken for what the copy has.
func TestNothingIsRememberedOfAFileThatACopyReplaced(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now})
	envs := []tenant.Environment{testEnv("prd", time.Hour), testEnv("dev", time.Hour)} // in one file
	var records []store.Record
	for i := range 4 {
		r := numbered(envs[i%2], i, clk.now())
		r.Evaluations = nil
		if i%2 == 0 {
			r.Evaluations = []eval.Evaluation{{SetupID: "s", Evaluator: "before", Status: eval.Done, Outputs: []eval.Output{{Name: "ok", Value: true}}}}
		}
		records = append(records, r)
	}
	require.NoError(t, storetest.Write(t.Context(), db, records))
	q := query.Query{To: 1<<63 - 1, Limit: 10, Order: query.Order{By: query.SortTimestamp}, Filters: []query.Filter{
		{Field: query.Field{Kind: query.FieldEvaluation, Name: "before", Output: "ok"}, Operator: query.OpEquals, Value: "true"},
	}}
	page, err := db.Search(t.Context(), envs[0], q)
	require.NoError(t, err)
	require.Len(t, page.Spans, 2)

	require.NoError(t, db.Delete(t.Context(), envs[0].ID, store.Part{Everything: true}))
	var late []store.Evaluated
	for _, i := range []int{1, 3} {
		late = append(late, store.Evaluated{Environment: envs[1].ID, Span: records[i].Span.Key(), Evaluations: []eval.Evaluation{
			{SetupID: "s", Evaluator: "after", Status: eval.Done, Outputs: []eval.Output{{Name: "fine", Value: true}}, Time: clk.now().UnixNano()},
		}})
	}
	_, err = db.Write(t.Context(), store.Batch{Evaluations: late})
	require.NoError(t, err)
	page, err = db.Search(t.Context(), envs[1], q)
	require.NoError(t, err)
	require.Empty(t, page.Spans)
	q.Filters[0].Field.Name, q.Filters[0].Field.Output = "after", "fine"
	page, err = db.Search(t.Context(), envs[1], q)
	require.NoError(t, err)
	require.Len(t, page.Spans, 2)
	value, _ := page.Spans[0].Attributes.Get("evaluation.after.fine")
	require.Equal(t, "true", value)
}

// A file that is full, or whose period is over, takes in no more when the store is
// opened, and has its index made.
func TestAFullFileIsClosedAtStart(t *testing.T) {
	t.Parallel()
	for name, pass := range map[string]time.Duration{"full": 0, "over": 25 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clk := newClock()
			cfg := Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 40}
			cfg.indexRows = 1
			if pass > 0 {
				cfg.PartitionRows = 1000
			}
			env := testEnv("prd", 720*time.Hour)
			var records []store.Record
			for i := range 40 {
				records = append(records, numbered(env, i, clk.now()))
			}
			db := open(t, cfg)
			require.NoError(t, storetest.Write(t.Context(), db, records))
			require.NoError(t, db.Close())
			clk.pass(pass)
			db = open(t, cfg)
			db.awaitIndexes()
			require.Len(t, db.engine.partitions, 1)
			require.True(t, db.engine.partitions[0].IsIndexed())
			require.Len(t, stored(t, db, env), 40)
			require.NoError(t, storetest.Write(t.Context(), db, append(records[:5:5], numbered(env, 40, clk.now()))))
			require.Len(t, stored(t, db, env), 41)
			require.Len(t, db.engine.partitions, 2)
		})
	}
}
