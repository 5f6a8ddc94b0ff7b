// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// TestFilesAreReopenedUnderLoad has files closed and opened again after nearly
// every commit, while others read and write: no request is refused, and nothing is
// missed or found twice.
func TestFilesAreReopenedUnderLoad(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{
		Dir: t.TempDir(), Now: clk.now, CheckpointBytes: 32 << 10, PartitionRows: 700, reattachBytes: 1,
		Report: func(message string, err error) { t.Errorf("%s: %v", message, err) },
	})
	owed := backlogOf(t, db)
	env := testEnv("prd", 24*time.Hour)
	const batches, size = 40, 50
	var written atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				before := written.Load()
				page, err := db.Search(ctx, env, query.Query{From: 0, To: 1<<63 - 1, Limit: 10, Total: true, Order: query.Order{By: query.SortTimestamp}})
				if ctx.Err() != nil {
					return
				}
				if err != nil || page.Total < before {
					t.Errorf("found %d of %d: %v", page.Total, before, err)
					return
				}
			}
		})
	}
	for b := range batches {
		var batch []store.Record
		for i := range size {
			batch = append(batch, owing(env, b*size+i, clk.now(), clk.now()))
		}
		require.NoError(t, storetest.Write(t.Context(), owed, batch))
		written.Add(size)
		if b%8 == 7 {
			require.NoError(t, completeDue(t.Context(), owed))
		}
	}
	cancel()
	readers.Wait()
	require.Len(t, stored(t, db, env), batches*size)
}
