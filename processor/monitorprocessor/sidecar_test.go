// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// setupsProvider provides setups as the setups extension of a sidecar does.
type setupsProvider struct {
	component.StartFunc
	component.ShutdownFunc
	setups []monitor.Setup
}

func (p *setupsProvider) Live() store.Live                            { return p }
func (p *setupsProvider) Setups(tenant.EnvironmentID) []monitor.Setup { return p.setups }
func (p *setupsProvider) All() iter.Seq[*monitor.Setup]               { return func(func(*monitor.Setup) bool) {} }

// startSidecar starts a processor that has setups and no store.
func startSidecar(tb testing.TB, setups []monitor.Setup) *monitorProcessor {
	tb.Helper()
	tel := componenttest.NewTelemetry()
	tb.Cleanup(func() { _ = tel.Shutdown(context.Background()) })
	cfg := defaults()
	cfg.Store, cfg.Setups = component.ID{}, component.MustNewID("setups")
	p, err := newProcessor(cfg, evaluators.Catalog(), tel.NewTelemetrySettings())
	require.NoError(tb, err)
	require.NoError(tb, p.start(context.Background(), host{map[component.ID]component.Component{cfg.Setups: &setupsProvider{setups: setups}}}))
	tb.Cleanup(func() { require.NoError(tb, p.shutdown(context.Background())) })
	return p
}

// arrived has spans stand as the tenant processor of a gateway hands them on that came
// with the key of a sidecar, with what change makes of each one's evaluations.
func arrived(td ptrace.Traces, change func([]eval.Evaluation) []eval.Evaluation) {
	for _, rs := range td.ResourceSpans().All() {
		rs.Resource().Attributes().PutBool(tenant.AttributeSidecar, true)
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				a := s.Attributes()
				list := change(monitor.Carried(a))
				for key := range a.All() {
					if tenant.Reserved(key) {
						defer a.Remove(key)
					}
				}
				rest := ptrace.NewSpan()
				monitor.Carry(rest.Attributes(), list)
				if v, ok := rest.Attributes().Get(tenant.AttributeEvaluations); ok {
					v.Bytes().MoveTo(a.PutEmptyBytes(tenant.AttributeSidecar))
				}
			}
		}
	}
}

func same(list []eval.Evaluation) []eval.Evaluation { return list }

// refusals are the reasons that were counted, each of which is a series from the start.
func refusals(t *testing.T, tel *componenttest.Telemetry) map[string]int64 {
	t.Helper()
	counted, err := tel.GetMetric("touchstone_sidecar_evaluations_refused")
	require.NoError(t, err)
	got := map[string]int64{}
	points := counted.Data.(metricdata.Sum[int64]).DataPoints
	require.Len(t, points, len(monitor.AllRefused))
	for _, p := range points {
		if why, _ := p.Attributes.Value("reason"); p.Value > 0 {
			got[why.AsString()] = p.Value
		}
	}
	return got
}

