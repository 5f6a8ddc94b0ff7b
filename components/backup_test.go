// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A backup that is made while spans come in is a data directory: a collector that is
// started on it has everything that was acknowledged before, and takes the same keys.
func TestBackupIsRestored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startBinary(t, dir)
	key := p.key(t, "ours")
	p.setup(t, key, "words", []string{"word-count"}, nil)
	for i := range 20 {
		require.NoError(t, p.exportGRPC(t, key, someTraces(byte(i), 50)))
	}
	n := 20
	must[map[string]any](t, p, http.MethodPost, "/v2/backups", accessToken, map[string]any{"name": "nightly"})
	for running := true; running && n < 250; n++ {
		require.NoError(t, p.exportGRPC(t, key, someTraces(byte(n), 50)))
		running = must[map[string]any](t, p, http.MethodGet, "/v2/backups/nightly", accessToken, nil)["state"] == "running"
	}
	_, told, code := p.command(t, accessToken, "", "backup", "nightly")
	require.Equal(t, 1, code)
	require.Contains(t, told, "there is a backup nightly already")
	out, told, code := p.command(t, accessToken, "", "backup", "second")
	require.Zero(t, code, "%s%s", out, told)
	require.Contains(t, out, filepath.Join(dir, "backups", "second"))
	_, told, code = p.command(t, key, "", "backup", "mine")
	require.Equal(t, 1, code)
	require.Contains(t, told, "backups take the access token")
	out, told, code = p.command(t, accessToken, "", "backup", "--list")
	require.Zero(t, code, told)
	require.Contains(t, out, "nightly")
	require.Contains(t, out, "second")
	require.Equal(t, 2, strings.Count(out, "done"))
	require.NotContains(t, out, accessToken)
	out, told, code = p.command(t, key, "", "verify", filepath.Join(dir, "backups", "nightly"))
	require.Zero(t, code, "%s%s", out, told)
	require.EqualValues(t, n*50, p.page(t, key).Spans.TotalResults)
	require.NoError(t, p.Stop())

	_, err := os.Stat(filepath.Join(dir, "backups", "nightly", "access_token"))
	require.ErrorIs(t, err, os.ErrNotExist)
	audit, err := os.ReadFile(filepath.Join(dir, "audit-operator.jsonl"))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(audit), `"backup.create"`))

	restored := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(restored, "data"), os.DirFS(filepath.Join(dir, "backups", "nightly"))))
	p = newCollector(t, filepath.Join(restored, "data"))
	p.runBinary(t)
	require.NoError(t, p.AwaitReady(t.Context()))
	total := p.page(t, key).Spans.TotalResults
	require.GreaterOrEqual(t, total, int64(20*50))
	require.LessOrEqual(t, total, int64(n*50))
	require.Zero(t, total%50, "a request is there as a whole")
	require.NoError(t, p.exportGRPC(t, key, someTraces(255, 50)))
	require.Equal(t, total+50, p.page(t, key).Spans.TotalResults)
	require.NoError(t, p.Stop())
}
