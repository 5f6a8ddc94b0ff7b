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

// hours is traffic of a shop over the last hours.
func hours(n int, each time.Duration) []sent {
	list := conversation(n)
	for i := range list {
		list[i].ago = time.Duration(i)*each + time.Second
		switch {
		case i%11 == 3:
			list[i].output = "Write to Anna Miller at anna.miller@example.com or call +1 212 555 0147."
		case i%13 == 5:
			list[i].output = "You damn idiot, read the terms."
		}
	}
	return list
}

// setupOf is a setup as the API shows it.
type setupOf struct {
	ID         string `json:"id"`
	Name       string `json:"external_id"`
	Paused     bool   `json:"paused"`
	Evaluators []struct {
		Type   string         `json:"evaluator_type"`
		Config map[string]any `json:"config"`
		Rate   *float64       `json:"sample_rate"`
	} `json:"evaluators"`
	Rules     []map[string]any    `json:"init_rules"`
	OnVerdict []map[string]string `json:"on_verdict"`
	Cost      *float64            `json:"max_cost_per_day"`
}

func setup(t *testing.T, c *testbed.Collector, key, name string) setupOf {
	t.Helper()
	s, err := testbed.Ask[setupOf](t.Context(), c, http.MethodGet, "/v2/auto-monitor-setups/"+url.PathEscape(name), key, nil)
	require.NoError(t, err)
	return s
}

func TestMonitors(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	p := open(t, c, "/ui/monitors")
	signIn(t, p, key)
	p.Text("No monitors in this environment.")
	checkAccessible(t, p, "no monitors")
	send(t, c, key, hours(60, time.Minute)...)
	await(t, c, key, 60)

	// A monitor of a filter; what no rule can say is named.
	p.Go(c.API + "/ui/spans?t=24h&filters=" + url.QueryEscape(`[{"id":"llm.request.model","operator":"equals","value":"gpt-4o"},{"id":"duration","operator":"greater_than","value":1}]`))
	p.ByRole("link", "Create monitor from this filter").Click()
	p.Text("Rules cannot say this part of the filter, which is left out: duration.")
	p.ByRole("textbox", "Name").Paste("answers")
	p.Expect("status of 400")
	p.ByRole("button", "Create").Click()
	p.UntilTrue(`document.activeElement.dataset.path === "evaluators"`)
	checkAccessible(t, p, "a monitor that is refused")
	p.ByRole("searchbox", "Find an evaluator").Paste("personal")
	choose := func(slug string) {
		p.UntilTrue(fmt.Sprintf(`[...document.querySelectorAll(".picker b")].some((b) => b.innerText === %q)`, slug))
		browser.Eval[any](p, fmt.Sprintf(`[...document.querySelectorAll(".picker label")].find((l) => l.querySelector("b").innerText === %q).querySelector("input").click()`, slug))
	}
	choose("pii-detector")
	p.Text("1 chosen")
	p.Text("of 60 spans match.")
	browser.Eval[any](p, `document.querySelector("details").open = true`)
	p.ByRole("textbox", "probability_threshold").Paste("7")
	p.ByRole("textbox", "Budget ($/day)").Paste("5")
	checkAccessible(t, p, "a monitor that is written")
	p.ByRole("button", "Create").Click()
	p.UntilTrue(`document.activeElement.dataset.path === "evaluators[0].config.probability_threshold"`)
	p.UntilTrue(`document.activeElement.getAttribute("aria-invalid") === "true"`)
	browser.Eval[any](p, `document.activeElement.select()`)
	p.ByRole("textbox", "probability_threshold").Paste("0.7")
	p.Text("of 60 spans match.")
	p.ByRole("button", "Create and run on the last 24 h").Click()
	p.Text("completed")
	made := setup(t, c, key, "answers")
	require.InDelta(t, 0.7, made.Evaluators[0].Config["probability_threshold"], 0)
	require.InDelta(t, 5, *made.Cost, 0)
	require.Equal(t, "llm.request.model", made.Rules[0]["key"])
	checkAccessible(t, p, "backfills")

	p.Go(c.API + "/ui/monitors/answers")
	p.Until("verdicts of the backfill", func() bool {
		p.Reload()
		p.Text("Evaluators")
		p.UntilTrue(`document.querySelectorAll(".figures dd").length === 4`)
		return browser.Eval[bool](p, `document.querySelectorAll(".figures dd")[1].innerText !== "0"`)
	})
	p.ByRole("button", "Table")
	checkAccessible(t, p, "a monitor")
	p.ByRole("button", "Table").Click()
	p.ByRole("columnheader", "From")
	checkAccessible(t, p, "a monitor with its numbers")
	newestOfMonitor(t, p)
	matched := browser.Eval[string](p, `document.querySelectorAll(".figures dd")[1].innerText`)
	browser.Eval[any](p, `document.querySelectorAll(".figures dd")[1].querySelector("a").click()`)
	p.Text(matched + " spans")

	changeMonitors(t, c, p, key)
}

