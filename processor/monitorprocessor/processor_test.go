// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/testbed/leaktest"
)

func TestMain(m *testing.M) { leaktest.Verify(m) }

// storeProvider provides a live control store on a real database.
type storeProvider struct {
	component.StartFunc
	component.ShutdownFunc
	live *cache.Cache
}

func (l *storeProvider) Engine() store.Engine   { return nil }
func (l *storeProvider) Backlog() store.Backlog { return nil }
func (l *storeProvider) Control() *cache.Cache  { return l.live }

type host struct {
	extensions map[component.ID]component.Component
}

func (h host) GetExtensions() map[component.ID]component.Component { return h.extensions }

const env = tenant.EnvironmentID("env-1")

func newLive(tb testing.TB) *cache.Cache {
	tb.Helper()
	live, err := cache.New(context.Background(), openControl(tb))
	require.NoError(tb, err)
	found(tb, live)
	return live
}

func openControl(tb testing.TB) store.Control {
	tb.Helper()
	control, err := sqldb.Open(context.Background(), sqldb.Config{Path: filepath.Join(tb.TempDir(), "control.db")})
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = control.Close() })
	return control
}

// found makes the organization that all is in.
func found(tb testing.TB, live *cache.Cache) {
	tb.Helper()
	org := tenant.Organization{
		ID: "org-1", Name: "Acme", Retention: time.Hour, CreatedAt: time.Now(),
		Projects: []tenant.Project{{ID: "project-1", Slug: "default", Environments: []tenant.Environment{
			{ID: env, Slug: "prd", OrganizationID: "org-1", ProjectID: "project-1", Retention: time.Hour},
		}}},
	}
	require.NoError(tb, live.CreateOrganization(context.Background(), org, []tenant.Key{
		{ID: "key-1", Scope: tenant.Full, Digest: tenant.DigestOf("k"), Environment: org.Projects[0].Environments[0]},
	}))
}

func startProcessor(tb testing.TB, live *cache.Cache, catalog *eval.Catalog, cfg *Config) (*monitorProcessor, *componenttest.Telemetry) {
	tb.Helper()
	tel := componenttest.NewTelemetry()
	tb.Cleanup(func() { _ = tel.Shutdown(context.Background()) })
	p, err := newProcessor(cfg, catalog, tel.NewTelemetrySettings())
	require.NoError(tb, err)
	require.NoError(tb, p.start(context.Background(), host{map[component.ID]component.Component{cfg.Store: &storeProvider{live: live}}}))
	tb.Cleanup(func() { require.NoError(tb, p.shutdown(context.Background())) })
	return p, tel
}

// defaults are those of the processor, but that no machine is too slow for the budgets.
func defaults() *Config {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.Budget, cfg.ActBudget = time.Hour, time.Hour
	return cfg
}

func createSetup(tb testing.TB, live *cache.Cache, externalID string, slugs []string, rules ...monitor.Rule) monitor.Setup {
	tb.Helper()
	var evaluators []monitor.SetupEvaluator
	for _, slug := range slugs {
		evaluators = append(evaluators, monitor.SetupEvaluator{Slug: slug})
	}
	return storeSetup(tb, live, externalID, evaluators, rules...)
}

// storeSetup makes a setup of these evaluators, all of them pending.
func storeSetup(tb testing.TB, live *cache.Cache, externalID string, evaluators []monitor.SetupEvaluator, rules ...monitor.Rule) monitor.Setup {
	tb.Helper()
	s := monitor.Setup{
		ID: uuid.NewString(), ExternalID: externalID, OrganizationID: "org-1", ProjectID: "project-1", EnvironmentID: env,
		Selector: rules, Status: monitor.Pending, Revision: 1, Generation: 1, CreatedAt: time.Now(), UpdatedAt: time.Now(),
		Evaluators: evaluators,
	}
	for i := range s.Evaluators {
		s.Evaluators[i].Status = monitor.Pending
	}
	require.NoError(tb, store.Setups(live).Create(context.Background(), s))
	return s
}

func exists(key string) monitor.Rule {
	return monitor.Rule{Key: key, Source: monitor.SpanAttributes, Operator: query.OpExists}
}

