// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// Who drags the threshold of a score sees how many spans would fail with it.
func TestThreshold(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	judge := modeltest.NewServer(t, func(w http.ResponseWriter, r *http.Request, got modeltest.Request) {
		modeltest.JSON(map[string]any{"kindness": float64(asked.Add(1)) / 10})(w, r, got)
	})
	c := start(t, "extensions::models::judges::default::http::endpoint: "+judge.URL(), "extensions::models::judges::default::model: judge", "receivers::backlog::poll_interval: 20ms")
	key := keysOf(t, c, "Acme", "prd")[0]
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/evaluators", key, map[string]any{
		"name": "Kindness", "slug": "kindness", "provider": "default", "model": "judge", "messages": []map[string]any{{"role": "user", "content": "How kind is {{text}}?"}},
		"input_schema": []map[string]any{{"name": "text", "type": "string"}}, "output_schema": []map[string]any{{"name": "kindness", "type": "float", "passes": []string{">=0.35"}}},
	})
	require.NoError(t, err)
	_, err = testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{"external_id": "kind", "evaluators": []string{"kindness"}})
	require.NoError(t, err)
	awaitLoaded(t, c, key, "kind")
	var answers []step
	for i := range 10 {
		answers = append(answers, step{name: "answer", from: time.Duration(i) * time.Second, took: time.Second, attributes: map[string]any{
			"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": fmt.Sprintf("Gladly, %d.", i),
		}})
	}
	sendTrace(t, c, key, traceOf(1), hasBegun(time.Minute), answers)
	require.NoError(t, c.Await(t.Context(), "ten results", func() (bool, error) {
		got, err := testbed.Ask[figuresOf](t.Context(), c, http.MethodPost, "/v2/evaluations/aggregate", key, map[string]any{
			"from_timestamp_sec": time.Now().Add(-time.Hour).Unix(), "status": "done", "measures": []string{"count"},
		})
		return err == nil && *got.Total["count"] == 10, err
	}))
	p := open(t, c, "/ui/verdicts?t=1h&m=kindness.kindness")
	signIn(t, p, key)
	p.Text("At 0.35: 3 of 10 spans fail.")
	checkAccessibleAt(t, p, "a distribution with its threshold", 900, screens...)
	slider := p.ByRole("slider", "Threshold")
	slider.Click() // into the middle
	p.Text("At 0.55 instead of 0.35: 5 instead of 3 of 10 spans would fail.")
	for range 20 {
		p.Press(browser.Right)
	}
	p.Text("At 0.73 instead of 0.35: 7 instead of 3 of 10 spans would fail.")
	p.ByRole("link", "Show them").Click()
	p.Text("7 spans")
}
