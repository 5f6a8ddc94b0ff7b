// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// The first view of Spans, rows and bars included, asks for six things at most.
func TestFirstViewAsksForLittle(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	send(t, c, key, conversation(20)...)
	await(t, c, key, 20)
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("20 spans")
	before := len(p.Answers())
	p.Reload()
	p.UntilTrue(`performance.getEntriesByType("resource").length >= 5 && document.querySelector(".bars") !== null && document.querySelectorAll("tbody tr").length > 0`)
	// What comes later by itself came later: the page says when its rows and bars were there.
	var asked []string
	for _, a := range p.Answers()[before:] {
		if slices.Contains(otherFiles, path.Base(a.URL)) {
			continue // the browser had time for other screens
		}
		asked = append(asked, a.URL)
		if strings.HasSuffix(a.URL, "/aggregate") {
			break
		}
	}
	require.LessOrEqual(t, len(asked), 6, "%s", strings.Join(asked, "\n"))
	require.NotContains(t, strings.Join(asked, "\n"), "monitoring")
}

// The lines for an application can be pasted into a shell as they are.
func TestLinesThatSendSpansAreAShells(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("No span has arrived in this environment yet.")
	p.ByRole("button", "Copy")
	browser.Eval[any](p, mayCopy)
	p.ByRole("button", "Copy").Click()
	p.UntilTrue(`typeof window.copied === "string"`)
	lines := strings.ReplaceAll(browser.Eval[string](p, "window.copied"), "<your key>", key)
	shell := exec.CommandContext(t.Context(), "sh", "-c", lines+"\nenv")
	shell.Env = []string{"PATH=/usr/bin:/bin"}
	out, err := shell.Output()
	require.NoError(t, err, lines)
	require.Contains(t, string(out), "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20"+key+"\n")
	require.Contains(t, string(out), "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\n")
	require.Contains(t, string(out), "OTEL_EXPORTER_OTLP_ENDPOINT=http://")

	for _, way := range []string{"Python", "JavaScript", "OpenLLMetry"} {
		p.ByRole("button", way).Click()
		p.UntilTrue(`/http:\/\/127\.0\.0\.1:\d+/.test(document.querySelector(".sending pre").innerText)`)
	}
	p.ByRole("button", "curl").Click()
	p.UntilTrue(`document.querySelector(".sending pre").innerText.includes("/v1/traces")`)
	checkAccessible(t, p, "ways to send spans")
	one := strings.ReplaceAll(browser.Eval[string](p, `document.querySelector(".sending pre").innerText`), "<your key>", key)
	out, err = exec.CommandContext(t.Context(), "sh", "-c", one).CombinedOutput()
	require.NoError(t, err, "%s", out)
	p.Text("Backups run each night at 02:00.")
}

// The link of every screen is copied by a key, and shows the same period when it is
// opened later.
func TestLinksOfEveryScreen(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	monitors(t, c, key)
	send(t, c, key, conversation(20)...)
	await(t, c, key, 20)
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("20 spans")
	for address, heading := range map[string]string{
		"spans?t=15m": "Spans", "overview": "Overview", "verdicts": "Verdicts", "monitors": "Monitors", "monitors/refunds?tab=funnel&t=7d": "refunds", "evaluators": "Evaluators", "health": "Health",
	} {
		p.Go(c.API + "/ui/" + address)
		p.ByRole("heading", heading)
		browser.Eval[any](p, mayCopy)
		p.Press("c")
		p.UntilTrue(`typeof window.copied === "string"`)
		p.Text("Copied")
		link := browser.Eval[string](p, "window.copied")
		place, _, _ := strings.Cut(address, "?")
		require.Contains(t, link, c.API+"/ui/"+place)
		require.NotContains(t, link, "t=", link)
		if strings.Contains(address, "t=") || place == "verdicts" || place == "overview" {
			require.Regexp(t, `from=\d+.*to=\d+`, link, address)
		}
	}
}

