// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestDeferredEvaluationIsMade(t *testing.T) {
	t.Parallel()
	models, server := scripted(t, modeltest.Content(qualityAnswer))
	p, tel := startWith(t, nil, models, defaults())
	o := newOwed(evaluatorFor(qualityJudge()), monitor.SetupEvaluator{Slug: "char-count"})
	o.custom = append(o.custom, qualityJudge())
	o.setups[0].Generation = 3 // since then
	late := deferredBy("char-count")
	late.Reason = eval.ReasonOverBudget
	before := eval.Evaluation{SetupID: "setup-1", Evaluator: "word-count", Status: eval.Done, Outputs: []eval.Output{{Name: "word_count", Value: int64(3)}}}
	asked := deferredBy("quality-judge")
	asked.Generation, asked.Probability, asked.Source = 2, 0.25, eval.FromTouchstone
	o.add(nil, asked, late, before)

	start := time.Now().UnixNano()
	o.pass(t, p)
	made := o.of(0)
	require.Len(t, made, 3)
	require.Equal(t, []eval.Output{{Name: "pass", Value: true}}, made[0].Outputs)
	require.GreaterOrEqual(t, made[0].Time, start)
	require.Positive(t, made[0].Duration)
	made[0].Time, made[0].Duration, made[0].Outputs = 0, 0, nil
	require.Equal(t, eval.Evaluation{
		SetupID: "setup-1", Evaluator: "quality-judge", Status: eval.Done, Backend: eval.Judge, Version: "v1/1", Attempts: 1,
		Model: "judge-1", Generation: 3, Probability: 0.25, Source: eval.FromTouchstone,
		Usage: eval.Usage{PromptTokens: modeltest.PromptTokens, CompletionTokens: modeltest.CompletionTokens, Unpriced: true},
	}, made[0])
	require.Equal(t, eval.Done, made[1].Status)
	require.Equal(t, []eval.Output{{Name: "char_count", Value: int64(17)}}, made[1].Outputs)
	require.Equal(t, before, made[2], "what was done stays")

	shown, ok := o.td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get("evaluation.quality-judge.pass")
	require.True(t, ok)
	require.True(t, shown.Bool())
	text, _ := server.Requests()[0].Data("text")
	require.Equal(t, "About 384,400 km.", text)

	require.Equal(t, map[string]int64{"done//custom/judge": 1, "done//char-count/deterministic": 1}, counts(t, tel))
}

// within asserts that an evaluation waits about as long as it should.
func within(t *testing.T, e eval.Evaluation, since time.Time, low, high time.Duration) {
	t.Helper()
	require.Equal(t, eval.Deferred, e.Status)
	require.GreaterOrEqual(t, e.Due, since.Add(low).UnixNano())
	require.LessOrEqual(t, e.Due, time.Now().Add(high).UnixNano())
}

func TestOutageIsTriedAgainUntilItIsOver(t *testing.T) {
	t.Parallel()
	models, server := scripted(t, modeltest.Status(http.StatusInternalServerError, "boom"), modeltest.Dropped(),
		modeltest.RetryAfter(time.Second), modeltest.Content(qualityAnswer))
	cfg := defaults()
	cfg.Retry.MaxAttempts = 1 // which is not about outages
	p, tel := startWith(t, nil, models, cfg)
	o := newOwed(evaluatorFor(qualityJudge()))
	o.custom = append(o.custom, qualityJudge())
	o.add(nil, deferredBy("quality-judge"))
	for attempt, message := range []string{"cannot be reached", "cannot be reached", "at its limit"} {
		start := time.Now()
		o.pass(t, p)
		made := o.of(0)[0]
		wait := 5 * time.Second << attempt
		within(t, made, start, wait/2, wait)
		require.Equal(t, attempt+1, made.Attempts)
		require.Contains(t, made.Reason, message)
		require.NotContains(t, made.Reason, "SECRET-PROMPT")
		require.EqualValues(t, 5, made.Time, "it was deferred then")
		require.Empty(t, made.Outputs)
	}
	o.pass(t, p)
	made := o.of(0)[0]
	require.Equal(t, eval.Done, made.Status)
	require.Equal(t, 4, made.Attempts)
	require.Empty(t, made.Reason)
	require.Zero(t, made.Due)
	require.Len(t, server.Requests(), 4)
	require.Equal(t, map[string]int64{"deferred/unavailable/custom/": 3, "done//custom/judge": 1}, counts(t, tel))
}