// stamped makes n LLM spans that the tenant processor has seen.
func stamped(n int) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr(tenant.AttributeEnvironmentID, string(env))
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	for i := range n {
		s := spans.AppendEmpty()
		s.SetName("chat")
		a := s.Attributes()
		for j := range 20 {
			a.PutStr("attribute."+strconv.Itoa(j), "some value")
		}
		a.PutStr("gen_ai.system", "openai")
		a.PutStr("gen_ai.prompt.0.role", "user")
		a.PutStr("gen_ai.prompt.0.content", "How far is the moon?")
		a.PutStr("gen_ai.completion.0.role", "assistant")
		a.PutStr("gen_ai.completion.0.content", "About 384,400 km.")
		a.PutInt("number", int64(i))
	}
	return td
}

func spanAt(td ptrace.Traces, i int) ptrace.Span {
	return td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(i)
}

func TestMatchingSpansAreJudged(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	one := createSetup(t, live, "one", []string{"char-count", "perplexity"}, exists("llm.vendor"))
	two := createSetup(t, live, "two", []string{"char-count"}, exists("gen_ai.system"))
	createSetup(t, live, "none", []string{"word-count"}, exists("absent"))
	p, tel := startProcessor(t, live, evaluators.Catalog(), defaults())

	td, err := p.processTraces(t.Context(), stamped(2))
	require.NoError(t, err)
	for i := range 2 {
		made := monitor.Carried(spanAt(td, i).Attributes())
		require.Len(t, made, 3)
		for j, want := range []struct {
			setup, evaluator string
			status           eval.Status
			reason           string
		}{
			{one.ID, "char-count", eval.Done, ""},
			{one.ID, "perplexity", eval.Skipped, eval.ReasonMissingInput},
			{two.ID, "char-count", eval.Done, ""},
		} {
			require.Equal(t, want.setup, made[j].SetupID)
			require.Equal(t, want.evaluator, made[j].Evaluator)
			require.Equal(t, want.status, made[j].Status)
			require.Equal(t, want.reason, made[j].Reason)
		}
		require.Equal(t, []eval.Output{{Name: "char_count", Value: int64(17)}}, made[0].Outputs)
		require.Equal(t, made[0].Outputs, made[2].Outputs)
		require.Equal(t, eval.Deterministic, made[0].Backend)
		shown, ok := spanAt(td, i).Attributes().Get("evaluation.char-count.char_count")
		require.True(t, ok)
		require.EqualValues(t, 17, shown.Int())
	}

	counted, err := tel.GetMetric("touchstone_evaluations")
	require.NoError(t, err)
	total := map[string]int64{}
	for _, point := range counted.Data.(metricdata.Sum[int64]).DataPoints {
		status, _ := point.Attributes.Value("status")
		total[status.AsString()] += point.Value
	}
	require.Equal(t, map[string]int64{"done": 4, "skipped": 2}, total)
}

func TestMonitorsMayReadEarlierVerdicts(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	createSetup(t, live, "after", []string{"word-count"}, monitor.Rule{
		Key: "evaluation.char-count.char_count", Source: monitor.SpanAttributes, Operator: query.OpIn, Values: []string{"17"},
	})
	createSetup(t, live, "before", []string{"char-count"})
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	td, err := p.processTraces(t.Context(), stamped(1))
	require.NoError(t, err)
	made := monitor.Carried(spanAt(td, 0).Attributes())
	require.Len(t, made, 2)
	require.Equal(t, "word-count", made[1].Evaluator)
	require.Equal(t, eval.Done, made[1].Status)
}

func TestSpentBudgetIsSaidSo(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	createSetup(t, live, "one", []string{"char-count", "word-count"})
	cfg := defaults()
	cfg.Budget = 1 // one nanosecond
	p, _ := startProcessor(t, live, evaluators.Catalog(), cfg)
	td, err := p.processTraces(t.Context(), stamped(2))
	require.NoError(t, err)
	first, second := monitor.Carried(spanAt(td, 0).Attributes()), monitor.Carried(spanAt(td, 1).Attributes())
	require.Equal(t, eval.Done, first[0].Status)
	for _, late := range []eval.Evaluation{first[1], second[0], second[1]} {
		require.Equal(t, eval.Deferred, late.Status)
		require.Equal(t, eval.ReasonOverBudget, late.Reason)
		require.Equal(t, late.Time, late.Due)
		require.Empty(t, late.Outputs)
	}
	td, err = p.processTraces(t.Context(), stamped(1))
	require.NoError(t, err)
	require.Equal(t, eval.Done, monitor.Carried(spanAt(td, 0).Attributes())[0].Status, "each batch has its own")
}

