// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
)

// want stores a setup with evaluators as they are given.
func want(tb testing.TB, live *cache.Cache, externalID string, evaluators ...monitor.SetupEvaluator) monitor.Setup {
	tb.Helper()
	s := monitor.Setup{
		ID: uuid.NewString(), ExternalID: externalID, OrganizationID: "org-1", ProjectID: "project-1", EnvironmentID: env,
		Evaluators: evaluators, Status: monitor.Pending, Revision: 1, Generation: 1, CreatedAt: time.Now(), UpdatedAt: time.Now(),
	}
	for i := range s.Evaluators {
		s.Evaluators[i].Status = monitor.Pending
		stored(tb, live, &s.Evaluators[i])
	}
	require.NoError(tb, store.Setups(live).Create(context.Background(), s))
	return s
}

// stored has the custom evaluator of a setup be there.
func stored(tb testing.TB, live *cache.Cache, w *monitor.SetupEvaluator) {
	tb.Helper()
	if w.CustomID == "" {
		return
	}
	if _, err := store.Evaluators(live).Get(context.Background(), env, w.CustomID); err == nil {
		return
	}
	c := qualityJudge()
	c.ID, c.Slug, c.VersionID = w.CustomID, w.Slug, w.CustomID
	require.NoError(tb, store.Evaluators(live).Create(context.Background(), c))
}

// judged returns what the spans carry after they have passed.
func judged(t *testing.T, p *monitorProcessor, td ptrace.Traces) [][]eval.Evaluation {
	t.Helper()
	_, err := p.processTraces(t.Context(), td)
	require.NoError(t, err)
	var all [][]eval.Evaluation
	for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		all = append(all, monitor.Carried(s.Attributes()))
	}
	return all
}

func TestWhatNeedsAModelIsDeferred(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	c := qualityJudge()
	require.NoError(t, store.Evaluators(live).Create(t.Context(), c))
	want(t, live, "one", evaluatorFor(c), monitor.SetupEvaluator{Slug: "answer-relevancy"},
		monitor.SetupEvaluator{Slug: "answer-relevancy-local", CustomID: "gone"}, monitor.SetupEvaluator{Slug: "faithfulness", Backend: "embedded"},
		monitor.SetupEvaluator{Slug: "answer-correctness"}, monitor.SetupEvaluator{Slug: "context-relevance"})
	models, server := scripted(t)
	p, _ := startWith(t, live, models, defaults())
	td := stamped(2)
	child := spanAt(td, 1)
	child.SetParentSpanID(pcommon.SpanID{9})
	start := time.Now().UnixNano()
	both := judged(t, p, td)

	for i, reasons := range [][]string{
		{"deferred model", "deferred model", "deferred model", "skipped missing_input", "skipped missing_input", "skipped missing_input"},
		{"deferred model", "deferred model", "deferred model", "deferred trace", "skipped missing_input", "deferred trace"},
	} {
		for j, made := range both[i] {
			require.Equal(t, reasons[j], string(made.Status)+" "+made.Reason, "%d %s", i, made.Evaluator)
			require.GreaterOrEqual(t, made.Time, start)
			require.Zero(t, made.Attempts)
			decided := eval.Backend("")
			switch {
			case made.Evaluator == "faithfulness" && made.Status == eval.Deferred:
				decided = eval.Embedded
			case made.Status == eval.Deferred:
				decided = eval.Judge
			}
			require.Equal(t, decided, made.Backend, made.Evaluator)
			wait := int64(0)
			if made.Reason == eval.ReasonTrace {
				wait = int64(10 * time.Second)
			}
			if made.Status == eval.Deferred {
				require.Equal(t, made.Time+wait, made.Due)
			} else {
				require.Zero(t, made.Due)
			}
		}
	}
	require.Empty(t, server.Requests(), "no span waits for a model")
}

func TestCustomEvaluatorWithoutModelsFails(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	want(t, live, "one", evaluatorFor(qualityJudge()))
	p, _ := startWith(t, live, nil, defaults())
	made := judged(t, p, stamped(1))[0][0]
	require.Equal(t, eval.Failed, made.Status)
	require.Contains(t, made.Reason, "needs a judge model")
}

