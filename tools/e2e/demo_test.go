// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"bufio"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// startDemo runs the demo that stays, and returns where its web UI is and a key.
func startDemo(t *testing.T) (address, key string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "demo")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../demo").CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd := exec.Command(program, "-binary", binary, "-config", "../../config.yaml", "-stay")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.NoError(t, cmd.Wait(), "it ends well, and leaves nothing running")
	})
	lines := bufio.NewScanner(stdout)
	for key == "" && lines.Scan() {
		if at, found := strings.CutPrefix(lines.Text(), "web UI:"); found {
			address = strings.TrimSuffix(strings.TrimSpace(at), "/ui/")
		}
		if at, found := strings.CutPrefix(lines.Text(), "key:"); found {
			key = strings.TrimSpace(at)
		}
	}
	require.NotEmpty(t, key, "the demo says where it is")
	return address, key
}

// Every screen has something to show in the demo that stays: docs/ui has its
// pictures.
func TestDemoFillsEveryScreen(t *testing.T) {
	dir := os.Getenv("TOUCHSTONE_PICTURES")
	if dir == "" {
		dir = t.TempDir()
	}
	address, key := startDemo(t)
	p := chrome.Open(t, address)
	shoot := func(name string) { t.Helper(); picture(t, dir, p, "demo-"+name) }
	p.Go(address + "/ui/")
	signIn(t, p, key)
	p.UntilTrue(`[...document.querySelectorAll(".attention li")].some((li) => /^docs-search: /.test(li.innerText))`)
	shoot("overview")
	p.Go(address + "/ui/spans?t=24h")
	p.UntilTrue(`document.querySelector(".bars") !== null && document.querySelector("tbody .mark") !== null`)
	p.Text("errors")
	shoot("spans")
	leaks := "/ui/spans?t=24h&filters=" + url.QueryEscape(`[{"id":"evaluation.pii-detector.has_pii","operator":"equals","value":true},{"id":"service_name","operator":"equals","value":"shop-assistant"}]`)
	p.Go(address + leaks)
	p.UntilTrue(`document.querySelector("tbody .mark.against") !== null`)
	browser.Eval[any](p, `document.querySelector("tbody .open").click()`)
	p.Text("anna.miller@example.com")
	p.UntilTrue(`document.querySelector(".bars") !== null`)
	browser.Eval[any](p, `window.scrollTo(0, 0)`)
	shoot("beside")
	p.Press("o")
	p.ByRole("treegrid", "Spans of the trace")
	p.Text("anna.miller@example.com")
	shoot("trace")
	p.Press("2")
	p.Text("auto monitor setups match")
	p.Text("pii-detector")
	shoot("verdicts")
	p.ByRole("button", "conversation").Click()
	p.Text("anna.miller@example.com")
	shoot("conversation")
	p.Go(address + "/ui/spans?t=1h&live=1")
	p.Text("New spans appear as they arrive")
	p.UntilTrue(`document.querySelector(".bars") !== null`)
	shoot("live")
	p.Go(address + "/ui/monitors")
	p.UntilTrue(`document.querySelectorAll("table.monitors tbody tr").length === 5 && document.querySelector("td[data-name=Failing] a") !== null`)
	shoot("monitors")
	p.Go(address + "/ui/verdicts?t=24h&m=answer-relevancy.is_relevant&by=service_name")
	p.Text("Based on")
	p.UntilTrue(`document.querySelectorAll("tbody tr").length > 3`)
	shoot("trend")
	p.Go(address + "/ui/health")
	p.UntilTrue(`document.querySelectorAll("svg.bars").length === 2`)
	p.ByRole("link", "helpful")
	shoot("health")
}
