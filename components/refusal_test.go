// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Two processes on one data directory would ruin it: the second says so and
// leaves the first alone.
func TestSecondProcessOnOneDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := startBinary(t, dir)
	key := first.key(t, "ours")

	second := newCollector(t, dir)
	second.runBinary(t)
	select {
	case <-second.Ended():
	case <-time.After(patience):
		require.FailNow(t, "the second process runs")
	}
	require.NotZero(t, second.ExitCode())
	require.Contains(t, second.Output(), dir)
	require.Regexp(t, "another process|in use", second.Output())

	require.NoError(t, first.exportGRPC(t, key, someTraces(1, 1)))
	require.EqualValues(t, 1, first.page(t, key).Spans.TotalResults)
}

// Before the disk is full writing stops and reading goes on; once there is
// room again, writing does too.
func TestAlmostFullDiskIsReadOnly(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	p := startBinary(t, dir, "--set", "extensions::store::spans::duckdb::min_free_mib=32")
	key := p.key(t, "ours")
	require.NoError(t, p.exportGRPC(t, key, someTraces(1, 3)))

	ballast := filepath.Join(dir, "ballast")
	require.NoError(t, os.WriteFile(ballast, make([]byte, 70<<20), 0o600))
	err := p.exportGRPC(t, key, someTraces(2, 3))
	require.Equal(t, codes.Unavailable, status.Code(err), "%v", err)
	code, _, _ := p.postOTLP(t, "/v1/traces", key, "application/x-protobuf", "", protoTraces(t, someTraces(2, 3)))
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.EqualValues(t, 3, p.page(t, key).Spans.TotalResults)

	require.NoError(t, os.Remove(ballast))
	require.NoError(t, p.exportGRPC(t, key, someTraces(2, 3)))
	require.EqualValues(t, 6, p.page(t, key).Spans.TotalResults)
	require.NoError(t, p.Stop())
}

// On a disk that is really full nothing is acknowledged, the sender is asked to
// come back, and once there is room it can; what was acknowledged is there.
func TestFullDiskRefusesUntilThereIsRoom(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	p := startBinary(t, dir, "--set", "extensions::store::spans::duckdb::min_free_mib=0")
	key := p.key(t, "ours")
	require.NoError(t, p.exportGRPC(t, key, someTraces(1, 3)))

	ballast := filepath.Join(dir, "ballast")
	fill(t, ballast)
	err := p.exportGRPC(t, key, someTraces(2, 500)) // more than what is left of the last page of a file
	require.Equal(t, codes.Unavailable, status.Code(err), "%v", err)
	body := protoTraces(t, someTraces(3, 500))
	code, _, _ := p.postOTLP(t, "/v1/traces", key, "application/x-protobuf", "", body)
	require.Equal(t, http.StatusServiceUnavailable, code)
	p.awaitHealth(t, http.StatusServiceUnavailable)
	status, answer := p.call(t, http.MethodGet, "/health/live", "", nil)
	require.Equal(t, http.StatusOK, status, "%s", answer)

	require.NoError(t, os.Remove(ballast))
	require.Eventually(t, func() bool { return p.exportGRPC(t, key, someTraces(2, 500)) == nil }, patience, 50*time.Millisecond)
	p.awaitHealth(t, http.StatusOK)
	require.EqualValues(t, 503, p.page(t, key).Spans.TotalResults)
	require.NoError(t, p.Stop())
}

// awaitHealth waits until the API and the health check both answer with a status.
func (h *collector) awaitHealth(t *testing.T, want int) {
	t.Helper()
	for _, url := range []string{h.API + "/health/ready", h.API + "/health", "http://" + h.Env["TOUCHSTONE_HEALTH"]} {
		require.Eventually(t, func() bool {
			r, err := http.Get(url)
			if err != nil {
				return false
			}
			defer r.Body.Close()
			return r.StatusCode == want
		}, patience, 50*time.Millisecond, url)
	}
}

// smallDisk mounts a disk of its own for the test.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=96m,mode=0700", "tmpfs", dir).CombinedOutput()
	require.NoError(t, err, "this test mounts a small tmpfs and needs the right to (root, or CAP_SYS_ADMIN): %s", out)
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	return dir
}

// fill writes to a file until the disk is full.
func fill(t *testing.T, file string) {
	t.Helper()
	f, err := os.Create(file)
	require.NoError(t, err)
	defer f.Close()
	chunk := []byte(strings.Repeat("x", 1<<16))
	for len(chunk) > 0 {
		if _, err := f.Write(chunk); err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			chunk = chunk[:len(chunk)/2]
		}
	}
}

