// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

// judged is an evaluator that asks its judge one question.
const judged = "action-advancement"

// judge says yes to everything. It knows the spans of judgedTraces apart.
type judge struct {
	*modeltest.Server
	down atomic.Bool

	mu    sync.Mutex
	calls map[int]int   // by number of the span, answered or not
	free  int           // so many more are answered at once, while gate is there
	gate  chan struct{} // the others wait until it is closed; nil: they do not wait
}

func startJudge(t *testing.T) *judge {
	t.Helper()
	j := &judge{calls: map[int]int{}}
	j.Server = modeltest.NewServer(t, j.answer)
	return j
}

// numberOf returns the number of the span of judgedTraces that a question is about.
func numberOf(q modeltest.Request) (n int, is bool) {
	m := spanNumber.FindSubmatch(q.Body)
	if m == nil {
		return 0, false
	}
	n, _ = strconv.Atoi(string(m[1]))
	return n, true
}

var spanNumber = regexp.MustCompile(`span number (\d+) says`)

func (j *judge) answer(w http.ResponseWriter, r *http.Request, got modeltest.Request) {
	if j.down.Load() {
		modeltest.Status(http.StatusServiceUnavailable, "down")(w, r, got)
		return
	}
	verdict := map[string]any{"reason": "It did.", "verdict": "yes"}
	step := modeltest.JSON(verdict)
	switch schema := got.Chat().ResponseFormat.JSONSchema.Schema; {
	case bytes.Contains(schema, []byte(`"noncommittal"`)):
		step = modeltest.JSON(map[string]any{"statements": []any{map[string]any{"text": "It is far.", "reason": "It answers.", "relevant": "yes"}}, "noncommittal": false})
	case bytes.Contains(schema, []byte(`"statements"`)):
		verdict["text"] = "It is far."
		step = modeltest.JSON(map[string]any{"statements": []any{verdict}})
	}
	j.mu.Lock()
	if n, is := numberOf(got); is {
		j.calls[n]++
	}
	if j.gate != nil {
		if j.free > 0 {
			j.free--
		} else {
			step = modeltest.Hold(j.gate, step)
		}
	}
	j.mu.Unlock()
	step(w, r, got)
}

// hold lets so many questions be answered and the others wait.
func (j *judge) hold(free int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.free, j.gate = free, make(chan struct{})
}

// goOn answers those that wait, and all that follow.
func (j *judge) goOn() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.gate != nil {
		close(j.gate)
		j.gate = nil
	}
}

// asked is how often the judge was asked about each span.
func (j *judge) asked() map[int]int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return maps.Clone(j.calls)
}

func (j *judge) awaitWaiting(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool { now, _ := j.InFlight(); return now >= n }, patience, time.Millisecond)
}

// quick are settings by which waits pass in a test that take seconds and minutes
// where models are really away.
var quick = []string{
	"processors::monitor::trace_wait: 1s",
	"processors::monitor/deferred::retry: {initial_interval: 50ms, max_interval: 200ms}",
	"extensions::models::judges::default::limits: {attempts: 1, break_after: 0}",
	"extensions::api::monitoring: {degraded_after: 1s, error_after: 8s}", // so far apart that no look misses the first
	"receivers::backlog::poll_interval: 20ms",
}

// newJudgedCollector is a collector with a judge and quick settings, not yet started.
func newJudgedCollector(t *testing.T, dir string, j *judge) *collector {
	t.Helper()
	h := newCollector(t, dir)
	h.settings = append(h.settings, quick...)
	if j != nil {
		h.Env["TOUCHSTONE_JUDGE_URL"] = j.URL()
		h.Env["TOUCHSTONE_JUDGE_MODEL"] = "judge"
	}
	return h
}

func startJudgedCollector(t *testing.T, dir string, j *judge, settings ...string) *collector {
	t.Helper()
	h := newJudgedCollector(t, dir, j)
	h.settings = append(h.settings, settings...)
	h.start(t)
	t.Cleanup(func() { h.stop() })
	return h
}

