// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// opinionRecord is the record of a verdict from another source.
type opinionRecord struct {
	SetupID   string         `json:"setup_id"`
	Evaluator string         `json:"evaluator"`
	Status    string         `json:"status"`
	Reason    string         `json:"reason"`
	Outputs   map[string]any `json:"outputs"`
	Version   string         `json:"version"`
	Model     string         `json:"model"`
	Source    string         `json:"source"`
	Time      string         `json:"time"`
}

func (h *collector) opinions(t *testing.T, key string, s ptrace.Span) []opinionRecord {
	t.Helper()
	type answer struct {
		Evaluations []opinionRecord `json:"evaluations"`
	}
	path := "/v2/warehouse/spans/" + s.TraceID().String() + "/" + s.SpanID().String() + "/evaluations"
	list := must[answer](t, h, http.MethodGet, path, key, nil).Evaluations
	slices.SortFunc(list, func(a, b opinionRecord) int {
		return strings.Compare(a.Evaluator+a.SetupID, b.Evaluator+b.SetupID)
	})
	return list
}

// scrape returns what the collector says of itself.
func (h *collector) scrape(t *testing.T) string {
	t.Helper()
	resp, err := http.Get("http://127.0.0.1:" + h.Env["TOUCHSTONE_METRICS_PORT"] + "/metrics")
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(body)
}

func (h *collector) postLogs(t *testing.T, key string, ld plog.Logs) {
	t.Helper()
	m := plog.ProtoMarshaler{}
	body, err := m.MarshalLogs(ld)
	require.NoError(t, err)
	status, _, answer := h.postOTLP(t, "/v1/logs", key, "application/x-protobuf", "", body)
	require.Equal(t, http.StatusOK, status, string(answer))
}

// producers are the ways in which verdicts come, in the shapes that their
// producers send: what each puts on a span, or sends as a log record about it.
var producers = []struct {
	name string
	span func(s ptrace.Span)
	log  func(r plog.LogRecord)
}{
	{name: "OpenInference annotations", span: func(s ptrace.Span) {
		a := s.Attributes()
		a.PutStr("annotations.0.annotation.name", "hallucination")
		a.PutDouble("annotations.0.annotation.score", 1)
		a.PutStr("annotations.0.annotation.label", "hallucinated")
		a.PutStr("annotations.0.annotation.explanation", "No document says so.")
		a.PutStr("annotations.0.annotation.annotator_kind", "LLM")
		a.PutStr("annotations.0.annotation.identifier", "judge-v2")
		a.PutStr("annotations.0.annotation.metadata", `{"rubric_version":"2026-07-01"}`)
		a.PutStr("trace.annotations.0.annotation.name", "user_frustration")
		a.PutStr("trace.annotations.0.annotation.label", "calm")
		a.PutStr("trace.annotations.0.annotation.annotator_kind", "HUMAN")
	}},
	{name: "OpenInference evaluations of a span without a link", span: func(s ptrace.Span) {
		s.Attributes().PutStr("evaluations.0.evaluation.name", "groundedness")
		s.Attributes().PutInt("evaluations.0.evaluation.score", 3)
		s.Attributes().PutStr("evaluations.0.evaluation.annotator_kind", "CODE")
	}},
	{name: "events of DeepEval and Splunk's instrumentation", span: func(s ptrace.Span) {
		for name, score := range map[string]float64{"bias": 0.125, "toxicity": 0} {
			e := s.Events().AppendEmpty()
			e.SetName("gen_ai.evaluation.result")
			e.SetTimestamp(s.EndTimestamp())
			e.Attributes().PutStr("gen_ai.evaluation.name", name)
			e.Attributes().PutDouble("gen_ai.evaluation.score.value", score)
			e.Attributes().PutStr("gen_ai.evaluation.score.label", "Not "+name)
		}
	}},
	{name: "pydantic-evals", log: func(r plog.LogRecord) {
		r.Body().SetStr("evaluation: Correctness=True")
		r.Attributes().PutStr("gen_ai.evaluation.name", "Correctness")
		r.Attributes().PutDouble("gen_ai.evaluation.score.value", 1)
		r.Attributes().PutStr("gen_ai.evaluation.score.label", "pass")
		r.Attributes().PutStr("gen_ai.evaluation.explanation", "looks right")
		r.Attributes().PutStr("gen_ai.evaluation.target", "my_agent")
		r.Attributes().PutStr("gen_ai.evaluation.evaluator.version", "v2")
	}},
	{name: "pydantic-evals that failed", log: func(r plog.LogRecord) {
		r.SetSeverityNumber(plog.SeverityNumberWarn)
		r.Attributes().PutStr("gen_ai.evaluation.name", "Broken")
		r.Attributes().PutStr("error.type", "ValueError")
		r.Attributes().PutStr("gen_ai.evaluation.explanation", "bad input")
	}},
	{name: "Bedrock AgentCore", log: func(r plog.LogRecord) {
		r.Attributes().PutStr("gen_ai.evaluation.name", "Builtin.Helpfulness")
		r.Attributes().PutDouble("gen_ai.evaluation.score.value", 0.83)
		r.Attributes().PutStr("gen_ai.evaluation.score.label", "Very Helpful")
		r.Attributes().PutStr("aws.bedrock_agentcore.evaluator.id", "Builtin.Helpfulness")
		r.Attributes().PutStr("session.id", "s-1")
	}},
	{name: "Azure AI Evaluation", log: func(r plog.LogRecord) {
		r.Attributes().PutStr("event.name", "gen_ai.evaluation.result")
		r.SetEventName("")
		r.Attributes().PutStr("gen_ai.evaluation.name", "relevance")
		r.Attributes().PutInt("gen_ai.evaluation.score.value", 4)
		r.Attributes().PutStr("gen_ai.response.id", "chatcmpl-1")
	}},
}

