// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// Who works on the UI sees a change of a source in the page, under the policy of the
// pages that ship, with sessions of the collector.
func TestDevelopment(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	dir := t.TempDir()
	tool := filepath.Join(dir, "tool")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", tool, "../ui").CombinedOutput()
	require.NoError(t, err, string(out))
	sources := filepath.Join(dir, "ui")
	require.NoError(t, os.CopyFS(filepath.Join(sources, "src"), os.DirFS("../../ui/src")))
	page, err := os.ReadFile("../../ui/index.html")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(sources, "index.html"), page, 0o600))
	for _, name := range []string{"node_modules", "tsconfig.json", "package.json"} {
		from, err := filepath.Abs("../../ui/" + name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(from, filepath.Join(sources, name)))
	}
	dev := exec.CommandContext(t.Context(), tool, "-dir", sources, "-dev", "127.0.0.1:0", "-collector", c.API)
	dev.Stderr = os.Stderr
	says, err := dev.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, dev.Start())
	t.Cleanup(func() {
		_ = dev.Process.Kill()
		_ = dev.Wait() // it was killed
	})
	line, err := bufio.NewReader(says).ReadString('\n')
	require.NoError(t, err)
	own := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(line)
	require.NotEmpty(t, own, line)

	p := chrome.Open(t, own)
	p.Go(own + "/ui/spans")
	signIn(t, p, key)
	p.ByRole("heading", "Spans")
	p.Text("No span has arrived in this environment yet.")
	texts := filepath.Join(sources, "src", "texts.ts")
	before, err := os.ReadFile(texts)
	require.NoError(t, err)
	after := strings.Replace(string(before), "No span has arrived in this environment yet.", "Nothing here yet.", 1)
	require.NoError(t, os.WriteFile(texts, []byte(after), 0o600))
	p.Until("the change", func() bool {
		p.Reload()
		return pageHas(p, "Nothing here yet.")
	})
}

// pageHas reports whether the page shows a text once it has asked the API.
func pageHas(p *browser.Page, text string) bool {
	p.UntilTrue(`document.querySelector(".empty p") !== null`)
	return browser.Eval[bool](p, fmt.Sprintf("document.body.innerText.includes(%q)", text))
}
