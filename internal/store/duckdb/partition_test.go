// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

func files(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, instance.PartitionDir, "*"))
	require.NoError(t, err)
	return list
}

func TestExpireGivesTheDiskBack(t *testing.T) {
	t.Parallel()
	clk := newClock()
	cfg := Config{Dir: t.TempDir(), Now: clk.now}
	db := open(t, cfg)
	short, long := testEnv("short", 10*time.Hour), testEnv("long", 600*time.Hour)
	n := 0
	for range 6 {
		var batch []store.Record
		for range 50 {
			n++
			batch = append(batch, numbered(short, n, clk.now()), numbered(long, n, clk.now()))
		}
		// A clock that is wrong keeps no space.
		n++
		batch = append(batch, numbered(short, n, clk.now().Add(10_000*time.Hour)))
		require.NoError(t, storetest.Write(t.Context(), db, batch))
		clk.pass(time.Hour)
	}
	count := func(class string) (n int) {
		for _, f := range files(t, cfg.Dir) {
			if strings.HasPrefix(filepath.Base(f), class) && strings.HasSuffix(f, ".duckdb") {
				n++
			}
		}
		return n
	}
	require.Equal(t, 6, count("0024h"))
	require.Equal(t, 1, count("0720h"))
	require.NoError(t, db.Expire(t.Context(), clk.now()))
	require.Equal(t, 6, count("0024h"))
	clk.pass(9 * time.Hour)
	require.NoError(t, db.Expire(t.Context(), clk.now()))
	require.Equal(t, 2, count("0024h"))
	require.Len(t, stored(t, db, short), 50+2, "of an hour, and what is left of the future")

	clk.pass(9 * time.Hour)
	require.NoError(t, db.Expire(t.Context(), clk.now()))
	require.Zero(t, count("0024h"))
	require.Equal(t, 1, count("0720h"))
	require.Empty(t, stored(t, db, short))
	require.Len(t, stored(t, db, long), 300)
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(short, 1, clk.now())}))
	require.Equal(t, 1, count("0024h"))
	require.NoError(t, db.Close())
	db = open(t, cfg)
	require.Len(t, stored(t, db, short), 1)
	require.Len(t, stored(t, db, long), 300)
}

func TestWhoReadsAPartitionMayFinish(t *testing.T) {
	t.Parallel()
	clk := newClock()
	cfg := Config{Dir: t.TempDir(), Now: clk.now}
	db := open(t, cfg)
	env := testEnv("prd", time.Hour)
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(env, 1, clk.now())}))
	held := db.engine.use(env.ID)
	require.Len(t, held, 1)
	clk.pass(10 * time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	expired := make(chan error)
	go func() { expired <- db.Expire(ctx, clk.now()) }()
	require.Eventually(t, func() bool {
		again := db.engine.use(env.ID)
		partitions.ReleaseAll(again)
		return len(again) == 0
	}, time.Minute, time.Millisecond)
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(env, 2, clk.now())}), "a write does not wait")
	cancel()
	require.ErrorIs(t, <-expired, context.Canceled)
	require.Len(t, stored(t, db, env), 1)
	partitions.ReleaseAll(held)
	require.NoError(t, db.Expire(t.Context(), clk.now()))
	require.Len(t, db.engine.partitions, 1)
	require.Len(t, stored(t, db, env), 1)
}

func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	clk := newClock()
	db := open(t, Config{Dir: dir, Now: clk.now})
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(testEnv("prd", time.Hour), 1, clk.now())}))
	seen := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		st, err := d.Info()
		require.NoError(t, err)
		seen++
		if d.IsDir() {
			require.EqualValues(t, 0o700, st.Mode().Perm(), path)
			return nil
		}
		require.EqualValues(t, 0o600, st.Mode().Perm(), path)
		return nil
	}))
	require.GreaterOrEqual(t, seen, 5)
}

func TestFilesThatAreNoPartition(t *testing.T) {
	t.Parallel()
	clk := newClock()
	dir := t.TempDir()
	env := testEnv("prd", time.Hour)
	db := open(t, Config{Dir: dir, Now: clk.now})
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(env, 1, clk.now())}))
	require.NoError(t, db.Close())
	// One that a crash cut off while it was made, and one of another program.
	cut := filepath.Join(dir, instance.PartitionDir, label.Label{Class: label.DayClass, Opened: clk.now(), Serial: 2}.String()+".duckdb")
	require.NoError(t, os.WriteFile(cut, make([]byte, 100), 0o600))
	require.NoError(t, os.WriteFile(cut+".begun", nil, 0o600))
	other := filepath.Join(dir, instance.PartitionDir, "readme.duckdb")
	require.NoError(t, os.WriteFile(other, []byte("x"), 0o600))
	db = open(t, Config{Dir: dir, Now: clk.now})
	require.Len(t, stored(t, db, env), 1)
	require.NoFileExists(t, cut)
	require.NoFileExists(t, cut+".begun")
	require.FileExists(t, other)
	require.Zero(t, db.DamagedPartitions())
	begun, err := filepath.Glob(filepath.Join(dir, instance.PartitionDir, "*.begun"))
	require.NoError(t, err)
	require.Empty(t, begun)
}

func TestABrokenPartitionIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, instance.PartitionDir), 0o700))
	broken := filepath.Join(dir, instance.PartitionDir, label.Label{Class: label.DayClass, Opened: time.Now(), Serial: 2}.String()+".duckdb")
	require.NoError(t, os.WriteFile(broken, []byte(strings.Repeat("x", 20_000)), 0o600))
	told := &reports{}
	db := open(t, Config{Dir: dir, Report: told.add})
	require.Len(t, told.mentioning(broken+" was moved to "), 1)
	require.Equal(t, 1, db.DamagedPartitions())
}

func TestADirectoryIsRequired(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), Config{})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = Open(t.Context(), Config{Dir: file})
	require.Error(t, err)
}

func TestNoStatementReachesOutside(t *testing.T) {
	t.Parallel()
	db := open(t, Config{Dir: t.TempDir()})
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("x"), 0o600))
	for _, statement := range []string{
		"SELECT * FROM read_text(" + sqltext.Quoted(secret) + ")",
		"COPY (SELECT 1) TO " + sqltext.Quoted(secret),
		"ATTACH " + sqltext.Quoted(secret+".duckdb"),
		"SET enable_external_access = true",
		"SET threads = 64",
		"INSTALL httpfs",
		"LOAD httpfs",
	} {
		_, err := db.engine.instance.Pool.ExecContext(t.Context(), statement)
		require.Error(t, err, statement)
	}
}

func TestPartitionsEndByPeriodAndBySize(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 100})
	env := testEnv("prd", 100*time.Hour)
	for i := range 30 {
		var batch []store.Record
		for j := range 10 {
			batch = append(batch, numbered(env, i*10+j, clk.now()))
		}
		require.NoError(t, storetest.Write(t.Context(), db, batch))
	}
	require.Len(t, db.engine.partitions, 3)
	clk.pass(6 * time.Hour)
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(env, 1000, clk.now())}))
	require.Len(t, db.engine.partitions, 4)
	require.Len(t, stored(t, db, env), 301)
	q := query.Query{From: clk.ago(time.Hour).UnixNano(), To: 1<<63 - 1, Limit: 5, Total: true, Order: query.Order{By: query.SortTimestamp}}
	page, err := db.Search(t.Context(), env, q)
	require.NoError(t, err)
	require.EqualValues(t, 1, page.Total)
}