type anyText struct {
	Text string `json:"text" doc:"Any." need:"required" span:"output"`
}

type nothing struct {
	Fine bool `json:"fine" doc:"Always."`
}

// A defect in one evaluator is a failure of its evaluation alone.
func TestPanickingEvaluatorFailsAlone(t *testing.T) {
	t.Parallel()
	bad, err := eval.New(eval.Definition[anyText, eval.None, nothing]{
		Slug: "bad", Doc: "Panics.", Examples: []eval.Example{{Input: `{"text":"x"}`, Want: `{"fine":true}`}},
		Run: func(_ context.Context, in anyText, _ eval.None) (nothing, error) { panic(in.Text) },
	})
	require.NoError(t, err)
	good, _ := evaluators.Catalog().Get("char-count")
	catalog, err := eval.NewCatalog(bad, good)
	require.NoError(t, err)
	live := newLive(t)
	createSetup(t, live, "one", []string{"bad", "char-count"})
	p, _ := startProcessor(t, live, catalog, defaults())
	td, err := p.processTraces(t.Context(), stamped(1))
	require.NoError(t, err)
	made := monitor.Carried(spanAt(td, 0).Attributes())
	require.Equal(t, eval.Failed, made[0].Status)
	require.Equal(t, "internal error", made[0].Reason)
	require.Equal(t, eval.Done, made[1].Status)
}

// An evaluator that lacks a required configuration cannot run: the setup says
// so, and no span is evaluated by it in vain.
func TestEvaluatorWithoutItsConfigFails(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	createSetup(t, live, "one", []string{"regex-validator", "char-count", "action-advancement"})
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	waiting := await(t, live, "one", monitor.WaitingForSpans)
	require.Equal(t, monitor.FailedStatus, waiting.Evaluators[0].Status)
	require.Contains(t, waiting.Evaluators[0].ErrorMessage, "config.regex")
	require.Equal(t, monitor.FailedStatus, waiting.Evaluators[2].Status)
	require.Contains(t, waiting.Evaluators[2].ErrorMessage, "judge model")
	td, err := p.processTraces(t.Context(), stamped(1))
	require.NoError(t, err)
	made := monitor.Carried(spanAt(td, 0).Attributes())
	require.Len(t, made, 3, "the reason why a span was not judged")
	require.Equal(t, eval.Failed, made[0].Status)
	require.Contains(t, made[0].Reason, "config.regex")
	require.Equal(t, eval.Done, made[1].Status)
	require.Equal(t, eval.Failed, made[2].Status)
	require.Contains(t, made[2].Reason, "judge model")
	await(t, live, "one", monitor.Partial)
}

func TestUnstampedSpansAreRefusedForGood(t *testing.T) {
	t.Parallel()
	p, _ := startProcessor(t, newLive(t), evaluators.Catalog(), defaults())
	td := stamped(1)
	td.ResourceSpans().At(0).Resource().Attributes().Clear()
	_, err := p.processTraces(t.Context(), td)
	require.True(t, consumererror.IsPermanent(err))
}

func TestSpansWithoutMonitorsPassUntouched(t *testing.T) {
	t.Parallel()
	p, _ := startProcessor(t, newLive(t), evaluators.Catalog(), defaults())
	before := stamped(3)
	want := ptrace.NewTraces()
	before.CopyTo(want)
	after, err := p.processTraces(t.Context(), before)
	require.NoError(t, err)
	require.Equal(t, want, after)
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	f := NewFactory()
	set := processortest.NewNopSettings(Type)
	never, err := f.CreateTraces(t.Context(), set, f.CreateDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, never.Shutdown(t.Context()), "without a start")

	p, err := f.CreateTraces(t.Context(), set, f.CreateDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.True(t, p.Capabilities().MutatesData)
	require.ErrorContains(t, p.Start(t.Context(), componenttest.NewNopHost()), `"store"`)
	require.NoError(t, p.Start(t.Context(), host{map[component.ID]component.Component{
		component.MustNewID("store"): &storeProvider{live: newLive(t)},
	}}))
	require.NoError(t, p.ConsumeTraces(t.Context(), stamped(1)))
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, p.Shutdown(t.Context()))
}
