// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// backend is where an example sends things: a real receiver.
type backend struct {
	url     string
	traces  consumertest.TracesSink
	logs    consumertest.LogsSink
	metrics consumertest.MetricsSink
}

func startBackend(t *testing.T) *backend {
	t.Helper()
	place, err := testbed.New(t.TempDir()) // for its free ports
	require.NoError(t, err)
	b := &backend{url: place.HTTP}
	f := otlpreceiver.NewFactory()
	cfg := f.CreateDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{
		"protocols": map[string]any{"http": map[string]any{"endpoint": strings.TrimPrefix(place.HTTP, "http://")}},
	}).Unmarshal(cfg))
	set := receivertest.NewNopSettings(f.Type())
	traces, err := f.CreateTraces(t.Context(), set, cfg, &b.traces)
	require.NoError(t, err)
	logs, err := f.CreateLogs(t.Context(), set, cfg, &b.logs)
	require.NoError(t, err)
	metrics, err := f.CreateMetrics(t.Context(), set, cfg, &b.metrics)
	require.NoError(t, err)
	for _, r := range []component.Component{traces, logs, metrics} {
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		t.Cleanup(func() { require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context()))) })
	}
	return b
}

// spans are those that arrived so far, by name.
func (b *backend) spans() map[string]ptrace.Span {
	arrived := map[string]ptrace.Span{}
	for _, td := range b.traces.AllTraces() {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					arrived[s.Name()] = s
				}
			}
		}
	}
	return arrived
}

// await waits for the spans of these names, and no others.
func (b *backend) await(t *testing.T, names ...string) map[string]ptrace.Span {
	t.Helper()
	want := map[string]bool{}
	for _, n := range names {
		want[n] = true
	}
	require.Eventually(t, func() bool { return len(b.spans()) >= len(want) }, patience, 10*time.Millisecond)
	arrived := b.spans()
	for name := range arrived {
		require.True(t, want[name], name)
	}
	return arrived
}

// startExample runs the binary with the shipped configuration and an example.
func startExample(t *testing.T, file string, b *backend, env map[string]string) *collector {
	t.Helper()
	h := newCollector(t, t.TempDir())
	h.Env["BACKEND_ENDPOINT"] = b.url
	maps.Copy(h.Env, env)
	h.runBinary(t, "--config", filepath.Join("../docs/configs", file))
	require.NoError(t, h.AwaitReady(t.Context()))
	return h
}

// answers makes a trace of one LLM span for each answer. Spans are named by it.
func answers(texts ...string) ptrace.Traces {
	td := ptrace.NewTraces()
	for i, text := range texts {
		someTraces(byte(i+1), 1).ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
		s := td.ResourceSpans().At(i).ScopeSpans().At(0).Spans().At(0)
		s.SetName(text)
		s.Attributes().PutStr("gen_ai.completion.0.content", text)
	}
	return td
}

const (
	harmless = "The moon is 384,400 km away."
	personal = "Write to jane.doe@example.com."
)

func TestEveryExampleIsTestedAndDocumented(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../docs/configs/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	doc, err := os.ReadFile("../docs/opentelemetry.md")
	require.NoError(t, err)
	tests := ""
	for _, f := range []string{"examples_test.go", "evaluation_logs_test.go"} {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		tests += string(b)
	}
	for _, f := range files {
		name := filepath.Base(f)
		require.Contains(t, tests, `"`+name+`", b`, "%s has no test", name)
		require.Contains(t, string(doc), "(configs/"+name+")", "%s is not in docs/opentelemetry.md", name)
	}
}

func TestTailSamplingExample(t *testing.T) {
	t.Parallel()
	b := startBackend(t)
	h := startExample(t, "tail-sampling.yaml", b, map[string]string{"DECISION_WAIT": "1s"})
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{"pii-detector", "toxicity-detector", "tone-detection", "word-count"}, []map[string]any{rule("judged", "true")})
	toxic, angry, long := "You are a stupid, worthless idiot and I hope you die.", "I am furious! How dare you do this to me, I hate it!", strings.Repeat("word ", 1000)
	td := answers(harmless, personal, toxic, angry, long)
	want := map[string]bool{}
	for i := range td.ResourceSpans().Len() {
		s := td.ResourceSpans().At(i).ScopeSpans().At(0).Spans().At(0)
		s.Attributes().PutStr("judged", "true")
		if i > 0 {
			want[s.Name()] = true
		}
	}
	// A second span of a trace that is kept is kept with it, whatever it says.
	second := td.ResourceSpans().At(1).ScopeSpans().At(0).Spans().AppendEmpty()
	td.ResourceSpans().At(1).ScopeSpans().At(0).Spans().At(0).CopyTo(second)
	second.SetName("second")
	second.SetSpanID([8]byte{9})
	second.Attributes().PutStr("gen_ai.completion.0.content", harmless)
	want["second"] = true
	require.NoError(t, h.exportGRPC(t, key, td))

	const others = 1000
	many := ptrace.NewTraces()
	for i := range others {
		someTraces(1, 1).ResourceSpans().MoveAndAppendTo(many.ResourceSpans())
		s := many.ResourceSpans().At(i).ScopeSpans().At(0).Spans().At(0)
		s.SetTraceID([16]byte{0xff, byte(i >> 8), byte(i)})
		s.SetName("other")
	}
	require.NoError(t, h.exportGRPC(t, key, many))
	require.EqualValues(t, others+6, h.page(t, key, "limit", "1").Spans.TotalResults, "the span store keeps all")

	require.NoError(t, h.Stop()) // which decides about what waits
	arrived := b.spans()
	for name := range want {
		require.Contains(t, arrived, name)
	}
	require.NotContains(t, arrived, harmless)
	sampled := b.traces.SpanCount() - len(want)
	require.InDelta(t, others/10, sampled, others/20)
	requireBare(t, b)
}

