// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// Of every monitor the span says what became of it: pending with its reason, failed, skipped,
// sampled out, paused, and deleted since.
func TestReasonsOfEveryKind(t *testing.T) {
	t.Parallel()
	judge := modeltest.NewServer(t, func(w http.ResponseWriter, r *http.Request, got modeltest.Request) {
		modeltest.Status(http.StatusServiceUnavailable, "down")(w, r, got)
	})
	c := start(t,
		"extensions::models::judges::default::http::endpoint: "+judge.URL(), "extensions::models::judges::default::model: judge",
		"extensions::models::judges::default::limits: {attempts: 1, break_after: 0}",
	)
	key := keysOf(t, c, "Acme", "prd")[0]
	monitor := func(name string, evaluator any, more map[string]any) {
		body := map[string]any{
			"external_id": name, "evaluators": []any{evaluator},
			"selector": []map[string]any{{"key": "llm.vendor", "source": "span_attributes", "operator": "exists"}},
		}
		for name, value := range more {
			body[name] = value
		}
		_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, body)
		require.NoError(t, err)
		awaitLoaded(t, c, key, name)
	}
	monitor("judged", "answer-relevancy", nil)
	monitor("late", "answer-relevancy", map[string]any{"deadline_sec": 1})
	monitor("incomplete", "agent-goal-accuracy", nil)
	monitor("resting", "word-count", map[string]any{"paused": true})
	monitor("former", "char-count", nil)
	sendTrace(t, c, key, traceOf(1), hasBegun(2*time.Minute), agent())
	await(t, c, key, 10)
	_, err := testbed.Ask[any](t.Context(), c, http.MethodDelete, "/v2/auto-monitor-setups/former", key, nil)
	require.NoError(t, err)

	p := open(t, c, "/ui/traces/"+traceOf(1).String()+"?tab=verdicts&span="+spanOf(8).String())
	signIn(t, p, key)
	said := func(monitor string) string {
		return browser.Eval[string](p, `[...document.querySelectorAll("details.setup")].find((d) => d.querySelector("summary").innerText.startsWith("`+monitor+`"))?.innerText ?? ""`)
	}
	for monitor, words := range map[string]string{"judged": "cannot be reached", "incomplete": "missing", "resting": "paused", "deleted monitor": "deleted since it judged the span"} {
		p.Until(monitor, func() bool { return strings.Contains(said(monitor), words) })
	}
	// Two monitors have the same evaluator: each verdict says whose it is.
	for _, monitor := range []string{"judged", "late"} {
		p.UntilTrue(`[...document.querySelectorAll(".verdicts li")].filter((v) => v.innerText.includes("answer-relevancy") && [...v.querySelectorAll("a")].some((a) => a.innerText === "` + monitor + `" && a.pathname.endsWith("/monitors/` + monitor + `"))).length === 1`)
	}
	checkAccessible(t, p, "reasons of every kind")

	// What was given up is listed with its reason, and leads to its trace.
	p.Go(c.API + "/ui/monitors/late")
	p.Until("what failed", func() bool {
		return strings.Contains(browser.Eval[string](p, `document.querySelector(".failures tbody tr")?.innerText ?? ""`), "answer-relevancy")
	})
	checkAccessible(t, p, "a monitor with failures")
	browser.Eval[any](p, `document.querySelector(".failures tbody a").click()`)
	p.Until("the trace", func() bool { return strings.Contains(said("late"), "deadline") })
}
