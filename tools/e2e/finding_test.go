// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// One finds spans by a line that one types, by periods, and by what one saved.
func TestFinding(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	send(t, c, key, hours(60, 50*time.Minute)...)
	p := open(t, c, "/ui/spans?t=24h")
	signIn(t, p, key)
	p.Text("29 spans")

	// Typed filters, without this value, and back.
	p.Press("/")
	p.Press("status:error -service:bot\r")
	p.UntilTrue(`new URLSearchParams(location.search).get("filters") === '[{"id":"status_code","operator":"equals","value":"STATUS_CODE_ERROR"},{"id":"service_name","operator":"not_equals","value":"bot"}]'`)
	p.UntilTrue(`[...document.querySelectorAll("tbody tr:not(.gap)")].length > 0 && [...document.querySelectorAll("tbody tr:not(.gap)")].every((r) => r.innerText.includes("! error") && !r.innerText.includes("bot"))`)
	p.Go(c.API + "/ui/spans?t=24h")
	p.Text("29 spans")
	p.Press("/")
	p.Press("vendr:openai\r")
	p.Text("No recent span has the field vendr")
	p.Go(c.API + "/ui/spans?t=24h")
	p.Text("29 spans")

	inURL := func() string {
		return browser.Eval[string](p, `((q) => [q.get("t"), q.get("to") - q.get("from")].join(" "))(new URLSearchParams(location.search))`)
	}
	browser.Eval[any](p, `document.activeElement.blur()`)
	p.Press("[")
	p.Until("the day before", func() bool { return inURL() == " 86400" })
	p.Text("29 spans")
	p.ByRole("textbox", "From (UTC)")
	checkAccessible(t, p, "between two times")
	p.Press("]")
	p.Until("the last 24 hours", func() bool { return inURL() == "24h 0" })

	// Drawing over bars zooms in, and there is a way back.
	p.UntilTrue(`document.querySelectorAll("svg.bars g").length > 20`)
	box := browser.Eval[[]float64](p, `(({x, y, width, height}) => [x, y, width, height])(document.querySelector("svg.bars").getBoundingClientRect())`)
	p.Drag(box[0]+box[2]*0.25, box[1]+box[3]/2, box[0]+box[2]*0.75, box[1]+box[3]/2)
	p.Until("a part of the day", func() bool { return strings.HasPrefix(inURL(), " ") })
	zoomed := browser.Eval[int64](p, `((q) => q.get("to") - q.get("from"))(new URLSearchParams(location.search))`)
	require.InDelta(t, 43_200, zoomed, 5000)
	p.ByRole("combobox", "split by").Choose("llm.request.model")
	p.UntilTrue(`document.querySelector(".legend-list").innerText.includes("gpt-4o-mini")`)
	checkAccessible(t, p, "bars of models")
	browser.Eval[any](p, `document.activeElement.blur()`)
	p.Press("\x1b")
	p.Until("the day again", func() bool { return inURL() == "24h 0" })

	// Columns and density are kept, views have names.
	menuOf(p, "Columns")
	for _, column := range []string{"span_type", "llm.vendor"} {
		p.ByRole("textbox", "Column").Paste(column)
		p.Press("\r")
		p.UntilTrue(fmt.Sprintf(`[...document.querySelectorAll("th.own")].some((e) => e.innerText.trim() === %q)`, column))
	}
	p.ByRole("button", "Move the column llm.vendor to the left").Click()
	p.UntilTrue(`[...document.querySelectorAll("th.own")].map((e) => e.innerText.split(" ")[0]).join() === "llm.vendor,span_type"`)
	browser.Eval[any](p, `window.scrollTo(0, 0)`)
	p.UntilTrue(`document.querySelector("[data-index='1']") !== null`)
	high := browser.Eval[float64](p, `document.querySelector("[data-index='1']").getBoundingClientRect().height`)
	browser.Eval[any](p, `document.querySelector(".columns .check input").focus()`)
	p.Press(" ") // a list that moves moves nothing of that
	browser.Eval[any](p, `window.scrollTo(0, 0)`)
	p.Until("lower rows", func() bool {
		return browser.Eval[float64](p, `document.querySelector("[data-index='1']")?.getBoundingClientRect().height ?? 1000`) < high
	})
	checkAccessible(t, p, "close rows")
	filter := "filters=" + url.QueryEscape(`[{"id":"service_name","operator":"equals","value":"bot"}]`)
	p.Go(c.API + "/ui/spans?t=7d&" + filter)
	p.UntilTrue(`document.querySelectorAll("th.own").length === 2`)
	p.UntilTrue(`document.querySelector(".views summary") !== null`)
	browser.Eval[any](p, `document.querySelector(".views summary").focus()`)
	p.Press(" ")
	p.ByRole("textbox", "Name of this view").Paste("the bot's week")
	p.Press("\r")
	p.ByRole("link", "the bot's week")
	checkAccessible(t, p, "saved views")
	// The view is there for another browser with a key of the environment, which may only read.
	other := open(t, c, "/ui/traces")
	reading, err := testbed.Ask[map[string]any](t.Context(), c, http.MethodPost, "/v2/keys", key, map[string]any{"name": "reader", "scope": "read"})
	require.NoError(t, err)
	signIn(t, other, reading["api_key"].(string))
	other.UntilTrue(`document.querySelector(".views summary") !== null`)
	browser.Eval[any](other, `document.querySelector(".views summary").click()`)
	other.ByRole("link", "the bot's week").Click()
	other.UntilTrue(fmt.Sprintf(`location.pathname === "/ui/spans" && location.search.includes(%q) && location.search.includes("t=7d")`, filter))
	require.Empty(t, other.All("button", "Remove the view the bot's week"))

	p.Go(c.API + "/ui/spans")
	p.UntilTrue(`document.querySelector(".views summary") !== null`)
	browser.Eval[any](p, `document.querySelector(".views summary").click()`)
	p.ByRole("link", "the bot's week").Click()
	p.UntilTrue(fmt.Sprintf(`location.search.includes(%q) && location.search.includes("t=7d")`, filter))
	browser.Eval[any](p, `document.querySelector(".views").open = true`)
	p.ByRole("button", "Remove the view the bot's week").Click()
	p.Gone("link", "the bot's week")
	require.Equal(t, "compact", browser.Eval[string](p, `document.documentElement.dataset.density`))

	// From a value to the spans without it.
	p.Go(c.API + "/ui/spans?t=24h")
	p.UntilTrue(`document.querySelector("[data-index='1'] .open") !== null`)
	browser.Eval[any](p, `document.querySelector("[data-index='1'] .open").click()`)
	p.ByRole("tab", "Attributes").Click()
	p.ByRole("link", "Exclude this value of llm.vendor").Click()
	p.UntilTrue(`location.search.includes("not_equals")`)
}

// A list of a hundred rows that are all in the page has no finding.
func TestAFullListIsAccessible(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	monitors(t, c, key)
	send(t, c, key, conversation(100)...)
	await(t, c, key, 100)
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("100 spans")
	p.Size(1280, 9000)
	p.Until("a hundred rows", func() bool { return rows(p) == 100 })
	checkAccessibleAt(t, p, "a hundred rows", 9000)
}
