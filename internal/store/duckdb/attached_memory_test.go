// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// held returns how much of the engine's memory is for something.
func (db *DB) held(t *testing.T, tag string) (bytes int64) {
	t.Helper()
	row := db.engine.instance.Pool.QueryRowContext(t.Context(), "SELECT memory_usage_bytes FROM duckdb_memory() WHERE tag = ?", tag)
	require.NoError(t, row.Scan(&bytes))
	return bytes
}

// TestManyFilesLeaveMemoryToQueries asks what a dashboard asks of forty files, whose indexes
// together fill most of the memory, while spans come in: nothing is refused, and what
// files hold is bounded after each query.
func TestManyFilesLeaveMemoryToQueries(t *testing.T) {
	t.Parallel()
	const files, rows, size, memory = 40, 400, 200, 40 << 20
	db := open(t, Config{
		Dir: t.TempDir(), MemoryLimit: memory, PartitionRows: rows, indexRows: 1, files: 2 * files, CheckpointBytes: 2 << 20,
		Report: func(message string, err error) { t.Errorf("%s: %v", message, err) },
	})
	db.readers.Patience = turns.Patience{Reader: time.Hour, Writer: time.Hour}
	src := newRecordSource(24*time.Hour, 2*files*rows)
	env := src.Environments()[0]
	for range files * rows / size {
		require.NoError(t, storetest.Write(t.Context(), db, src.batch(size)))
	}
	db.awaitIndexes()
	require.GreaterOrEqual(t, len(db.engine.partitions), files)

	searches := map[string]func(q *query.Query){
		"newest": func(*query.Query) {},
		"attribute": func(q *query.Query) {
			q.Filters = []query.Filter{attribute("traceloop.association.properties.plan", "enterprise")}
		},
		"tokens":   func(q *query.Query) { q.Order.By = query.SortTotalTokens },
		"duration": func(q *query.Query) { q.Order.By = query.SortDuration },
		"by verdict": func(q *query.Query) {
			q.Order.By, q.Order.Slug, q.Order.Output = query.SortEvaluation, "char-count", "char_count"
		},
		"model": func(q *query.Query) {
			q.Filters = []query.Filter{{Field: query.Field{Kind: query.FieldAlias, Name: span.AliasRequestModel}, Operator: query.OpEquals, Value: "gpt-4o"}}
		},
		"contains": func(q *query.Query) {
			q.Filters = []query.Filter{{Field: query.Column("completions"), Operator: query.OpContains, Value: "zuzu"}}
		},
		"outputs": func(q *query.Query) { q.Subject = query.Outputs },
	}
	count := query.Figure{Measure: query.Count}
	quantile := func(name string, of query.FieldKind) query.Figure {
		return query.Figure{Measure: query.Quantile, Of: query.Field{Kind: of, Name: name}, Percent: 95}
	}
	service := []query.Field{{Kind: query.FieldColumn, Name: "service_name"}}
	ofSlug := query.Filter{Field: query.Field{Kind: query.FieldOutput, Name: query.OutputEvaluator}, Operator: query.OpEquals, Value: "char-count"}
	figures := map[string]query.Aggregate{
		"spans by day":        {Step: 24 * time.Hour, Figures: []query.Figure{count}},
		"spans by service":    {By: service, Figures: []query.Figure{count, quantile("duration", query.FieldColumn)}},
		"verdicts by service": {Subject: query.Outputs, Filters: []query.Filter{ofSlug}, By: service, Figures: []query.Figure{count, quantile(query.OutputNumber, query.FieldOutput)}},
		"evaluations":         {Subject: query.Evaluations, By: []query.Field{query.Record(query.RecordSetup)}, Step: time.Hour, Figures: []query.Figure{{Measure: query.CountSpans}}},
	}
	asked := func(name string, err error) {
		require.NoError(t, err, name)
		require.LessOrEqual(t, db.held(t, "ART_INDEX"), int64(memory/heldShare), name)
		require.NoError(t, storetest.Write(t.Context(), db, src.batch(size/10)), name)
	}
	for range 2 {
		for name, change := range searches {
			q := query.Query{To: 1<<63 - 1, Limit: 50, Total: true, Order: query.Order{By: query.SortTimestamp, Descending: true}}
			change(&q)
			_, err := db.Search(t.Context(), env, q)
			asked(name, err)
		}
		for name, a := range figures {
			a.To, a.Limit = 1<<63-1, 10_000
			_, err := db.Aggregate(t.Context(), env, a)
			asked(name, err)
		}
	}
	require.Greater(t, db.AttachedFiles(), 2, "some stay attached")
}