func TestSampledOutIsSaidSo(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	want(t, live, "some", monitor.SetupEvaluator{Slug: "char-count", SampleRate: 0.3}, monitor.SetupEvaluator{Slug: "word-count", SampleRate: 0.3},
		monitor.SetupEvaluator{Slug: "gone-by", SampleRate: 0.3})
	want(t, live, "all", monitor.SetupEvaluator{Slug: "char-count"})
	p, _ := startWith(t, live, nil, defaults())
	const n = 400
	td := stamped(n)
	for i := range n {
		spanAt(td, i).SetTraceID(pcommon.TraceID{14: byte(i >> 8), 15: byte(i)})
	}
	taken := 0
	for _, made := range judged(t, p, td) {
		require.Len(t, made, 4)
		require.Equal(t, made[0].Status, made[1].Status, "equal rates take the same traces")
		require.Equal(t, eval.Done, made[3].Status)
		if made[0].Status == eval.Done {
			taken++
			require.Equal(t, eval.Failed, made[2].Status)
			continue
		}
		for _, out := range made[:3] {
			require.Equal(t, eval.Skipped, out.Status)
			require.Equal(t, eval.ReasonSampledOut, out.Reason)
		}
	}
	require.InDelta(t, 0.3, float64(taken)/n, 0.1)
}

// What cannot be known later is on each record, whatever became of it.
func TestEvaluationsSayOfWhichWishAndShareTheyAre(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	p, _ := startWith(t, live, nil, defaults())
	half := monitor.SetupEvaluator{Slug: "char-count", SampleRate: 0.5}
	want(t, live, "one", monitor.SetupEvaluator{Slug: "char-count"}, monitor.SetupEvaluator{Slug: "answer-relevancy"})
	want(t, live, "two", half)
	for _, name := range []string{"one", "two"} {
		await(t, live, name, monitor.WaitingForSpans) // with which its evaluators are loaded
	}
	td := stamped(40)
	for i, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		s.SetTraceID(pcommon.TraceID{byte(i), 1})
		if i%2 == 1 {
			s.TraceState().FromRaw("a=b,ot=th:c")
		}
	}
	statuses := map[eval.Status]int{}
	for i, list := range judged(t, p, td) {
		require.Len(t, list, 3)
		kept := 1.0
		if i%2 == 1 {
			kept = 0.25
		}
		for j, share := range []float64{1, 1, 0.5} {
			require.EqualValues(t, 1, list[j].Generation)
			require.Equal(t, eval.FromTouchstone, list[j].Source)
			require.InDelta(t, kept*share, list[j].Probability, 1e-12)
			require.Empty(t, list[j].Model)
			require.False(t, list[j].Cached)
		}
		statuses[list[2].Status]++
	}
	require.Positive(t, statuses[eval.Done])
	require.Positive(t, statuses[eval.Skipped])
}

func TestOwnTrafficIsNotJudged(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	want(t, live, "one", monitor.SetupEvaluator{Slug: "char-count"}, monitor.SetupEvaluator{Slug: "answer-relevancy"}, evaluatorFor(qualityJudge()))
	models, _ := scripted(t)
	p, _ := startWith(t, live, models, defaults())
	td := stamped(2)
	spanAt(td, 0).SetTraceID(pcommon.TraceID(span.NewSelfTraceID()))
	both := judged(t, p, td)
	require.Len(t, both[0], 3)
	for _, made := range both[0] {
		require.Equal(t, eval.Skipped, made.Status)
		require.Equal(t, eval.ReasonOwnTraffic, made.Reason)
	}
	require.Equal(t, eval.Done, both[1][0].Status)
}

func TestMappedInputsAreJudged(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	from := func(s monitor.InputSource) monitor.SetupEvaluator {
		return monitor.SetupEvaluator{Slug: "char-count", Inputs: map[string]monitor.InputSource{"text": s}}
	}
	want(t, live, "attribute", from(monitor.InputSource{Source: monitor.SpanAttributes, Key: "doc", Path: "0.text"}))
	want(t, live, "field", from(monitor.InputSource{Source: monitor.Span, Key: "span_name"}))
	want(t, live, "resource", from(monitor.InputSource{Source: monitor.ResourceAttributes, Key: "tier", Pattern: "^(..)"}))
	want(t, live, "default", monitor.SetupEvaluator{Slug: "char-count"})
	want(t, live, "absent", from(monitor.InputSource{Source: monitor.SpanAttributes, Key: "absent"}))
	p, _ := startWith(t, live, nil, defaults())
	td := stamped(2)
	td.ResourceSpans().At(0).Resource().Attributes().PutStr("tier", "gold")
	spanAt(td, 0).Attributes().PutStr("doc", `[{"text":"größe"}]`)
	spanAt(td, 1).SetName("another")
	spanAt(td, 1).Attributes().PutStr("doc", `[{"text":""}]`)
	both := judged(t, p, td)
	for i, counted := range []any{int64(5), int64(4), int64(2), int64(17)} {
		require.Equal(t, counted, both[0][i].Outputs[0].Value)
	}
	require.Equal(t, eval.ReasonMissingInput, both[0][4].Reason)
	require.Equal(t, eval.ReasonMissingInput, both[1][0].Reason)
	require.Equal(t, int64(7), both[1][1].Outputs[0].Value, "each span has fields of its own")
}