// plainSpan is the span that the producer of this number judges.
func plainSpan(n int) ptrace.Traces {
	td := someTraces(byte(0x40+n), 1)
	s := firstSpan(td)
	s.SetStartTimestamp(opinionTime)
	s.SetEndTimestamp(opinionTime + 5_000_000)
	return td
}

var opinionTime = pcommon.NewTimestampFromTime(time.Now().Add(-time.Minute).Truncate(time.Millisecond))

func recordAbout(s ptrace.Span) (plog.Logs, plog.LogRecord) {
	ld := plog.NewLogs()
	r := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	r.SetEventName("gen_ai.evaluation.result")
	r.SetTimestamp(s.EndTimestamp())
	r.SetTraceID(s.TraceID())
	r.SetSpanID(s.SpanID())
	return ld, r
}

// What others say of spans goes in in every form that is sent, is shown as theirs,
// goes out as events, and these say the same to who reads them.
func TestVerdictsOfOthersGoInAndOutAndInAgain(t *testing.T) {
	t.Parallel()
	b := startBackend(t)
	h := newCollector(t, t.TempDir())
	h.Env["BACKEND_ENDPOINT"] = b.url
	h.runBinary(t, "--config", "../docs/configs/results.yaml", "--config", "yaml:connectors::evaluation::include_explanations: true",
		"--config", "yaml:service::pipelines::logs::exporters: [spanstore, otlp_http/results]")
	require.NoError(t, h.AwaitReady(t.Context()))
	first, second := h.key(t, "first"), h.key(t, "second")

	for n, p := range producers {
		td := plainSpan(n)
		s := firstSpan(td)
		if p.span != nil {
			p.span(s)
		}
		if p.log != nil { // which is there before its span
			ld, r := recordAbout(s)
			p.log(r)
			h.postLogs(t, first, ld)
		}
		require.NoError(t, h.exportGRPC(t, first, td))
	}
	shown := make([][]opinionRecord, len(producers))
	told := 0
	for n, p := range producers {
		s := firstSpan(plainSpan(n))
		require.Eventually(t, func() bool { return len(h.opinions(t, first, s)) > 0 }, patience, 20*time.Millisecond, p.name)
		shown[n] = h.opinions(t, first, s)
		for _, o := range shown[n] {
			require.Equal(t, "sdk", o.Source)
			require.True(t, strings.HasPrefix(o.Evaluator, "sdk:"), o.Evaluator)
		}
		told += len(shown[n])
	}
	require.Equal(t, opinionRecord{
		SetupID: "sdk:judge-v2", Evaluator: "sdk:hallucination", Status: "done", Source: "sdk", Time: shown[0][0].Time,
		Outputs: map[string]any{"score": 1.0, "label": "hallucinated", "explanation": "No document says so.", "kind": "llm_judge", "metadata": `{"rubric_version":"2026-07-01"}`},
	}, shown[0][0])
	require.Equal(t, "failed", shown[4][0].Status)
	require.Equal(t, "ValueError", shown[4][0].Reason)

	// Filtered as ours are.
	page := h.page(t, first, "filters", filters(t, map[string]any{"id": "evaluation.sdk:Builtin.Helpfulness.score", "operator": "greater_than", "value": 0.8}))
	require.Len(t, page.Spans.Data, 1)

	// Out as events, and in again, of spans that say nothing themselves.
	require.Eventually(t, func() bool { return b.logs.LogRecordCount() >= told }, patience, 20*time.Millisecond)
	require.Equal(t, told, b.logs.LogRecordCount())
	for _, ld := range b.logs.AllLogs() {
		h.postLogs(t, second, ld)
	}
	for n, p := range producers {
		td := plainSpan(n)
		require.NoError(t, h.exportGRPC(t, second, td))
		require.Eventually(t, func() bool { return len(h.opinions(t, second, firstSpan(td))) == len(shown[n]) }, patience, 20*time.Millisecond, p.name)
		require.Equal(t, shown[n], h.opinions(t, second, firstSpan(td)), p.name)
	}
}

