// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// Words of ordinary length that are on more than one line, and what begins or ends
// outside of the row that it stands in.
const tornWords = `(() => {
	const torn = [];
	const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
	for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
		if (text.parentElement.closest(".unseen, select, [aria-hidden=true]:not(.open > *)") || !text.parentElement.checkVisibility()) continue;
		const row = text.parentElement.closest("tr")?.getBoundingClientRect();
		for (const word of text.data.matchAll(/[\p{L}\p{N}]{2,18}/gu)) {
			const range = document.createRange();
			range.setStart(text, word.index);
			range.setEnd(text, word.index + word[0].length);
			const places = [...range.getClientRects()];
			if (new Set(places.map((p) => Math.round(p.top))).size > 1) torn.push("torn: " + word[0]);
			if (row !== undefined && places.some((p) => p.left < row.left - 1)) torn.push("cut: " + word[0]);
		}
	}
	return torn;
})()`

// However wide the window is, words stay whole, nothing is cut off, and the verdicts of
// a list of spans are in sight.
func TestTablesHaveRoomForWords(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	for _, m := range []struct {
		name       string
		evaluators []string
	}{
		{"answers", []string{"char-count", "pii-detector", "action-advancement"}},
		{"a monitor whose name was put together from a team, a service and a region", []string{"answer-completeness"}},
	} {
		_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
			"external_id": m.name, "evaluators": m.evaluators, "selector": []map[string]any{{"key": "service.name", "source": "resource_attributes", "operator": "exists"}},
		})
		require.NoError(t, err)
		awaitLoaded(t, c, key, m.name)
	}
	send(t, c, key, hours(30, time.Minute)...)
	await(t, c, key, 30)
	p := open(t, c, "/ui/monitors")
	signIn(t, p, key)
	p.Text("action-advancement needs a judge model")
	widths := []int64{1440, 1280, 1024, 800, 390, 320}
	check := func(what string) {
		for _, width := range widths {
			p.Size(width, 800)
			require.Empty(t, browser.Eval[[]string](p, tornWords), "%s, %d px", what, width)
		}
	}
	check("monitors")
	p.Go(c.API + "/ui/monitors/answers")
	p.Text("Evaluated spans per hour")
	check("a monitor")
	p.Size(1440, 800)
	p.Go(c.API + "/ui/spans")
	p.Text("30 spans")
	check("spans")
	for _, width := range []int64{1440, 1280, 1024} {
		p.Size(width, 800)
		over := browser.Eval[float64](p, `(() => {
			const list = document.querySelector(".across:has(.spanlist)");
			return list.querySelector("th.found").getBoundingClientRect().right - list.getBoundingClientRect().right;
		})()`)
		require.LessOrEqual(t, over, 1.0, "verdicts at %d px", width)
		require.Empty(t, browser.Eval[[]string](p, `[...document.querySelectorAll(".spanlist th")].filter((h) => h.scrollWidth > h.clientWidth).map((h) => h.innerText)`), "heads at %d px", width)
	}
}

// Every entry of the menu is in sight, whatever the width: nothing says of a row that it
// goes on beyond the edge.
func TestTheWholeMenuIsInSight(t *testing.T) {
	t.Parallel()
	c := start(t)
	p := open(t, c, "/ui/spans")
	signIn(t, p, keysOf(t, c, "Acme", "prd")[0])
	p.UntilTrue(`document.querySelectorAll("header nav a").length === 9`)
	for _, width := range []int64{1440, 768, 390, 320} {
		p.Size(width, 800)
		require.Empty(t, browser.Eval[[]string](p, `[...document.querySelectorAll("header nav a")].filter((a) => {
			const own = a.getBoundingClientRect(), list = a.closest("nav").getBoundingClientRect();
			return own.left < list.left - 1 || own.right > Math.min(list.right, innerWidth) + 1 || own.height < 24;
		}).map((a) => a.innerText)`), "%d px", width)
	}
}

// A long name of an organization leaves the head of the page as high as it is.
func TestLongNamesOfEnvironmentsTakeOneLine(t *testing.T) {
	t.Parallel()
	c := start(t)
	name := strings.Repeat("The Company of Very Long Names ", 4)
	p := open(t, c, "/ui/spans")
	signIn(t, p, keysOf(t, c, name, "production-of-the-shop")[0])
	p.UntilTrue(`document.querySelector(".switcher")?.selectedOptions[0].innerText.includes("Very Long")`)
	for _, width := range []int64{1440, 768, 390} {
		p.Size(width, 800)
		require.Less(t, browser.Eval[float64](p, `document.querySelector(".bar").getBoundingClientRect().height`), 60.0, "%d px", width)
		require.Zero(t, browser.Eval[float64](p, `document.documentElement.scrollWidth - innerWidth`), "%d px", width)
		require.Greater(t, browser.Eval[float64](p, `document.querySelector(".switcher").getBoundingClientRect().width`), 90.0, "%d px", width)
	}
	require.Contains(t, browser.Eval[string](p, `document.querySelector(".switcher").title`), strings.TrimSpace(name))
}

// A text that ends in dots for want of room is shown whole when the pointer is on it.
func TestWhatIsCutOffCanBeRead(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "all", "evaluators": []string{"answer-completeness"}, "selector": []map[string]any{{"key": "service.name", "source": "resource_attributes", "operator": "exists"}},
	})
	require.NoError(t, err)
	awaitLoaded(t, c, key, "all")
	send(t, c, key, sent{
		name: "execute_tool look_up_the_order_of_a_customer", service: "the-assistant-of-the-shop-in-production", model: "claude-sonnet-4-5-20250929-with-a-long-name", ago: time.Minute,
		output: "You can return it within 30 days, as long as the box has not been opened and nothing is missing from it that was in it when it came.",
	})
	await(t, c, key, 1)
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("1 span")
	p.UntilTrue(`document.querySelector(".spanlist .badge") !== null`)
	p.Size(1024, 800)
	const cut = `[...document.querySelectorAll("main *")].filter((e) => getComputedStyle(e).textOverflow === "ellipsis" && e.scrollWidth > e.clientWidth && e.checkVisibility())`
	check := func(least int) {
		require.GreaterOrEqual(t, browser.Eval[int](p, cut+".length"), least)
		require.Empty(t, browser.Eval[[]string](p, cut+`.filter((e) => {
			const told = e.closest("[title]")?.title ?? "";
			return ![...e.querySelectorAll("*"), e].every((part) => part.childElementCount > 0 || part.closest(".mark") || told.includes(part.innerText.replace(/…$/, "")));
		}).map((e) => e.innerText)`))
	}
	check(4)
	browser.Eval[any](p, `document.querySelector(".spanlist button.open").click()`)
	p.UntilTrue(`document.querySelector(".panel h2") !== null`)
	p.Press("o")
	p.UntilTrue(`document.querySelector("[role=row] .text") !== null`)
	p.Size(390, 800)
	check(2)
}
