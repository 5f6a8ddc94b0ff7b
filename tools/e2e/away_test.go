// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// setHidden makes the page think that its tab is hidden, or is seen again.
func setHidden(p *browser.Page, hidden string) {
	browser.Eval[any](p, `Object.defineProperty(document, "hidden", {configurable: true, value: `+hidden+`}); document.dispatchEvent(new Event("visibilitychange"))`)
}

// The first span appears also where its tab was hidden meanwhile.
func TestFirstSpanIsAwaitedWhileTheTabIsHidden(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("No span has arrived in this environment yet.")
	setHidden(p, "true")
	// The look that was due is over when a timer of the same length is.
	browser.Eval[any](p, `new Promise((done) => setTimeout(done, 3500))`)
	send(t, c, key, hours(5, time.Minute)...)
	await(t, c, key, 5)
	require.NotContains(t, browser.Eval[string](p, "document.body.innerText"), "5 spans", "nothing is asked while the page is hidden")
	setHidden(p, "false")
	p.Text("5 spans")
}

// What fails while one scrolls is tried again by itself, and does not stay when
// something else is looked for.
func TestMoreSpansThatCannotBeRead(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	send(t, c, key, conversation(240)...)
	await(t, c, key, 240)
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("100 of 240 loaded")
	p.Cut("/v2/warehouse/spans/search")
	toTheEnd(p)
	p.Text("Next try in")
	p.Cut()
	p.Text("200 of 240 loaded") // by itself
	p.Cut("/v2/warehouse/spans/search")
	p.Until("the end of what is loaded", func() bool {
		toTheEnd(p)
		return says(p, "Next try in")
	})
	checkAccessible(t, p, "more spans that could not be read")
	p.Cut()
	p.Go(c.API + "/ui/spans?filters=" + url.QueryEscape(`[{"id":"service_name","operator":"equals","value":"bot"}]`))
	p.Text("48 spans")
	require.NotContains(t, browser.Eval[string](p, "document.body.innerText"), "Next try in")
	require.NotContains(t, browser.Eval[string](p, "document.body.innerText"), "of 240 loaded")
}

// A filter that the API refuses says so itself, and the rows that are there stay.
func TestFilterThatIsRefused(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	send(t, c, key, conversation(20)...)
	await(t, c, key, 20)
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("20 spans")
	p.ByRole("combobox", "Field").Paste("model:gpt-4o")
	p.Press("\r")
	p.Text("llm.request.model is gpt-4o")
	p.Expect("status of 400")
	p.ByRole("combobox", "Field").Paste("duration>long") // a line that says nothing is not taken
	p.Press("\r")
	p.Text("duration must be compared with a number")
	browser.Eval[any](p, `document.activeElement.select()`)
	p.ByRole("combobox", "Field").Paste("duration")
	p.ByRole("combobox", "Operator").Choose("greater_than")
	p.ByRole("combobox", "Value").Paste("long")
	p.Press("\r")
	p.Text("filters[1]")
	require.Equal(t, []string{"llm.request.model is gpt-4o", "! duration > long"}, browser.Eval[[]string](p, `[...document.querySelectorAll("[aria-label=Filters] li:not(.plain)")].map((l) => l.innerText.replace("✕", "").trim())`))
	require.Equal(t, 1, browser.Eval[int](p, `document.querySelectorAll(".filters li.wrong").length`))
	require.Positive(t, rows(p), "what is there stays")
	checkAccessible(t, p, "a filter that is refused")
	p.ByRole("button", "Remove the filter of duration").Click()
	p.UntilTrue(`document.querySelector(".filters li.wrong") === null && document.querySelector(".stale") === null`)
}

// says reports whether a page shows a text now.
func says(p *browser.Page, text string) bool {
	return browser.Eval[bool](p, fmt.Sprintf("document.body.innerText.includes(%q)", text))
}