// An evaluator's span tells of the span that it links to, also before that comes.
// Nothing that a client sends passes for ours, nor reaches another's span.
func TestVerdictsOfOthersAreNeverOurs(t *testing.T) {
	t.Parallel()
	h := startBinary(t, t.TempDir())
	ours, theirs := h.key(t, "ours"), h.key(t, "theirs")
	h.setup(t, ours, "m", []string{"char-count"}, nil)
	target := plainSpan(0)

	judge := plainSpan(1)
	s := firstSpan(judge)
	s.Attributes().PutStr("openinference.span.kind", "EVALUATOR")
	s.Attributes().PutStr("evaluations.0.evaluation.name", "char-count")
	s.Attributes().PutInt("evaluations.0.evaluation.score", 1)
	s.Attributes().PutStr("evaluations.0.evaluation.identifier", "m")
	s.Attributes().PutStr("evaluation.char-count.char_count", "1")
	s.Attributes().PutStr("touchstone.evaluations", "forged")
	link := s.Links().AppendEmpty()
	link.SetTraceID(firstSpan(target).TraceID())
	link.SetSpanID(firstSpan(target).SpanID())
	require.NoError(t, h.exportGRPC(t, ours, judge))
	ld, r := recordAbout(firstSpan(target))
	ld.ResourceLogs().At(0).Resource().Attributes().PutStr("touchstone.environment.id", "theirs")
	r.Attributes().PutStr("gen_ai.evaluation.name", "char-count")
	r.Attributes().PutInt("gen_ai.evaluation.score.value", 2)
	r.Attributes().PutStr("touchstone.evaluation.setup.id", "m")
	h.postLogs(t, ours, ld)
	require.NoError(t, h.exportGRPC(t, ours, target))
	require.NoError(t, h.exportGRPC(t, theirs, target))

	require.Eventually(t, func() bool { return len(h.opinions(t, ours, firstSpan(target))) == 3 }, patience, 20*time.Millisecond)
	list := h.opinions(t, ours, firstSpan(target))
	require.Equal(t, []string{"touchstone char-count", "sdk sdk:char-count", "sdk sdk:char-count"},
		[]string{list[0].Source + " " + list[0].Evaluator, list[1].Source + " " + list[1].Evaluator, list[2].Source + " " + list[2].Evaluator})
	require.Equal(t, []string{"sdk:", "sdk:m"}, []string{list[1].SetupID, list[2].SetupID})
	require.Empty(t, h.opinions(t, theirs, firstSpan(target)))
	page := h.page(t, ours, "filters", filters(t, map[string]any{"id": "evaluation.char-count.char_count", "operator": "equals", "value": 1}))
	require.Empty(t, page.Spans.Data, "no forged verdict of ours")
	scraped := h.scrape(t)
	for _, line := range []string{`^touchstone_tenant_forged_attributes 4$`, `^touchstone_opinions\{.*outcome="waited".*\} 2$`, `^touchstone_opinions\{.*outcome="stored".*\} 2$`} {
		require.Regexp(t, "(?m)"+line, scraped)
	}
}
