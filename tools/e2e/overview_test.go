// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// today is a day of three services: docs leaks addresses in the last five hours, search
// fails in the last four, and crawler has sent nothing for eight.
func today() (list []sent) {
	const all = 230 // of ten spans an hour
	for i := range all {
		ago := time.Duration(i+1) * 6 * time.Minute
		docs := sent{name: "chat", service: "docs", model: "gpt-4o", output: "Backups run each night at 02:00.", ago: ago}
		if ago < 5*time.Hour && i%2 == 0 {
			docs.output = "Write to anna.miller@example.com."
		}
		list = append(list, docs, sent{name: "chat", service: "search", model: "gpt-4o-mini", output: "Here are 12 hits.", ago: ago, failed: ago < 4*time.Hour && i%3 == 0})
		if ago > 8*time.Hour {
			list = append(list, sent{name: "chat", service: "crawler", model: "gpt-4o-mini", output: "The page was read.", ago: ago})
		}
	}
	return list
}

// The first screen says what needs attention and since when, and leads there.
func TestOverview(t *testing.T) {
	t.Parallel()
	c := start(t)
	keys := keysOf(t, c, "Acme", "prd", "stg")
	p := open(t, c, "/ui/")
	signIn(t, p, keys[1])
	p.ByRole("heading", "Overview")
	p.Text("No span has arrived in this environment yet.")
	checkAccessible(t, p, "an overview of nothing")
	send(t, c, keys[1], today()[:3]...)
	p.ByRole("link", "No monitor evaluates these spans. Create one.")
	p.ByRole("button", "Personal data: run on this span").Click()
	p.Text("pii-detector has_pii = false")
	checkAccessibleAt(t, p, "monitors to begin with", 900, screens...)
	p.ByRole("link", "Personal data: create monitor").Click()
	p.UntilTrue(`document.querySelector("[data-path=external_id]")?.value === "personal"`)
	p.Press("gm")
	p.ByRole("link", "New monitor")

	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", keys[0], map[string]any{
		"external_id": "leaks", "evaluators": []string{"pii-detector"}, "selector": []map[string]any{{"key": "span_type", "source": "span_attributes", "operator": "equals", "value": "llm"}},
	})
	require.NoError(t, err)
	awaitLoaded(t, c, keys[0], "leaks")
	send(t, c, keys[0], today()...)
	await(t, c, keys[0], len(today()))
	p = open(t, c, "/ui/")
	signIn(t, p, keys[0])
	p.ByRole("heading", "Needs attention")
	p.UntilTrue(`/docs: \d+(\.\d+)? % of pii-detector has_pii results fail since .*, [0-2](\.\d+)? % before\./.test(document.querySelector(".attention").innerText)`)
	p.UntilTrue(`/search: \d+(\.\d+)? % of spans are errors since .*, [0-2](\.\d+)? % before\./.test(document.querySelector(".attention").innerText)`)
	p.UntilTrue(`/crawler: no span since /.test(document.querySelector(".attention").innerText)`)
	require.Len(t, browser.Eval[[]string](p, `[...document.querySelectorAll(".attention li")].map((l) => l.innerText)`), 3, "nothing else is out of the ordinary")
	for _, name := range []string{"Traces", "Error rate", "Duration", "Tokens", "Cost by model", "Failing results", "Services", "Models"} {
		p.ByRole("heading", name)
	}
	checkAccessible(t, p, "an overview")
	if dir := os.Getenv("TOUCHSTONE_PICTURES"); dir != "" {
		picture(t, dir, p, "overview")
	}

	browser.Eval[any](p, `[...document.querySelectorAll(".attention a")].find((a) => a.innerText.startsWith("docs")).click()`)
	p.ByRole("heading", "pii-detector has_pii")
	p.Text("service_name is docs")
	p.Back()
	p.ByRole("heading", "Needs attention")
	browser.Eval[any](p, `document.querySelector('table td[data-name="Failing"] a').click()`)
	p.ByRole("heading", "Spans")
	p.Text("touchstone.evaluation.good is false")
	p.Press("gw")
	p.ByRole("heading", "Overview")
}

// A judge that is back was down: the overview says whose results came late, and when.
func TestOverviewOfLateResults(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	down.Store(true)
	c, key, judge := startWithJudge(t, &down)
	awaitLoaded(t, c, key, "progress")
	sendTrace(t, c, key, traceOf(1), hasBegun(20*time.Minute), agent())
	await(t, c, key, 10)
	require.NoError(t, c.Await(t.Context(), "a judge that is asked", func() (bool, error) { return len(judge.Requests()) > 0, nil }))
	down.Store(false)
	p := open(t, c, "/ui/")
	signIn(t, p, key)
	p.ByRole("heading", "Needs attention")
	p.Until("what was late", func() bool {
		p.Reload()
		p.ByRole("heading", "Needs attention")
		p.UntilTrue(`document.querySelector(".attention :is(li, p)") !== null`)
		return browser.Eval[bool](p, `/Results of the judge for spans between .* and .* came up to \d+ min( \d+ s)? late\./.test(document.querySelector(".attention").innerText)`)
	})
	browser.Eval[any](p, `[...document.querySelectorAll(".attention a")].find((a) => a.innerText.includes("late")).click()`)
	p.ByRole("heading", "Spans")
	p.Text("touchstone.evaluation.status is done")
}
