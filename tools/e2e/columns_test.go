// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// Columns are dragged to their place, or moved there by keys.
func TestColumnsAreMoved(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	send(t, c, key, hours(5, time.Minute)...)
	await(t, c, key, 5)
	p := open(t, c, "/ui/spans?cols="+url.QueryEscape(`["llm.vendor","span_type","status_code"]`))
	p.Size(1600, 900)
	signIn(t, p, key)
	p.Text("5 spans")
	order := func() string {
		return browser.Eval[string](p, `[...document.querySelectorAll("th.own")].map((e) => e.innerText.split(" ")[0]).join()`)
	}
	p.Until("three columns", func() bool { return order() == "llm.vendor,span_type,status_code" })
	middle := func(i string) (float64, float64) {
		at := browser.Eval[[]float64](p, `(() => { const r = [...document.querySelectorAll("th.own")][`+i+`].getBoundingClientRect(); return [r.x + 8, r.y + 12] })()`)
		return at[0], at[1]
	}
	p.UntilTrue(`document.querySelector(".bars") !== null`) // nothing above the list grows any more
	x, y := middle("2")
	toX, toY := middle("0")
	p.Drag(x, y, toX, toY)
	p.Until("the last one first", func() bool { return order() == "status_code,llm.vendor,span_type" })
	require.Equal(t, `["status_code","llm.vendor","span_type"]`, browser.Eval[string](p, `new URLSearchParams(location.search).get("cols")`))
	checkAccessible(t, p, "columns that were dragged")

	browser.Eval[any](p, `[...document.querySelectorAll("th.own button")].find((b) => b.ariaLabel === "Move the column span_type to the left").focus()`)
	p.Press("\r")
	p.Until("moved by keys", func() bool { return order() == "status_code,span_type,llm.vendor" })
	p.Reload()
	p.Until("it stays", func() bool { return order() == "status_code,span_type,llm.vendor" })
}
