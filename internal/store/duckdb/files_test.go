// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/reading"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// writeNumbered writes records of an environment, numbered from n on.
func writeNumbered(t *testing.T, db *DB, env tenant.Environment, n, size int, at time.Time) {
	t.Helper()
	var batch []store.Record
	for i := range size {
		batch = append(batch, numbered(env, n+i, at))
	}
	require.NoError(t, storetest.Write(t.Context(), db, batch))
}

// everything asks for a page of all that is stored, in an order for which every
// partition must be looked into.
func everything() query.Query {
	return query.Query{From: 0, To: 1<<63 - 1, Limit: 10, Total: true, Order: query.Order{By: query.SortTraceID}}
}

// requireSummaries expects every summary to say what a partition would say of
// itself, and returns how many there are.
func requireSummaries(t *testing.T, db *DB) (n int) {
	t.Helper()
	e := db.engine
	for _, p := range e.partitions {
		if !p.IsSummarized() {
			continue
		}
		n++
		said := partitions.New(db.cfg.Dir, p.Label)
		said.RecallSummary(len(db.cfg.formats))
		require.True(t, said.IsSummarized(), p.Path)
		asked := partitions.New(db.cfg.Dir, p.Label)
		require.NoError(t, e.files.Alone(t.Context(), func(q *partitions.Querier) error {
			if err := q.In(t.Context(), p); err != nil {
				return err
			}
			return asked.Learn(t.Context(), q)
		}))
		found, noted := asked.Facts(), said.Facts()
		require.Equal(t, found.Environments, noted.Environments)
		require.Equal(t, found.Owed, noted.Owed)
		require.LessOrEqual(t, found.Latest, noted.Latest)
		require.LessOrEqual(t, found.Next, noted.Next)
		require.LessOrEqual(t, found.Codes, noted.Codes)
		require.LessOrEqual(t, found.Numbering.Origins, noted.Numbering.Origins)
		require.LessOrEqual(t, found.Numbering.Shapes, noted.Numbering.Shapes)
		require.LessOrEqual(t, found.Numbering.Judgements, noted.Numbering.Judgements)
	}
	return n
}

// TestAMonthOfPartitions opens 720 files, and has several read all of them while
// others write: never are more attached than may be. It runs alone, for it takes all
// there is of a machine.
func TestAMonthOfPartitions(t *testing.T) {
	clk := newClock()
	cfg := Config{Dir: t.TempDir(), Now: clk.now, MemoryLimit: 64 << 20, AttachedFiles: 1}
	env := testEnv("prd", 700*time.Hour)
	db := open(t, cfg)
	const size = 20
	writeNumbered(t, db, env, 0, size, clk.now())
	require.NoError(t, db.Close())
	first := partitionFiles(t, cfg.Dir)[0]
	for i := range monthPartitions - 1 { // nobody writes to them
		l := label.Label{Class: label.MonthClass, Opened: clk.now().Truncate(label.PeriodOf(label.MonthClass)), Serial: int64(i + 2)}
		require.NoError(t, os.Link(first, filepath.Join(cfg.Dir, instance.PartitionDir, l.String()+".duckdb")))
	}
	require.NoError(t, open(t, cfg).Close())
	began := time.Now()
	db = open(t, cfg)
	db.readers.Patience = turns.Patience{Reader: time.Hour, Writer: time.Hour}
	t.Logf("opened after %s", time.Since(began))
	require.Len(t, db.engine.partitions, monthPartitions)
	require.Len(t, summarized(db), monthPartitions-1, "all but the one that takes in spans")
	require.LessOrEqual(t, db.AttachedFiles(), fewestFiles+1)

	clk.pass(48 * time.Hour) // the next span goes to a file of its own
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var readers, background sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			page, err := db.Search(t.Context(), env, everything())
			if err != nil || page.Total < monthPartitions*size {
				t.Errorf("found %d: %v", page.Total, err)
			}
		})
	}
	most := 0
	background.Go(func() {
		look := time.NewTicker(time.Millisecond)
		defer look.Stop()
		for ctx.Err() == nil {
			<-look.C
			most = max(most, db.AttachedFiles())
		}
	})
	n := 1_000_000
	for range 20 {
		writeNumbered(t, db, env, n, 10, clk.now())
		n += 10
	}
	readers.Wait()
	cancel()
	background.Wait()
	require.LessOrEqual(t, most, fewestFiles+2, "and one that takes in spans, and one that did")
	page, err := db.Search(t.Context(), env, everything())
	require.NoError(t, err)
	require.EqualValues(t, monthPartitions*size+200, page.Total)
}

// summarized returns the partitions of which there is a summary.
func summarized(db *DB) (list []*partitions.Partition) {
	for _, p := range db.engine.partitions {
		if p.IsSummarized() {
			list = append(list, p)
		}
	}
	return list
}

func TestFilesAreClosedWhenIdle(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 10, fileIdle: 4 * time.Millisecond})
	env := testEnv("prd", 700*time.Hour)
	for i := range 5 {
		writeNumbered(t, db, env, i*10, 10, clk.now())
	}
	require.Len(t, stored(t, db, env), 50)
	// The summary of a file is made when the file is closed already.
	require.Eventually(t, func() bool { return db.AttachedFiles() == 1 && len(summarized(db)) == 4 }, time.Minute, time.Millisecond)
	require.Len(t, stored(t, db, env), 50)
	require.Equal(t, 4, requireSummaries(t, db))
}

// TestWhatMovedIsLookedForAgain has rows go away between two visits.
func TestWhatMovedIsLookedForAgain(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 10, files: 1})
	env := testEnv("prd", 700*time.Hour)
	for i := range 3 {
		writeNumbered(t, db, env, i*10, 10, clk.now())
	}
	changed := numbered(env, 5, clk.now())
	changed.Span.Name = "changed"
	calls := 0
	require.NoError(t, db.look(t.Context(), "find spans", env.ID, func(q *partitions.Querier, all []partitions.Held) error {
		calls++
		s := reading.NewSearch(env, everything(), all)
		if err := s.Find(t.Context(), q); err != nil {
			return err
		}
		if calls == 1 { // the last visit was of another partition
			require.Greater(t, len(all), 1)
			require.NoError(t, storetest.Write(t.Context(), db, []store.Record{changed}))
		}
		page, err := s.Page(t.Context(), q)
		if calls == 1 {
			require.ErrorIs(t, err, reading.ErrMoved)
			return err
		}
		require.Equal(t, "changed", page.Spans[5].Name)
		return err
	}))
	require.Equal(t, 2, calls)
}
