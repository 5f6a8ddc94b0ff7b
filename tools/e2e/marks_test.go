// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// The chart of an output marks when models and monitors changed.
func TestMarks(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{"external_id": "leaks", "evaluators": []string{"pii-detector"}})
	require.NoError(t, err)
	awaitLoaded(t, c, key, "leaks")
	var list []sent
	for i := range 80 {
		ago := time.Duration(i)*6*time.Minute + time.Minute
		one := sent{name: "chat", service: "docs", model: "gpt-4o", output: "Backups run each night.", ago: ago}
		if ago < 4*time.Hour {
			one.model = "gpt-5"
		}
		list = append(list, one)
	}
	send(t, c, key, list...)
	await(t, c, key, len(list))
	p := open(t, c, "/ui/verdicts?m=pii-detector.has_pii")
	signIn(t, p, key)
	p.Text("model gpt-5 begins")
	p.Text("model gpt-4o ends")
	p.Text("monitor leaks was created")
	p.UntilTrue(`document.querySelectorAll(".lines .mark").length === 3`)
	checkAccessibleAt(t, p, "a course with marks", 900, screens...)
}
