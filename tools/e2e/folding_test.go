// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// Siblings that are alike are one row until a user opens it, and a time without
// any span does not take the width of those in which something was done.
func TestAlikeSpansAndGaps(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	const many = 30
	steps := []step{{name: "index", took: 2 * time.Second, attributes: map[string]any{"gen_ai.operation.name": "invoke_agent"}}}
	for i := range many {
		s := step{name: "embed", above: 1, from: time.Duration(i) * 10 * time.Millisecond, took: 8 * time.Millisecond}
		if i == 20 {
			s.failed = "too long"
		}
		steps = append(steps, s)
	}
	steps = append(steps, step{name: "store", above: 1, from: time.Second, took: 100 * time.Millisecond}, step{name: "feedback", above: -1, from: time.Minute, took: time.Second})
	sendTrace(t, c, key, traceOf(1), hasBegun(5*time.Minute), steps)
	await(t, c, key, len(steps))
	address := c.API + "/ui/traces/" + traceOf(1).String()
	p := open(t, c, "/ui/traces/"+traceOf(1).String())
	signIn(t, p, key)
	p.ByRole("treegrid", "Spans of the trace")
	const folded = "index|embed|store|feedback"
	require.Equal(t, folded, treeRows(p))
	p.Text("× 30")
	p.Text("! error")
	p.Text("58 s without a span, cut")
	require.Greater(t, browser.Eval[float64](p, `parseFloat(document.querySelector(".stretch").style.width)`), 50.0)
	checkAccessible(t, p, "alike spans and a gap")

	opened := func() bool { return strings.Count(treeRows(p), "embed") > 10 } // those out of sight are not in the page

	// By keys.
	p.Press("j")
	p.Until("the row of the alike", func() bool { return activeRow(p) == "embed" })
	p.Press(browser.Right)
	p.Until("one row each", opened)
	checkAccessible(t, p, "alike spans, opened")
	p.Press(browser.Left)
	p.Until("one row again", func() bool { return treeRows(p) == folded })
	require.Equal(t, "embed", activeRow(p))

	// What is inside is found, and shown by its link.
	p.Press("e")
	p.UntilTrue(`location.search.includes("span=` + spanOf(22).String() + `")`)
	require.True(t, opened())
	browser.Eval[any](p, `document.querySelector(".run").click()`)
	p.Until("one row again", func() bool { return treeRows(p) == folded })
	p.Go(address + "?span=" + spanOf(22).String())
	p.Text("too long")
	require.True(t, opened())
	require.Equal(t, "true", browser.Eval[string](p, fmt.Sprintf(`document.querySelector("[data-span='%d']").getAttribute("aria-selected")`, 21)))

	// A link with the time, by which the trace is found at once.
	shared := copied(p, "Copy link")
	require.Contains(t, shared, "at=")
	require.Contains(t, shared, "span="+spanOf(22).String())
	p.Go(shared)
	p.Text("too long")

	p.ByRole("combobox", "Show").Choose("llm")
	p.Text("31 hidden")
	require.Equal(t, "index", treeRows(p))
	p.ByRole("combobox", "Show").Choose("all")
	p.ByRole("button", "span list").Click()
	p.Until("a list", func() bool { return strings.Count(treeRows(p), "embed") > 1 })
}
