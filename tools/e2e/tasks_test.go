// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// tabTo goes on with the tab key until something has the focus of which an
// expression is true; e is that element.
func tabTo(t *testing.T, p *browser.Page, expression string) {
	t.Helper()
	for range 150 {
		p.Press("\t")
		if browser.Eval[bool](p, `((e) => Boolean(`+expression+`))(document.activeElement)`) {
			return
		}
	}
	require.Fail(t, "no tab stop", expression)
}

// What a stranger wants first can be had by keys alone: nothing here is clicked, and
// no focus is set.
func TestFirstTasksByKeysAlone(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	monitors(t, c, key)
	send(t, c, key, hours(55, time.Minute)...)
	await(t, c, key, 55)
	p := open(t, c, "/ui/")
	p.ByRole("button", "Sign in")
	p.UntilTrue(`document.activeElement.type === "password"`)
	p.Press(key + "\r")
	p.ByRole("heading", "Overview")
	p.Press("gs")
	p.Text("55 spans")

	// The span with personal data of the last hour.
	p.Press("/")
	p.UntilTrue(`document.activeElement.getAttribute("aria-label") === "Field"`)
	p.Press("evaluation.pii-detector.has_pii:true\r")
	p.Text("evaluation.pii-detector.has_pii is true")
	p.UntilTrue(`/\b5 spans/.test(document.body.innerText)`) // of the 55 that were there before
	tabTo(t, p, `e.classList.contains("open") && e.closest("tr")`)
	p.Press("\r")
	p.ByRole("region", "Span")
	p.Text("anna.miller@example.com")

	// Why it was not judged by a monitor.
	p.Press("2")
	p.Text("rule 2 wants")
	p.Press("\x1b")
	p.Gone("region", "Span")

	// The model with the most personal data of the week.
	p.Press("gv")
	p.ByRole("heading", "Verdicts")
	p.UntilTrue(`document.querySelectorAll(".quality a").length > 1`)
	tabTo(t, p, `e.innerText === "pii-detector has_pii"`)
	p.Press("\r")
	p.Text("Based on")
	tabTo(t, p, `e.tagName === "SELECT" && e.closest("label")?.innerText.startsWith("Group by")`)
	p.Press("m") // model
	p.UntilTrue(`location.search.includes("by=llm.request.model")`)
	p.UntilTrue(`[...document.querySelectorAll("caption")].find((c) => c.innerText === "Groups")?.closest("table").querySelector("tbody th").innerText.includes("gpt-4o")`)

	// A monitor with its preview.
	tabTo(t, p, `e.tagName === "BUTTON"`) // keys of screens are letters for a field
	p.Press("gm")
	p.ByRole("heading", "Monitors")
	p.UntilTrue(`document.querySelectorAll("table.monitors tbody tr").length > 0`)
	tabTo(t, p, `e.innerText === "New monitor"`)
	p.Press("\r")
	p.ByRole("heading", "New monitor")
	tabTo(t, p, `e.dataset.path === "external_id"`)
	p.Press("mine")
	tabTo(t, p, `e.dataset.path === "evaluators"`)
	p.Press("word-count")
	p.UntilTrue(`[...document.querySelectorAll(".picker b")].some((b) => b.innerText === "word-count") && document.querySelectorAll(".picker li").length < 5`)
	tabTo(t, p, `e.type === "checkbox" && e.closest("label").innerText.startsWith("word-count ")`)
	p.Press(" ")
	p.Text(fmt.Sprintf("of %d spans match.", 55))
	tabTo(t, p, `e.innerText === "Create"`)
	p.Press("\r")
	p.ByRole("navigation", "Parts of the monitor")
	require.Equal(t, "word-count", setup(t, c, key, "mine").Evaluators[0].Type)
}
