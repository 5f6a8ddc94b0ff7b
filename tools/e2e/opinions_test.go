// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// labelled reads what people say of the results of an evaluator.
func labelled(t *testing.T, c *testbed.Collector, key, evaluator string) (list []map[string]any) {
	t.Helper()
	type found struct {
		Evaluations []struct {
			Outputs map[string]any `json:"outputs"`
		} `json:"evaluations"`
	}
	got, err := testbed.Ask[found](t.Context(), c, http.MethodPost, "/v2/evaluations/search", key, map[string]any{
		"from_timestamp_sec": time.Now().Add(-time.Hour).Unix(), "evaluator": "human:" + evaluator,
	})
	require.NoError(t, err)
	for _, e := range got.Evaluations {
		list = append(list, e.Outputs)
	}
	return list
}

// A person says by one key that a result is wrong, and why; and another one that it is right.
func TestOpinions(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{"external_id": "all", "evaluators": []string{"pii-detector"}})
	require.NoError(t, err)
	awaitLoaded(t, c, key, "all")
	sendTrace(t, c, key, traceOf(1), hasBegun(time.Minute), []step{{name: "answer", took: time.Second, attributes: map[string]any{
		"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Your card is 4111 1111 1111 1111.",
	}}})
	await(t, c, key, 1)
	p := open(t, c, "/ui/traces/"+traceOf(1).String()+"?tab=verdicts")
	signIn(t, p, key)
	p.ByRole("button", "wrong")
	isAsked := func(p *browser.Page) {
		p.UntilTrue(`document.activeElement.getAttribute("aria-label") === "Your name"`)
	}
	p.Press("w")
	isAsked(p)
	p.Press("Jane")
	p.ByRole("textbox", "Comment").Paste("It is the number of a test card.")
	checkAccessible(t, p, "an opinion that is written")
	p.Press("\r")
	p.Text("Jane: wrong. It is the number of a test card.")
	require.Equal(t, []map[string]any{{"value": true, "author": "Jane", "comment": "It is the number of a test card."}}, labelled(t, c, key, "pii-detector"))
	checkAccessible(t, p, "an opinion")

	// The name is known by now: one key is enough. It is the same person who changes their mind.
	p.Reload()
	p.Text("Jane: wrong.")
	p.Press("r")
	p.Text("Jane: right.")
	require.Equal(t, []map[string]any{{"value": false, "author": "Jane"}}, labelled(t, c, key, "pii-detector"))
	p.UntilTrue(`document.querySelector("[data-says=right]").getAttribute("aria-pressed") === "true"`)

	// Others see it, and have an opinion of their own.
	other := open(t, c, "/ui/traces/"+traceOf(1).String()+"?tab=verdicts")
	signIn(t, other, key)
	other.Text("Jane: right.")
	other.Press("w")
	isAsked(other)
	other.Press("Sam\r")
	other.Text("Sam: wrong.")
	require.Contains(t, labelled(t, c, key, "pii-detector"), map[string]any{"value": true, "author": "Sam"})
}
