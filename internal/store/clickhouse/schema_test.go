// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

// A table of an earlier release gets the settings of this one. Parts from before and after that
// are read together, and merged into one, whether they are one file or a file for each column.
func TestSettingsOfAnEarlierRelease(t *testing.T) {
	t.Parallel()
	for parts, setting := range map[string]string{"of one file": compactParts, "of a file for each column": "min_bytes_for_wide_part = 0"} {
		t.Run(parts, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			cfg := Config{DSN: clickhousetest.Database(t, t.Name()), Now: func() time.Time { return storetest.Epoch }, keepExpired: true}
			env := storetest.Environment("prd")
			const each = 300
			write := func(db *DB, from int) {
				var list []store.Record
				for n := range each {
					list = append(list, storetest.Record(env, storetest.Span(env, from+n)))
				}
				require.NoError(t, storetest.Write(ctx, db, list))
			}
			all := func(db *DB) []span.Span {
				page, err := db.Search(ctx, env, query.Query{From: math.MinInt64, To: math.MaxInt64, Order: query.Order{By: query.SortTimestamp}, Limit: query.MaxLimit, Total: true})
				require.NoError(t, err)
				require.EqualValues(t, len(page.Spans), page.Total)
				return page.Spans
			}

			settings := []string{fewMerges, lessWritten, smallBlocks}
			has := func(db *DB, setting string) bool {
				n, err := db.number(ctx, "look at the table", "SELECT toInt64(count()) FROM system.tables WHERE database = currentDatabase() AND name = '"+spansTable+"' AND position(engine_full, "+sqltext.Literal(setting)+") > 0")
				require.NoError(t, err)
				return n == 1
			}

			db, err := Open(ctx, cfg)
			require.NoError(t, err)
			for _, setting := range settings {
				require.True(t, has(db, setting), setting)
			}
			for _, statement := range []string{
				"ALTER TABLE " + spansTable + " MODIFY SETTING merge_selector_base = 8, string_serialization_version = 'with_size_stream', auto_statistics_types = 'minmax, uniq', " + setting,
				"ALTER TABLE " + spansTable + " RESET SETTING min_compress_block_size",
				"ALTER TABLE " + migrationsTable + " DELETE WHERE n > 8",
			} {
				require.NoError(t, db.conn.Exec(ctx, statement), statement)
			}
			for _, setting := range settings {
				require.False(t, has(db, setting), setting)
			}
			write(db, 0)
			before := all(db)
			require.Len(t, before, each)
			require.NoError(t, db.Close())

			db, err = Open(ctx, cfg)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			for _, setting := range settings {
				require.True(t, has(db, setting), setting)
			}
			require.Equal(t, before, all(db))
			write(db, each)
			after := all(db)
			require.Len(t, after, 2*each)
			require.NoError(t, db.conn.Exec(ctx, "OPTIMIZE TABLE "+spansTable+" FINAL"))
			n, err := db.number(ctx, "count parts", "SELECT toInt64(count()) FROM system.parts WHERE database = currentDatabase() AND table = '"+spansTable+"' AND active")
			require.NoError(t, err)
			require.EqualValues(t, 1, n)
			require.Equal(t, after, all(db))
		})
	}
}

// Evaluations that an earlier release stored without score and grounds are read as they were.
func TestEvaluationsOfAnEarlierRelease(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	cfg := Config{DSN: clickhousetest.Database(t, t.Name()), Now: func() time.Time { return storetest.Epoch }, keepExpired: true}
	env := storetest.Environment("prd")
	s := storetest.Span(env, 1)
	db, err := Open(ctx, cfg)
	require.NoError(t, err)
	var made []eval.Evaluation
	for _, evaluator := range []string{"one", "two"} {
		made = append(made, storetest.Verdict("setup", evaluator, storetest.Epoch.UnixNano(), "score", 0.5))
	}
	require.NoError(t, storetest.Write(ctx, db, []store.Record{storetest.Record(env, s, made...)}))
	for _, statement := range []string{
		"ALTER TABLE " + spansTable + " DROP COLUMN " + scoresColumn + ", DROP COLUMN " + groundsColumn,
		"ALTER TABLE " + lateTable + " DROP COLUMN score, DROP COLUMN grounds",
		"ALTER TABLE " + predecessorsTable + " DROP COLUMN score, DROP COLUMN grounds",
		"ALTER TABLE " + migrationsTable + " DELETE WHERE n > 5", // before the columns got their codecs
	} {
		require.NoError(t, db.conn.Exec(ctx, statement), statement)
	}
	require.NoError(t, db.Close())

	db, err = Open(ctx, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	read, err := storetest.EvaluationsOf(ctx, db, env, s)
	require.NoError(t, err)
	require.Len(t, read, len(made))
	for _, e := range read {
		require.Equal(t, eval.Done, e.Status)
		require.Nil(t, e.Grounds.Score)
		require.Equal(t, []eval.Output{{Name: "score", Value: 0.5}}, e.Outputs)
	}
	page, err := db.Search(ctx, env, query.Query{From: math.MinInt64, To: math.MaxInt64, Order: query.Order{By: query.SortTimestamp}, Limit: query.MaxLimit, Total: true})
	require.NoError(t, err)
	require.Len(t, page.Spans, 1)
}
