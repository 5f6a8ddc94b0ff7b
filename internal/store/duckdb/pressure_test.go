// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// TestReadersAndWritersShareLittleMemory holds the engine to a quarter of its
// usual memory while many readers ask for whole pages, work is leased and
// completed, and spans come in: everybody waits for their turn, and nobody is
// refused.
func TestReadersAndWritersShareLittleMemory(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Config{Dir: t.TempDir(), MinFreeBytes: -1, MemoryLimit: 48 << 20, CheckpointBytes: 8 << 20})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	// On a busy machine it takes any time until all before have had their turn.
	db.readers.Patience = turns.Patience{Reader: time.Hour, Writer: time.Hour}
	owed := backlogOf(t, db)
	const batches, size, readersAtOnce = 24, 500, 16
	src := newRecordSource(time.Hour, batches*size)
	env := src.Environments()[0]
	write := func() error {
		batch := src.batch(size)
		for i := range batch {
			if i%50 == 0 {
				batch[i].Evaluations = append(batch[i].Evaluations, eval.Evaluation{SetupID: "s", Evaluator: "judged", Status: eval.Deferred})
			}
		}
		return storetest.Write(t.Context(), owed, batch)
	}
	for range batches / 2 {
		require.NoError(t, write())
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	errs := make(chan error, readersAtOnce+2)
	var background, readers sync.WaitGroup
	for i := range readersAtOnce {
		q := query.Query{From: 0, To: 1<<63 - 1, Limit: 1000, Total: true, Order: query.Order{By: query.SortTimestamp, Descending: i%2 == 0}}
		if i%4 == 3 {
			q.Order = query.Order{By: query.SortTotalTokens, Descending: true}
		}
		readers.Go(func() {
			for range 4 {
				if _, err := db.Search(ctx, env, q); err != nil {
					errs <- fmt.Errorf("find: %w", err)
					return
				}
			}
		})
	}
	background.Go(func() {
		for ctx.Err() == nil {
			if err := completeDue(ctx, owed); err != nil && ctx.Err() == nil {
				errs <- fmt.Errorf("complete: %w", err)
				return
			}
		}
	})
	for range batches / 2 {
		require.NoError(t, write())
	}
	readers.Wait()
	cancel()
	background.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
}

// completeDue leases a few evaluations and says that they are done.
func completeDue(ctx context.Context, owed owedIn) error {
	now := time.Now()
	list, err := owed.Lease(ctx, now, now.Add(time.Minute), 20)
	if err != nil || len(list) == 0 {
		return err
	}
	for _, o := range list {
		for i := range o.Evaluations {
			o.Evaluations[i].Status = eval.Done
		}
	}
	return owed.Complete(ctx, list)
}
