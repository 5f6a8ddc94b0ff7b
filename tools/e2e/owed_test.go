// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// startWithJudge starts a collector with a judge, which is away while down, and a monitor
// that asks it. It returns a key of the environment and the judge, too.
func startWithJudge(t *testing.T, down *atomic.Bool) (c *testbed.Collector, key string, judge *modeltest.Server) {
	t.Helper()
	judge = modeltest.NewServer(t, func(w http.ResponseWriter, r *http.Request, got modeltest.Request) {
		if down.Load() {
			modeltest.Status(http.StatusServiceUnavailable, "down")(w, r, got)
			return
		}
		modeltest.JSON(map[string]any{"reason": "It did.", "verdict": "yes"})(w, r, got)
	})
	c = start(t,
		"extensions::models::judges::default::http::endpoint: "+judge.URL(), "extensions::models::judges::default::model: judge",
		"extensions::models::judges::default::limits: {attempts: 1, break_after: 0}", "receivers::backlog::poll_interval: 20ms",
		"processors::monitor::trace_wait: 1s",
	)
	key = keysOf(t, c, "Acme", "prd")[0]
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "progress", "evaluators": []string{"action-advancement"},
		"selector": []map[string]any{{"key": "llm.vendor", "source": "span_attributes", "operator": "exists"}},
	})
	require.NoError(t, err)
	return c, key, judge
}

// While a judge is away, the part of a course that waits for it is dashed, also
// where nothing was judged yet, and the coverage says how many are pending.
func TestOwedVerdictsAreDashed(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	c, key, _ := startWithJudge(t, &down)
	count := func(status string) float64 {
		got, err := testbed.Ask[figuresOf](t.Context(), c, http.MethodPost, "/v2/evaluations/aggregate", key, map[string]any{
			"from_timestamp_sec": time.Now().Add(-48 * time.Hour).Unix(), "status": status, "measures": []string{"count"},
		})
		require.NoError(t, err)
		return *got.Total["count"]
	}
	// A week in steps of six hours: four steps are judged, the last of them
	// not wholly, and one before them not at all.
	const step = 6 * time.Hour
	now := time.Now().Truncate(step) // of all, also where the next step begins meanwhile
	middle := func(before int) time.Time { return now.Add(step/2 - time.Duration(before)*step) }
	for i := range 4 {
		sendTrace(t, c, key, traceOf(byte(i+1)), middle(i+1), agent())
	}
	require.NoError(t, c.Await(t.Context(), "verdicts of the judge", func() (bool, error) { return count("done") == 8 && count("deferred") == 0, nil }))
	down.Store(true)
	another := agent() // whose words the judge has not been asked about
	for i := range another {
		for name, value := range another[i].attributes {
			if text, is := value.(string); is && strings.Contains(text, "parcel") {
				another[i].attributes[name] = strings.ReplaceAll(text, "parcel", "letter")
			}
		}
	}
	sendTrace(t, c, key, traceOf(9), middle(1).Add(time.Minute), another)
	sendTrace(t, c, key, traceOf(10), middle(7), another)
	require.NoError(t, c.Await(t.Context(), "pending evaluations", func() (bool, error) { return count("deferred") == 4, nil }))

	p := open(t, c, "/ui/verdicts?t=7d&m=action-advancement.pass&step=21600")
	signIn(t, p, key)
	p.UntilTrue(`document.querySelectorAll(".lines .dashed").length === 1`)
	p.UntilTrue(`document.querySelectorAll(".lines .waits").length === 1`)
	p.Text("evaluations are pending")
	p.Text(" pending")
	checkAccessible(t, p, "a course with a pending part")
	if dir := os.Getenv("TOUCHSTONE_PICTURES"); dir != "" {
		picture(t, dir, p, "trend-owed")
	}
	owed := browser.Eval[string](p, `[...document.querySelectorAll(".rests a")].find((a) => a.innerText.includes("pending")).innerText.split(" ")[0]`)
	browser.Eval[any](p, `[...document.querySelectorAll(".rests a")].find((a) => a.innerText.includes("pending")).click()`)
	p.Text(owed + " span")
	p.Go(c.API + "/ui/monitors/progress")
	p.ByRole("link", "action-advancement")
	checkAccessible(t, p, "a monitor that waits for a judge")
}