// newestOfMonitor looks at the spans that a monitor matched last, and at those that
// its verdicts speak against, of which there are as many as the number says.
func newestOfMonitor(t *testing.T, p *browser.Page) {
	t.Helper()
	p.UntilTrue(`document.querySelectorAll(".newest tbody tr").length === 10`)
	require.Regexp(t, `pii-detector`, browser.Eval[string](p, `document.querySelector(".newest tbody tr").lastElementChild.innerText`))
	p.UntilTrue(`document.querySelector("td[data-name=Failing] a") !== null`)
	against := browser.Eval[string](p, `document.querySelector("td[data-name=Failing] a").innerText`)
	browser.Eval[any](p, `document.querySelector("td[data-name=Failing] a").click()`)
	p.Text(against + " spans")
	p.Back()
	p.UntilTrue(`document.querySelectorAll(".figures dd").length === 4`)
	p.ByRole("link", "Monitors").Click() // the list has the same number
	p.UntilTrue(fmt.Sprintf(`document.querySelector("table.monitors td[data-name=Failing] a")?.innerText === %q`, against))
	p.Back()
	p.UntilTrue(`document.querySelectorAll(".figures dd").length === 4`)
}

// changeMonitors pauses a monitor, edits it while another user does, looks at its
// funnel, and deletes it.
func changeMonitors(t *testing.T, c *testbed.Collector, p *browser.Page, key string) {
	t.Helper()
	p.Go(c.API + "/ui/monitors")
	p.ByRole("button", "Pause answers").Click()
	p.Text("paused")
	require.True(t, setup(t, c, key, "answers").Paused)
	p.ByRole("button", "Resume answers").Click()
	p.ByRole("button", "Pause answers")
	require.False(t, setup(t, c, key, "answers").Paused)
	checkAccessible(t, p, "monitors")

	p.Go(c.API + "/ui/monitors/answers/edit")
	p.ByRole("textbox", "Budget ($/day)")
	p.UntilTrue(`document.querySelectorAll(".picker li").length > 10`) // nothing above the button grows any more
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPut, "/v2/auto-monitor-setups/answers", key, map[string]any{"max_cost_per_day": 1})
	require.NoError(t, err)
	p.Expect("status of 412")
	p.ByRole("button", "Save").Click()
	p.Text("This monitor was changed elsewhere in the meantime.")
	checkAccessible(t, p, "a monitor that another user changed")
	p.ByRole("button", "Take theirs").Click()
	p.UntilTrue(`document.querySelector("[data-path=max_cost_per_day]")?.value === "1" && document.querySelectorAll(".picker li").length > 10`)
	p.ByRole("button", "Add a rule").Click()
	p.UntilTrue(`document.querySelectorAll(".condition").length === 2`)
	browser.Eval[any](p, `document.querySelectorAll(".condition input")[2].focus()`)
	p.Press("llm.vendor")
	browser.Eval[any](p, `document.querySelectorAll(".condition input")[3].focus()`)
	p.Press("OpenAI")
	p.ByRole("button", "Save").Click()
	p.ByRole("navigation", "Parts of the monitor")
	require.Len(t, setup(t, c, key, "answers").Rules, 2)
	p.ByRole("link", "Edit").Click()
	fillIn(t, p, "max_cost_per_day", "7")
	p.UntilTrue(`document.querySelectorAll(".picker li").length > 10`)
	_, err = testbed.Ask[any](t.Context(), c, http.MethodPut, "/v2/auto-monitor-setups/answers", key, map[string]any{"max_cost_per_day": 2})
	require.NoError(t, err)
	p.ByRole("button", "Save").Click()
	p.ByRole("button", "Keep mine").Click()
	p.ByRole("navigation", "Parts of the monitor")
	require.InDelta(t, 7, *setup(t, c, key, "answers").Cost, 0)
	p.Text("were not evaluated: the monitor was paused") // above the links, which are then where they stay
	p.ByRole("link", "Funnel").Click()
	p.Text("2. llm.vendor")
	checkAccessible(t, p, "a funnel")
	p.ByRole("link", "Settings").Click()
	p.ByRole("button", "Delete").Click()
	p.ByRole("dialog", "Delete answers")
	p.ByRole("textbox", "Type its name to delete it").Paste("answers")
	checkAccessible(t, p, "deleting a monitor")
	p.Press("\r")
	p.Text("No monitors in this environment.")
	p.Expect("status of 404")
	p.Go(c.API + "/ui/monitors/answers")
	p.Text("There is no such monitor in this environment.")
}

// Names of monitors, rules and what evaluators say are shown as text.
func TestHostileMonitors(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	var named []string
	for i, x := range hostileTexts() {
		if len(x) > 200 || strings.ContainsAny(x, "\x00") {
			continue
		}
		name := fmt.Sprintf("%d %s", i, x)
		if _, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
			"external_id": name, "evaluators": []string{"char-count"},
			"selector": []map[string]any{{"key": x, "source": "span_attributes", "operator": "equals", "value": x}},
		}); err == nil {
			named = append(named, name)
		}
	}
	require.Greater(t, len(named), 10)
	p := open(t, c, "/ui/monitors")
	signIn(t, p, key)
	p.Until("all monitors", func() bool { return rows(p) == len(named) })
	for _, tab := range []string{"", "?tab=funnel", "?tab=settings"} {
		p.Go(c.API + "/ui/monitors/" + url.PathEscape(named[1]) + tab)
		p.Text(`"><script>window.pwned=1</script>`)
	}
	p.ByRole("link", "Edit").Click()
	p.UntilTrue(`document.querySelector("[data-path='selector[0].key']")?.value.includes("script")`)
	require.True(t, browser.Eval[bool](p, "window.pwned === undefined"))
	require.Empty(t, browser.Eval[[]string](p, `[...document.querySelectorAll("main script, main iframe, main img")].map((e) => e.tagName)`))
}
