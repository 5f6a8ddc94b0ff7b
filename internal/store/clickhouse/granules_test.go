// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

// The table of spans of an earlier release gets finer granules and one more column, while
// other processes start and write: all that was stored is there.
func TestGranulesOfAnEarlierRelease(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dsn := clickhousetest.Database(t, t.Name())
	open := func() *DB {
		db, err := Open(ctx, Config{DSN: dsn, Now: func() time.Time { return storetest.Epoch }, keepExpired: true})
		require.NoError(t, err)
		return db
	}
	first := open()
	t.Cleanup(func() { require.NoError(t, first.Close()) })
	env := storetest.Environment("prd")
	const before, meanwhile = 300, 100
	var list []store.Record
	for n := range before {
		list = append(list, storetest.Record(env, storetest.Span(env, n)))
	}
	require.NoError(t, storetest.Write(ctx, first, list))
	for _, statement := range []string{
		"CREATE TABLE earlier AS " + spansTable + strings.ReplaceAll(first.engineOf(spansTable), ", "+fineGranules, ""),
		"INSERT INTO earlier SELECT * FROM " + spansTable,
		"ALTER TABLE earlier DROP COLUMN folded",
		"ALTER TABLE earlier DROP INDEX by_start",
		"DROP TABLE " + spansTable + " SYNC",
		"RENAME TABLE earlier TO " + spansTable,
		"ALTER TABLE " + migrationsTable + " DELETE WHERE n >= 4",
	} {
		require.NoError(t, first.conn.Exec(ctx, statement), statement)
	}
	fine, coarse, err := first.granules(ctx)
	require.NoError(t, err)
	require.False(t, fine || coarse)

	var starting sync.WaitGroup
	for range 3 {
		starting.Go(func() {
			db, err := Open(ctx, Config{DSN: dsn, Now: first.cfg.Now, keepExpired: true})
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			if err := db.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
	starting.Wait()
	fine, coarse, err = first.granules(ctx)
	require.NoError(t, err)
	require.True(t, fine)
	require.True(t, coarse, "it stays for what was being written")

	// What was written to the earlier table after it was renamed is moved at the next start.
	for n := range meanwhile {
		list[n] = storetest.Record(env, storetest.Span(env, before+n))
	}
	require.NoError(t, insertAs(ctx, first, coarseTable, list[:meanwhile]))
	last := open()
	t.Cleanup(func() { require.NoError(t, last.Close()) })
	page, err := last.Search(ctx, env, query.Query{From: math.MinInt64, To: math.MaxInt64, Order: query.Order{By: query.SortTimestamp}, Limit: 10, Total: true})
	require.NoError(t, err)
	require.EqualValues(t, before+meanwhile, page.Total)
	require.Len(t, page.Spans, 10)
	left, err := last.number(ctx, "count", "SELECT toInt64(count()) FROM "+coarseTable)
	require.NoError(t, err)
	require.Zero(t, left)
	require.NoError(t, last.moveCoarse(ctx, 0))
	fine, coarse, err = last.granules(ctx)
	require.NoError(t, err)
	require.True(t, fine)
	require.False(t, coarse)
}

// insertAs inserts spans into another table than theirs.
func insertAs(ctx context.Context, db *DB, table string, list []store.Record) error {
	into := &insertion[spanRow]{name: table, columns: spanColumns}
	return insert(ctx, db, into, db.newSpans([]*request{{batch: store.Batch{Records: list}}}, map[store.Owner]*spanRow{}))
}