func TestASidecarMakesWhatItCanInPlace(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	sampled := monitor.SetupEvaluator{Slug: "word-count", SampleRate: 1e-9}
	made := want(t, live, "one", monitor.SetupEvaluator{Slug: "char-count"}, sampled,
		monitor.SetupEvaluator{Slug: "faithfulness", Backend: "judge"}, monitor.SetupEvaluator{Slug: "own", CustomID: "x"},
		monitor.SetupEvaluator{Slug: "unknown-evaluator"}, monitor.SetupEvaluator{Slug: "json-validator"})
	p := startSidecar(t, []monitor.Setup{made})
	td := stamped(2)
	spanAt(td, 1).SetTraceID([16]byte{3})
	for _, list := range judged(t, p, td) {
		require.Len(t, list, 2, "the rest is left to the gateway, and nothing is said of it")
		require.Equal(t, []string{"char-count", "json-validator"}, []string{list[0].Evaluator, list[1].Evaluator})
		require.Equal(t, eval.Done, list[0].Status)
	}
	_, shown := spanAt(td, 0).Attributes().Get("evaluation.char-count.char_count")
	require.True(t, shown, "for the components in between")

	// The gateway takes both, and makes the rest itself.
	models, _ := scripted(t)
	gateway, tel := startWith(t, live, models, defaults())
	arrived(td, same)
	for _, list := range judged(t, gateway, td) {
		var got []string
		for _, e := range list {
			got = append(got, e.Evaluator+" "+string(e.Status)+" "+e.Reason+" "+string(e.Source))
			require.Equal(t, made.Generation, e.Generation)
		}
		require.Equal(t, []string{
			"char-count done  sidecar", "word-count skipped sampled_out touchstone", "faithfulness skipped missing_input touchstone",
			"own deferred model touchstone", got[4], "json-validator done  sidecar",
		}, got)
		require.InEpsilon(t, 1e-9, list[1].Probability, 1e-12)
	}
	_, shown = spanAt(td, 0).Attributes().Get("evaluation.char-count.char_count")
	require.True(t, shown)
	require.EqualValues(t, 4, sum(t, tel, "touchstone_sidecar_evaluations_taken"))
	require.Empty(t, refusals(t, tel))
	_, marked := td.ResourceSpans().At(0).Resource().Attributes().Get(tenant.AttributeSidecar)
	require.False(t, marked)
}