// startJudged starts a judge and a collector, and makes the environment "ours"
// with a setup "m" of evaluators that judges every span.
func startJudged(t *testing.T, evaluators []string, settings ...string) (j *judge, h *collector, key string) {
	t.Helper()
	j = startJudge(t)
	h = startJudgedCollector(t, t.TempDir(), j, settings...)
	key = h.key(t, "ours")
	h.setup(t, key, "m", evaluators, nil)
	return j, h, key
}

// judgedTraces makes the spans number from to from+n-1, each with something of
// its own to say, so that no answer of the judge serves two of them.
func judgedTraces(from, n int) ptrace.Traces {
	td := someTraces(1, n)
	for i, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		k := from + i
		s.SetTraceID([16]byte{0xaa, 15: 1})
		s.SetSpanID([8]byte{byte(k >> 16), byte(k >> 8), byte(k), 1})
		s.Attributes().PutInt("number", int64(k))
		s.Attributes().PutStr("gen_ai.completion.0.content", fmt.Sprintf("The span number %d says how far.", k))
	}
	return td
}

// evaluationRecord is one of a span, as the API shows it.
type evaluationRecord struct {
	ExternalID string         `json:"external_id"`
	Evaluator  string         `json:"evaluator"`
	Status     string         `json:"status"`
	Reason     string         `json:"reason"`
	Outputs    map[string]any `json:"outputs"`
	Backend    string         `json:"backend"`
	Revision   int            `json:"revision"`
	Attempts   int            `json:"attempts"`
	Due        string         `json:"due"`
	Usage      struct {
		Cost float64 `json:"cost_usd"`
	} `json:"usage"`
}

// records returns the evaluations of the span of judgedTraces with this number.
func (h *collector) records(t *testing.T, key string, number int, query ...string) []evaluationRecord {
	t.Helper()
	s := firstSpan(judgedTraces(number, 1))
	return must[struct {
		Evaluations []evaluationRecord `json:"evaluations"`
	}](t, h, http.MethodGet, "/v2/warehouse/spans/"+s.TraceID().String()+"/"+s.SpanID().String()+"/evaluations"+strings.Join(query, ""), key, nil).Evaluations
}

// setupProgress is how far a setup got.
type setupProgress struct {
	Status     string  `json:"status"`
	Seen       int     `json:"seen"`
	Owed       int     `json:"owed"`
	SpentToday float64 `json:"spent_today"`
	Evaluators []struct {
		EvaluatorType string         `json:"evaluator_type"`
		Status        string         `json:"status"`
		ErrorMessage  string         `json:"error_message"`
		Matched       int            `json:"matched"`
		Skipped       map[string]int `json:"skipped"`
		Deferred      int            `json:"deferred"`
		Done          int            `json:"done"`
		Failed        int            `json:"failed"`
		LastError     string         `json:"last_error"`
	} `json:"evaluators"`
}

func (h *collector) progress(t *testing.T, key, externalID string) setupProgress {
	t.Helper()
	return must[setupProgress](t, h, http.MethodGet, "/v2/auto-monitor-setups/"+externalID+"/status", key, nil)
}

// awaitDone waits until the first evaluator of a setup has judged n spans and
// nothing is pending any more.
func (h *collector) awaitDone(t *testing.T, key, externalID string, n int) (p setupProgress) {
	t.Helper()
	require.Eventually(t, func() bool {
		p = h.progress(t, key, externalID)
		return p.Evaluators[0].Done == n && p.Owed == 0
	}, patience, 20*time.Millisecond, "%d are not done: %+v", n, &p)
	return p
}

// monitoringStatus is what GET /v2/monitoring/status answers.
type monitoringStatus struct {
	Status   string   `json:"status"`
	Reasons  []string `json:"reasons"`
	LagSpans int      `json:"lag_in_spans"`
}

func (h *collector) awaitMonitoring(t *testing.T, key string, want string) (s monitoringStatus) {
	t.Helper()
	require.Eventually(t, func() bool {
		s = must[monitoringStatus](t, h, http.MethodGet, "/v2/monitoring/status", key, nil)
		return s.Status == want
	}, patience, 10*time.Millisecond, "want %s", want)
	return s
}
