// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func (h *testAPI) statusOf(t *testing.T, key, name string) setupStatusAnswer {
	t.Helper()
	r := h.call(t, "GET", setupsPath+"/"+name+"/status", key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[setupStatusAnswer](t, r)
}

func TestStatusOfASetupCountsItsSpans(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	s := l.create(t, l.key, `{"external_id":"m1","evaluators":["char-count","faithfulness"],"max_cost_per_day":2.5,"deadline_sec":60}`)
	now := time.Now()
	l.write(t, 6, func(i int, r *store.Record) {
		if i == 5 {
			r.Span.Start = now.Add(-30 * time.Minute).UnixNano() // before the setup
			return
		}
		r.Span.Start = now.Add(time.Minute).UnixNano()
		ended := r.Span.Start + int64(i)*1e9
		count := eval.Evaluation{SetupID: s.ID, Evaluator: "char-count", Status: eval.Done, Outputs: []eval.Output{{Name: "char_count", Value: int64(i)}}, Backend: eval.Deterministic, Time: ended}
		judged := eval.Evaluation{SetupID: s.ID, Evaluator: "faithfulness", Time: ended}
		switch i {
		case 0:
			count.Status, count.Reason, count.Outputs, count.Backend = eval.Skipped, eval.ReasonSampledOut, nil, ""
			judged.Status, judged.Reason = eval.Skipped, eval.ReasonMissingInput
		case 1:
			judged.Status, judged.Reason = eval.Skipped, eval.ReasonMissingInput
		case 2:
			judged.Status, judged.Reason, judged.Usage.Cost = eval.Failed, "the answer is no JSON", 0.25
		case 3:
			judged.Status, judged.Outputs, judged.Backend, judged.Usage.Cost = eval.Done, []eval.Output{{Name: "is_faithful", Value: true}}, eval.Judge, 0.5
		case 4:
			judged.Status, judged.Reason, judged.Due = eval.Deferred, eval.ReasonModel, ended
			other := judged
			other.SetupID, other.Evaluator = "other", "char-count"
			r.Evaluations = append(r.Evaluations, other)
		}
		r.Evaluations = append(r.Evaluations, count, judged)
	})
	got := l.statusOf(t, l.key, "m1")
	require.Equal(t, s.ID, got.ID)
	require.Equal(t, "m1", got.ExternalID)
	require.Equal(t, monitor.Pending, got.Status)
	require.EqualValues(t, 5, got.Seen)
	require.EqualValues(t, 5, got.Matched)
	require.EqualValues(t, 1, got.Owed)
	require.InDelta(t, 0.75, got.Cost, 1e-9)
	require.InDelta(t, 0.75, got.SpentToday, 1e-9)
	require.InDelta(t, 2.5, got.MaxCostPerDay, 0)
	require.EqualValues(t, 60, got.DeadlineSec)
	at := func(i int) string { return rest.Time(now.Add(time.Minute + time.Duration(i)*time.Second)) }
	require.Equal(t, []evaluatorStatus{
		{EvaluatorType: "char-count", Status: monitor.Pending, Seen: 5, Matched: 5, SampledOut: 1, Skipped: map[string]int64{}, Done: 4, LastRun: at(4)},
		{
			EvaluatorType: "faithfulness", Status: monitor.Pending, Seen: 5, Matched: 5, Skipped: map[string]int64{"missing_input": 2}, Deferred: 1, Done: 1, Failed: 1,
			Cost: 0.75, LastError: "the answer is no JSON", LastRun: at(3),
		},
	}, got.Evaluators)
	require.Equal(t, got, l.statusOf(t, l.key, s.ID))
}

func TestStatusOfANewSetup(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	ours, theirs := h.newKey(t), h.newKey(t)
	s := h.create(t, ours, `{"external_id":"m1","evaluators":["char-count"]}`)
	settle(t, h, tenant.EnvironmentID(s.EnvProjectID))
	got := h.statusOf(t, ours, "m1")
	require.Equal(t, monitor.FailedStatus, got.Status)
	require.Equal(t, []evaluatorStatus{{EvaluatorType: "char-count", Status: monitor.FailedStatus, ErrorMessage: "no model", Skipped: map[string]int64{}}}, got.Evaluators)
	for _, x := range []struct{ name, key string }{{"m1", theirs}, {s.ID, theirs}, {"m2", ours}, {"bulk", ours}} {
		r := h.call(t, "GET", setupsPath+"/"+x.name+"/status", x.key, "")
		require.Equal(t, http.StatusNotFound, r.status)
		require.JSONEq(t, `{"error":"auto monitor setup not found"}`, r.body)
	}
}
