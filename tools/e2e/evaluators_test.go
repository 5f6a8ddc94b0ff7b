// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

func TestEvaluators(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/evaluators")
	signIn(t, p, key)
	all, err := testbed.Ask[struct {
		Evaluators []struct {
			Slug     string              `json:"slug"`
			Backends []string            `json:"backends"`
			Input    []map[string]string `json:"input_schema"`
		} `json:"evaluators"`
	}](t.Context(), c, http.MethodGet, "/v2/evaluators", key, nil)
	require.NoError(t, err)
	p.Text(fmt.Sprintf("%d evaluators", len(all.Evaluators)))
	checkAccessible(t, p, "evaluators")
	judged, taking := 0, 0
	for _, e := range all.Evaluators {
		if !slices.Contains(e.Backends, "judge") {
			continue
		}
		judged++
		if slices.ContainsFunc(e.Input, func(f map[string]string) bool { return f["name"] == "question" }) {
			taking++
		}
	}
	p.ByRole("combobox", "Judged").Choose("judge")
	p.Text(fmt.Sprintf("%d of %d evaluators", judged, len(all.Evaluators)))
	p.ByRole("combobox", "Takes").Choose("question")
	p.Text(fmt.Sprintf("%d of %d evaluators", taking, len(all.Evaluators)))
	require.Contains(t, p.URL(), "takes=question")
	p.ByRole("combobox", "Takes").Choose("")
	p.ByRole("combobox", "Judged").Choose("")
	p.Press("/")
	p.Press("personal")
	p.UntilTrue(`location.search.includes("q=personal")`)
	p.ByRole("link", "pii-detector").Click()

	p.ByRole("textbox", "text *").Paste("Write to anna.miller@example.com")
	p.ByRole("button", "Run").Click()
	p.Text("has_pii")
	p.UntilTrue(`[...document.querySelectorAll(".outputs dd")].some((d) => d.innerText === "true")`)
	p.UntilTrue(`document.querySelector(".results .mark.against") !== null`)
	checkAccessible(t, p, "an evaluator that was tried")
	p.ByRole("textbox", "probability_threshold").Paste("seven")
	p.Expect("status of 400")
	p.ByRole("button", "Run").Click()
	p.UntilTrue(`document.activeElement.dataset.path === "config.probability_threshold"`)
	checkAccessible(t, p, "an evaluator that was refused")

	// Every form shows.
	for _, e := range all.Evaluators {
		p.Go(c.API + "/ui/evaluators/" + e.Slug)
		p.ByRole("button", "Run")
		p.UntilTrue(`document.querySelectorAll("form [data-path^='input.']").length > 0`)
	}
	p.Go(c.API + "/ui/evaluators/word-count")
	p.ByRole("button", "Run")
	browser.Eval[any](p, `(() => { const s = document.querySelector("form select"); s.value = "0"; s.dispatchEvent(new Event("change", {bubbles: true})) })()`)
	p.ByRole("button", "Run").Click()
	p.Text("word_count")
	p.Expect("status of 404")
	p.Go(c.API + "/ui/evaluators/" + url.PathEscape(`<img src=x onerror="window.pwned=1">`))
	p.Text("No evaluator has this name.")
	require.True(t, browser.Eval[bool](p, "window.pwned === undefined"))

	// On a stored span, from its verdict.
	monitors(t, c, key)
	sendTrace(t, c, key, traceOf(1), hasBegun(2*time.Minute), agent())
	await(t, c, key, len(agent()))
	p.Go(c.API + "/ui/traces/" + traceOf(1).String() + "?span=" + spanOf(8).String() + "&tab=verdicts")
	p.Text("is_faithful") // what comes last moves the others down
	p.ByRole("link", "try it pii-detector on this span").Click()
	p.Text("Judges the stored span")
	p.ByRole("button", "Run").Click()
	p.Text("has_pii")
	p.Text("Inputs as they were taken")
	checkAccessible(t, p, "an evaluator on a span")
}

func TestHealth(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	monitors(t, c, key)
	send(t, c, key, hours(50, time.Minute)...)
	await(t, c, key, 50)
	p := open(t, c, "/ui/health")
	signIn(t, p, key)
	p.Text("Healthy.")
	p.Text("up to date")
	p.Text("No model was called.")
	p.UntilTrue(`document.querySelectorAll("svg.bars").length === 2`)
	checkAccessible(t, p, "health")
	browser.Eval[any](p, `[...document.querySelectorAll("figure button")][0].click()`)
	p.UntilTrue(`document.querySelectorAll(".numbers tbody tr").length === 60`)
	sum := browser.Eval[int](p, `[...document.querySelectorAll(".numbers tbody tr")].reduce((n, r) => n + [...r.querySelectorAll("td")].reduce((m, d) => m + Number(d.innerText), 0), 0)`)
	require.InDelta(t, 50, sum, 1)

	p.Go(c.API + "/ui/signin")
	signIn(t, p, testbed.AccessToken)
	p.UntilTrue(`location.pathname !== "/ui/signin"`)
	p.Go(c.API + "/ui/health?env=operator")
	p.ByRole("heading", "Models")
	p.Text("No judge model configured; evaluators that run locally still work.")
	p.UntilTrue(`[...document.querySelectorAll("dt")].find((d) => d.innerText === "Spans stored")?.nextElementSibling.innerText === "50"`)
	p.UntilTrue(`[...document.querySelectorAll("dt")].some((d) => d.innerText === "Disk" && / (KB|MB)$/.test(d.nextElementSibling.innerText))`)
	p.UntilTrue(`document.querySelectorAll("svg.bars").length === 3`)
	browser.Eval[any](p, `[...document.querySelectorAll("figure button")][0].click()`)
	p.UntilTrue(`[...document.querySelectorAll(".numbers td:first-of-type")].reduce((n, d) => n + Number(d.innerText), 0) === 50`)
	checkAccessible(t, p, "health for the operator")
}