// counter makes evaluators that count how often they run.
func counter(t *testing.T, slug string, runs *atomic.Int64, check func() error) *eval.Evaluator {
	t.Helper()
	e, err := eval.New(eval.Definition[anyText, counterConfig, nothing]{
		Slug: slug, Doc: "Counts.", Examples: []eval.Example{{Input: `{"text":"example"}`, Want: `{"fine":true}`}},
		Run: func(ctx context.Context, in anyText, _ counterConfig) (nothing, error) {
			if in.Text == "example" {
				return nothing{}, nil
			}
			runs.Add(1)
			if check != nil {
				return nothing{}, check()
			}
			return nothing{Fine: true}, ctx.Err()
		},
	})
	require.NoError(t, err)
	return e
}

type counterConfig struct {
	Kind string `json:"kind" doc:"Any."`
}

func catalogOf(t *testing.T, all ...*eval.Evaluator) *eval.Catalog {
	t.Helper()
	c, err := eval.NewCatalog(all...)
	require.NoError(t, err)
	return c
}

func TestEqualWishesAreJudgedOnce(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	live := newLive(t)
	configured := monitor.SetupEvaluator{Slug: "counter", Config: json.RawMessage(`{"kind":"a"}`)}
	spaced := monitor.SetupEvaluator{Slug: "counter", Config: json.RawMessage(`{ "kind": "a" }`)}
	sampled := monitor.SetupEvaluator{Slug: "counter", SampleRate: 1e-18}
	var ids []string
	for i, w := range []monitor.SetupEvaluator{sampled, {Slug: "counter"}, configured, {Slug: "counter"}, spaced} {
		ids = append(ids, want(t, live, string(rune('a'+i)), w).ID)
	}
	p, _ := startProcessor(t, live, catalogOf(t, counter(t, "counter", &runs, nil)), defaults())
	made := judged(t, p, stamped(1))[0]
	require.EqualValues(t, 2, runs.Load())
	require.Equal(t, eval.ReasonSampledOut, made[0].Reason)
	for i, e := range made[1:] {
		require.Equal(t, ids[i+1], e.SetupID)
		require.Equal(t, eval.Done, e.Status)
	}
	judged(t, p, stamped(1))
	require.EqualValues(t, 4, runs.Load(), "each span on its own")
}

// An evaluator that is away for a moment, and a client that is, are no faults of
// the span.
func TestPassingTroubleIsDeferred(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	away := func() error { return fault.New(fault.Unavailable, "the parser is busy") }
	live := newLive(t)
	want(t, live, "one", monitor.SetupEvaluator{Slug: "away"}, monitor.SetupEvaluator{Slug: "fine"})
	p, tel := startProcessor(t, live, catalogOf(t, counter(t, "away", &runs, away), counter(t, "fine", &runs, nil)), defaults())
	start := time.Now()
	made := judged(t, p, stamped(1))[0]
	within(t, made[0], start, 2500*time.Millisecond, 5*time.Second)
	require.Equal(t, "the parser is busy", made[0].Reason)

	left, cancel := context.WithCancel(t.Context())
	cancel()
	td := stamped(1)
	_, err := p.processTraces(left, td)
	require.NoError(t, err)
	for _, made := range monitor.Carried(spanAt(td, 0).Attributes()) {
		require.Equal(t, eval.Deferred, made.Status)
		require.Equal(t, eval.ReasonOverBudget, made.Reason)
	}
	require.Equal(t, map[string]int64{
		"deferred/unavailable/away/": 1, "done//fine/deterministic": 1, "deferred/over_budget/away/": 1, "deferred/over_budget/fine/": 1,
	}, counts(t, tel), "also what the client did not wait for")
}

