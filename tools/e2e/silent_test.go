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

// Monitors that gave no verdict in a period are listed, each with why: what became
// of its evaluations, the rule that no span passes, a pause, or that it is younger
// than the spans.
func TestMonitorsWithoutAVerdict(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	monitors(t, c, key)
	make := func(name, evaluator string) {
		_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{"external_id": name, "evaluators": []string{evaluator}})
		require.NoError(t, err)
	}
	make("asleep", "word-count")
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPut, "/v2/auto-monitor-setups/asleep", key, map[string]any{"paused": true})
	require.NoError(t, err)
	send(t, c, key, hours(60, 5*time.Minute)...)
	await(t, c, key, 60)
	make("young", "word-count")

	p := open(t, c, "/ui/verdicts?t=24h")
	signIn(t, p, key)
	lines := func() map[string]string {
		return browser.Eval[map[string]string](p, `Object.fromEntries([...document.querySelectorAll(".silent tbody tr")].map((r) => [r.querySelector("th").innerText, r.querySelector(".said").innerText]))`)
	}
	says := func(name, text string) {
		t.Helper()
		p.Until(name+": "+text, func() bool { return strings.Contains(lines()[name], text) })
	}
	says("refunds", "none passes rule 2")
	says("context", "skipped: missing input")
	says("asleep", "Paused since")
	says("young", "60 spans match, but arrived before it was created or while it was paused.")
	require.NotContains(t, lines(), "personal data")
	require.NotContains(t, lines(), "lengths")
	checkAccessible(t, p, "monitors without a verdict")

	// Its number leads to the spans that it is of.
	skipped := strings.Fields(browser.Eval[string](p, `document.querySelector(".silent .said a.value").innerText`))[0]
	browser.Eval[any](p, `document.querySelector(".silent .said a.value").click()`)
	p.Text(skipped + " spans")
	p.Back()
	says("refunds", "none passes rule 2")
	browser.Eval[any](p, `[...document.querySelectorAll(".silent a")].find((a) => a.innerText === "Funnel").click()`)
	p.Text("All spans of the period")
	p.ByRole("heading", "refunds")

	// One evaluator, and a period that was over when the monitors were made.
	p.Go(c.API + "/ui/verdicts?t=24h&m=word-count.word_count")
	p.Until("its three monitors", func() bool { return len(lines()) == 3 })
	now := time.Now().Unix()
	p.Go(c.API + fmt.Sprintf("/ui/verdicts?from=%d&to=%d", now-172_800, now-86_400))
	says("personal data", "It was created after this period")
	p.ByRole("button", "Show 2 more").Click()
	says("young", "It was created after this period")
}
