// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// hook is a webhook that refuses its first message and notes the others.
type hook struct {
	mu       sync.Mutex
	messages []map[string]any
	refused  bool
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var message map[string]any
	if !h.refused || json.NewDecoder(r.Body).Decode(&message) != nil {
		h.refused = true
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	h.messages = append(h.messages, message)
}

func (h *hook) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.messages)
}

// erase empties the field of a form.
func erase(p *browser.Page, path string) {
	browser.Eval[any](p, `document.querySelector("[data-path='`+path+`']").select()`)
	p.Press("\b")
}

// An alert is created at a chart, tested, silenced, changed and deleted.
func TestAlerts(t *testing.T) {
	t.Parallel()
	h := &hook{}
	target := httptest.NewServer(h)
	t.Cleanup(target.Close)
	c := start(t, "extensions::api::alerts::allow_private_targets: true")
	key := keysOf(t, c, "Acme", "prd")[0]
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/alerts", key, map[string]any{
		"name": "quiet", "metric": "error_rate", "group_by": []string{"service_name"}, "condition": map[string]any{"above": 0.9},
	})
	require.NoError(t, err)
	for i := range 4 {
		sendTrace(t, c, key, traceOf(byte(i+1)), hasBegun(time.Duration(5*i+2)*time.Minute), []step{{name: "answer", took: time.Second}})
	}
	await(t, c, key, 4)
	p := open(t, c, "/ui/")
	signIn(t, p, key)

	p.ByRole("link", "Create alert: Traces").Click()
	p.ByRole("heading", "New alert")
	require.Equal(t, "spans", p.ByRole("combobox", "Figure").Value())
	p.Text("parent_span_id does not exist")
	p.ByRole("textbox", "Name").Paste("many traces")
	p.ByRole("combobox", "Fire when the value is").Choose("above")
	p.Expect("status of 400")
	p.ByRole("button", "Create").Click()
	p.Text("Threshold (spans) is required")
	p.UntilTrue(`document.activeElement.dataset.path === "condition"`)
	p.Press("3")
	p.Text("Now above 3: all spans 4.")
	p.ByRole("button", "Add target").Click()
	p.ByRole("textbox", "Name of the target").Paste("on-call")
	p.ByRole("textbox", "Address").Paste("example")
	p.ByRole("textbox", "Secret").Paste("whsec_c2VjcmV0c2VjcmV0c2VjcmV0")
	p.ByRole("button", "Create").Click()
	p.Text("Address must be an http or https address")
	erase(p, "delay_sec")
	p.Press("0") // what is late is no matter here
	erase(p, "targets[0].url")
	p.Press(target.URL)
	checkAccessibleAt(t, p, "a new alert", 900, screens...)
	p.Press("\r")

	// The alert is evaluated each minute from now on. Its first message is refused and sent again.
	p.ByRole("heading", "many traces")
	p.Text("Nothing has changed yet.")
	require.NoError(t, c.Await(t.Context(), "the alert is watched", func() (bool, error) {
		a, err := testbed.Ask[struct{ Groups []any }](t.Context(), c, http.MethodGet, "/v2/alerts/many%20traces", key, nil)
		return len(a.Groups) == 1, err
	}))
	for i := range 4 {
		sendTrace(t, c, key, traceOf(byte(i+11)), time.Now(), []step{{name: "answer", took: time.Millisecond}})
	}
	p.Text("→ firing, 4")
	p.Until("the message", func() bool { return h.count() > 0 })
	p.Text("on-call: sent at")
	p.ByRole("button", "Test").Click()
	p.Text("Firing now: all spans 4.")
	p.Until("the test message", func() bool { return h.count() > 1 })
	checkAccessibleAt(t, p, "an alert that fires", 900, screens...)
	require.NotContains(t, browser.Eval[string](p, "document.documentElement.outerHTML"), "c2VjcmV0")

	p.ByRole("button", "Silence").Click()
	p.ByRole("dialog", "Silence many traces")
	p.ByRole("textbox", "Reason").Paste("release")
	checkAccessible(t, p, "silencing an alert")
	p.Press("\r")
	p.Text("silenced until")
	p.Text("release")

	p.Press("ga")
	p.ByRole("heading", "Alerts")
	p.Text("silenced until")
	require.Equal(t, []string{"many traces", "quiet"}, browser.Eval[[]string](p, `[...document.querySelectorAll("tbody th a")].map((a) => a.innerText)`), "what fires comes first")
	checkAccessibleAt(t, p, "alerts", 900, screens...)
	p.ByRole("link", "many traces").Click()
	p.ByRole("button", "End silence").Click()
	p.ByRole("button", "Silence")

	// Address and secret stay where the form leaves them empty.
	before := h.count()
	p.ByRole("link", "Edit").Click()
	p.Text("Leave it empty to keep it.")
	require.Empty(t, p.ByRole("textbox", "Address").Value())
	erase(p, "name")
	p.Press("too many traces\r")
	p.ByRole("heading", "too many traces")
	p.Text("Webhook, 127.0.0.1")
	p.ByRole("button", "Test").Click()
	p.Text("Firing now: all spans 4.") // another name does not start it again
	p.Until("the test message", func() bool { return h.count() > before })

	p.ByRole("button", "Delete").Click()
	p.ByRole("textbox", "Type too many traces to go on").Paste("too many traces")
	p.Press("\r")
	p.ByRole("heading", "Alerts")
	p.Gone("link", "too many traces")
	p.ByRole("link", "quiet").Click()
	p.ByRole("button", "Pause").Click()
	p.ByRole("button", "Resume").Click()
	p.ByRole("button", "Pause")
	p.ByRole("button", "Test").Click()
	p.Text("No message was sent: the alert has no target.")
}

