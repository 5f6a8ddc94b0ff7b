// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"database/sql"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// A summary that is not whole, or not of its file, is not believed: the
// file is asked.
func TestSummariesThatAreNotBelieved(t *testing.T) {
	t.Parallel()
	execute := func(t *testing.T, path, statement string) {
		t.Helper()
		db, err := sql.Open("duckdb", path)
		require.NoError(t, err)
		_, err = db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
		require.NoError(t, db.Close())
	}
	env := testEnv("prd", 700*time.Hour)
	for name, x := range map[string]struct {
		change   func(t *testing.T, files []string)
		believed int
		left     int
	}{
		"none": {func(*testing.T, []string) {}, 2, 30},
		"torn": {func(t *testing.T, files []string) {
			require.NoError(t, os.Truncate(files[0]+".summary", 100))
		}, 1, 30},
		"empty": {func(t *testing.T, files []string) {
			require.NoError(t, os.WriteFile(files[0]+".summary", nil, 0o600))
		}, 1, 30},
		"flipped": {func(t *testing.T, files []string) {
			b, err := os.ReadFile(files[0] + ".summary")
			require.NoError(t, err)
			b[len(b)/2] ^= 1
			require.NoError(t, os.WriteFile(files[0]+".summary", b, 0o600))
		}, 1, 30},
		"of another file": {func(t *testing.T, files []string) {
			b, err := os.ReadFile(files[1] + ".summary")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(files[0]+".summary", b, 0o600))
		}, 1, 30},
		"of what the file was": {func(t *testing.T, files []string) {
			st, err := os.Stat(files[0])
			require.NoError(t, err)
			execute(t, files[0], "DELETE FROM spans WHERE seq < 4; CHECKPOINT")
			require.NoError(t, os.Chtimes(files[0], st.ModTime(), st.ModTime()))
		}, 1, 26},
		"with a log": {func(t *testing.T, files []string) {
			execute(t, files[0], "SET checkpoint_threshold = '1TB'; PRAGMA disable_checkpoint_on_shutdown; DELETE FROM spans WHERE seq < 4")
			require.FileExists(t, files[0]+".wal")
		}, 1, 26},
		"removed": {func(t *testing.T, files []string) {
			require.NoError(t, os.Remove(files[0]+".summary"))
		}, 1, 30},
		"copied": {func(t *testing.T, files []string) {
			b, err := os.ReadFile(files[0])
			require.NoError(t, err)
			require.NoError(t, os.Remove(files[0]))
			require.NoError(t, os.WriteFile(files[0], b, 0o600))
		}, 1, 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clk := newClock()
			cfg := Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 10, WindowKeys: 2}
			db := open(t, cfg)
			for i := range 3 {
				writeNumbered(t, db, env, i*10, 10, clk.now())
			}
			require.NoError(t, db.Close())
			files := partitionFiles(t, cfg.Dir)
			require.Len(t, files, 3)
			x.change(t, files)
			db = open(t, cfg)
			require.Len(t, summarized(db), x.believed)
			require.Equal(t, x.believed, requireSummaries(t, db))
			require.Len(t, stored(t, db, env), x.left)
			// What changes is not believed afterwards, and what is closed again is.
			var changed []store.Record
			for n := range 30 {
				x := numbered(env, n, clk.now())
				x.Span.Name = "changed"
				changed = append(changed, x)
			}
			require.NoError(t, storetest.Write(t.Context(), db, changed))
			require.Len(t, stored(t, db, env), 30)
			require.NoError(t, db.Close())
			db = open(t, cfg)
			require.Len(t, stored(t, db, env), 30)
			require.Equal(t, len(db.engine.partitions)-1, requireSummaries(t, db))
		})
	}
}

// A summary of a format that this release does not write is not believed either,
// and the file of a newer one is refused.
func TestFormatsAreKnownFromSummaries(t *testing.T) {
	t.Parallel()
	clk := newClock()
	cfg := Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 10}
	env := testEnv("prd", 700*time.Hour)
	newer := cfg
	newer.formats = append(tables.KnownFormats(), "CREATE TABLE more (id INTEGER)")
	db := open(t, cfg)
	for i := range 3 {
		writeNumbered(t, db, env, i*10, 10, clk.now())
	}
	require.NoError(t, db.Close())
	db = open(t, newer)
	require.Empty(t, summarized(db))
	require.Len(t, stored(t, db, env), 30)
	require.NoError(t, db.Close())
	require.Contains(t, columnsOf(t, partitionFiles(t, cfg.Dir)[0]), "more.id INTEGER")
	db = open(t, newer)
	require.Len(t, summarized(db), 3)
	require.NoError(t, db.Close())
	_, err := Open(t.Context(), cfg)
	require.ErrorContains(t, err, "which a newer release of Touchstone wrote")
}

// Files that a crash left with logs are all looked at before any is learned. When one of
// them must be closed meanwhile, for the limit of files, no summary is made of it: it
// would say that nothing is in it.
func TestNoSummaryOfWhatWasNotLearned(t *testing.T) {
	t.Parallel()
	dir, left := t.TempDir(), t.TempDir()
	env := testEnv("prd", 700*time.Hour)
	clk := newClock()
	db := open(t, Config{Dir: dir, Now: clk.now, PartitionRows: 10})
	const all = 50
	for n := range all {
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{owing(env, n, clk.now(), clk.now())}))
	}
	require.Len(t, db.engine.partitions, all/10)
	work := backlogOf(t, db)
	owed, err := work.Lease(t.Context(), clk.now(), clk.now().Add(time.Hour), all)
	require.NoError(t, err)
	for i := range owed {
		owed[i].Evaluations[0] = doneWith(owed[i].Evaluations[0], "done")
	}
	require.NoError(t, work.Complete(t.Context(), owed))
	require.NoError(t, db.engine.files.Checkpoint(db.engine.partitions[0])) // has neither a log nor a summary
	require.NoError(t, os.CopyFS(left, os.DirFS(dir)))                      // as a killed process leaves it

	for range 2 { // what is written down at the end is believed the next time
		again := open(t, Config{Dir: left, Now: clk.now, PartitionRows: 10, files: 1})
		require.Equal(t, all, len(stored(t, again, env))) //nolint:testifylint // the spans are long
		require.EqualValues(t, all, backlogOf(t, again).stats().Evaluations)
		require.NoError(t, again.Close())
	}
}
