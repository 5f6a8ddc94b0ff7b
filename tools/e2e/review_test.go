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

// A person reviews spans by keys alone and sees what the evaluator said after deciding; the
// monitor's page then says how often the evaluator is wrong.
func TestReview(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{"external_id": "leaks", "evaluators": []string{"pii-detector", "word-count"}})
	require.NoError(t, err)
	awaitLoaded(t, c, key, "leaks")
	var answers []step
	for i := range 5 {
		said := fmt.Sprintf("Parcel %d is on its way.", i)
		if i%2 == 0 {
			said = fmt.Sprintf("Parcel %d was paid with 4111 1111 1111 1111.", i)
		}
		answers = append(answers, step{name: "answer", from: time.Duration(i) * time.Second, took: time.Second, attributes: map[string]any{
			"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": said,
		}})
	}
	p := open(t, c, "/ui/review")
	signIn(t, p, key)
	p.Text("No result in this period says that a span passes or fails.")
	sendTrace(t, c, key, traceOf(1), hasBegun(time.Minute), answers)
	await(t, c, key, len(answers))
	p.Reload()
	require.Equal(t, "pii-detector.has_pii", p.ByRole("combobox", "Result").Value())
	p.ByRole("combobox", "Share of passing spans").Choose("1")
	p.ByRole("textbox", "Your name").Paste("Jane")
	checkAccessibleAt(t, p, "the start of a review", 900, screens...)
	p.ByRole("button", "Start").Click()

	hidden := func() bool {
		return !browser.Eval[bool](p, `document.querySelector(".review").innerText.includes("has_pii")`)
	}
	for i, key := range []string{"n", "y", "y", "s", "n"} { // the newest first; of the third Jane thinks otherwise
		p.Text(fmt.Sprintf("%d of 5.", i+1))
		p.Text(fmt.Sprintf("Parcel %d", 4-i))
		require.True(t, hidden())
		if i == 2 {
			checkAccessibleAt(t, p, "a span to review", 900, screens...)
		}
		p.Press(key)
		if key == "s" {
			continue
		}
		p.Text("has_pii")
		p.UntilTrue(`document.activeElement.getAttribute("aria-label") === "Comment"`)
		if i == 2 {
			p.Text("The evaluator says otherwise.")
			checkAccessibleAt(t, p, "a span that was reviewed", 900, screens...)
			p.ByRole("textbox", "Comment").Paste("A test card.")
		} else {
			p.Text("The evaluator agrees.")
		}
		p.Press("\r")
	}
	p.Text("You are through with these.")
	const found = "pii-detector has 4 reviewed results. It is wrong in 33.3 % (6.15 % to 79.2 %) of what it fails. It is wrong in 0 % (0 % to 79.3 %) of what it passes. Cohen's kappa is 0.5"
	p.Text(found)
	require.Contains(t, labelled(t, c, key, "pii-detector"), map[string]any{"value": true, "author": "Jane", "comment": "A test card."})
	checkAccessibleAt(t, p, "the end of a review", 900, screens...)

	// What was left out is drawn again, for others, too; who wants more people's opinions asks for all.
	p.ByRole("button", "Stop").Click()
	p.ByRole("combobox", "Share of passing spans").Choose("1")
	p.ByRole("button", "Start").Click()
	p.Text("1 of 1.")
	p.ByRole("button", "Stop").Click()
	p.ByRole("checkbox", "Also spans that others have reviewed").Click()
	p.ByRole("combobox", "Share of passing spans").Choose("1")
	browser.Eval[any](p, `document.querySelector(".review-start input[autocomplete=name]").select()`)
	p.ByRole("textbox", "Your name").Paste("Sam")
	p.ByRole("button", "Start").Click()
	p.Text("1 of 5.")

	// A filter narrows what is drawn.
	p.ByRole("button", "Stop").Click()
	p.ByRole("combobox", "Field").Paste("evaluation.pii-detector:false")
	p.Press("\r")
	p.Text("3 failing of 3")
	checkAccessibleAt(t, p, "the start of a review with a filter", 900, screens...)
	p.ByRole("button", "Start").Click()
	p.Text("1 of 3.")

	p.Go(c.API + "/ui/monitors/leaks")
	p.Text(found)
	require.Len(t, browser.Eval[[]string](p, `[...document.querySelectorAll(".reviewed li")].map((l) => l.innerText)`), 1, "a count cannot be wrong")
	checkAccessible(t, p, "a monitor with reviews")
}