// An alert begins with the evaluator, the output and the filter of a chart of verdicts.
func TestAlertsOfVerdicts(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{"external_id": "answers", "evaluators": []string{"pii-detector", "word-count"}})
	require.NoError(t, err)
	awaitLoaded(t, c, key, "answers")
	send(t, c, key,
		sent{name: "chat", service: "docs", model: "gpt-4o", output: "Write to anna.miller@example.com.", ago: time.Minute},
		sent{name: "chat", service: "docs", model: "gpt-4o", output: "Backups run each night.", ago: time.Minute},
		sent{name: "chat", service: "shop", model: "gpt-4o", output: "Your parcel is on its way.", ago: time.Minute})
	await(t, c, key, 3)

	p := open(t, c, `/ui/verdicts?m=pii-detector.has_pii&by=service_name&filters=[{"id":"llm.request.model","operator":"equals","value":"gpt-4o"}]`)
	signIn(t, p, key)
	p.ByRole("link", "Create alert: pii-detector has_pii").Click()
	p.ByRole("heading", "New alert")
	require.Equal(t, "pii-detector", p.ByRole("combobox", "Evaluator").Value())
	require.Equal(t, "service_name", p.ByRole("combobox", "Group by").Value())
	p.Text("llm.request.model is gpt-4o")
	p.ByRole("textbox", "Threshold (%)").Paste("20")
	p.Text("Now above 20 %: docs 50 %.")
	p.ByRole("textbox", "Name").Paste("leaks")
	p.ByRole("button", "Create").Click()
	p.ByRole("heading", "leaks")
	p.Text("Failing results · pii-detector above 20 %.")

	p.Go(c.API + "/ui/verdicts?m=word-count.word_count")
	p.ByRole("link", "Create alert: word-count word_count").Click()
	p.ByRole("textbox", "Threshold").Paste("2")
	p.Text("Nothing is below 2.")
	require.Equal(t, "word_count", p.ByRole("combobox", "Output").Value())
	require.NotEqual(t, "1", p.ByRole("textbox", "Highest score").Value())
}