func TestGarbageIsGivenUp(t *testing.T) {
	t.Parallel()
	var steps []modeltest.Step
	for range 4 {
		steps = append(steps, modeltest.Content("as a language model, I cannot say SECRET-ANSWER"))
	}
	models, server := scripted(t, steps...)
	cfg := defaults()
	cfg.Retry.MaxAttempts = 2
	p, tel := startWith(t, nil, models, cfg)
	o := newOwed(evaluatorFor(qualityJudge()))
	o.custom = append(o.custom, qualityJudge())
	o.add(nil, deferredBy("quality-judge"))

	start := time.Now()
	o.pass(t, p)
	first := o.of(0)[0]
	within(t, first, start, 2500*time.Millisecond, 5*time.Second)
	require.Contains(t, first.Reason, "no usable answer")
	o.pass(t, p)
	made := o.of(0)[0]
	require.Equal(t, eval.Failed, made.Status)
	require.Equal(t, 2, made.Attempts)
	require.Zero(t, made.Due)
	require.Contains(t, made.Reason, "no usable answer")
	require.NotContains(t, made.Reason, "SECRET")
	require.EqualValues(t, 4*modeltest.PromptTokens, made.Usage.PromptTokens, "both tries together")
	require.Len(t, server.Requests(), 4)
	o.pass(t, p)
	require.Equal(t, made, o.of(0)[0], "failed is failed")
	require.Equal(t, map[string]int64{"deferred/unusable/custom/": 1, "failed/unusable/custom/": 1}, counts(t, tel))
}

func TestWhatIsWrongFailsAtOnce(t *testing.T) {
	t.Parallel()
	models, server := scripted(t)
	p, _ := startWith(t, nil, models, defaults())
	forbidden := qualityJudge()
	forbidden.Model = "another"
	regex := monitor.SetupEvaluator{Slug: "regex-validator"}
	o := newOwed(evaluatorFor(forbidden), regex, monitor.SetupEvaluator{Slug: "gone-by"}, monitor.SetupEvaluator{
		Slug: "char-count", Inputs: map[string]monitor.InputSource{"text": {Source: monitor.SpanAttributes, Key: "a", Pattern: "("}},
	}, monitor.SetupEvaluator{Slug: "perplexity"}, monitor.SetupEvaluator{Slug: "json-validator"})
	o.custom = append(o.custom, forbidden)
	o.add(func(s ptrace.Span) {
		s.Attributes().PutStr("logprobs", "nonsense")
		s.Attributes().PutStr("gen_ai.completion.0.content", strings.Repeat("x", eval.MaxText+1))
	}, deferredBy("quality-judge"), deferredBy("regex-validator"), deferredBy("gone-by"), deferredBy("char-count"),
		deferredBy("perplexity"), deferredBy("json-validator"))
	o.pass(t, p)
	for i, want := range []string{
		"is not among those that are allowed", "config.regex is required", "gone-by is not known", "regex is not a valid", "input.logprobs", "over the limit",
	} {
		made := o.of(0)[i]
		require.Equal(t, eval.Failed, made.Status, made.Evaluator)
		require.Contains(t, made.Reason, want)
		require.Equal(t, 1, made.Attempts)
	}
	require.Empty(t, server.Requests())
}

