// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/alerts"
	"github.com/touchstone-otel/touchstone/internal/alert/notify"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type alertAnswer struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Error   string `json:"error_message"`
	Until   string `json:"silenced_until"`
	Targets []struct {
		Host      string `json:"host"`
		HasSecret bool   `json:"has_secret"`
	} `json:"targets"`
	Groups []alertGroup `json:"groups"`
}

type alertGroup struct {
	Keys     []string `json:"keys"`
	Status   string   `json:"status"`
	Before   string   `json:"before"`
	Value    *float64 `json:"value"`
	Bound    *float64 `json:"bound"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	Traces   int      `json:"traces"`
	Coverage *float64 `json:"coverage"`
}

type alertNote struct {
	ID         string       `json:"id"`
	Silenced   bool         `json:"silenced"`
	Groups     []alertGroup `json:"groups"`
	Deliveries []struct {
		Target   string `json:"target"`
		Status   string `json:"status"`
		Attempts int    `json:"attempts"`
		Error    string `json:"error"`
	} `json:"deliveries"`
}

// receiver is a server that takes notifications.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	got    []map[string]any
	header []http.Header
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusOK}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		var got map[string]any
		_ = json.Unmarshal(body, &got)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got, r.header = append(r.got, got), append(r.header, req.Header)
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *receiver) messages() []map[string]any {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]map[string]any{}, r.got...)
}

// alerting is an API whose alerts a test evaluates.
type alerting struct {
	*testAPI
	key   string
	env   tenant.Environment
	watch *alerts.Watch
	n     int
}

func newAlerting(t *testing.T) *alerting {
	t.Helper()
	w := &alerting{testAPI: newTestAPI(t, func(p *parts) { p.cfg.Alerts = AlertsConfig{AllowPrivateTargets: true} })}
	w.key = w.newKey(t)
	key, err := w.live.Key(t.Context(), tenant.DigestOf(w.key))
	require.NoError(t, err)
	w.env = key.Environment
	w.watch = w.newWatch("one")
	return w
}

func (w *alerting) newWatch(process string) *alerts.Watch {
	return &alerts.Watch{
		Control: w.live, Records: w.spans, Environment: w.live.Environment, Sender: notify.New(true), Process: process, Now: w.now,
	}
}

func (w *alerting) ok(t *testing.T, method, path, body string, status int) reply {
	t.Helper()
	r := w.call(t, method, path, w.key, body)
	require.Equal(t, status, r.status, "%s %s %s", method, path, r.body)
	return r
}

// minute stores judged spans of a service in the minute that goes on, one a trace, of which
// some fail, and lets it pass.
func (w *alerting) minute(t *testing.T, service string, judged, failing int) {
	t.Helper()
	w.write(t, service, judged, failing, eval.Done)
	w.pass(t)
}

func (w *alerting) write(t *testing.T, service string, judged, failing int, status eval.Status) {
	t.Helper()
	var records []store.Record
	for i := range judged {
		w.n++
		x := storetest.Span(w.env, w.n)
		x.TraceID, x.Start, x.Service = span.TraceID{1, byte(w.n >> 16), byte(w.n >> 8), byte(w.n)}, w.now().UnixNano(), service
		e := eval.Evaluation{SetupID: "s", Evaluator: "answer-relevancy", Status: status, Time: x.Start, Probability: 0.5, Source: eval.FromTouchstone}
		if status == eval.Done {
			e.Outputs = []eval.Output{{Name: "is_relevant", Value: i >= failing}, {Name: "score", Value: float64(judged-failing) / float64(judged)}}
		} else {
			e.Reason, e.Due = eval.ReasonModel, x.Start
		}
		records = append(records, storetest.Record(w.env, x, e))
	}
	require.NoError(t, storetest.Write(t.Context(), w.spans, records))
}

// pass lets a minute pass and has alerts evaluated.
func (w *alerting) pass(t *testing.T) {
	t.Helper()
	w.ahead.Add(int64(time.Minute))
	require.NoError(t, w.watch.Evaluate(t.Context()))
}

func (w *alerting) alert(t *testing.T, name string) alertAnswer {
	t.Helper()
	var a alertAnswer
	require.NoError(t, json.Unmarshal([]byte(w.ok(t, "GET", "/v2/alerts/"+name, "", http.StatusOK).body), &a))
	return a
}

func (w *alerting) history(t *testing.T, name string) (list []alertNote) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(w.ok(t, "GET", "/v2/alerts/"+name+"/history", "", http.StatusOK).body), &list))
	return list
}

func TestAlertsOnFailingResults(t *testing.T) {
	t.Parallel()
	w, target := newAlerting(t), newReceiver(t)
	w.ok(t, "POST", "/v2/alerts", fmt.Sprintf(`{"name":"quality","metric":"failing_share","evaluator":"answer-relevancy","group_by":["service_name"],
		"condition":{"above":0.1},"delay_sec":0,"targets":[{"name":"hook","type":"webhook","url":%q,"secret":"sssh"}]}`, target.URL+"/in?token=hidden"), http.StatusCreated)
	require.NoError(t, w.watch.Evaluate(t.Context()), "it learns of the alert")
	for range 5 {
		w.write(t, "shop", 4, 0, eval.Done)
		w.minute(t, "bank", 4, 0)
	}
	w.pass(t)
	a := w.alert(t, "quality")
	require.Equal(t, "learning", a.Status, "%+v", a)
	require.Len(t, a.Groups, 2)
	for range 15 {
		w.write(t, "shop", 4, 0, eval.Done)
		w.minute(t, "bank", 4, 0)
	}
	w.pass(t)
	a = w.alert(t, "quality")
	require.Equal(t, "ok", a.Status, "%+v", a)
	require.Empty(t, w.history(t, "quality"))
	for range 15 {
		w.write(t, "shop", 4, 0, eval.Done)
		w.minute(t, "bank", 4, 2)
	}
	w.pass(t)
	a = w.alert(t, "quality")
	require.Equal(t, "firing", a.Status, "%+v", a)
	for _, g := range a.Groups {
		require.Equal(t, map[string]string{"bank": "firing", "shop": "ok"}[g.Keys[0]], g.Status)
	}
	notes := w.history(t, "quality")
	require.Len(t, notes, 1)
	require.Len(t, notes[0].Groups, 1)
	g := notes[0].Groups[0]
	require.Equal(t, []string{"bank"}, g.Keys)
	require.Equal(t, "ok", g.Before)
	require.InDelta(t, 0.1, *g.Bound, 1e-9)
	require.Less(t, *g.Low, *g.Value)
	require.Greater(t, *g.High, *g.Value)
	require.InDelta(t, 1, *g.Coverage, 1e-9)
	require.Greater(t, g.Traces, 80)
	require.Equal(t, "pending", notes[0].Deliveries[0].Status)

	// It is tried again until it is taken, and then no more.
	target.answer(http.StatusServiceUnavailable)
	require.NoError(t, w.watch.Deliver(t.Context()))
	d := w.history(t, "quality")[0].Deliveries[0]
	require.Equal(t, "pending", d.Status)
	require.Equal(t, "the target answered 503", d.Error)
	require.NoError(t, w.watch.Deliver(t.Context()), "not before its time")
	require.Len(t, target.messages(), 1)
	target.answer(http.StatusNoContent)
	w.ahead.Add(int64(time.Minute))
	for range 3 {
		require.NoError(t, w.newWatch("two").Deliver(t.Context()), "a process that started meanwhile")
	}
	d = w.history(t, "quality")[0].Deliveries[0]
	require.Equal(t, "sent", d.Status)
	require.Equal(t, 2, d.Attempts)
	got := target.messages()
	require.Len(t, got, 2)
	require.Equal(t, notes[0].ID, got[1]["id"])
	require.Equal(t, "quality", got[1]["alert"])
	require.Contains(t, got[1]["text"], `FIRING service_name="bank": share of failing results of answer-relevancy is 0.`)
	require.True(t, strings.HasPrefix(target.header[1].Get("Webhook-Signature"), "v1,"))

	// It ends when there is evidence of that.
	for range 45 {
		w.minute(t, "bank", 8, 0)
	}
	w.pass(t)
	a = w.alert(t, "quality")
	require.Equal(t, "ok", a.Status, "%+v", a)
	notes = w.history(t, "quality")
	require.Len(t, notes, 2)
	require.Equal(t, "firing", notes[0].Groups[0].Before)

	// Nothing of the target is shown but its host.
	r := w.ok(t, "GET", "/v2/alerts", "", http.StatusOK)
	for _, secret := range []string{"hidden", "sssh", "/in"} {
		require.NotContains(t, r.body, secret)
	}
	require.True(t, w.alert(t, "quality").Targets[0].HasSecret)
}

// A minute is evaluated when nothing of it is pending any more, or has been for long.
func TestAlertsWaitForPendingResults(t *testing.T) {
	t.Parallel()
	for metric, want := range map[string]string{
		`"failing_share","evaluator":"answer-relevancy","condition":{"above":0.5}`:               "",
		`"mean_score","evaluator":"answer-relevancy","output":"score","condition":{"below":0.5}`: "",
		`"error_rate","condition":{"above":0.5}`:                                                 "ok",
	} {
		w := newAlerting(t)
		w.ok(t, "POST", "/v2/alerts", `{"name":"a","metric":`+metric+`,"delay_sec":0}`, http.StatusCreated)
		require.NoError(t, w.watch.Evaluate(t.Context()))
		w.write(t, "shop", 1, 0, eval.Deferred)
		w.minute(t, "shop", 40, 0)
		for range 10 {
			w.pass(t)
		}
		status := w.alert(t, "a").Groups[0]
		if want == "" {
			require.Zero(t, status.Traces, "%s: %+v", metric, status)
		} else {
			require.Equal(t, want, status.Status, metric)
		}
		for range 10 {
			w.pass(t)
		}
		status = w.alert(t, "a").Groups[0]
		require.GreaterOrEqual(t, status.Traces, 40, metric)
		if want == "" {
			require.InDelta(t, 40.0/41, *status.Coverage, 1e-9, metric)
		}
	}
}

func TestAlertsOnOtherMetrics(t *testing.T) {
	t.Parallel()
	w := newAlerting(t)
	for name, rule := range map[string]string{
		"score":   `"mean_score","evaluator":"answer-relevancy","output":"score","condition":{"below":0.9}`,
		"slow":    `"duration_p95","condition":{"above":0.0001}`,
		"spans":   `"spans","condition":{"above":30}`,
		"tokens":  `"total_tokens","condition":{"below":1},"window_sec":120`,
		"cost":    `"cost","condition":{"above":1}`,
		"results": `"results","condition":{"below":5},"window_sec":300,"group_by":["evaluator"]`,
		"delay":   `"evaluation_delay","condition":{"above":100}`,
		"errors":  `"error_rate","condition":{"above":0.5},"q":"service:shop"`,
	} {
		w.ok(t, "POST", "/v2/alerts", `{"name":"`+name+`","delay_sec":0,"metric":`+rule+`}`, http.StatusCreated)
	}
	require.NoError(t, w.watch.Evaluate(t.Context()))
	w.write(t, "shop", 1, 0, eval.Deferred)
	for range 20 {
		w.minute(t, "shop", 10, 4)
	}
	for range 2 {
		w.pass(t)
	}
	for name, want := range map[string]string{
		"slow": "firing", "spans": "firing", "tokens": "firing", "cost": "ok", "results": "ok", "delay": "firing", "errors": "ok", "score": "firing",
	} {
		a := w.alert(t, name)
		require.Equal(t, want, a.Status, "%s: %+v", name, a)
		require.Empty(t, a.Error, name)
	}
	require.InDelta(t, 0.6, *w.alert(t, "score").Groups[0].Value, 1e-6)
	require.InDelta(t, 201, *w.alert(t, "spans").Groups[0].Value, 1e-6)
	for range 6 {
		w.pass(t)
	}
	require.Equal(t, "firing", w.alert(t, "results").Status, "nothing is evaluated any more")
}

// Of several processes one evaluates an alert and one sends a message; when it is gone, another
// goes on where it was.
func TestAlertsOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	w, target := newAlerting(t), newReceiver(t)
	w.ok(t, "POST", "/v2/alerts", fmt.Sprintf(`{"name":"busy","metric":"spans","condition":{"above":5},"window_sec":60,"delay_sec":0,
		"targets":[{"name":"hook","type":"webhook","url":%q}]}`, target.URL), http.StatusCreated)
	var all []*alerts.Watch
	for i := range 4 {
		all = append(all, w.newWatch(fmt.Sprint(i)))
	}
	together := func() {
		var wg sync.WaitGroup
		for _, one := range all {
			wg.Go(func() {
				require.NoError(t, one.Evaluate(t.Context()))
				require.NoError(t, one.Deliver(t.Context()))
			})
		}
		wg.Wait()
	}
	together()
	for round := range 3 {
		w.write(t, "shop", 10, 0, eval.Done)
		for range 5 { // the first of them may have the lease, and go
			w.ahead.Add(int64(time.Minute))
			together()
		}
		all = all[1:]
		w.ahead.Add(int64(3 * time.Minute))
		together()
		together()
		require.Len(t, target.messages(), 2*(round+1), "it fires and ends")
	}
	seen := map[any]bool{}
	for _, m := range target.messages() {
		require.False(t, seen[m["id"]], "sent twice")
		seen[m["id"]] = true
	}
}

func TestSilencesAndTestsOfAlerts(t *testing.T) {
	t.Parallel()
	w, target := newAlerting(t), newReceiver(t)
	body := fmt.Sprintf(`{"name":"busy","metric":"spans","condition":{"above":5},"window_sec":60,"delay_sec":0,"targets":[{"name":"hook","type":"slack","url":%q}]}`, target.URL)
	w.ok(t, "POST", "/v2/alerts", body, http.StatusCreated)
	require.NoError(t, w.watch.Evaluate(t.Context()))
	r := w.ok(t, "POST", "/v2/alerts/busy/test", "", http.StatusOK)
	require.Contains(t, r.body, `"status":"sent"`)
	require.Contains(t, target.messages()[0]["text"], "Test of alert busy (prd)")
	w.ok(t, "POST", "/v2/alerts/busy/silence", `{"duration_sec":3600,"reason":"release"}`, http.StatusOK)
	require.NotEmpty(t, w.alert(t, "busy").Until)
	w.minute(t, "shop", 10, 0)
	w.pass(t)
	require.NoError(t, w.watch.Deliver(t.Context()))
	notes := w.history(t, "busy")
	require.NotEmpty(t, notes)
	require.True(t, notes[0].Silenced)
	require.Empty(t, notes[0].Deliveries)
	require.Len(t, target.messages(), 1)
	w.ok(t, "DELETE", "/v2/alerts/busy/silence", "", http.StatusOK)
	w.pass(t)
	w.minute(t, "shop", 10, 0)
	require.NoError(t, w.watch.Deliver(t.Context()))
	require.Len(t, target.messages(), 2)
	target.answer(http.StatusNotFound)
	r = w.ok(t, "POST", "/v2/alerts/busy/test", "", http.StatusOK)
	require.Contains(t, r.body, `"error":"the target answered 404"`)
	w.ok(t, "POST", "/v2/alerts", `{"name":"mute","metric":"spans","condition":{"above":5}}`, http.StatusCreated)
	w.ok(t, "POST", "/v2/alerts/mute/test", "", http.StatusBadRequest)
}

// A definition that is equal when it is stored is equal, however it is written.
func TestEqualAlertsKeepTheirState(t *testing.T) {
	t.Parallel()
	w := newAlerting(t)
	for name, rule := range map[string]string{
		"lists":   `"group_by":[],"filters":[ ],"targets":[]`,
		"filters": `"filters":[{"id":"span_name","operator":"not_equals","value":"<a> & b"}]`,
		"line":    `"q":"-name:<a>","group_by":["service_name"]`,
	} {
		body := `{"name":"` + name + `","metric":"spans","condition":{"above":5},"window_sec":60,"delay_sec":0,` + rule + `}`
		w.ok(t, "POST", "/v2/alerts", body, http.StatusCreated)
		require.NoError(t, w.watch.Evaluate(t.Context()))
		w.minute(t, "shop", 10, 0)
		before := w.ok(t, "GET", "/v2/alerts/"+name, "", http.StatusOK).body
		require.Contains(t, before, `"status":"firing"`, name)
		require.Equal(t, before, w.ok(t, "PUT", "/v2/alerts/"+name, body, http.StatusOK).body, name)
	}
}

func TestAlertsAreReplacedAndDeleted(t *testing.T) {
	t.Parallel()
	w := newAlerting(t)
	body := `{"name":"busy","metric":"spans","condition":{"above":5},"targets":[{"name":"hook","type":"webhook","url":"https://hooks.example.com/in","secret":"sssh"}]}`
	w.ok(t, "POST", "/v2/alerts", body, http.StatusCreated)
	w.ok(t, "POST", "/v2/alerts", body, http.StatusConflict)
	before := w.ok(t, "GET", "/v2/alerts/busy", "", http.StatusOK).body
	require.Equal(t, before, w.ok(t, "PUT", "/v2/alerts/busy", body, http.StatusOK).body, "nothing changes")
	// What is left out of a target stays; with another address its secret does not.
	for url, secret := range map[string]bool{"": true, `,"url":"https://elsewhere.example.com"`: false} {
		r := w.ok(t, "PUT", "/v2/alerts/busy", `{"name":"busy","metric":"spans","condition":{"above":6},"targets":[{"name":"hook","type":"webhook"`+url+`}]}`, http.StatusOK)
		require.Equal(t, secret, strings.Contains(r.body, `"has_secret":true`), r.body)
		w.ok(t, "PUT", "/v2/alerts/busy", body, http.StatusOK)
	}
	other := w.newKey(t)
	for _, method := range []string{"GET", "DELETE"} {
		require.Equal(t, http.StatusNotFound, w.call(t, method, "/v2/alerts/busy", other, "").status)
	}
	require.Equal(t, "[]", strings.TrimSpace(w.call(t, "GET", "/v2/alerts", other, "").body))
	require.Equal(t, http.StatusUnauthorized, w.call(t, "GET", "/v2/alerts", "", "").status)
	w.ok(t, "DELETE", "/v2/alerts/busy", "", http.StatusNoContent)
	for _, path := range []string{"", "/history"} {
		w.ok(t, "GET", "/v2/alerts/busy"+path, "", http.StatusNotFound)
	}
	w.ok(t, "POST", "/v2/alerts/busy/test", "", http.StatusNotFound)
}

func TestBadAlertsAreRefused(t *testing.T) {
	t.Parallel()
	w := newAlerting(t)
	for body, want := range map[string]string{
		`{}`:                            "name is required",
		`{"name":"a","metric":"spans"}`: "condition is required",
		`{"name":"a","metric":"spans","condition":{}}`:                                                  "condition",
		`{"name":"a","metric":"spans","condition":{"above":1,"below":2}}`:                               "condition",
		`{"name":"a","metric":"spans","condition":{"worse_than_usual":true}}`:                           "condition.worse_than_usual is known for",
		`{"name":"a","metric":"error_rate","condition":{"above":5}}`:                                    "condition.above must be between 0 and 1",
		`{"name":"a","metric":"duration_p95","condition":{"below":5}}`:                                  "condition.above must be given",
		`{"name":"a","metric":"mean_score","condition":{"below":0.5}}`:                                  "evaluator and output are required",
		`{"name":"a","metric":"mean_score","evaluator":"e","output":"o","condition":{"below":5}}`:       "condition.below must be within score_range",
		`{"name":"a","metric":"spans","evaluator":"e","condition":{"above":5}}`:                         "evaluator and setup_id are for metrics of results",
		`{"name":"a","metric":"spans","condition":{"above":5},"window_sec":90}`:                         "window_sec must be a multiple of 60",
		`{"name":"a","metric":"spans","condition":{"above":5},"group_by":["duration"]}`:                 "group_by must have fields that are texts",
		`{"name":"a","metric":"spans","condition":{"above":5},"q":"(("}`:                                "q",
		`{"name":"a","metric":"spans","condition":{"above":5},"filters":[{"id":"x"}]}`:                  "filters[0].operator",
		`{"name":"a","metric":"spans","condition":{"above":5},"targets":[{"name":"t","type":"slack"}]}`: "targets[0].url must be an http or https address",
	} {
		r := w.call(t, "POST", "/v2/alerts", w.key, body)
		require.Equal(t, http.StatusBadRequest, r.status, "%s: %s", body, r.body)
		require.Contains(t, r.message(t), want, body)
	}
	for i := range 21 {
		status := http.StatusCreated
		if i == 20 {
			status = http.StatusBadRequest
		}
		w.ok(t, "POST", "/v2/alerts", fmt.Sprintf(`{"name":"%d","metric":"spans","condition":{"above":5},"q":"service:a"}`, i), status)
	}
}
