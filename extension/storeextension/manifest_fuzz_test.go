// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// FuzzManifest has whatever say of a directory that it is a backup: it is none, or one
// that can be listed and written as JSON under the directory's own name.
func FuzzManifest(f *testing.F) {
	for _, s := range []string{
		`{"begun":"2026-01-01T00:00:00Z","moment":"2026-01-01T00:00:01Z","ended":"2026-01-01T00:00:02Z","files":3,"bytes":4096}`,
		`{"name":"other","path":"/etc","state":"failed"}`, `{"files":-1,"bytes":1e3}`, `{"begun":"9999-12-31T23:59:59+23:59"}`, `null`, `[]`, `{`, ``,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		path := filepath.Join(dir, "nightly")
		require.NoError(t, os.Mkdir(path, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(path, backupFile), text, 0o600))
		b := newBackups(dir, nil, nil, zap.NewNop(), nil)
		list, err := b.List()
		require.NoError(t, err)
		var m manifest
		if json.Unmarshal(text, &m) != nil {
			require.Empty(t, list)
			return
		}
		require.Len(t, list, 1)
		made := list[0]
		require.Equal(t, store.Backup{
			Name: "nightly", Path: path, State: store.BackupDone, Begun: m.Begun, Moment: m.Moment, Ended: m.Ended, Files: m.Files, Bytes: m.Bytes, Total: m.Bytes,
		}, made)
		_, err = json.Marshal(made)
		require.NoError(t, err)

		again := t.TempDir()
		require.NoError(t, writeManifest(again, &made))
		read, err := readManifest(again)
		require.NoError(t, err)
		require.True(t, read.Begun.Equal(made.Begun) && read.Moment.Equal(made.Moment))
		require.Equal(t, made.Files, read.Files)
		require.Equal(t, made.Bytes, read.Bytes)
		require.WithinDuration(t, time.Now(), read.Ended, time.Minute)
	})
}
