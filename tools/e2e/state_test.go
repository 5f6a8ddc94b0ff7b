// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// A monitor says what it did in the last hour and why, and the form of a new one says what
// cannot work here.
func TestStatesOfMonitors(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	vendor := map[string]any{"key": "llm.vendor", "source": "span_attributes", "operator": "exists"}
	create := func(name, evaluator string, rules ...map[string]any) {
		t.Helper()
		_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{"external_id": name, "evaluators": []string{evaluator}, "selector": rules})
		require.NoError(t, err)
	}
	create("lengths", "char-count", vendor)
	create("instructions", "instruction-adherence", vendor)
	create("topics", "topic-adherence", vendor)
	create("elsewhere", "char-count", map[string]any{"key": "llm.vendor", "source": "span_attributes", "operator": "equals", "value": "Mistral AI"})
	create("asleep", "char-count", vendor)
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPut, "/v2/auto-monitor-setups/asleep", key, map[string]any{"paused": true})
	require.NoError(t, err)
	awaitLoaded(t, c, key, "lengths")
	send(t, c, key, conversation(20)...)
	sendTrace(t, c, key, traceOf(1), hasBegun(time.Minute), []step{{name: "chat", took: time.Second, attributes: map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai",
		"gen_ai.input.messages":  `[{"role":"system","parts":[{"type":"text","content":"Always be kind to all users."}]},{"role":"user","parts":[{"type":"text","content":"Hello?"}]}]`,
		"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"Hello, how can I help?"}]}]`,
	}}})
	await(t, c, key, 21)
	p := open(t, c, "/ui/monitors")
	signIn(t, p, key)
	state := func(name string) string {
		return browser.Eval[string](p, fmt.Sprintf(`[...document.querySelectorAll("table.monitors tbody tr")].find((r) => r.querySelector("th").innerText === %q)?.querySelector(".status").innerText ?? ""`, name))
	}
	says := func(name, words string) {
		t.Helper()
		var said string
		p.Until(name+": "+words, func() bool { said = state(name); return strings.Contains(said, words) })
	}
	says("lengths", "running")
	names := browser.Eval[[]string](p, `[...document.querySelectorAll("table.monitors tbody th")].map((e) => e.innerText)`)
	require.Equal(t, []string{"instructions", "topics", "elsewhere", "lengths", "asleep"}, names, "those first that need a look")
	says("asleep", "paused")
	says("elsewhere", "no matching spans")
	says("topics", "no results: reference_topics is not mapped")
	says("instructions", "no judge is configured")
	require.Contains(t, state("instructions"), "degraded: 100 % fail")
	checkAccessible(t, p, "states of monitors")
	if dir := os.Getenv("TOUCHSTONE_PICTURES"); dir != "" {
		picture(t, dir, p, "states")
	}
	p.ByRole("link", "topics").Click()
	p.UntilTrue(`document.querySelector(".head .status")?.innerText.includes("reference_topics is not mapped")`)

	p.Go(c.API + "/ui/monitors/new?evaluator=topic-adherence")
	p.Text("topic-adherence cannot run here: reference_topics is not mapped.")
	require.Equal(t, "span_type", browser.Eval[string](p, `document.querySelector("[data-path='selector[0].key']").value`), "of model calls")
	p.ByRole("region", "Safety")
	p.UntilTrue(`[...document.querySelectorAll(".picker .idle")].some((l) => l.innerText.startsWith("intent-change needs a judge, none is configured"))`)
	p.UntilTrue(`[...document.querySelectorAll(".picker li")].find((l) => l.innerText.startsWith("pii-detector")).matches(":not(.idle)")`)

	// Errors name the fields of the form, and a rule that is being written asks nothing.
	p.ByRole("button", "Add a rule").Click()
	p.Expect("status of 400")
	p.ByRole("button", "Create").Click()
	p.Text("Name is required")
	p.ByRole("textbox", "Name").Paste("lengths")
	browser.Eval[any](p, `document.querySelector("[data-path='selector[1].key']").focus()`)
	p.Press("llm.vendor")
	browser.Eval[any](p, `document.querySelector("[data-path='selector[1].value']").focus()`)
	p.Press("openai")
	p.Expect("status of 409")
	p.ByRole("button", "Create").Click()
	p.Text("Name is taken by another monitor")
	_, err = testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/evaluators", key, map[string]any{
		"name": "Kindness", "slug": "kindness", "provider": "default", "model": "judge", "messages": []map[string]any{{"role": "user", "content": "Is {{text}} kind?"}},
		"input_schema": []map[string]any{{"name": "text", "type": "string"}}, "output_schema": []map[string]any{{"name": "kind", "type": "boolean", "passes": []string{"true"}}},
	})
	require.NoError(t, err)
	p.Go(c.API + "/ui/monitors/new?evaluator=kindness")
	p.Text("kindness cannot run here: no judge is configured.")
	checkAccessible(t, p, "a monitor that cannot run")
}
