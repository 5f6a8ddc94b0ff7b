// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func TestModelVerdictsComeAMomentLater(t *testing.T) {
	t.Parallel()
	j, h, key := startJudged(t, []string{judged, "char-count"})
	j.hold(0)
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(0, 5)), "a span never waits for a model")
	j.awaitWaiting(t, 1)
	page := h.page(t, key)
	require.Contains(t, page.Spans.Data[0].SpanAttributes, "evaluation.char-count.char_count")
	require.NotContains(t, page.Spans.Data[0].SpanAttributes, "evaluation."+judged+".pass")
	require.Equal(t, 5, h.progress(t, key, "m").Owed)

	j.goOn()
	h.awaitDone(t, key, "m", 5)
	for n := range 5 {
		list := h.records(t, key, n)
		require.Len(t, list, 2)
		require.Equal(t, evaluationRecord{
			ExternalID: "m", Evaluator: judged, Status: "done", Reason: "It did.", Backend: "judge", Revision: 1, Attempts: 1,
			Outputs: map[string]any{"pass": true, "reason": "It did."},
		}, list[1])
		require.Equal(t, 1, j.asked()[n])
	}
	found := h.page(t, key, "filters", filters(t, map[string]any{"id": "evaluation." + judged + ".pass", "operator": "equals", "value": true}))
	require.EqualValues(t, 5, found.Spans.TotalResults)
}

// While the judge is away all evaluations are pending, and the API says that evaluation
// is behind; once it is back everything is caught up.
func TestJudgeOutageLosesNothing(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	j.down.Store(true)
	h := startJudgedCollector(t, t.TempDir(), j)
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{judged}, nil)
	outage(t, h, j, key)
}

// outage sends spans while the judge is down and lets it come back.
func outage(t *testing.T, h *collector, j *judge, key string) {
	t.Helper()
	const spans = 120
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(0, spans)))
	require.Equal(t, []string{"LAG_HIGH"}, h.awaitMonitoring(t, key, "DEGRADED").Reasons)
	behind := h.awaitMonitoring(t, key, "ERROR")
	require.Equal(t, []string{"LAG_HIGH"}, behind.Reasons)
	require.Equal(t, spans, behind.LagSpans)
	require.Eventually(t, func() bool { return len(j.Requests()) > spans }, patience, time.Millisecond, "each is tried again")
	p := h.progress(t, key, "m")
	require.Equal(t, spans, p.Owed)
	require.Zero(t, p.Evaluators[0].Done)
	require.Zero(t, p.Evaluators[0].Failed)
	require.NotEmpty(t, p.Evaluators[0].LastError)

	j.down.Store(false)
	h.awaitDone(t, key, "m", spans)
	require.Empty(t, h.awaitMonitoring(t, key, "OK").Reasons)
	require.Len(t, j.asked(), spans)
	for n, times := range j.asked() {
		require.Equal(t, 1, times, "span %d", n)
	}
	require.Greater(t, h.records(t, key, 0)[0].Attempts, 1)
}

// today is the day by which money is counted.
func today() string { return time.Now().UTC().Format(time.DateOnly) }

// withinOneDay runs try, with the number of its first span, until the day did not end
// meanwhile. Try makes an environment of its own, and waits for nothing that the end of a
// day keeps from coming.
func withinOneDay(try func(first int)) {
	for n := 0; ; n++ {
		begun := today()
		try(n * 1000)
		if today() == begun {
			return
		}
	}
}

