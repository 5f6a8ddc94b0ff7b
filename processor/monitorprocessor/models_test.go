// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// judges provides a judge to every evaluator.
type judges struct {
	component.StartFunc
	component.ShutdownFunc
	judge eval.JudgeModel
}

var _ eval.ModelProvider = (*judges)(nil)

func (j *judges) Models(string) eval.Models                 { return eval.Models{Judge: j.judge} }
func (j *judges) Judge(name string) (eval.JudgeModel, bool) { return j.judge, name == "scripted" }

// byEvaluator is a judge that answers each evaluator the same every time.
type byEvaluator map[string]string

func (b byEvaluator) Judge(_ context.Context, q eval.Question) (eval.Verdict, error) {
	return eval.Verdict{JSON: json.RawMessage(b[q.Evaluator])}, nil
}

// scripted provides a judge that asks a server with a script, over HTTP.
func scripted(t *testing.T, steps ...modeltest.Step) (*judges, *modeltest.Server) {
	t.Helper()
	models, server := modeltest.Models(t, steps...)
	return &judges{judge: models.Judge}, server
}

// startWith starts a processor with models, and with a store unless live is nil.
func startWith(tb testing.TB, live *cache.Cache, models *judges, cfg *Config) (*monitorProcessor, *componenttest.Telemetry) {
	tb.Helper()
	tel := componenttest.NewTelemetry()
	tb.Cleanup(func() { _ = tel.Shutdown(context.Background()) })
	extensions := map[component.ID]component.Component{}
	if live == nil {
		cfg.Store = component.ID{}
	} else {
		extensions[cfg.Store] = &storeProvider{live: live}
	}
	if models != nil {
		cfg.Models = component.MustNewID("models")
		extensions[cfg.Models] = models
	}
	p, err := newProcessor(cfg, evaluators.Catalog(), tel.NewTelemetrySettings())
	require.NoError(tb, err)
	require.NoError(tb, p.start(context.Background(), host{extensions}))
	tb.Cleanup(func() { require.NoError(tb, p.shutdown(context.Background())) })
	return p, tel
}

// qualityJudge is a custom evaluator.
func qualityJudge() eval.CustomEvaluator {
	return eval.CustomEvaluator{
		ID: "custom-1", Slug: "quality-judge", EnvironmentID: env, Name: "Quality", Provider: "scripted", Model: modeltest.JudgeModel,
		Messages: []eval.CustomMessage{{Role: eval.RoleSystem, Content: "You judge {{text}}."}},
		Input:    []eval.CustomField{{Name: "text", Type: eval.CustomString}},
		Output:   []eval.CustomField{{Name: "pass", Type: eval.CustomBoolean}},
		Version:  1, VersionID: "v1",
	}
}

const qualityAnswer = `{"pass":true}`

func evaluatorFor(c eval.CustomEvaluator) monitor.SetupEvaluator {
	return monitor.SetupEvaluator{Slug: c.Slug, CustomID: c.ID}
}

// owed gives stored spans as the backlog sends them, each with a resource of
// its own and its pending evaluations.
type owed struct {
	setups   []monitor.Setup
	custom   []eval.CustomEvaluator
	backfill bool
	td       ptrace.Traces
}

func newOwed(evaluators ...monitor.SetupEvaluator) *owed {
	return &owed{
		setups: []monitor.Setup{{ID: "setup-1", EnvironmentID: env, Evaluators: evaluators, Status: monitor.Completed}},
		td:     ptrace.NewTraces(),
	}
}

func deferredBy(slug string) eval.Evaluation {
	return eval.Evaluation{SetupID: "setup-1", Evaluator: slug, Status: eval.Deferred, Reason: eval.ReasonModel, Time: 5, Due: 5}
}

// add puts a span there; what is written on it first is stored.
func (o *owed) add(write func(s ptrace.Span), evaluations ...eval.Evaluation) {
	sent := stamped(1)
	from := spanAt(sent, 0)
	from.SetTraceID(pcommon.TraceID{7})
	from.SetSpanID(pcommon.SpanID{byte(o.td.ResourceSpans().Len() + 1)})
	if write != nil {
		write(from)
	}
	stored := genai.FromOTLP(genai.NewResource(pcommon.NewResource()), pcommon.NewInstrumentationScope(), from)
	rs := o.td.ResourceSpans().AppendEmpty()
	attributes := rs.Resource().Attributes()
	attributes.PutStr(tenant.AttributeEnvironmentID, string(env))
	attributes.PutBool(tenant.AttributeDeferred, true)
	if o.backfill {
		attributes.PutBool(tenant.AttributeBackfill, true)
	}
	monitor.CarrySetups(attributes, o.setups, o.custom)
	monitor.Carry(genai.ToOTLP(&stored, rs).Attributes(), evaluations)
}

// of returns what the span at i carries.
func (o *owed) of(i int) []eval.Evaluation {
	return monitor.Carried(o.td.ResourceSpans().At(i).ScopeSpans().At(0).Spans().At(0).Attributes())
}

func (o *owed) pass(t *testing.T, p *monitorProcessor) {
	t.Helper()
	_, err := p.processTraces(t.Context(), o.td)
	require.NoError(t, err)
}
