// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/backlogtest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/enginetest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	enginetest.Exercise(t, func(t *testing.T, dir string, now func() time.Time) store.Engine {
		return open(t, Config{Dir: filepath.Join(dir, "it's here"), Now: now, waitingTime: waitingTime})
	})
}

// TestBacklogContract holds the backlog to its contract over this engine.
func TestBacklogContract(t *testing.T) {
	t.Parallel()
	backlogtest.Exercise(t, func(t *testing.T, dir string, now func() time.Time) (backlogtest.Engine, store.Backlog) {
		t.Helper()
		db := open(t, Config{Dir: filepath.Join(dir, "it's here"), Now: now, waitingTime: waitingTime})
		owed := backlogOf(t, db)
		return owed.Over(db), owed
	})
}

// indexedDB is a store each of whose answers to writes comes when all but the newest
// partition of a class have their index.
type indexedDB struct{ *DB }

func (db indexedDB) Write(ctx context.Context, b store.Batch) (store.Written, error) {
	w, err := db.DB.Write(ctx, b)
	db.awaitIndexes()
	return w, err
}

// awaitIdle waits until nothing goes on any more behind answers that were given.
func (db *DB) awaitIdle(t *testing.T) {
	t.Helper()
	require.NoError(t, db.queue.Enter(t.Context()))
	db.queue.Leave()
	db.awaitIndexes()
}

// awaitIndexes waits until closed partitions are sealed, have their indexes, and their
// files are closed.
func (db *DB) awaitIndexes() {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.engine != nil {
		db.engine.work.Wait()
		db.engine.later.Wait()
	}
}

// TestContractOfClosedFiles holds the engine to its contract where nearly all spans
// lie in partitions with an index, of which one file is attached at a time and closed
// as soon as nobody uses it.
func TestContractOfClosedFiles(t *testing.T) {
	t.Parallel()
	enginetest.Exercise(t, func(t *testing.T, dir string, now func() time.Time) store.Engine {
		return indexedDB{open(t, Config{
			Dir: dir, Now: now, PartitionRows: 40, indexRows: 1, files: 1, fileIdle: 4 * time.Millisecond,
			Report: func(message string, err error) { t.Errorf("%s: %v", message, err) },
		})}
	})
}

// TestFiguresThatAreAskedAgain holds the engine to what figures mean while most files are closed
// and change now and then.
func TestFiguresThatAreAskedAgain(t *testing.T) {
	t.Parallel()
	enginetest.ExerciseChanges(t, func(t *testing.T, dir string, now func() time.Time) store.Engine {
		return indexedDB{open(t, Config{Dir: dir, Now: now, PartitionRows: 40, indexRows: 1, files: 1, fileIdle: 4 * time.Millisecond})}
	})
}

// open opens a store that refuses nothing for want of space. Where a test does not say
// otherwise nothing waits in the journal: most look at what one commit makes of files.
func open(t *testing.T, cfg Config) *DB {
	t.Helper()
	if cfg.MinFreeBytes == 0 {
		cfg.MinFreeBytes = -1
	}
	if cfg.waitingTime == 0 {
		cfg.waitingTime = -1
	}
	db, err := Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}
