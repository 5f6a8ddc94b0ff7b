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

// chat sends the turns of two sessions, each turn a trace of its own, as web applications
// do: an agent's span with a call of a model below it.
func chat(t *testing.T, c *testbed.Collector, key string) {
	t.Helper()
	for i := range 6 {
		session := fmt.Sprintf("trip-%d", i%2+1)
		question, answer := fmt.Sprintf("Where is parcel %d?", i), fmt.Sprintf("Parcel %d is on its way.", i)
		if i == 4 {
			answer = "Your card is 4111 1111 1111 1111."
		}
		sendTrace(t, c, key, traceOf(byte(i+1)), hasBegun(time.Duration(10-i)*time.Minute), []step{
			{name: "agent", took: 3 * time.Second, attributes: map[string]any{"session.id": session, "gen_ai.operation.name": "invoke_agent"}},
			{name: "chat", above: 1, from: time.Second, took: time.Second, attributes: map[string]any{
				"session.id": session, "user.id": "anna", "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4o",
				"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20,
				"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": question, "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": answer,
			}},
		})
	}
}

// The lists of conversations, traces and spans are one screen; a row opens next to the list,
// and a conversation shows what was said in all of its traces.
func TestExplore(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "leaks", "evaluators": []string{"pii-detector"}, "selector": []map[string]any{{"key": "span_type", "source": "span_attributes", "operator": "equals", "value": "llm"}},
	})
	require.NoError(t, err)
	awaitLoaded(t, c, key, "leaks")
	p := open(t, c, "/ui/traces")
	signIn(t, p, key)
	p.Text("No span has arrived in this environment yet.")
	chat(t, c, key)
	p.Text("Where is parcel 5?") // comes by itself
	await(t, c, key, 12)
	p.ByRole("button", "Refresh").Click()
	row := func(n int) string {
		return browser.Eval[string](p, fmt.Sprintf(`document.querySelectorAll(".groups-of tbody tr")[%d]?.innerText.replaceAll(/\s+/g, " ") ?? ""`, n))
	}
	p.Until("all traces", func() bool { return rows(p) == 6 })
	require.Regexp(t, `Where is parcel 5\? Parcel 5 is on its way\. gpt-4o 3 s 1 2 120 .* 0 0$`, row(0))
	require.Regexp(t, `Where is parcel 4\? Your card is .* 0 1$`, row(1), "one result fails")
	checkAccessibleAt(t, p, "traces", 900, screens...)

	// A row opens next to the list, by the mouse anywhere in it and by keys.
	at := browser.Eval[[]float64](p, `(() => { const r = document.querySelectorAll(".groups-of tbody tr")[1].getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	p.ClickAt(at[0], at[1])
	p.ByRole("region", "Span")
	p.ByRole("link", "Open the trace")
	checkAccessibleAt(t, p, "a trace next to the list", 900, screens...)
	p.Press("\x1b")
	p.Gone("region", "Span")
	p.Press("jj\r")
	p.ByRole("region", "Span")
	p.Press("o")
	p.ByRole("region", "Summary")
	p.ByRole("link", "‹ Traces").Click()
	p.Until("all traces again", func() bool { return rows(p) == 6 })

	// Filters and the period go along to the other lists.
	p.Press("/")
	p.ByRole("combobox", "Field").Paste("evaluation.pii-detector:false")
	p.Press("\r")
	p.Until("the trace that fails", func() bool { return rows(p) == 1 })
	p.ByRole("link", "Spans").Click()
	p.Text("1 span")
	p.ByRole("link", "Conversations").Click()
	p.Until("its conversation", func() bool { return strings.Contains(row(0), "trip-1") && rows(p) == 1 })
	browser.Eval[any](p, `document.querySelector(".filters li button").click()`)
	p.Until("both conversations", func() bool { return rows(p) == 2 })
	require.Regexp(t, `Where is parcel 1\? Parcel 5 is on its way\. trip-2 gpt-4o .* 3 6 360 .* 0 0$`, row(0))
	checkAccessibleAt(t, p, "conversations", 900, screens...)

	p.Press("jj\r")
	p.ByRole("link", "Open the conversation").Click()
	p.ByRole("heading", "session trip-1")
	p.Text("3 calls")
	p.UntilTrue(`document.querySelectorAll(".callof").length === 3`)
	p.UntilTrue(`/parcel 0[^]*parcel 2[^]*parcel 4[^]*4111[^]*Found CREDIT_CARD/.test(document.querySelector(".conversation").textContent)`) // not all is in sight
	checkAccessibleAt(t, p, "a conversation of several traces", 900, screens...)
	p.ByRole("link", "‹ Conversations").Click()
	p.ByRole("combobox", "Group by").Choose("user_id")
	p.Until("the user", func() bool { return rows(p) == 1 })
	require.Contains(t, row(0), "anna")

	p.Press("gt")
	p.ByRole("heading", "Traces")
	p.Press("gc")
	p.ByRole("heading", "Conversations")
}
