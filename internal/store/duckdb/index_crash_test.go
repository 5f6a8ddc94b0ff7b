// SPDX-License-Identifier: Apache-2.0

//go:build unix

package duckdb

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// stepEnv names the step of making an index at which childIndexer stays.
const stepEnv = "TOUCHSTONE_TEST_STEP"

// indexerSpans fill one partition and some of the next.
const indexerSpans = 300

func indexerRecords(clk *clock) []store.Record {
	list := make([]store.Record, indexerSpans)
	for i := range list {
		list[i] = numbered(crashEnvs()[1], i, clk.now())
		list[i].Span.Attributes = span.NewAttributes([]span.Attribute{{Key: "third", Value: fmt.Sprint(i % 3)}})
		list[i].Evaluations = []eval.Evaluation{{
			SetupID: "s", Evaluator: "check", Status: eval.Done, Outputs: []eval.Output{{Name: "ok", Value: i%2 == 0}},
		}}
	}
	return list
}

// childIndexer writes spans and stays where the index of the first partition is made.
func childIndexer(dir string) error {
	ctx := context.Background()
	clk := newClock()
	db, err := Open(ctx, Config{
		Dir: dir, MinFreeBytes: -1, PartitionRows: 200, indexRows: 1, Now: clk.now, waitingTime: -1,
		faults: instance.Faults{Step: func(name string) {
			if name == os.Getenv(stepEnv) {
				fmt.Println("there")
				select {}
			}
		}},
	})
	if err != nil {
		return err
	}
	records := indexerRecords(clk)
	for i := 0; i < len(records); i += 100 {
		if err := storetest.Write(ctx, db, records[i:i+100]); err != nil {
			return err
		}
	}
	select {}
}

// A process is killed before an index is filled, before it is used and after that. The next start has
// all spans, makes the index if there is none, and answers by it.
func TestKilledWhileAnIndexIsMade(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"indexed", "filled", "committed"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := start(t, "indexer", dir, func(c *exec.Cmd) { c.Env = append(c.Env, stepEnv+"="+step) })
			c.expect(t, "there")
			require.NoError(t, c.Process.Kill())
			require.Error(t, c.Wait())

			clk := newClock()
			cfg := Config{Dir: dir, Now: clk.now, PartitionRows: 200, Report: func(message string, err error) { t.Errorf("%s: %v", message, err) }}
			cfg.indexRows = 1 << 40
			db := open(t, cfg)
			require.Equal(t, step == "committed", db.engine.partitions[0].IsIndexed())
			requireThirds(t, db)
			require.NoError(t, db.Close())
			cfg.indexRows = 1
			db = open(t, cfg)
			db.awaitIndexes()
			require.True(t, db.engine.partitions[0].IsIndexed())
			requireThirds(t, db)
			require.NoError(t, storetest.Write(t.Context(), db, indexerRecords(clk)))
			require.Len(t, stored(t, db, crashEnvs()[1]), indexerSpans)
		})
	}
}

// requireThirds expects what indexerRecords gave of those spans that are stored, of
// which the last hundred may not be.
func requireThirds(t *testing.T, db *DB) {
	t.Helper()
	all := stored(t, db, crashEnvs()[1])
	require.GreaterOrEqual(t, len(all), 200)
	var thirds, even int64
	for n := range all {
		if n%3 == 1 {
			thirds++
		}
		if n%2 == 0 {
			even++
		}
	}
	q := query.Query{To: 1<<63 - 1, Limit: 1, Total: true, Order: query.Order{By: query.SortTimestamp}, Filters: []query.Filter{attribute("third", "1")}}
	page, err := db.Search(t.Context(), crashEnvs()[1], q)
	require.NoError(t, err)
	require.Equal(t, thirds, page.Total)
	q.Filters = []query.Filter{{Field: query.Field{Kind: query.FieldEvaluation, Name: "check", Output: "ok"}, Operator: query.OpEquals, Value: "true"}}
	page, err = db.Search(t.Context(), crashEnvs()[1], q)
	require.NoError(t, err)
	require.Equal(t, even, page.Total)
}

// replacedSpans are those of the first partition that childReplacer sends again.
const replacedSpans = 50

// childReplacer writes spans, and replaces some of a partition that has its index.
func childReplacer(dir string) error {
	ctx := context.Background()
	clk := newClock()
	cfg := Config{Dir: dir, MinFreeBytes: -1, PartitionRows: 200, indexRows: 1, Now: clk.now, waitingTime: -1}
	db, err := Open(ctx, cfg)
	if err != nil {
		return err
	}
	records := indexerRecords(clk)
	if err := storetest.Write(ctx, db, records); err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	cfg.faults.Step = func(name string) {
		if name == "committed" {
			fmt.Println("indexed")
		}
	}
	if db, err = Open(ctx, cfg); err != nil { // which makes the index
		return err
	}
	db.awaitIndexes()
	for i := range replacedSpans {
		records[i].Span.Output = "anew"
		if err := storetest.Write(ctx, db, records[i:i+1]); err != nil {
			return err
		}
	}
	fmt.Println("there")
	select {}
}

// A process is killed after rows were deleted from a partition that has its index. The
// next start finds every span once, by a scan and one by one by the index.
func TestKilledAfterRowsUnderAnIndexWereDeleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := start(t, "replacer", dir)
	c.expect(t, "indexed")
	c.expect(t, "there")
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())

	clk := newClock()
	cfg := Config{Dir: dir, Now: clk.now, PartitionRows: 200, Report: func(message string, err error) { t.Errorf("%s: %v", message, err) }}
	cfg.indexRows = 1
	db := open(t, cfg)
	db.awaitIndexes()
	require.True(t, db.engine.partitions[0].IsIndexed())
	all := stored(t, db, crashEnvs()[1])
	require.Len(t, all, indexerSpans)
	q := query.Query{To: 1<<63 - 1, Limit: 1, Order: query.Order{By: query.SortTraceID}}
	n := 0
	for page, err := range storetest.Pages(t.Context(), db, crashEnvs()[1], q) {
		require.NoError(t, err)
		require.Len(t, page.Spans, 1)
		require.Equal(t, all[n], page.Spans[0])
		require.Equal(t, n < replacedSpans, page.Spans[0].Output == "anew")
		n++
	}
	require.Equal(t, indexerSpans, n)
	requireThirds(t, db)
}
