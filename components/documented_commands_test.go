// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// fence matches a block of shell commands in a page.
var fence = regexp.MustCompile("(?ms)^( *)```sh\n(.*?)^ *```$")

// otherTools matches blocks that build or deploy, which other tests run.
var otherTools = regexp.MustCompile(`^(make|docker|helm) `)

// commandsOf returns the shell commands of a page as a reader pastes them, without blocks
// that the comment above them excludes.
func commandsOf(page string) string {
	var b strings.Builder
	for _, at := range fence.FindAllStringSubmatchIndex(page, -1) {
		above := strings.TrimRight(page[:at[0]], "\n")
		indent, code := page[at[2]:at[3]], page[at[4]:at[5]]
		code = strings.ReplaceAll(strings.TrimPrefix(code, indent), "\n"+indent, "\n")
		if strings.HasPrefix(strings.TrimSpace(above[strings.LastIndex(above, "\n")+1:]), "<!-- not run:") || otherTools.MatchString(code) {
			continue
		}
		b.WriteString(code)
	}
	return b.String()
}

// shows are texts that the commands of a page print.
var shows = map[string][]string{
	"README.md":        {"1 of 1 spans", "Found EMAIL_ADDRESS."},
	"docs/tutorial.md": {"1 of 1 spans", "EMAIL_ADDRESS", `span_type equals "llm"`},
}

// Each command in README, tutorial and how-to pages ends with 0, run from the page's text
// on the shipped configuration. Only addresses differ.
func TestDocumentedCommandsWork(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	file, err := binary()
	require.NoError(t, err)
	h := startBinary(t, t.TempDir())
	h.setup(t, h.key(t, "loads what evaluators need"), "m", []string{"pii-detector", "profanity-detector"}, []map[string]any{rule("span_type", "llm")})
	here := strings.NewReplacer("http://127.0.0.1:8080", h.API, "http://127.0.0.1:4318", h.HTTP,
		"127.0.0.1:13133", h.Env["TOUCHSTONE_HEALTH"], "127.0.0.1:8888", "127.0.0.1:"+h.Env["TOUCHSTONE_METRICS_PORT"])
	howTo, err := filepath.Glob("../docs/how-to/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, howTo)
	for _, path := range append([]string{"../README.md", "../docs/tutorial.md"}, howTo...) {
		name := strings.TrimPrefix(path, "../")
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		code := here.Replace(commandsOf(string(page)))
		if code == "" {
			continue
		}
		dir := t.TempDir()
		for _, shared := range []string{"config", "config.yaml", "deploy"} {
			require.NoError(t, os.Symlink(filepath.Join(root, shared), filepath.Join(dir, shared)))
		}
		for _, d := range []string{"bin", "data"} {
			require.NoError(t, os.Mkdir(filepath.Join(dir, d), 0o700))
		}
		require.NoError(t, os.Symlink(file, filepath.Join(dir, "bin", "touchstone")))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "data", "access_token"), []byte(testbed.AccessToken), 0o600))
		key := h.key(t, name)
		must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{"external_id": "answers", "evaluators": []string{"pii-detector"}})
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", "curl() { command curl --fail-with-body \"$@\"; }\n"+code)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "KEY="+key, "TOUCHSTONE_API_KEY="+key, "TOUCHSTONE_API="+strings.TrimPrefix(h.API, "http://"))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
		for _, text := range shows[name] {
			require.Contains(t, string(out), text, name)
		}
	}
}
