// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"testing"
	"time"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// The chart of spans shows durations as shades, and a cell leads to its spans.
func TestHeatmap(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	var steps []step
	for i := range 20 {
		took := 5 * time.Millisecond
		if i%5 == 0 {
			took = 2 * time.Second
		}
		steps = append(steps, step{name: "call", from: time.Duration(i) * time.Second, took: took})
	}
	sendTrace(t, c, key, traceOf(1), time.Now().Truncate(time.Minute).Add(-10*time.Minute), steps) // all in one step
	await(t, c, key, len(steps))
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("20 spans")
	p.ByRole("combobox", "split by").Choose("duration")
	p.UntilTrue(`document.querySelectorAll("svg .heat").length >= 2`)
	p.Text("up to 10 ms")
	p.Text("up to 3 s")
	checkAccessibleAt(t, p, "a heatmap", 900, screens...)
	at := browser.Eval[[]float64](p, `(() => { const slow = [...document.querySelectorAll("svg .heat")].reduce((a, b) => (a.getBoundingClientRect().top <= b.getBoundingClientRect().top ? a : b)); const box = slow.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2] })()`)
	p.ClickAt(at[0], at[1])
	p.Text("4 spans")
	p.Text("duration > 1000")
	p.Text("duration ≤ 3000")
	p.Back()
	p.Text("20 spans")
	p.ByRole("button", "Table").Click()
	p.UntilTrue(`[...document.querySelectorAll(".numbers thead th")].some((h) => h.innerText === "up to 3 s")`)
}