// Nothing that users send, nor any credential, is written to the log.
func TestLogHoldsNoUserTextAndNoCredential(t *testing.T) {
	t.Parallel()
	p := startBinary(t, t.TempDir(), "--set", "service::telemetry::logs::level=debug")
	key := p.key(t, "ours")
	p.setup(t, key, "m", []string{"json-validator", "perplexity"}, nil)
	td := someTraces(1, 2)
	firstSpan(td).Attributes().PutStr("gen_ai.completion.0.content", "my secret is SESAME")
	firstSpan(td).Attributes().PutStr("logprobs", "SESAME")
	require.NoError(t, p.exportGRPC(t, key, td))
	p.call(t, http.MethodPost, "/v2/evaluators/perplexity/execute", key, map[string]any{"input": map[string]any{"logprobs": "SESAME"}})
	p.call(t, http.MethodGet, "/v2/warehouse/spans?from_timestamp_sec=SESAME&filters=SESAME", key, nil)
	p.call(t, http.MethodGet, "/v2/warehouse/spans?from_timestamp_sec=1", "tl_SESAME", nil)
	require.NoError(t, p.Stop())
	require.NotContains(t, p.Output(), "SESAME")
	require.NotContains(t, p.Output(), key)
	require.NotContains(t, p.Output(), accessToken)
}

// A reload (SIGHUP) restarts every component; what was acknowledged before,
// keys and setups included, is there after it.
func TestReloadKeepsEverything(t *testing.T) {
	t.Parallel()
	p := startBinary(t, t.TempDir())
	key := p.key(t, "ours")
	p.setup(t, key, "m", []string{"char-count"}, nil)
	require.NoError(t, p.exportGRPC(t, key, someTraces(1, 2)))
	require.NoError(t, p.Signal(syscall.SIGHUP))
	require.Eventually(t, func() bool {
		return strings.Count(p.Output(), "Everything is ready") >= 2
	}, patience, 20*time.Millisecond)
	require.NoError(t, p.exportGRPC(t, key, someTraces(2, 2)))
	page := p.page(t, key)
	require.EqualValues(t, 4, page.Spans.TotalResults)
	for _, s := range page.Spans.Data {
		require.Equal(t, "17", s.SpanAttributes["evaluation.char-count.char_count"])
	}
}

// A directory that cannot be written to is refused in one sentence, and nothing of it
// is changed; when it can be written to again, all is there.
func TestReadOnlyDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	p := startBinary(t, dir, "--set", "extensions::store::spans::duckdb::min_free_mib=0")
	key := p.key(t, "ours")
	require.NoError(t, p.exportGRPC(t, key, someTraces(1, 3)))
	require.NoError(t, p.Stop())

	before := contents(t, dir)
	remount(t, dir, "ro")
	p = newCollector(t, dir)
	p.runBinary(t)
	select {
	case <-p.Ended():
	case <-time.After(patience):
		require.FailNow(t, "it runs")
	}
	require.NotZero(t, p.ExitCode())
	require.Contains(t, p.Output(), "read-only file system")
	require.NotContains(t, p.Output(), "panic")
	require.Equal(t, before, contents(t, dir))

	remount(t, dir, "rw")
	p = startBinary(t, dir, "--set", "extensions::store::spans::duckdb::min_free_mib=0")
	require.NoError(t, p.exportGRPC(t, key, someTraces(2, 3)))
	require.EqualValues(t, 6, p.page(t, key).Spans.TotalResults)
	require.NoError(t, p.Stop())
}

func remount(t *testing.T, dir, how string) {
	t.Helper()
	out, err := exec.Command("mount", "-o", "remount,"+how, dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// contents are the bytes of all files below dir by their paths.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	}))
	return all
}

// A directory that is copied file by file while it is written to is no backup, and
// says so where it matters: what cannot be read is moved away, or refused in one
// sentence, and no span is there twice.
func TestDirectoryCopiedWhileItIsUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startBinary(t, dir)
	key := p.key(t, "ours")
	var load killLoad
	var copied []string
	load.during(t, p, key, 60, func() {
		for n := range 3 {
			to := filepath.Join(t.TempDir(), strconv.Itoa(n))
			copyLive(t, dir, to)
			copied = append(copied, to)
		}
	})
	for _, to := range copied {
		c := newCollector(t, to)
		c.runBinary(t)
		if err := c.AwaitReady(t.Context()); err != nil {
			require.NotContains(t, c.Output(), "panic")
			require.NotZero(t, c.ExitCode())
			continue
		}
		seen := map[string]int{}
		for _, s := range c.spans(t, key) {
			seen[s.SpanID]++
			require.Equal(t, 1, seen[s.SpanID])
		}
		require.NoError(t, c.exportGRPC(t, key, someTraces(9, 3)))
		require.NoError(t, c.Stop())
	}
}

// copyLive copies the files of both stores one after the other, like an operator who
// knows of no backups; what goes away meanwhile is left out.
func copyLive(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		at := filepath.Join(to, strings.TrimPrefix(path, from))
		if entry.IsDir() {
			if entry.Name() == "backups" {
				return filepath.SkipDir
			}
			return os.MkdirAll(at, 0o700)
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return os.WriteFile(at, b, 0o600)
	}))
}
