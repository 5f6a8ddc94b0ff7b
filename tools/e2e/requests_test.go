// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// copied presses a button that copies, and returns what it copied.
func copied(p *browser.Page, label string) string {
	p.ByRole("button", label)
	browser.Eval[any](p, mayCopy)
	browser.Eval[any](p, fmt.Sprintf(`[...document.querySelectorAll("button")].find((b) => b.innerText === %q).focus()`, label))
	p.Press("\r") // what comes late above it moves nothing of that
	p.UntilTrue(`typeof window.copied === "string"`)
	text := browser.Eval[string](p, "window.copied")
	browser.Eval[any](p, "delete window.copied")
	return text
}

// runCurl has a shell read a command line, and sends the request that it is.
func runCurl(t *testing.T, line, key string) (int, string) {
	t.Helper()
	shell := exec.Command("sh", "-c", `curl() { printf '%s\0' "$@"; }; `+line)
	shell.Env = []string{"TOUCHSTONE_API_KEY=" + key}
	out, err := shell.Output()
	require.NoError(t, err, line)
	method, url, body, header := http.MethodPost, "", "", http.Header{}
	words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "-s":
		case "-X":
			i++
			method = words[i]
		case "-H":
			i++
			name, value, _ := strings.Cut(words[i], ": ")
			header.Set(name, value)
		case "-d":
			i++
			body = words[i]
		default:
			require.Empty(t, url, "one address: %q", words)
			url = words[i]
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header = header
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

// What a form asks for can be had as a command, and does the same.
func TestFormsAsRequests(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	sendTrace(t, c, key, traceOf(1), hasBegun(2*time.Minute), agent())
	await(t, c, key, len(agent()))
	p := open(t, c, "/ui/evaluators/pii-detector")
	signIn(t, p, key)
	p.ByRole("textbox", "text *").Paste("It's anna.miller@example.com; $HOME `date`")
	status, answer := runCurl(t, copied(p, "Copy as curl"), key)
	require.Equal(t, http.StatusOK, status, answer)
	require.Contains(t, answer, `"has_pii":true`)

	p.ByRole("textbox", "entities").Paste("[\n\"EMAIL_ADDRESS\",\nx]")
	p.Text("Not JSON from line 3, column 1 on.")
	checkAccessible(t, p, "a setting that is no JSON")

	// One of the last calls of models instead of texts.
	p.Go(c.API + "/ui/evaluators/pii-detector")
	chosen := p.ByRole("combobox", "From a span")
	p.Text("where is my parcel?")
	chosen.Choose(spanOf(8).String())
	p.Text("Judges the stored span")
	p.UntilTrue(`location.search.includes("span=` + spanOf(8).String() + `")`)
	status, answer = runCurl(t, copied(p, "Copy as curl"), key)
	require.Equal(t, http.StatusOK, status, answer)
	require.Contains(t, answer, `"has_pii":true`)
	p.ByRole("button", "Run").Click()
	p.UntilTrue(`document.querySelector(".results .mark.against") !== null`)
	checkAccessible(t, p, "an evaluator on one of the last spans")
	p.ByRole("link", "Type texts instead").Click()
	p.ByRole("textbox", "text *")

	// A monitor: what its evaluators say of the samples, and the command that makes it.
	p.Go(c.API + "/ui/monitors/new?evaluator=pii-detector")
	p.ByRole("textbox", "Name").Paste("what's personal")
	p.Text("of 10 spans match.")
	p.ByRole("button", "Run on these samples").Click()
	p.UntilTrue(`document.querySelectorAll(".samples .mark.for, .samples .mark.against").length > 0`)
	p.ByRole("button", "Run on these samples")
	checkAccessible(t, p, "samples that were judged")
	status, answer = runCurl(t, copied(p, "Copy as curl"), key)
	require.Equal(t, http.StatusCreated, status, answer)
	require.Equal(t, "pii-detector", setup(t, c, key, "what's personal").Evaluators[0].Type)
	p.Go(c.API + "/ui/monitors/" + "what's personal" + "/edit")
	p.ByRole("textbox", "Budget ($/day)").Paste("3")
	change := copied(p, "Copy as curl")
	status, answer = runCurl(t, change, key)
	require.Equal(t, http.StatusOK, status, answer)
	require.InDelta(t, 3, *setup(t, c, key, "what's personal").Cost, 0)
	status, _ = runCurl(t, change, key)
	require.Equal(t, http.StatusPreconditionFailed, status, "it is of the version that was shown")

	p.Go(c.API + "/ui/spans?t=1h")
	p.Text("10 spans")
	status, answer = runCurl(t, copied(p, "Copy as curl"), key)
	require.Equal(t, http.StatusOK, status, answer)
	require.Equal(t, 10, strings.Count(answer, `"span_id"`))
	_, err := testbed.Ask[any](t.Context(), c, http.MethodDelete, "/v2/auto-monitor-setups/what's%20personal", key, nil)
	require.NoError(t, err)
}