// What a sidecar may not say changes nothing: the gateway makes the verdict, and counts
// why.
func TestWhatASidecarMayNotSayIsMadeByTheGateway(t *testing.T) {
	t.Parallel()
	one := func(change func(e *eval.Evaluation)) func([]eval.Evaluation) []eval.Evaluation {
		return func(list []eval.Evaluation) []eval.Evaluation {
			change(&list[0])
			return list
		}
	}
	for name, x := range map[string]struct {
		why    monitor.Refused
		n      int64
		change func([]eval.Evaluation) []eval.Evaluation
	}{
		"another's setup":      {monitor.RefusedSetup, 1, one(func(e *eval.Evaluation) { e.SetupID = "0190163d-8694-739b-aea5-966c26f8ad91" })},
		"an old generation":    {monitor.RefusedGeneration, 1, one(func(e *eval.Evaluation) { e.Generation-- })},
		"a later generation":   {monitor.RefusedGeneration, 1, one(func(e *eval.Evaluation) { e.Generation++ })},
		"another evaluator":    {monitor.RefusedEvaluator, 1, one(func(e *eval.Evaluation) { e.Evaluator = "word-count" })},
		"twice":                {monitor.RefusedUnmatched, 1, func(list []eval.Evaluation) []eval.Evaluation { return append(list, list[0]) }},
		"a model's backend":    {monitor.RefusedBackend, 1, one(func(e *eval.Evaluation) { e.Backend = eval.Judge })},
		"no backend":           {monitor.RefusedBackend, 1, one(func(e *eval.Evaluation) { e.Backend = "" })},
		"a model":              {monitor.RefusedCost, 1, one(func(e *eval.Evaluation) { e.Model = "gpt" })},
		"a cost":               {monitor.RefusedCost, 1, one(func(e *eval.Evaluation) { e.Usage.Cost = 1 })},
		"tokens":               {monitor.RefusedCost, 1, one(func(e *eval.Evaluation) { e.Usage.PromptTokens = 1 })},
		"deferred":             {monitor.RefusedStatus, 1, one(func(e *eval.Evaluation) { e.Status, e.Reason = eval.Deferred, eval.ReasonModel })},
		"due":                  {monitor.RefusedStatus, 1, one(func(e *eval.Evaluation) { e.Due = e.Time + 1 })},
		"a person's":           {monitor.RefusedStatus, 1, one(func(e *eval.Evaluation) { e.Source = eval.FromHuman })},
		"a version":            {monitor.RefusedStatus, 1, one(func(e *eval.Evaluation) { e.Version = "7" })},
		"sampled out":          {monitor.RefusedStatus, 1, one(func(e *eval.Evaluation) { e.Status, e.Reason, e.Outputs = eval.Skipped, eval.ReasonSampledOut, nil })},
		"a long reason":        {monitor.RefusedStatus, 1, one(func(e *eval.Evaluation) { e.Status, e.Reason = eval.Failed, strings.Repeat("x", 513) })},
		"done with a reason":   {monitor.RefusedStatus, 1, one(func(e *eval.Evaluation) { e.Reason = "x" })},
		"from the future":      {monitor.RefusedTime, 1, one(func(e *eval.Evaluation) { e.Time += int64(6 * time.Minute) })},
		"before the span":      {monitor.RefusedTime, 1, one(func(e *eval.Evaluation) { e.Time = 0 })},
		"a negative duration":  {monitor.RefusedTime, 1, one(func(e *eval.Evaluation) { e.Duration = -1 })},
		"no output":            {monitor.RefusedOutputs, 1, one(func(e *eval.Evaluation) { e.Outputs = nil })},
		"another output":       {monitor.RefusedOutputs, 1, one(func(e *eval.Evaluation) { e.Outputs[0].Name = "pass" })},
		"an output twice":      {monitor.RefusedOutputs, 1, one(func(e *eval.Evaluation) { e.Outputs = append(e.Outputs, e.Outputs[0]) })},
		"another type":         {monitor.RefusedOutputs, 1, one(func(e *eval.Evaluation) { e.Outputs[0].Value = "7" })},
		"outputs of a failure": {monitor.RefusedOutputs, 1, one(func(e *eval.Evaluation) { e.Status, e.Reason = eval.Failed, "x" })},
		"too many": {monitor.RefusedCount, 1, func(list []eval.Evaluation) []eval.Evaluation {
			return slices.Repeat(list, monitor.MaxEvaluations+1)
		}},
		"too large": {monitor.RefusedSize, 1, one(func(e *eval.Evaluation) { e.Reason = strings.Repeat("x", monitor.MaxSidecarCarrier) })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live := newLive(t)
			made := want(t, live, "one", monitor.SetupEvaluator{Slug: "char-count"})
			made.Generation = 5
			_, err := store.Setups(live).Replace(t.Context(), made)
			require.NoError(t, err)
			sidecar := startSidecar(t, []monitor.Setup{made})
			gateway, tel := startProcessor(t, live, evaluators.Catalog(), defaults())
			td := stamped(1)
			spanAt(td, 0).SetStartTimestamp(1)
			before := judged(t, sidecar, td)[0]
			arrived(td, x.change)
			after := judged(t, gateway, td)[0]
			require.Len(t, after, 1)
			require.Equal(t, before[0].Outputs, after[0].Outputs)
			require.EqualValues(t, 5, after[0].Generation)
			if x.why != monitor.RefusedUnmatched {
				require.Equal(t, eval.FromTouchstone, after[0].Source)
			}
			require.Equal(t, map[string]int64{string(x.why): x.n}, refusals(t, tel))
			shown := 0
			for key := range spanAt(td, 0).Attributes().All() {
				if strings.HasPrefix(key, tenant.EvaluationPrefix) {
					shown++
				}
			}
			require.Equal(t, 1, shown)
		})
	}
}

// A carrier that is no carrier, of spans that no setup asks for anything of as well.
func TestCarriersThatCannotBeReadAreCounted(t *testing.T) {
	t.Parallel()
	for _, setups := range []int{0, 1} {
		live := newLive(t)
		if setups > 0 {
			want(t, live, "one", monitor.SetupEvaluator{Slug: "char-count"})
		}
		gateway, tel := startProcessor(t, live, evaluators.Catalog(), defaults())
		td := stamped(3)
		arrived(td, func([]eval.Evaluation) []eval.Evaluation { return nil })
		spanAt(td, 0).Attributes().PutEmptyBytes(tenant.AttributeSidecar).FromRaw([]byte{3, 1, 2})
		spanAt(td, 1).Attributes().PutEmptyBytes(tenant.AttributeSidecar).FromRaw([]byte{2, 36, 2})
		spanAt(td, 2).Attributes().PutStr(tenant.AttributeSidecar, "x")
		for _, list := range judged(t, gateway, td) {
			require.Len(t, list, setups)
		}
		require.Equal(t, map[string]int64{"version": 1, "damaged": 1}, refusals(t, tel))
	}
}