func TestWhatIsGoneIsSkipped(t *testing.T) {
	t.Parallel()
	models, server := scripted(t)
	p, tel := startWith(t, nil, models, defaults())
	o := newOwed(evaluatorFor(qualityJudge())) // whose custom evaluator did not come along
	other := deferredBy("char-count")
	other.SetupID = "setup-2"
	o.add(nil, deferredBy("quality-judge"), deferredBy("word-count"), other, deferredBy("a user's own"))
	o.pass(t, p)
	for _, made := range o.of(0) {
		require.Equal(t, eval.Skipped, made.Status)
		require.Equal(t, eval.ReasonDeleted, made.Reason)
		require.Zero(t, made.Due)
	}
	require.Empty(t, server.Requests())
	require.Equal(t, map[string]int64{
		"skipped/deleted/custom/": 2, "skipped/deleted/word-count/": 1, "skipped/deleted/char-count/": 1,
	}, counts(t, tel))
}

func TestMissingInputIsFoundOutBeforeAnybodyIsAsked(t *testing.T) {
	t.Parallel()
	models, server := scripted(t)
	p, _ := startWith(t, nil, models, defaults())
	o := newOwed(monitor.SetupEvaluator{Slug: "answer-correctness"})
	o.add(nil, deferredBy("answer-correctness"))
	o.pass(t, p)
	require.Equal(t, eval.Skipped, o.of(0)[0].Status)
	require.Equal(t, eval.ReasonMissingInput, o.of(0)[0].Reason)
	require.Empty(t, server.Requests())
}

// A worker that was given no judge holds nothing against the evaluation.
func TestWorkerWithoutModelsLosesNothing(t *testing.T) {
	t.Parallel()
	p, _ := startWith(t, nil, nil, defaults())
	o := newOwed(evaluatorFor(qualityJudge()), monitor.SetupEvaluator{Slug: "action-advancement"})
	o.custom = append(o.custom, qualityJudge())
	o.add(nil, deferredBy("quality-judge"), deferredBy("action-advancement"))
	start := time.Now()
	o.pass(t, p)
	for _, made := range o.of(0) {
		within(t, made, start, 2500*time.Millisecond, 5*time.Second)
		require.Contains(t, made.Reason, "needs a judge")
	}
}

func TestCancelledEvaluationsStayOwed(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(cancel context.CancelFunc, p *monitorProcessor){
		"by the receiver":  func(cancel context.CancelFunc, _ *monitorProcessor) { cancel() },
		"by the processor": func(_ context.CancelFunc, p *monitorProcessor) { _ = p.shutdown(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			models, server := scripted(t, modeltest.Hang(), modeltest.Hang(), modeltest.Hang())
			cfg := defaults()
			cfg.Concurrency = 2
			p, _ := startWith(t, nil, models, cfg)
			o := newOwed(evaluatorFor(qualityJudge()))
			o.custom = append(o.custom, qualityJudge())
			for range 3 {
				o.add(nil, deferredBy("quality-judge"))
			}
			before := o.of(0)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			failed := make(chan error, 1)
			go func() {
				_, err := p.processTraces(ctx, o.td)
				failed <- err
			}()
			require.Eventually(t, func() bool { now, _ := server.InFlight(); return now == 2 }, patience, time.Millisecond)
			end(cancel, p)
			err := <-failed
			require.ErrorIs(t, err, context.Canceled)
			require.False(t, consumererror.IsPermanent(err))
			for i := range 3 {
				require.Equal(t, before, o.of(i))
			}
			require.Len(t, server.Requests(), 2, "nothing more is begun")
		})
	}
}

func TestEvaluationsAreMadeSideBySide(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	var steps []modeltest.Step
	for range 9 {
		steps = append(steps, modeltest.Hold(gate, modeltest.Content(qualityAnswer)))
	}
	models, server := scripted(t, steps...)
	cfg := defaults()
	cfg.Concurrency = 3
	p, _ := startWith(t, nil, models, cfg)
	o := newOwed(evaluatorFor(qualityJudge()))
	o.custom = append(o.custom, qualityJudge())
	for range 9 {
		o.add(nil, deferredBy("quality-judge"))
	}
	done := make(chan error, 1)
	go func() {
		_, err := p.processTraces(context.Background(), o.td)
		done <- err
	}()
	require.Eventually(t, func() bool { now, _ := server.InFlight(); return now == 3 }, patience, time.Millisecond)
	close(gate)
	require.NoError(t, <-done)
	_, most := server.InFlight()
	require.Equal(t, 3, most)
	for i := range 9 {
		require.Equal(t, eval.Done, o.of(i)[0].Status)
	}
}