// Once the money of the day is spent the rest waits for tomorrow; nothing is
// dropped.
func TestMoneyForTheDayIsSpentAndTheRestWaits(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	// 120 tokens of a judge's answer cost 0.012 dollars.
	h := startJudgedCollector(t, t.TempDir(), j, "extensions::models::prices::judge: {prompt: 100, completion: 100}",
		"receivers::backlog: {workers: 1, batch: 4}")
	const spans = 30
	var due string
	var p, after setupProgress
	var waiting, still []evaluationRecord
	withinOneDay(func(first int) {
		due = time.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour).Format("2006-01-02T15:04:05")
		key := h.key(t, "ours")
		must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
			"external_id": "poor", "evaluators": []string{judged, "char-count"}, "max_cost_per_day": 0.1,
		})
		h.awaitLoaded(t, key, "poor")
		require.NoError(t, h.exportGRPC(t, key, judgedTraces(first, spans)))
		require.Eventually(t, func() bool {
			p, waiting = h.progress(t, key, "poor"), h.waitingForMoney(t, key, first, spans)
			return p.Evaluators[0].Done+len(waiting) == spans
		}, patience, 50*time.Millisecond)

		// More money for the day: what waits is not due before tomorrow, and what
		// comes is judged.
		must[map[string]any](t, h, http.MethodPut, "/v2/auto-monitor-setups/poor", key, map[string]any{"max_cost_per_day": 10})
		require.NoError(t, h.exportGRPC(t, key, judgedTraces(first+spans, 1)))
		require.Eventually(t, func() bool {
			after = h.progress(t, key, "poor")
			return after.Evaluators[0].Done > p.Evaluators[0].Done
		}, patience, 20*time.Millisecond)
		still = h.waitingForMoney(t, key, first, spans)
	})
	require.GreaterOrEqual(t, p.SpentToday, 0.1)
	require.Less(t, p.SpentToday, 0.1+4*0.012+1e-9, "at most what was in the pipeline comes on top")
	require.Positive(t, p.Owed, "nothing is dropped")
	require.Equal(t, spans, p.Evaluators[0].Done+p.Owed)
	require.Equal(t, spans, p.Evaluators[1].Done, "what costs nothing is done")
	for _, e := range waiting {
		require.Contains(t, e.Due, due)
	}
	require.Equal(t, p.Evaluators[0].Done+1, after.Evaluators[0].Done)
	require.Equal(t, waiting, still)
}

// waitingForMoney returns the evaluations of so many spans of judgedTraces that wait for the
// money of another day.
func (h *collector) waitingForMoney(t *testing.T, key string, first, spans int) (list []evaluationRecord) {
	t.Helper()
	for n := range spans {
		for _, e := range h.records(t, key, first+n) {
			if e.Status == "deferred" && e.Reason == "cost" {
				list = append(list, e)
			}
		}
	}
	return list
}

// The context of an answer is in another span of its trace, which arrives
// later.
func TestContextIsFoundInTheTrace(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	h := startJudgedCollector(t, t.TempDir(), j, oneAtATime)
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{"context-relevance"}, []map[string]any{rule("gen_ai.system", "openai")})
	h.setup(t, key, "other", []string{judged}, []map[string]any{rule("gen_ai.system", "anthropic")})

	// While the judge works on another span, no pending evaluation is tried, so that
	// the context comes in time however long it takes to.
	j.hold(0)
	other := judgedTraces(1, 1)
	firstSpan(other).SetTraceID([16]byte{0xab})
	firstSpan(other).Attributes().PutStr("gen_ai.system", "anthropic")
	require.NoError(t, h.exportGRPC(t, key, other))
	j.awaitWaiting(t, 1)

	answer := judgedTraces(7, 1)
	s := firstSpan(answer)
	s.SetParentSpanID([8]byte{9})
	require.NoError(t, h.exportGRPC(t, key, answer))
	list := h.records(t, key, 7)
	require.Len(t, list, 1)
	require.Equal(t, "deferred", list[0].Status)
	require.Equal(t, "trace", list[0].Reason)

	retrieval := ptrace.NewTraces()
	answer.CopyTo(retrieval)
	d := firstSpan(retrieval)
	d.SetSpanID([8]byte{8})
	d.SetName("retrieve")
	d.SetStartTimestamp(timestamp(s.StartTimestamp().AsTime().Add(-time.Millisecond)))
	d.SetEndTimestamp(s.StartTimestamp())
	d.Attributes().Clear()
	d.Attributes().PutStr("openinference.span.kind", "RETRIEVER")
	d.Attributes().PutStr("retrieval.documents.0.document.content", "The moon is 384,400 km away, says the almanac.")
	require.NoError(t, h.exportGRPC(t, key, retrieval))
	j.goOn()

	require.Eventually(t, func() bool {
		for _, r := range j.Requests() {
			if text, ok := r.Data("context"); ok {
				require.Contains(t, text, "says the almanac")
				return true
			}
		}
		return false
	}, patience, 10*time.Millisecond, "the judge never saw the document")
	h.awaitDone(t, key, "m", 1)
	list = h.records(t, key, 7)
	require.Len(t, list, 1)
	require.Equal(t, map[string]any{"relevance_score": 1.0}, list[0].Outputs)
}

