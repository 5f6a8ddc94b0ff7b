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

// A course of verdicts has the steps that a user wants, as lines or as bars, of
// what was said or of how often something was; its groups stand with the worst first.
func TestCourseOfVerdicts(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	monitors(t, c, key)
	traffic := hours(240, 5*time.Minute)
	for i := range traffic {
		traffic[i].service = []string{"shop", "bot"}[i%2]
		if i%2 == 0 { // personal data is what only the bot tells
			traffic[i].output = "It is on its way."
		}
	}
	send(t, c, key, traffic...)
	await(t, c, key, len(traffic))
	end := time.Now().Truncate(time.Hour).Unix()
	from := end - 12*3600
	// sums are the counts of verdicts of steps of an hour.
	got, err := testbed.Ask[struct {
		Times  []int64 `json:"times"`
		Series struct {
			Count []float64 `json:"count"`
		} `json:"series"`
	}](t.Context(), c, http.MethodPost, "/v2/metrics/aggregate", key, map[string]any{
		"from_timestamp_sec": from, "to_timestamp_sec": end - 1, "step_sec": 3600, "evaluator": "pii-detector", "output": "has_pii", "measures": []string{"count"},
	})
	require.NoError(t, err)
	require.Len(t, got.Series.Count, 12)

	p := open(t, c, fmt.Sprintf("/ui/verdicts?m=pii-detector.has_pii&from=%d&to=%d", from, end-1))
	signIn(t, p, key)
	p.UntilTrue(`document.querySelectorAll(".lines .dot").length === 12`) // an hour, so that a step has some verdicts
	p.UntilTrue(`document.querySelectorAll(".lines .band").length === 1`)
	p.Text("usual range, by the previous period")
	p.ByRole("combobox", "Interval").Choose("1800")
	p.UntilTrue(`document.querySelectorAll(".lines .dot").length === 24`)
	p.ByRole("combobox", "Interval").Choose("3600")
	p.UntilTrue(`document.querySelectorAll(".lines .dot").length === 12`)
	require.Contains(t, p.URL(), "step=3600")
	p.ByRole("button", "bars").Click()
	p.UntilTrue(`document.querySelectorAll(".lines .bar").length === 12 && document.querySelectorAll(".lines .dot").length === 0`)
	require.Contains(t, p.URL(), "chart=bars")
	checkAccessible(t, p, "a course in bars")
	p.ByRole("combobox", "Show").Choose("count")
	p.Text("verdicts.")
	p.ByRole("button", "Table").Click()
	cells := func() []string {
		return browser.Eval[[]string](p, `[...document.querySelectorAll(".numbers td.number a")].map((a) => a.firstChild.data.trim())`)
	}
	var want []string
	for _, n := range got.Series.Count {
		want = append(want, fmt.Sprintf("%.0f", n))
	}
	p.Until("the counts of the API", func() bool { return fmt.Sprint(cells()) == fmt.Sprint(want) })

	// The same link shows the same; one whose step no period has says so.
	p.Reload()
	p.UntilTrue(`document.querySelectorAll(".lines .bar").length === 12`)
	p.ByRole("button", "Table").Click()
	p.Until("the same counts", func() bool { return fmt.Sprint(cells()) == fmt.Sprint(want) })
	p.Go(c.API + "/ui/verdicts?m=pii-detector.has_pii&t=24h&step=7")
	p.Text("This address has a mistake in")

	// It is bad to have personal data: the service that has most of it is first.
	p.Go(c.API + "/ui/verdicts?m=pii-detector.has_pii&t=24h&by=service_name")
	p.Text("Worst first.")
	order := browser.Eval[[]string](p, `[...[...document.querySelectorAll("table")].find((t) => t.caption?.innerText === "Groups").tBodies[0].rows].map((r) => r.querySelector("th a").innerText)`)
	require.Equal(t, []string{"bot", "shop"}, order)
}