// Two setups want the same of one span: it is asked for, and paid for, once.
func TestEqualEvaluationsOfASpanAreMadeOnce(t *testing.T) {
	t.Parallel()
	models, server := scripted(t, modeltest.Content(qualityAnswer), modeltest.Content(qualityAnswer))
	p, _ := startWith(t, nil, models, defaults())
	o := newOwed(evaluatorFor(qualityJudge()))
	o.custom = append(o.custom, qualityJudge())
	second, third := o.setups[0], o.setups[0]
	second.ID, third.ID = "setup-2", "setup-3"
	third.Evaluators = []monitor.SetupEvaluator{evaluatorFor(qualityJudge())}
	third.Evaluators[0].Inputs = map[string]monitor.InputSource{"text": {Source: monitor.Span, Key: "span_name"}}
	o.setups = append(o.setups, second, third)
	all := []eval.Evaluation{deferredBy("quality-judge"), deferredBy("quality-judge"), deferredBy("quality-judge")}
	all[1].SetupID, all[2].SetupID = "setup-2", "setup-3"
	o.add(nil, all...)
	o.pass(t, p)
	made := o.of(0)
	require.Len(t, server.Requests(), 2)
	for i := range made {
		require.Equal(t, all[i].SetupID, made[i].SetupID)
		require.Equal(t, eval.Done, made[i].Status)
		require.Equal(t, []eval.Output{{Name: "pass", Value: true}}, made[i].Outputs)
	}
	require.Zero(t, made[1].Usage)
	for i, cached := range []bool{false, true, false} {
		require.Equal(t, "judge-1", made[i].Model)
		require.Equal(t, cached, made[i].Cached)
	}
	require.NotZero(t, made[0].Usage.PromptTokens)
	require.NotZero(t, made[2].Usage.PromptTokens)
}

// The documents of a retriever are in another span of the trace.
func TestInputsComeFromTheTrace(t *testing.T) {
	t.Parallel()
	contextual := qualityJudge()
	contextual.Input = []eval.CustomField{{Name: "context", Type: eval.CustomString}}
	contextual.Messages[0].Content = "You judge {{context}}."
	models, server := scripted(t, modeltest.Content(qualityAnswer))
	p, _ := startWith(t, nil, models, defaults())
	o := newOwed(evaluatorFor(contextual))
	o.custom = append(o.custom, contextual)
	owedTrace := deferredBy("quality-judge")
	owedTrace.Reason = eval.ReasonTrace
	parent := pcommon.SpanID{99}
	o.add(func(s ptrace.Span) {
		s.SetParentSpanID(parent)
		s.SetStartTimestamp(30)
		s.SetEndTimestamp(40)
	}, owedTrace)
	o.add(func(s ptrace.Span) { // a sibling
		s.SetParentSpanID(parent)
		s.SetStartTimestamp(10)
		s.SetEndTimestamp(20)
		s.Attributes().Clear()
		s.Attributes().PutStr("retrieval.documents.0.document.content", "The moon is 384,400 km away.")
	})
	o.add(func(s ptrace.Span) { // of another trace
		s.SetTraceID(pcommon.TraceID{8})
		s.Attributes().Clear()
		s.Attributes().PutStr("retrieval.documents.0.document.content", "Cheese.")
	})
	o.td.ResourceSpans().At(1).Resource().Attributes().Remove(tenant.AttributeSetups) // nothing is judged on it
	o.pass(t, p)
	require.Equal(t, eval.Done, o.of(0)[0].Status)
	require.Empty(t, o.of(1), "siblings carry nothing")
	text, _ := server.Requests()[0].Data("context")
	require.Equal(t, "The moon is 384,400 km away.", text)
}