// The judge answers on a span that was replaced meanwhile: the new content is judged
// by itself.
func TestAnAnswerOnAReplacedSpanDoesNotCount(t *testing.T) {
	t.Parallel()
	j, h, key := startJudged(t, []string{judged})
	j.hold(0)
	td := judgedTraces(0, 1)
	require.NoError(t, h.exportGRPC(t, key, td))
	j.awaitWaiting(t, 1)
	j.down.Store(true)
	firstSpan(td).Attributes().PutStr("gen_ai.completion.0.content", "The span number 7 says something else.")
	require.NoError(t, h.exportGRPC(t, key, td))
	owed := h.records(t, key, 0)
	require.Len(t, owed, 1)
	j.goOn()
	require.Eventually(t, func() bool { now, _ := j.InFlight(); return now == 0 }, patience, time.Millisecond)
	tried := len(j.Requests())
	require.Eventually(t, func() bool { return len(j.Requests()) > tried+2 }, patience, time.Millisecond, "the new content is pending")
	require.Equal(t, "deferred", h.records(t, key, 0)[0].Status)
	j.down.Store(false)
	h.awaitDone(t, key, "m", 1)
	require.Equal(t, map[int]int{0: 1, 7: 1}, j.asked())
	require.Equal(t, 1, h.records(t, key, 0)[0].Revision)
}

// A span that passes the backlog for its verdict stays as it was sent, in all that
// its evaluators do not look at.
func TestADeferredVerdictLeavesItsSpanAsItIs(t *testing.T) {
	t.Parallel()
	j, h, key := startJudged(t, []string{judged})
	td := judgedTraces(0, 1)
	s := firstSpan(td)
	s.TraceState().FromRaw("ot=th:8,vendor=value")
	s.SetFlags(0x301)
	start := time.Now().Add(-time.Second).Truncate(time.Second).Add(123_456_789)
	s.SetStartTimestamp(timestamp(start))
	s.SetEndTimestamp(timestamp(start.Add(1_000_000_007)))
	link := s.Links().AppendEmpty()
	link.SetTraceID([16]byte{1, 2, 3})
	link.SetSpanID([8]byte{4, 5, 6})
	link.TraceState().FromRaw("a=b")
	link.SetFlags(0x100)
	link.Attributes().PutStr("why", "a retry of it")
	read := func() map[string]any {
		page := must[struct {
			Spans struct {
				Data []map[string]any `json:"data"`
			} `json:"spans"`
		}](t, h, http.MethodGet, "/v2/warehouse/spans?from_timestamp_sec=0", key, nil)
		require.Len(t, page.Spans.Data, 1)
		return page.Spans.Data[0]
	}
	j.hold(0)
	require.NoError(t, h.exportGRPC(t, key, td))
	j.awaitWaiting(t, 1)
	before := read()
	for name, want := range map[string]any{
		"trace_state": "ot=th:8,vendor=value", "flags": float64(0x301),
		"start_ns": strconv.FormatInt(start.UnixNano(), 10), "duration_ns": "1000000007",
		"links": []any{map[string]any{
			"trace_id": link.TraceID().String(), "span_id": link.SpanID().String(), "trace_state": "a=b", "flags": float64(0x100),
			"attributes": map[string]any{"why": "a retry of it"},
		}},
	} {
		require.Equal(t, want, before[name], name)
	}

	j.goOn()
	h.awaitDone(t, key, "m", 1)
	after := read()
	attributes, ok := after["span_attributes"].(map[string]any)
	require.True(t, ok)
	for _, output := range []string{"pass", "reason"} {
		require.Contains(t, attributes, "evaluation."+judged+"."+output)
		delete(attributes, "evaluation."+judged+"."+output)
	}
	require.Equal(t, before, after)
}
