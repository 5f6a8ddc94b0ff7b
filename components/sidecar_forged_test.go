// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// forged is a verdict that no evaluator gave.
func forged(setup string, change func(*eval.Evaluation)) eval.Evaluation {
	e := eval.Evaluation{
		SetupID: setup, Evaluator: "char-count", Status: eval.Done, Backend: eval.Deterministic, Generation: 2, Probability: 1,
		Source: eval.FromTouchstone, Time: time.Now().UnixNano(), Outputs: []eval.Output{{Name: "char_count", Value: int64(666)}},
	}
	change(&e)
	return e
}

// What a sidecar's key, or another one, may not say changes nothing: the span is stored
// with the verdict of the gateway, and what was said is counted by its reason.
func TestForgedVerdictsChangeNothing(t *testing.T) {
	t.Parallel()
	h := startBinary(t, t.TempDir())
	keys, err := h.Keys(t.Context(), "ours", "prd", "dev")
	require.NoError(t, err)
	setupOf := func(key string) string {
		type made struct {
			ID string `json:"id"`
		}
		body := map[string]any{"external_id": "m", "evaluators": []string{"char-count"}, "selector": []map[string]any{rule("gen_ai.system", "openai")}}
		must[made](t, h, http.MethodPost, "/v2/auto-monitor-setups", key, body)
		id := must[made](t, h, http.MethodPut, "/v2/auto-monitor-setups/m", key, body).ID // of generation 2
		h.awaitLoaded(t, key, "m")
		return id
	}
	ours, theirs := setupOf(keys[0]), setupOf(keys[1])
	sidecar := h.scopedKey(t, keys[0], "sidecar")
	same := func(*eval.Evaluation) {}
	spans := 0
	send := func(key string, list []eval.Evaluation, change func(ptrace.Traces)) ptrace.Span {
		t.Helper()
		td := judgedTraces(spans, 1)
		spans++
		s := firstSpan(td)
		s.Attributes().PutStr("gen_ai.completion.0.content", "About 384,400 km.")
		monitor.Carry(s.Attributes(), list)
		if change != nil {
			change(td)
		}
		require.NoError(t, h.exportGRPC(t, key, td))
		return s
	}
	refused := func(reason string) float64 {
		return h.numbers(t, `touchstone_sidecar_evaluations_refused\{.*reason="`+reason+`".*`)[0]
	}
	judgedHere := func(s ptrace.Span, verdict string) {
		t.Helper()
		page := h.page(t, keys[0], "limit", "1000")
		for i := range page.Spans.Data {
			if found := &page.Spans.Data[i]; found.SpanID == s.SpanID().String() {
				require.Equal(t, verdict, found.SpanAttributes["evaluation.char-count.char_count"])
				records := h.recordsOf(t, keys[0], found).Evaluations
				require.Len(t, records, 1)
				require.Equal(t, map[string]string{"17": "", "666": "sidecar"}[verdict], records[0].Origin)
				require.EqualValues(t, 2, records[0].Generation)
				return
			}
		}
		require.Fail(t, "the span is not there")
	}

	// What a sidecar may say counts: local verdicts are its to give.
	judgedHere(send(sidecar, []eval.Evaluation{forged(ours, same)}, nil), "666")
	require.InDelta(t, 1, h.numbers(t, "touchstone_sidecar_evaluations_taken")[0], 0)

	// The keys of others may not.
	taken := h.numbers(t, "touchstone_tenant_forged_attributes")[0]
	for _, key := range []string{keys[0], h.scopedKey(t, keys[0], "ingest")} {
		judgedHere(send(key, []eval.Evaluation{forged(ours, same)}, nil), "17")
	}
	require.InDelta(t, taken+4, h.numbers(t, "touchstone_tenant_forged_attributes")[0], 0)

	for _, x := range []struct {
		reason, setup string
		change        func(*eval.Evaluation)
	}{
		{"setup", theirs, same},
		{"generation", ours, func(e *eval.Evaluation) { e.Generation = 1 }},
		{"backend", ours, func(e *eval.Evaluation) { e.Backend = eval.Judge }},
		{"cost", ours, func(e *eval.Evaluation) { e.Model, e.Usage.Cost = "gpt-4o", 5 }},
		{"size", ours, func(e *eval.Evaluation) { e.Outputs[0].Value = strings.Repeat("x", monitor.MaxSidecarCarrier) }},
		{"outputs", ours, func(e *eval.Evaluation) { e.Outputs[0].Name = "pass" }},
		{"status", ours, func(e *eval.Evaluation) { e.Status, e.Reason, e.Due = eval.Deferred, eval.ReasonModel, e.Time }},
		{"time", ours, func(e *eval.Evaluation) { e.Time += int64(time.Hour) }},
		{"evaluator", ours, func(e *eval.Evaluation) { e.Evaluator = "word-count" }},
	} {
		require.Zero(t, refused(x.reason), "the series is there from the start")
		judgedHere(send(sidecar, []eval.Evaluation{forged(x.setup, x.change)}, nil), "17")
		require.InDelta(t, 1, refused(x.reason), 0, x.reason)
	}

	// A verdict on a span that the setup does not match is none.
	s := send(sidecar, []eval.Evaluation{forged(ours, same)}, func(td ptrace.Traces) {
		firstSpan(td).Attributes().PutStr("gen_ai.system", "anthropic")
	})
	require.InDelta(t, 1, refused("unmatched"), 0)
	records := must[spanRecords](t, h, http.MethodGet, "/v2/warehouse/spans/"+s.TraceID().String()+"/"+s.SpanID().String()+"/evaluations", keys[0], nil)
	require.Empty(t, records.Evaluations)

	// Spans that claim to be stored already are stored, and judged by the setups of the
	// environment.
	judgedHere(send(sidecar, []eval.Evaluation{forged(theirs, same)}, func(td ptrace.Traces) {
		resource := td.ResourceSpans().At(0).Resource().Attributes()
		resource.PutBool(tenant.AttributeDeferred, true)
		resource.PutBool(tenant.AttributeBackfill, true)
		monitor.CarrySetups(resource, []monitor.Setup{{ID: theirs, Generation: 2}}, nil)
		resource.PutStr(tenant.AttributeEnvironmentID, "another")
	}), "17")
	require.InDelta(t, 2, refused("setup"), 0)
	require.EqualValues(t, spans, h.page(t, keys[0]).Spans.TotalResults)
	require.Zero(t, h.page(t, keys[1]).Spans.TotalResults)
	require.InDelta(t, 1, h.numbers(t, "touchstone_sidecar_evaluations_taken")[0], 0)

	// The key is good for nothing else.
	for path, status := range map[string]int{"/v2/setups/bundle": 200, "/v2/auto-monitor-setups": 403, "/v2/warehouse/spans": 403, "/v2/me": 403, "/v2/organizations": 403} {
		got, _ := h.call(t, http.MethodGet, path, sidecar, nil)
		require.Equal(t, status, got, path)
	}
	require.NoError(t, h.Stop())
}