// What only a model could judge, and none is configured, is not tried again.
func TestTextForAJudgeAloneFailsWithoutOne(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	alone := func() error { return fault.New(fault.NotConfigured, "this text needs a judge") }
	live := newLive(t)
	want(t, live, "one", monitor.SetupEvaluator{Slug: "alone"})
	p, tel := startProcessor(t, live, catalogOf(t, counter(t, "alone", &runs, alone)), defaults())
	made := judged(t, p, stamped(1))[0][0]
	require.Equal(t, eval.Failed, made.Status)
	require.Equal(t, "this text needs a judge", made.Reason)
	require.Zero(t, made.Due)
	require.Equal(t, map[string]int64{"failed/not_configured/alone/": 1}, counts(t, tel))

	retry := defaults().Retry
	gone := attempt{err: alone(), unable: true}
	require.True(t, retry.again(&gone, 100), "a model that was taken out of the configuration may come back")
	require.False(t, retry.again(&attempt{err: alone()}, 1))
}

// A setup that changes between two batches is judged as it is then.
func TestChangedSetupCountsFromTheNextBatch(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	want(t, live, "one", monitor.SetupEvaluator{Slug: "char-count"})
	p, _ := startWith(t, live, nil, defaults())
	require.Equal(t, "char-count", judged(t, p, stamped(1))[0][0].Evaluator)
	s := await(t, live, "one", monitor.Completed)

	s.Selector = monitor.Selector{exists("number")}
	s.Evaluators = []monitor.SetupEvaluator{{Slug: "word-count"}, {Slug: "char-count", Inputs: map[string]monitor.InputSource{
		"text": {Source: monitor.SpanAttributes, Key: "number"},
	}}}
	_, err := store.Setups(live).Replace(t.Context(), s.Changed(time.Now(), true))
	require.NoError(t, err)
	td := stamped(2)
	spanAt(td, 1).Attributes().Remove("number")
	both := judged(t, p, td)
	require.Len(t, both[0], 2)
	require.Equal(t, "word-count", both[0][0].Evaluator)
	require.Equal(t, int64(1), both[0][1].Outputs[0].Value)
	require.Empty(t, both[1])
	await(t, live, "one", monitor.Completed)

	require.NoError(t, store.Setups(live).Delete(t.Context(), env, "one"))
	require.Empty(t, judged(t, p, stamped(1))[0], "a deleted one counts no more")
}

// What is still loading is made good later; no span waits for it.
func TestSpansDoNotWaitForWhatIsLoading(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	slow, err := eval.New(eval.Definition[anyText, eval.None, nothing]{
		Slug: "slow", Doc: "Loads long.", Examples: []eval.Example{{Input: `{"text":"x"}`, Want: `{"fine":true}`}},
		Run: func(ctx context.Context, _ anyText, _ eval.None) (nothing, error) {
			select {
			case <-gate:
				return nothing{Fine: true}, nil
			case <-ctx.Done():
				return nothing{}, ctx.Err()
			}
		},
	})
	require.NoError(t, err)
	good, _ := evaluators.Catalog().Get("char-count")
	live := newLive(t)
	p, _ := startProcessor(t, live, catalogOf(t, slow, good), defaults())
	p.loader.wait(t.Context(), good)
	want(t, live, "one", monitor.SetupEvaluator{Slug: "slow"}, monitor.SetupEvaluator{Slug: "char-count"})
	made := judged(t, p, stamped(1))[0]
	require.Equal(t, eval.Deferred, made[0].Status)
	require.Equal(t, eval.ReasonOverBudget, made[0].Reason)
	require.Equal(t, made[0].Time, made[0].Due)
	require.Equal(t, eval.Done, made[1].Status)

	close(gate)
	require.Eventually(t, func() bool { return judged(t, p, stamped(1))[0][0].Status == eval.Done }, patience, time.Millisecond)
	await(t, live, "one", monitor.Completed)

	// What loads during shutdown does not hold it up.
	l := newLoader(func() {})
	gate = make(chan struct{})
	require.False(t, l.ready(slow))
	l.stop()
	require.False(t, l.ready(good), "nothing is begun any more")
	l.wait(t.Context(), good)
}
