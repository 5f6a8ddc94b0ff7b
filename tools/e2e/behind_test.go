// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// A course is compared with the period before, and what stands behind it is there
// with what the judge said: the worst spans, those of both ends of a number, and
// the newest.
func TestVerdictsComparedAndWhatIsBehindThem(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	monitors(t, c, key)
	send(t, c, key, hours(120, 10*time.Minute)...)
	await(t, c, key, 120)
	now := time.Now().Unix()
	const length = 8 * 3600
	p := open(t, c, fmt.Sprintf("/ui/verdicts?m=pii-detector.has_pii&from=%d&to=%d", now-length, now))
	signIn(t, p, key)
	p.ByRole("heading", "Examples")
	before, err := testbed.Ask[figuresOf](t.Context(), c, http.MethodPost, "/v2/metrics/aggregate", key, map[string]any{
		"from_timestamp_sec": now - 2*length, "to_timestamp_sec": now - length - 1, "evaluator": "pii-detector", "output": "has_pii", "measures": []string{"count", "share_true"},
	})
	require.NoError(t, err)
	require.Positive(t, *before.Total["count"])
	p.ByRole("checkbox", "Compare with the previous period").Click()
	p.Text(fmt.Sprintf("of %.0f verdicts.", *before.Total["count"]))
	p.Text("previous period")
	p.UntilTrue(`document.querySelectorAll(".lines .past .dot").length > 5`)
	p.UntilTrue(`getComputedStyle(document.querySelector(".lines .past path")).strokeDasharray !== "none"`)
	require.Contains(t, p.URL(), "compare=1")
	checkAccessible(t, p, "a course with the period before")

	// Its numbers lead to the spans of that time.
	p.ByRole("button", "Table").Click()
	of := browser.Eval[string](p, `[...document.querySelectorAll(".numbers td:last-child a")].at(2).querySelector(".hint").innerText`)
	browser.Eval[any](p, `[...document.querySelectorAll(".numbers td:last-child a")].at(2).click()`)
	p.UntilTrue(`location.pathname === "/ui/spans"`)
	require.Less(t, browser.Eval[int64](p, `Number(new URLSearchParams(location.search).get("to"))`), now-length+3600)
	p.Text(strings.TrimPrefix(of, "of ") + " span")
	p.Back()

	// The worst first, with why.
	worst := func() []string {
		return browser.Eval[[]string](p, `[...document.querySelectorAll(".behind tbody tr")].map((r) => r.children[1].innerText + "|" + r.children[2].innerText)`)
	}
	p.Until("the worst", func() bool { return len(worst()) > 0 })
	for _, line := range worst() {
		require.Regexp(t, `^true\|Found EMAIL_ADDRESS`, line)
	}
	browser.Eval[any](p, `[...document.querySelectorAll(".behind button")].find((b) => b.innerText === "newest").click()`)
	p.Until("the newest", func() bool { return len(worst()) == 10 && strings.HasPrefix(strings.Join(worst(), "\n"), "false|") })
	checkAccessible(t, p, "spans behind a course")

	// What is said most of those that fail, with their spans.
	p.ByRole("heading", "Reasons of failing results")
	const reason = `document.querySelector("table:has(th.said) td a")`
	require.Contains(t, browser.Eval[string](p, `document.querySelector("th.said").innerText`), "Found ")
	n := browser.Eval[string](p, reason+".innerText")
	browser.Eval[any](p, reason+".click()")
	p.UntilTrue(`location.pathname === "/ui/spans"`)
	p.Text(n + " span")

	// Both ends of a number, and all of it as a list that is sorted by it.
	p.Go(c.API + fmt.Sprintf("/ui/verdicts?m=char-count.char_count&from=%d&to=%d&by=service_name&compare=1", now-length, now))
	values := func() []int {
		return browser.Eval[[]int](p, `[...document.querySelectorAll(".behind tbody tr")].map((r) => Number(r.children[1].innerText))`)
	}
	p.Until("the lowest", func() bool { return len(values()) == 10 })
	require.IsNonDecreasing(t, values())
	lowest := values()[0]
	browser.Eval[any](p, `[...document.querySelectorAll(".behind button")].find((b) => b.innerText === "highest").click()`)
	p.Until("the highest", func() bool { return len(values()) == 10 && values()[0] > lowest })
	require.IsNonIncreasing(t, values())
	highest := values()[0]
	p.ByRole("link", "All examples").Click()
	p.UntilTrue(`document.querySelector("th.own")?.getAttribute("aria-sort") === "descending"`)
	p.UntilTrue(fmt.Sprintf(`document.querySelector("td.own")?.innerText === "%d"`, highest))
	checkAccessible(t, p, "spans by a verdict")
	browser.Eval[any](p, `document.querySelector("th.own .sort").click()`)
	p.UntilTrue(fmt.Sprintf(`document.querySelector("td.own")?.innerText === "%d"`, lowest))
}
