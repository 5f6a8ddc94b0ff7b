// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// A person labels twelve answers of two versions of a prompt, and does not always
// agree with the detector.
func TestAgreement(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{"external_id": "all", "evaluators": []string{"pii-detector"}})
	require.NoError(t, err)
	awaitLoaded(t, c, key, "all")
	var answers []step
	for i := range 12 {
		said := "Your parcel is on its way."
		if i%2 == 0 {
			said = "Your card is 4111 1111 1111 1111."
		}
		answers = append(answers, step{name: fmt.Sprintf("answer %d", i), from: time.Duration(i) * time.Second, took: time.Second, attributes: map[string]any{
			"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": said, "gen_ai.response.model": "gpt-4o", "traceloop.prompt.version": i / 6,
		}})
	}
	sendTrace(t, c, key, traceOf(1), hasBegun(time.Minute), answers)
	for i := range answers {
		value := []string{"leaks", "fine"}[i%2]
		if i > 8 { // of the second version a person thinks otherwise
			value = "fine"
		}
		path := fmt.Sprintf("/v2/warehouse/spans/%s/%s/labels", traceOf(1), spanOf(i+1))
		require.Eventually(t, func() bool {
			_, err = testbed.Ask[any](t.Context(), c, http.MethodPost, path, key, map[string]any{"name": "privacy", "value": value, "author": "jane"})
			return err == nil
		}, 3*time.Minute, 50*time.Millisecond, "%v", err)
	}
	p := open(t, c, "/ui/verdicts?m=pii-detector.has_pii&t=1h")
	signIn(t, p, key)
	p.ByRole("combobox", "with").Choose("human:privacy.value")
	p.Text("0 % alike")
	p.ByRole("textbox", "human:privacy.value is true if").Paste("leaks")
	p.Press("\t")
	p.Text("91.7 % alike of 12 spans that both judged. Cohen's kappa 0.833")
	checkAccessible(t, p, "an agreement")
	inGroups := func() string {
		return browser.Eval[string](p, `[...document.querySelectorAll(".agreement table")].at(-1)?.querySelector("tbody").innerText.replaceAll(/\s+/g, " ").trim() ?? ""`)
	}
	p.Until("what judged", func() bool { return inGroups() != "" })
	p.ByRole("combobox", "in groups by").Choose("prompt_version")
	p.Until("the two versions", func() bool { return inGroups() == "0 6 100 % 1 (1 to 1) 1 6 83.3 % 0.667 (0.104 to 1.23)" })
	checkAccessible(t, p, "an agreement by version")

	// Every number leads to its spans, and where they differ to the span.
	p.ByRole("link", "answer 10").Click()
	p.UntilTrue(`location.pathname === "/ui/traces/` + traceOf(1).String() + `" && location.search.includes("` + spanOf(11).String() + `")`)
	p.Back()
	p.Until("the versions again", func() bool { return inGroups() != "" })
	browser.Eval[any](p, `[...document.querySelectorAll(".agreement table")].at(-1).querySelector("td a").click()`)
	p.Text("6 spans")
}
