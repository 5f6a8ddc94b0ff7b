// SPDX-License-Identifier: Apache-2.0

//go:build ui

// Package e2e tests the web UI in a browser: the built binary with the shipped
// config.yaml, real keys, real spans.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// What all tests share: the distribution, which TOUCHSTONE_BINARY names or which
// is built once, and one browser.
var (
	binary string
	chrome *browser.Browser
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ui/e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "touchstone-ui-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if binary = os.Getenv("TOUCHSTONE_BINARY"); binary == "" {
		binary = filepath.Join(dir, "touchstone")
		build := exec.Command("go", "-C", "../..", "build", "-o", binary, "./components")
		if out, err := build.CombinedOutput(); err != nil {
			return 1, fmt.Errorf("build the distribution: %w\n%s", err, out)
		}
	}
	if chrome, err = browser.Start(); err != nil {
		return 1, err
	}
	defer chrome.Stop()
	return m.Run(), nil
}

// start runs the binary on a directory of its own.
func start(t testing.TB, settings ...string) *testbed.Collector {
	t.Helper()
	c, err := testbed.New(t.TempDir())
	require.NoError(t, err)
	launch(t, c, settings...)
	return c
}

func launch(t testing.TB, c *testbed.Collector, settings ...string) {
	t.Helper()
	var args []string
	for _, s := range settings {
		args = append(args, "--config", "yaml:"+s)
	}
	require.NoError(t, c.Start(binary, "../../config.yaml", args...))
	t.Cleanup(c.Kill)
	require.NoError(t, c.AwaitReady(t.Context()))
}

// open opens a page of the collector's UI; what the API answers it is held
// against the OpenAPI document.
func open(t testing.TB, c *testbed.Collector, path string) *browser.Page {
	t.Helper()
	p := chrome.Open(t, c.API)
	t.Cleanup(func() { checkAnswers(t, c, p) })
	p.Go(c.API + path)
	return p
}

// signIn fills in the form that is shown.
func signIn(t testing.TB, p *browser.Page, key string) {
	t.Helper()
	p.ByRole("textbox", "API key or access token").Paste(key)
	p.ByRole("button", "Sign in").Click()
}
