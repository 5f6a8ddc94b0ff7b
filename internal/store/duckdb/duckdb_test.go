// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
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
		return open(t, Config{Dir: filepath.Join(dir, "it's here"), Now: now})
	})
}

// TestBacklogContract holds the backlog to its contract over this engine.
func TestBacklogContract(t *testing.T) {
	t.Parallel()
	backlogtest.Exercise(t, func(t *testing.T, dir string, now func() time.Time) (backlogtest.Engine, store.Backlog) {
		t.Helper()
		db := open(t, Config{Dir: filepath.Join(dir, "it's here"), Now: now})
		owed := backlogOf(t, db)
		return owed.Over(db), owed
	})
}

// open opens a store that refuses nothing for want of space.
func open(t *testing.T, cfg Config) *DB {
	t.Helper()
	if cfg.MinFreeBytes == 0 {
		cfg.MinFreeBytes = -1
	}
	db, err := Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}
