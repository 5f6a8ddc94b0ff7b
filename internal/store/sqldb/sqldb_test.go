// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/controltest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(postgrestest.Main(m)) }

func TestControlContract(t *testing.T) {
	t.Parallel()
	controltest.Exercise(t, func(t *testing.T, dir string) store.Control {
		return open(t, filepath.Join(dir, "control.db"))
	})
}

func open(t *testing.T, path string) *DB {
	t.Helper()
	d, err := Open(t.Context(), Config{Path: path})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "?data#100% 'x'")
	require.NoError(t, os.MkdirAll(filepath.Dir(dir), 0o700))
	d := open(t, filepath.Join(dir, "control.db"))
	_, err := d.Secret(t.Context(), "x")
	require.NoError(t, err)

	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	require.Equal(t, []string{"control.db", "control.db-shm", "control.db-wal"}, names(t, dir), "nothing was written elsewhere")
	for _, name := range names(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), name)
	}
	require.NoError(t, d.Close())
	require.Equal(t, []string{"control.db"}, names(t, dir))
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWideFileModeIsNarrowed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "control.db")
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	open(t, path)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestCredentialsAreNotOnDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, filepath.Join(dir, "control.db"))
	credential := tenant.NewCredential()
	org, keys := storetest.NewOrganization("a name to be found", "prd")
	keys[0].Digest = tenant.DigestOf(credential)
	require.NoError(t, d.CreateOrganization(t.Context(), org, keys))

	requireOnDisk := func() {
		t.Helper()
		var all []byte
		require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				var b []byte
				b, err = os.ReadFile(filepath.Join(dir, path))
				all = append(all, b...)
			}
			return err
		}))
		require.Contains(t, string(all), "a name to be found")
		require.Contains(t, string(all), string(keys[0].Digest[:]))
		require.NotContains(t, string(all), credential)
		require.NotContains(t, string(all), credential[len("tl_"):])
	}
	requireOnDisk()
	require.NoError(t, d.Close())
	requireOnDisk()
}

func TestSettings(t *testing.T) {
	t.Parallel()
	d := open(t, filepath.Join(t.TempDir(), "control.db"))
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000",
	} {
		var got string
		require.NoError(t, d.bun.NewRaw("PRAGMA "+pragma).Scan(t.Context(), &got))
		require.Equal(t, want, got, pragma)
	}
}
