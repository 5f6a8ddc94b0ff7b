// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// binaries is where what is built is, "" before.
var binaries string

// binary is the distribution: the one that TOUCHSTONE_BINARY names, or one that is built once.
var binary = sync.OnceValues(func() (file string, err error) {
	if file = os.Getenv("TOUCHSTONE_BINARY"); file != "" {
		return file, nil
	}
	if binaries, err = os.MkdirTemp("", "touchstone-test-"); err != nil {
		return "", err
	}
	file = filepath.Join(binaries, "touchstone")
	out, err := exec.Command("go", "build", "-o", file, ".").CombinedOutput()
	if err != nil {
		return "", &buildError{err: err, out: out}
	}
	return file, nil
})

type buildError struct {
	err error
	out []byte
}

func (e *buildError) Error() string { return e.err.Error() + "\n" + string(e.out) }

func TestMain(m *testing.M) {
	clickhousetest.Serve()
	becomeGreedy()
	becomeRoot()
	code := clickhousetest.With(postgrestest.Main(m)).Run()
	_ = os.RemoveAll(binaries)
	os.Exit(code)
}

// becomeRoot runs the tests again in a namespace where an ordinary user may
// mount the small disk that one of them fills.
func becomeRoot() {
	if os.Geteuid() == 0 || exec.Command("unshare", "-rm", "true").Run() != nil {
		return // the test says what it needs, if it comes to that
	}
	unshare, err := exec.LookPath("unshare")
	if err == nil {
		_ = syscall.Exec(unshare, append([]string{"unshare", "-rm"}, os.Args...), os.Environ())
	}
}

// runBinary starts the binary with the shipped config.yaml. It does not wait
// until it is ready.
func (h *collector) runBinary(t *testing.T, args ...string) {
	t.Helper()
	h.run(t, "../config.yaml", args...)
}

// run is runBinary with any configuration.
func (h *collector) run(t *testing.T, config string, args ...string) {
	t.Helper()
	file, err := binary()
	require.NoError(t, err)
	for _, s := range h.settings {
		args = append(args, "--config", "yaml:"+s)
	}
	require.NoError(t, h.Start(file, config, args...))
	t.Cleanup(h.Kill)
}

// startBinary is runBinary that waits until the binary is ready.
func startBinary(t *testing.T, dir string, args ...string) *collector {
	t.Helper()
	h := newCollector(t, dir)
	h.runBinary(t, args...)
	require.NoError(t, h.AwaitReady(t.Context()))
	return h
}