// A trace with a failure arrives whole, of the others a twentieth, and each span tells how
// many it stands for. The metrics distinguish their environments.
func TestVerdictSamplingExample(t *testing.T) {
	t.Parallel()
	b := startBackend(t)
	h := startExample(t, "verdict-sampling.yaml", b, nil)
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{"pii-detector", "tone-detection", "word-count"}, nil)
	angry := "I am furious! How dare you do this to me, I hate it!"
	td := answers(personal, angry)
	first := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	second := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().AppendEmpty()
	first.CopyTo(second)
	second.SetName("second")
	second.SetSpanID([8]byte{9})
	second.Attributes().PutStr("gen_ai.completion.0.content", harmless)
	require.NoError(t, h.exportGRPC(t, key, td))

	const others = 2000
	many := ptrace.NewTraces()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range others {
		someTraces(1, 1).ResourceSpans().MoveAndAppendTo(many.ResourceSpans())
		s := many.ResourceSpans().At(i).ScopeSpans().At(0).Spans().At(0)
		s.SetTraceID(randomTrace(random))
		s.SetName("other")
	}
	require.NoError(t, h.exportGRPC(t, key, many))
	require.EqualValues(t, others+3, h.page(t, key, "limit", "1").Spans.TotalResults, "the span store keeps all")

	require.NoError(t, h.Stop()) // which decides about what waits
	arrived := b.spans()
	for _, name := range []string{personal, "second", angry} {
		require.Contains(t, arrived, name)
		require.Equal(t, "ot=th:0", arrived[name].TraceState().AsRaw())
	}
	require.Equal(t, "ot=th:f33333", arrived["other"].TraceState().AsRaw())
	require.InDelta(t, others/20, b.traces.SpanCount()-3, 40)
	environment, told := b.traces.AllTraces()[0].ResourceSpans().At(0).Resource().Attributes().Get("deployment.environment.id")
	require.True(t, told)
	require.NotEmpty(t, environment.AsString())
	requireBare(t, b)
}

func TestDropPIIExample(t *testing.T) {
	t.Parallel()
	b := startBackend(t)
	h := startExample(t, "drop-pii.yaml", b, nil)
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{"pii-detector"}, nil)
	require.NoError(t, h.exportGRPC(t, key, answers(harmless, personal, "Nothing to hide.")))
	require.EqualValues(t, 3, h.page(t, key).Spans.TotalResults)
	require.NoError(t, h.Stop())
	arrived := b.await(t, harmless, "Nothing to hide.")
	found, _ := arrived[harmless].Attributes().Get("evaluation.pii-detector.has_pii")
	require.Equal(t, "false", found.AsString())
	requireBare(t, b)
}

func TestRedactPIIExample(t *testing.T) {
	t.Parallel()
	b := startBackend(t)
	h := startExample(t, "redact-pii.yaml", b, nil)
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{"pii-detector"}, []map[string]any{rule("judged", "true")})
	td := answers(harmless, personal, "never evaluated")
	for i := range td.ResourceSpans().Len() {
		s := td.ResourceSpans().At(i).ScopeSpans().At(0).Spans().At(0)
		s.Attributes().PutBool("judged", i < 2)
		s.Attributes().PutStr("traceloop.entity.input", "the prompt once more")
		s.Status().SetMessage("the prompt once more")
		s.Events().AppendEmpty().Attributes().PutStr("gen_ai.event.content", "the prompt once more")
		s.SetName([]string{"clean", "personal", "not judged"}[i])
	}
	require.NoError(t, h.exportGRPC(t, key, td))
	stored := h.page(t, key)
	require.EqualValues(t, 3, stored.Spans.TotalResults)
	for _, s := range stored.Spans.Data {
		require.NotEmpty(t, s.Completions)
	}
	require.NoError(t, h.Stop())

	arrived := b.await(t, "clean", "personal", "not judged")
	clean := arrived["clean"].Attributes().AsRaw()
	require.Equal(t, "the prompt once more", arrived["clean"].Status().Message())
	require.Equal(t, harmless, clean["gen_ai.completion.0.content"])
	require.NotContains(t, clean, "redacted")
	require.Equal(t, map[string]any{
		"gen_ai.system": "openai", "gen_ai.request.model": "gpt-4o-mini", "gen_ai.usage.prompt_tokens": int64(10),
		"gen_ai.usage.completion_tokens": int64(7), "evaluation.pii-detector.has_pii": true,
		"evaluation.pii-detector.reason": "Found EMAIL_ADDRESS.", "redacted": true,
	}, arrived["personal"].Attributes().AsRaw())
	require.Equal(t, true, arrived["not judged"].Attributes().AsRaw()["redacted"])
	for _, name := range []string{"personal", "not judged"} {
		require.Zero(t, arrived[name].Events().At(0).Attributes().Len())
		require.Empty(t, arrived[name].Status().Message())
		require.NotContains(t, arrived[name].Attributes().AsRaw(), "gen_ai.completion.0.content")
		require.NotContains(t, arrived[name].Attributes().AsRaw(), "traceloop.entity.input")
	}
	requireBare(t, b)
}