// What passes in one process is judged in another, with OTLP in between.
func TestWorkerInAnotherProcess(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	c := qualityJudge()
	require.NoError(t, store.Evaluators(live).Create(t.Context(), c))
	s := want(t, live, "one", evaluatorFor(c), monitor.SetupEvaluator{Slug: "answer-relevancy"}, monitor.SetupEvaluator{Slug: "char-count"})
	here, server := scripted(t)
	p, _ := startWith(t, live, here, defaults())
	owing := judged(t, p, stamped(1))[0]
	require.Equal(t, []eval.Status{eval.Deferred, eval.Deferred, eval.Done}, []eval.Status{owing[0].Status, owing[1].Status, owing[2].Status})
	require.Empty(t, server.Requests())

	o := newOwed()
	o.setups, o.custom = []monitor.Setup{s}, []eval.CustomEvaluator{c}
	o.add(nil, owing[:2]...)
	cross := func() {
		wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(o.td)
		require.NoError(t, err)
		o.td, err = (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(wire)
		require.NoError(t, err)
	}
	there, _ := scripted(t)
	there.judge = byEvaluator{"quality-judge": qualityAnswer, "answer-relevancy": relevancyAnswer}
	worker, _ := startWith(t, nil, there, defaults())
	cross()
	o.pass(t, worker)
	cross()
	for i, made := range o.of(0) {
		require.Equal(t, s.ID, made.SetupID)
		require.Equal(t, owing[i].Evaluator, made.Evaluator)
		require.Equal(t, eval.Done, made.Status, made.Reason)
		require.Equal(t, eval.Judge, made.Backend)
		require.NotEmpty(t, made.Outputs)
	}
}

func TestDamagedWishesAreRefusedForGood(t *testing.T) {
	t.Parallel()
	p, _ := startWith(t, nil, nil, defaults())
	for _, damage := range []func(m pcommon.Map){
		func(m pcommon.Map) { m.Remove(tenant.AttributeSetups) },
		func(m pcommon.Map) { m.PutStr(tenant.AttributeSetups, "{}") },
		func(m pcommon.Map) { m.PutEmptyBytes(tenant.AttributeSetups).FromRaw([]byte("{")) },
	} {
		o := newOwed(monitor.SetupEvaluator{Slug: "char-count"})
		o.add(nil, deferredBy("char-count"))
		damage(o.td.ResourceSpans().At(0).Resource().Attributes())
		_, err := p.processTraces(t.Context(), o.td)
		require.True(t, consumererror.IsPermanent(err))
		require.ErrorContains(t, err, tenant.AttributeSetups)
	}
}

func TestWithoutAStoreOnlyTheBacklogIsJudged(t *testing.T) {
	t.Parallel()
	p, _ := startWith(t, nil, nil, defaults())
	require.Nil(t, p.reconciler)
	_, err := p.processTraces(t.Context(), stamped(1))
	require.True(t, consumererror.IsPermanent(err))
	require.ErrorContains(t, err, `"store"`)
}

// The waits grow up to a bound, and no two are alike.
func TestBackOff(t *testing.T) {
	t.Parallel()
	c := defaults().Retry
	for attempts, want := range map[int]time.Duration{
		-1: 5 * time.Second, 0: 5 * time.Second, 1: 5 * time.Second, 2: 10 * time.Second, 4: 40 * time.Second, 6: 160 * time.Second,
		7: 5 * time.Minute, 8: 5 * time.Minute, 1 << 40: 5 * time.Minute,
	} {
		spread := map[time.Duration]bool{}
		for range 100 {
			d := c.wait(attempts)
			require.LessOrEqual(t, d, want)
			require.GreaterOrEqual(t, d, want/2)
			spread[d] = true
		}
		require.Greater(t, len(spread), 50)
	}
}

func TestReasonsAreShortAndClean(t *testing.T) {
	t.Parallel()
	require.Equal(t, "internal error", reason(errors.New("what was asked: SECRET")))
	long := reason(monitorFault(strings.Repeat("ß", maxReason)))
	require.LessOrEqual(t, len(long), maxReason)
	require.NotContains(t, long, "\uFFFD")
}