// How many spans pass the rules is said before it is said what judges them.
func TestPreviewOfRulesAlone(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	send(t, c, key, conversation(40)...)
	await(t, c, key, 40)
	p := open(t, c, "/ui/monitors/new")
	signIn(t, p, key)
	p.Text("40 of 40 spans match.")
	p.ByRole("button", "Add a rule").Click()
	p.UntilTrue(`document.querySelectorAll(".condition").length === 2`) // the first one selects model calls
	fillIn(t, p, "selector[1].key", "llm.request.model")
	fillIn(t, p, "selector[1].value", "gpt-4o-mini")
	p.Text("8 of 40 spans match.")
	p.UntilTrue(`document.querySelectorAll(".preview .samples li").length === 5`)
	checkAccessible(t, p, "a preview of rules")
}

// A click anywhere on a row opens the span. The menu of a row filters by its values,
// excludes and copies them; a right click has that of one cell.
func TestARowOpensItsSpan(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	monitors(t, c, key)
	send(t, c, key, conversation(40)...)
	await(t, c, key, 40)
	p := open(t, c, "/ui/spans?cols="+url.QueryEscape(`["llm.vendor"]`))
	p.Size(1440, 900)
	signIn(t, p, key)
	p.Text("40 spans")
	p.Text("char-count")
	p.UntilTrue(`document.querySelector(".bars") !== null`)  // nothing above the list grows any more
	const row = `document.querySelector("[data-index='4']")` // of the bot no: a chat that failed
	middle := func(cell int) []float64 {
		t.Helper()
		return browser.Eval[[]float64](p, fmt.Sprintf(`(() => {
			const cell = %s.children[%d];
			cell.scrollIntoView({block: "nearest", inline: "nearest"});
			const r = cell.getBoundingClientRect();
			return [r.x + r.width / 2, r.y + r.height / 2];
		})()`, row, cell))
	}
	cells := browser.Eval[int](p, row+".children.length")
	require.Equal(t, 9, cells)
	for cell := range cells {
		at := middle(cell)
		p.ClickAt(at[0], at[1])
		p.ByRole("region", "Span")
		require.NotContains(t, p.URL(), "filters=", "cell %d", cell)
		require.Contains(t, p.URL(), "/ui/spans?", "cell %d", cell)
		p.Press("\x1b")
		p.Gone("region", "Span")
		p.UntilTrue(row)
	}

	browser.Eval[any](p, mayCopy)
	menu := func(service string) {
		t.Helper()
		browser.Eval[any](p, fmt.Sprintf(`[...document.querySelectorAll("tbody tr:not(.gap)")].find((r) => r.querySelector(".service").innerText === %q).querySelector(".more-of").focus()`, service))
		p.Press("\r")
		p.ByRole("group", "Values of chat")
	}
	menu("bot")
	checkAccessible(t, p, "the menu of a row")
	if dir := os.Getenv("TOUCHSTONE_PICTURES"); dir != "" {
		picture(t, dir, p, "row-menu")
	}
	p.ByRole("button", "Copy the value of service_name").Click()
	p.UntilTrue(`window.copied === "bot"`)
	p.Press("\x1b")
	p.Gone("group", "Values of chat")
	p.UntilTrue(`document.activeElement.classList.contains("more-of")`)
	menu("bot")
	p.ByRole("link", "Exclude this value of service_name").Click()
	p.Text("service_name is not bot")
	p.Text("32 spans")
	p.Gone("group", "Values of chat")
	at := browser.Eval[[]float64](p, `(() => { const r = document.querySelector("td.service").getBoundingClientRect(); return [r.x + 5, r.y + r.height / 2] })()`)
	p.MenuAt(at[0], at[1])
	p.ByRole("link", "Filter by this value of service_name")
	require.Empty(t, p.All("link", "Filter by this value of span_name"), "only what the cell shows")
	p.ByRole("link", "Exclude this value of service_name").Click()
	p.Text("No span of this period matches.") // both hold
	p.ByRole("button", "Remove all filters").Click()
	p.Text("40 spans")
}
