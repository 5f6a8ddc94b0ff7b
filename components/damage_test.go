// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A collector whose file of spans is damaged starts, says so wherever one looks, and
// goes on; one whose control.db is damaged says so in one sentence and ends. verify
// says of both what is wrong.
func TestDamageIsToldAndTheRestGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startBinary(t, dir)
	key := p.key(t, "ours")
	require.NoError(t, p.exportGRPC(t, key, someTraces(2, 50)))
	require.EqualValues(t, 50, p.page(t, key).Spans.TotalResults)
	_, told, code := p.command(t, key, "", "verify", dir)
	require.Equal(t, 1, code, "it is in use")
	require.Contains(t, told, "in use by another process")
	require.NoError(t, p.Stop())

	out, told, code := p.command(t, key, "", "verify", dir)
	require.Zero(t, code, "%s%s", out, told)
	require.Contains(t, out, "50 of 50")
	files, err := filepath.Glob(filepath.Join(dir, "spans", "spans", "*.duckdb"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	b, err := os.ReadFile(files[0])
	require.NoError(t, err)
	b[4200] ^= 0xff
	require.NoError(t, os.WriteFile(files[0], b, 0o600))
	out, told, code = p.command(t, key, "", "verify", "-o", "json", dir)
	require.Equal(t, 1, code)
	require.Contains(t, told, "1 of 2 files are not sound")
	var answer struct {
		Files []struct{ File, State, Problem string }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &answer))
	require.Len(t, answer.Files, 2)
	require.Equal(t, "sound", answer.Files[0].State)
	require.Equal(t, "damaged", answer.Files[1].State)
	require.Equal(t, files[0], answer.Files[1].File)

	p = newCollector(t, dir)
	p.runBinary(t)
	require.NoError(t, p.AwaitReady(t.Context()))
	require.Zero(t, p.page(t, key).Spans.TotalResults)
	require.NoError(t, p.exportGRPC(t, key, someTraces(1, 50)))
	require.EqualValues(t, 50, p.page(t, key).Spans.TotalResults)
	require.Eventually(t, func() bool {
		status, body := p.call(t, "GET", "/health", "", nil)
		return status == 200 && strings.Contains(string(body), `"spans_damaged"`)
	}, patience, 50*time.Millisecond)
	require.Contains(t, p.metrics(t), "touchstone_store_damaged_partitions")
	require.NoError(t, p.Stop())
	require.Equal(t, 1, strings.Count(p.Output(), "the damaged file "+files[0]+" was moved to "), p.Output())

	control := filepath.Join(dir, "control.db")
	sound, err := os.ReadFile(control)
	require.NoError(t, err)
	damaged := append([]byte("x"), sound[1:]...)
	require.NoError(t, os.WriteFile(control, damaged, 0o600))
	p = newCollector(t, dir)
	p.runBinary(t)
	select {
	case <-p.Ended():
	case <-time.After(patience):
		require.Fail(t, "it runs")
	}
	require.NotZero(t, p.ExitCode())
	require.Contains(t, p.Output(), "the file is damaged and was left as it is: restore it and its -wal file from a backup")
	require.NotContains(t, p.Output(), "panic")
	after, err := os.ReadFile(control)
	require.NoError(t, err)
	require.Equal(t, damaged, after)
}