// judgedSpan is the span that an exemplar leads to.
type judgedSpan struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

// exemplars are the spans that the exemplars of a metric lead to, by the metric's
// labels, in all that arrived so far.
func (b *backend) exemplars(metric, second string) map[string][]judgedSpan {
	found := map[string][]judgedSpan{}
	add := func(labels pcommon.Map, of pmetric.ExemplarSlice) {
		evaluator, _ := labels.Get("evaluator")
		label, _ := labels.Get(second)
		for _, e := range of.All() {
			name := evaluator.AsString() + " " + label.AsString()
			found[name] = append(found[name], judgedSpan{e.TraceID(), e.SpanID()})
		}
	}
	for _, md := range b.metrics.AllMetrics() {
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					if m.Name() != metric {
						continue
					}
					switch m.Type() { //nolint:exhaustive // what these two metrics are
					case pmetric.MetricTypeSum:
						for _, p := range m.Sum().DataPoints().All() {
							add(p.Attributes(), p.Exemplars())
						}
					case pmetric.MetricTypeHistogram:
						for _, p := range m.Histogram().DataPoints().All() {
							add(p.Attributes(), p.Exemplars())
						}
					}
				}
			}
		}
	}
	return found
}

// Metrics of verdicts lead to the spans that were judged, of evaluators that judge at
// once and of those that ask a model. The Prometheus endpoint is there besides, and
// tells nothing of spans, whichever format is asked for.
func TestVerdictMetricsExample(t *testing.T) {
	t.Parallel()
	b, j := startBackend(t), startJudge(t)
	h := startExample(t, "verdict-metrics.yaml", b, map[string]string{
		"METRICS_INTERVAL": "50", "TOUCHSTONE_JUDGE_URL": j.URL(), "TOUCHSTONE_JUDGE_MODEL": "judge",
	})
	key := h.key(t, "ours")
	h.setup(t, key, "answers", []string{"pii-detector", "word-count", judged}, nil)
	h.setup(t, key, "others", []string{"char-count"}, nil)
	td := judgedTraces(0, 2)
	sent := map[judgedSpan]bool{}
	for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		sent[judgedSpan{s.TraceID(), s.SpanID()}] = true
	}
	require.NoError(t, h.exportGRPC(t, key, td))
	counted := []string{"pii-detector pass", "word-count scored", judged + " pass"}
	var labels, scores map[string][]judgedSpan
	require.Eventually(t, func() bool {
		labels, scores = b.exemplars("touchstone_verdicts_total", "label"), b.exemplars("touchstone_verdict_scores", "output")
		return !slices.ContainsFunc(counted, func(name string) bool { return len(labels[name]) == 0 }) && len(scores["word-count word_count"]) > 0
	}, patience, 10*time.Millisecond)
	require.Len(t, labels, len(counted), "those of the other setup are left out")
	for _, of := range []map[string][]judgedSpan{labels, scores} {
		for name, spans := range of {
			for _, s := range spans {
				require.True(t, sent[s], "%s: trace %s, span %s", name, s.trace, s.span)
			}
		}
	}

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+h.Env["TOUCHSTONE_METRICS_PORT"]+"/metrics", nil)
	require.NoError(t, err)
	req.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), `touchstone_verdicts_total{evaluator="pii-detector"`)
	require.NotContains(t, string(text), "trace_id")
}

// requireBare fails if something that is only ours to know went out.
func requireBare(t *testing.T, b *backend) {
	t.Helper()
	m := ptrace.JSONMarshaler{}
	for _, td := range b.traces.AllTraces() {
		text, err := m.MarshalTraces(td)
		require.NoError(t, err)
		require.NotContains(t, string(text), "touchstone.")
	}
}
