// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// ended waits for a backup to end and returns it.
func ended(t *testing.T, b store.Backups, name string) (found store.Backup) {
	t.Helper()
	require.Eventually(t, func() bool {
		list, err := b.List()
		require.NoError(t, err)
		for _, found = range list {
			if found.Name == name {
				return found.State != store.BackupRunning
			}
		}
		return false
	}, time.Minute, 5*time.Millisecond)
	return found
}

func TestBackupIsADataDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	e := start(t, testConfig(dir))
	org, keys := storetest.NewOrganization("acme", "prd")
	env := keys[0].Environment
	require.NoError(t, e.Control().CreateOrganization(t.Context(), org, keys))
	require.NoError(t, storetest.Write(t.Context(), e.Engine(), []store.Record{{Environment: env, Span: span.Span{
		Environment: env.Slug, TraceID: span.TraceID{1}, SpanID: span.ID{1}, Name: "chat", Start: time.Now().UnixNano(),
		InputTokens: span.NoTokens, OutputTokens: span.NoTokens, TotalTokens: span.NoTokens,
	}}}))
	before := time.Now()
	begun, err := e.Backups().Begin("first")
	require.NoError(t, err)
	require.Equal(t, store.BackupRunning, begun.State)
	made := ended(t, e.Backups(), "first")
	require.Equal(t, store.BackupDone, made.State, made.Problem)
	require.Equal(t, filepath.Join(dir, "backups", "first"), made.Path)
	require.False(t, made.Moment.Before(before.UTC().Add(-time.Second)))
	require.EqualValues(t, 1, made.Files)
	require.Positive(t, made.Bytes)
	require.NoError(t, filepath.WalkDir(made.Path, func(path string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, "%s is private", path)
		return nil
	}))

	_, err = e.Backups().Begin("first")
	require.True(t, fault.Is(err, fault.Conflict), err)
	require.NoError(t, e.Shutdown(t.Context()))

	kept := start(t, testConfig(made.Path))
	found, err := kept.Engine().Get(t.Context(), env, []span.Key{{TraceID: span.TraceID{1}, SpanID: span.ID{1}}}, 0)
	require.NoError(t, err)
	require.Len(t, found, 1)
	list, err := kept.Control().Organizations(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)

	again := start(t, testConfig(dir)) // which remembers its backups
	told, err := again.Backups().List()
	require.NoError(t, err)
	require.Len(t, told, 1)
	require.Equal(t, store.BackupDone, told[0].State)
	require.True(t, told[0].Moment.Equal(made.Moment))
}

func TestBackupThatIsRefused(t *testing.T) {
	t.Parallel()
	e := start(t, testConfig(t.TempDir()))
	for _, name := range []string{"", ".", "..", "../x", "a/b", ".hidden", "a b", "a\x00", "ä", "x.unfinished", string(make([]byte, 101))} {
		_, err := e.Backups().Begin(name)
		require.True(t, fault.Is(err, fault.Invalid), "%q: %v", name, err)
	}
	list, err := e.Backups().List()
	require.NoError(t, err)
	require.Empty(t, list)
}

// stalled is a span store whose backup goes on until its context ends.
type stalled struct {
	store.Engine
	begun chan struct{}
}

func (s *stalled) Backup(ctx context.Context, dir string, tell func(duckdb.BackupProgress)) (time.Time, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return time.Time{}, err
	}
	tell(duckdb.BackupProgress{Files: 1, Bytes: 2, Total: 3})
	close(s.begun)
	<-ctx.Done()
	return time.Time{}, ctx.Err()
}

func TestOneBackupAtATimeAndNoneAfterTheEnd(t *testing.T) {
	t.Parallel()
	e := start(t, testConfig(t.TempDir()))
	s := &stalled{begun: make(chan struct{})}
	b := newBackups(filepath.Join(t.TempDir(), "backups"), s, e.control, e.log, e.counts)
	_, err := b.Begin("one")
	require.NoError(t, err)
	<-s.begun
	_, err = b.Begin("two")
	require.True(t, fault.Is(err, fault.Conflict), err)
	list, err := b.List()
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.EqualValues(t, 3, list[0].Total)

	b.stop()
	made := ended(t, b, "one")
	require.Equal(t, store.BackupFailed, made.State)
	require.Equal(t, "the process was stopped before it was done", made.Problem)
	left, err := os.ReadDir(b.directory)
	require.NoError(t, err)
	require.Empty(t, left)
	_, err = b.Begin("three")
	require.True(t, fault.Is(err, fault.Unavailable), err)
}

func TestBackupOfAKilledProcess(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t.TempDir())
	cfg.BackupDirectory = filepath.Join(t.TempDir(), "elsewhere")
	partly := filepath.Join(cfg.BackupDirectory, "nightly.unfinished")
	require.NoError(t, os.MkdirAll(filepath.Join(partly, "spans"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(cfg.BackupDirectory, "of another program"), 0o700))
	e := start(t, cfg)
	list, err := e.Backups().List()
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, store.BackupFailed, list[0].State)
	_, err = e.Backups().Begin("nightly")
	require.NoError(t, err)
	made := ended(t, e.Backups(), "nightly")
	require.Equal(t, store.BackupDone, made.State, made.Problem)
	require.NoDirExists(t, partly)
}

func TestBackupOfADirectoryThatCannotBeMade(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t.TempDir())
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	cfg.BackupDirectory = filepath.Join(file, "backups")
	e := start(t, cfg)
	_, err := e.Backups().Begin("x")
	if err == nil {
		made := ended(t, e.Backups(), "x")
		require.Equal(t, store.BackupFailed, made.State)
		require.NotContains(t, made.Problem, file)
		require.Contains(t, made.Problem, "not a directory")
	}
}
