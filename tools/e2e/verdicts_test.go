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

// figuresOf are figures as the API shows them.
type figuresOf struct {
	Total  map[string]*float64 `json:"total"`
	Groups []struct {
		Keys  []string            `json:"keys"`
		Total map[string]*float64 `json:"total"`
	} `json:"groups"`
}

// groupRows is how many groups the table of groups has.
func groupRows(p *browser.Page) int {
	return browser.Eval[int](p, `[...document.querySelectorAll("table")].find((t) => t.caption?.innerText === "Groups")?.tBodies[0].rows.length ?? 0`)
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/verdicts")
	signIn(t, p, key)
	p.Text("No verdict in this period.")
	checkAccessible(t, p, "no verdicts")
	monitors(t, c, key)
	send(t, c, key, hours(120, 10*time.Minute)...)
	await(t, c, key, 120)
	p.Reload()
	p.ByRole("table", "Verdicts")
	p.UntilTrue(`[...document.querySelectorAll(".quality tbody tr")].every((r, i, all) => i === 0 || parseFloat(all[i - 1].children[2].innerText) >= parseFloat(r.children[2].innerText) || r.children[2].innerText.startsWith("–"))`) // the worst first
	p.UntilTrue(`/^[1-9][\d.]* % [\d.]+ % to [\d.]+ %$/.test(document.querySelector(".quality td.against").innerText)`)
	p.ByRole("link", "pii-detector has_pii")
	checkAccessible(t, p, "verdicts")
	p.ByRole("link", "pii-detector has_pii").Click()

	got, err := testbed.Ask[figuresOf](t.Context(), c, http.MethodPost, "/v2/metrics/aggregate", key, map[string]any{
		"from_timestamp_sec": time.Now().Add(-24 * time.Hour).Unix(), "evaluator": "pii-detector", "output": "has_pii", "group_by": []string{"service_name"}, "measures": []string{"count", "share_true", "true"},
	})
	require.NoError(t, err)
	p.Text(fmt.Sprintf("of %.0f verdicts.", *got.Total["count"]))
	p.Text(fmt.Sprintf("Based on %.0f evaluations. %.0f spans matched", *got.Total["count"], *got.Total["count"]))
	p.ByRole("combobox", "Group by").Choose("service_name")
	p.Until("its groups", func() bool { return groupRows(p) == len(got.Groups) })
	for _, g := range got.Groups {
		p.UntilTrue(fmt.Sprintf(`[...document.querySelectorAll("tbody tr")].some((r) => r.querySelector("th a")?.innerText === %q && r.children[3].innerText === "%.0f")`, g.Keys[0], *g.Total["count"]))
	}
	checkAccessible(t, p, "a course of verdicts")
	require.Positive(t, *got.Total["true"])
	p.ByRole("button", "Table").Click()
	p.UntilTrue(`document.querySelectorAll(".numbers a.value").length > 10`)
	checkAccessible(t, p, "a course in numbers")
	followNumbers(t, p, c)

	// What no evaluator has judged, and why not.
	p.Go(c.API + "/ui/verdicts?m=answer-relevancy.is_relevant&t=24h")
	p.Text("skipped (missing input)")
	skipped := strings.Fields(browser.Eval[string](p, `document.querySelector(".rests > span a").innerText`))[0]
	browser.Eval[any](p, `document.querySelector(".rests > span a").click()`)
	p.Text(skipped + " spans")
	p.Back()
	p.Text("skipped (missing input)")
	checkAccessible(t, p, "nothing was judged")
	p.Go(c.API + "/ui/verdicts?m=char-count.char_count&t=24h&agg=p90&by=llm.request.model")
	p.Text("90th percentile")
	p.Text("Distribution")
	checkAccessible(t, p, "a course of numbers")
	p.Go(c.API + "/ui/verdicts?m=nobody.nothing&t=never&filters=%7B")
	p.Text("This address has a mistake in")
	p.Text("No span of this period matched this evaluator.")
}

// followNumbers goes from a number to the spans behind it, of which there are as
// many.
func followNumbers(t *testing.T, p *browser.Page, c *testbed.Collector) {
	t.Helper()
	of := browser.Eval[string](p, `[...document.querySelectorAll(".numbers a.value")].at(3).querySelector(".hint").innerText`)
	browser.Eval[any](p, `[...document.querySelectorAll(".numbers a.value")].at(3).click()`)
	p.UntilTrue(`location.pathname === "/ui/spans"`)
	n := strings.TrimPrefix(of, "of ")
	if n == "1" {
		p.Text("1 span")
	} else {
		p.Text(n + " spans")
	}
	p.Back()
	p.UntilTrue(`location.pathname === "/ui/verdicts"`)
	p.Text("Distribution")
	n = browser.Eval[string](p, `document.querySelector(".spread li:first-child > :last-child").innerText`)
	browser.Eval[any](p, `document.querySelector(".spread li:first-child a").click()`)
	p.Text(n + " spans")
	p.Go(c.API + "/ui/verdicts?m=" + url.QueryEscape("pii-detector.has_pii") + "&t=24h&by=service_name")
	p.Until("groups", func() bool { return groupRows(p) > 0 })
}

// Keys of groups and values of verdicts are shown as text.
func TestHostileVerdicts(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	monitors(t, c, key)
	var hostile []sent
	for i, x := range hostileTexts() {
		hostile = append(hostile, sent{name: x, service: x, model: x, output: x, ago: time.Duration(i) * time.Second})
	}
	send(t, c, key, hostile...)
	await(t, c, key, len(hostile))
	p := open(t, c, "/ui/verdicts?t=24h&m=char-count.char_count&by=service_name")
	signIn(t, p, key)
	p.Until("groups", func() bool { return groupRows(p) == 6 })
	p.Go(c.API + "/ui/verdicts?t=24h&m=" + url.QueryEscape(`<img src=x onerror="window.pwned=1">.<script>`))
	p.Text(`<img src=x onerror="window pwned=1">.<script>`)
	require.True(t, browser.Eval[bool](p, "window.pwned === undefined"))
	require.Empty(t, browser.Eval[[]string](p, `[...document.querySelectorAll("main script, main iframe, main img")].map((e) => e.tagName)`))
}
