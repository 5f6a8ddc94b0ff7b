// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/metric/noop"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
)

const relevancyAnswer = `{"statements": [{"text": "It is far.", "reason": "It answers.", "relevant": "yes"}], "noncommittal": false}`

func decidedBy(slug string, b eval.Backend) eval.Evaluation {
	e := deferredBy(slug)
	e.Backend = b
	return e
}

// Where the setup leaves the choice, a worker makes what the process decided that owes the
// evaluation, and nothing less.
func TestWhatAJudgeIsToMakeIsLeftToWhoHasOne(t *testing.T) {
	t.Parallel()
	for name, auto := range map[string]monitor.SetupEvaluator{
		"nothing":       {Slug: "answer-relevancy"},
		"backend":       {Slug: "answer-relevancy", Backend: "auto"},
		"configuration": {Slug: "answer-relevancy", Config: []byte(`{"backend":"auto"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, tel := startWith(t, nil, nil, defaults())
			o := newOwed(auto)
			o.add(nil, decidedBy("answer-relevancy", eval.Judge))
			start := time.Now()
			o.pass(t, p)
			made := o.of(0)[0]
			within(t, made, start, 2500*time.Millisecond, 5*time.Second)
			require.Contains(t, made.Reason, "answer-relevancy needs a judge model")
			require.Equal(t, eval.Judge, made.Backend, "it is still what was decided")
			require.Empty(t, made.Outputs)
			require.Equal(t, map[string]int64{"deferred/not_configured/answer-relevancy/": 1}, counts(t, tel))
			require.EqualValues(t, 1, sum(t, tel, "touchstone_evaluations_left"))
			require.Equal(t, []store.Problem{{
				Name:    store.ProblemModels,
				Message: "evaluations stay pending because this process lacks the model that they need: answer-relevancy",
			}}, p.problems())
			require.False(t, p.problems()[0].Stops())

			models, server := scripted(t, modeltest.Content(relevancyAnswer))
			able, _ := startWith(t, nil, models, defaults())
			o.pass(t, able)
			made = o.of(0)[0]
			require.Equal(t, eval.Done, made.Status)
			require.Equal(t, eval.Judge, made.Backend)
			require.Len(t, server.Requests(), 1)
			require.Empty(t, able.problems())
		})
	}
}

func TestWhatWasDecidedIsNotMadeByMore(t *testing.T) {
	t.Parallel()
	models, server := scripted(t, modeltest.Content(relevancyAnswer))
	p, _ := startWith(t, nil, models, defaults())
	o := newOwed(monitor.SetupEvaluator{Slug: "answer-relevancy"})
	o.add(nil, decidedBy("answer-relevancy", eval.Embedded))
	o.add(nil, deferredBy("answer-relevancy")) // by a release that did not say
	o.pass(t, p)
	require.Equal(t, eval.Embedded, o.of(0)[0].Backend)
	require.Equal(t, eval.Judge, o.of(1)[0].Backend)
	require.Len(t, server.Requests(), 1)
}

func TestABackendThatASetupNamesByNowIsUsed(t *testing.T) {
	t.Parallel()
	p, tel := startWith(t, nil, nil, defaults())
	for _, named := range []monitor.SetupEvaluator{
		{Slug: "answer-relevancy", Backend: "embedded"}, {Slug: "answer-relevancy", Config: []byte(`{"backend":"embedded"}`)},
	} {
		o := newOwed(named)
		o.add(nil, decidedBy("answer-relevancy", eval.Judge))
		o.pass(t, p)
		require.Equal(t, eval.Done, o.of(0)[0].Status)
		require.Equal(t, eval.Embedded, o.of(0)[0].Backend)
	}
	require.Empty(t, p.problems())
	require.Equal(t, map[string]int64{"done//answer-relevancy/embedded": 2}, counts(t, tel))
}

// A judge that was to be asked about another language is not done without either.
func TestOtherLanguagesAreLeftToWhoHasAJudge(t *testing.T) {
	t.Parallel()
	p, _ := startWith(t, nil, nil, defaults())
	o := newOwed(monitor.SetupEvaluator{Slug: "answer-relevancy", Backend: "embedded"})
	o.setups[0].OtherLanguages = monitor.OthersJudge
	o.add(inGerman, decidedBy("answer-relevancy", eval.Judge))
	o.add(inGerman, decidedBy("answer-relevancy", eval.Embedded))
	o.pass(t, p)
	require.Equal(t, eval.Deferred, o.of(0)[0].Status)
	require.Contains(t, o.of(0)[0].Reason, "needs a judge model")
	require.Equal(t, eval.Uncertain, o.of(1)[0].Status, "no setting asks for a judge")
	require.Equal(t, eval.ReasonLanguage, o.of(1)[0].Reason)
	require.Equal(t, eval.Embedded, o.of(1)[0].Backend, "which guessed")
}

func TestBackfillIsLeftToWhoHasAJudge(t *testing.T) {
	t.Parallel()
	p, _ := startWith(t, nil, nil, defaults())
	o := newOwed(monitor.SetupEvaluator{Slug: "answer-relevancy"}, monitor.SetupEvaluator{Slug: "char-count"},
		monitor.SetupEvaluator{Slug: "faithfulness", Backend: "judge"})
	o.setups[0] = o.setups[0].As(map[string]eval.Backend{"answer-relevancy": eval.Judge, "char-count": eval.Deterministic})
	o.backfill = true
	o.add(nil)
	o.pass(t, p)
	made := o.of(0)
	require.Equal(t, eval.Deferred, made[0].Status)
	require.Equal(t, eval.ReasonModel, made[0].Reason)
	require.Equal(t, eval.Judge, made[0].Backend)
	require.Equal(t, eval.Done, made[1].Status)
	require.Equal(t, eval.Failed, made[2].Status, "the process that created the backfill had no judge either")
}

func TestLackingModelsAreToldForAWhile(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.WarnLevel)
	l, err := newLacking(noop.Meter{}, time.Minute, zap.New(core))
	require.NoError(t, err)
	now := time.Unix(1000, 0)
	l.now = func() time.Time { return now }
	why := fault.New(fault.NotConfigured, "it needs a judge model")
	for range 2 {
		for i := range 7 {
			l.note(t.Context(), "evaluator-"+strconv.Itoa(i), eval.Judge, why)
		}
	}
	require.Equal(t, 7, logs.Len(), "each once")
	require.Contains(t, l.problems()[0].Message, ": evaluator-0, evaluator-1, evaluator-2, evaluator-3, evaluator-4 and 2 more")
	now = now.Add(2 * time.Minute)
	require.Len(t, l.problems(), 1)
	now = now.Add(time.Second)
	require.Empty(t, l.problems())
	l.note(t.Context(), "evaluator-0", eval.Judge, why)
	require.Equal(t, 8, logs.Len(), "it is logged again")
}

// A processor without a store of its own tells the stores of its process.
func TestLackingModelsAreToldToTheStoresOfTheProcess(t *testing.T) {
	t.Parallel()
	cfg := defaults()
	cfg.Store = component.ID{}
	p, err := newProcessor(cfg, evaluators.Catalog(), componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	stores := &askedStore{}
	require.NoError(t, p.start(t.Context(), host{map[component.ID]component.Component{component.MustNewID("store"): stores}}))
	require.Empty(t, stores.problems())
	o := newOwed(monitor.SetupEvaluator{Slug: "answer-relevancy"})
	o.add(nil, decidedBy("answer-relevancy", eval.Judge))
	o.pass(t, p)
	require.Len(t, stores.problems(), 1)
	require.NoError(t, p.shutdown(t.Context()))
	require.Nil(t, stores.problems)
}
