// SPDX-License-Identifier: Apache-2.0

package verdictsamplingprocessor

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// bed is a sampler that decides when a test says so.
type bed struct {
	*sampler
	tel  *componenttest.Telemetry
	sent consumertest.TracesSink
}

// failuresAndSome keeps all failures, a hundredth of the spans without results, and a
// twentieth of the rest.
func failuresAndSome() *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.DecisionWait, cfg.Otherwise = maxDecisionWait, 0.05
	cfg.Policies = []Policy{
		{Name: "failures", Share: 1, Verdicts: []Verdict{verdictFail}},
		{Name: "unjudged", Share: 0.01, Verdicts: []Verdict{verdictNone}},
	}
	return cfg
}

func start(t *testing.T, cfg *Config, next consumer.Traces) *bed {
	t.Helper()
	b := &bed{tel: componenttest.NewTelemetry()}
	t.Cleanup(func() { require.NoError(t, b.tel.Shutdown(context.WithoutCancel(t.Context()))) })
	if next == nil {
		next = &b.sent
	}
	set := processortest.NewNopSettings(Type)
	set.TelemetrySettings = b.tel.NewTelemetrySettings()
	require.NoError(t, cfg.Validate())
	p, err := NewFactory().CreateTraces(t.Context(), set, cfg, next)
	require.NoError(t, err)
	b.sampler = p.(*sampler)
	require.True(t, b.Capabilities().MutatesData)
	require.NoError(t, b.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, b.Shutdown(context.WithoutCancel(t.Context()))) })
	return b
}

// decide decides everything that waits.
func (b *bed) decide() { b.table.decideDue(time.Now().Add(2 * maxDecisionWait)) }

// send hands spans over and returns where the answer comes; it returns when they wait, or
// were answered.
func (b *bed) send(t *testing.T, td ptrace.Traces) <-chan error {
	t.Helper()
	answer := make(chan error, 1)
	before := b.requests()
	go func() { answer <- b.ConsumeTraces(t.Context(), td) }()
	require.Eventually(t, func() bool { return len(answer) > 0 || b.requests() > before }, time.Minute, time.Millisecond)
	return answer
}

// requests is how many requests wait.
func (b *bed) requests() (n int) {
	b.table.mu.Lock()
	defer b.table.mu.Unlock()
	for _, e := range b.table.environments {
		n += e.requests.Len()
	}
	return n
}

// counts returns the points of a metric by the value of a label.
func (b *bed) counts(t *testing.T, name, label string) map[string]int64 {
	t.Helper()
	found, err := b.tel.GetMetric("touchstone_verdict_sampling_" + name)
	require.NoError(t, err)
	points := map[string]int64{}
	add := func(set attribute.Set, n int64) {
		value, _ := set.Value(attribute.Key(label))
		points[value.AsString()] += n
	}
	switch data := found.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, p.Value)
		}
	case metricdata.Gauge[int64]:
		for _, p := range data.DataPoints {
			add(p.Attributes, p.Value)
		}
	}
	return points
}

// names are those of the spans that were handed on.
func names(sink *consumertest.TracesSink) (list []string) {
	for _, td := range sink.AllTraces() {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					list = append(list, s.Name())
				}
			}
		}
	}
	return list
}

// spans builds requests.
type spans struct{ ptrace.Traces }

func newSpans() spans { return spans{ptrace.NewTraces()} }

// add adds a span to the resource of an environment.
func (td spans) add(environment, name string, trace uint32, randomness uint64, evaluations ...eval.Evaluation) ptrace.Span {
	var rs ptrace.ResourceSpans
	if n := td.ResourceSpans().Len(); n > 0 {
		rs = td.ResourceSpans().At(n - 1)
	}
	if td.ResourceSpans().Len() == 0 || stampOf(rs) != environment {
		rs = td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr(tenant.AttributeEnvironmentID, environment)
		rs.ScopeSpans().AppendEmpty()
	}
	s := rs.ScopeSpans().At(0).Spans().AppendEmpty()
	s.SetName(name)
	s.SetTraceID(traceID(trace, randomness))
	monitor.Carry(s.Attributes(), evaluations)
	return s
}

func stampOf(rs ptrace.ResourceSpans) string {
	stamp, _ := rs.Resource().Attributes().Get(tenant.AttributeEnvironmentID)
	return stamp.AsString()
}

// low and high are randomness with which a trace is dropped and kept unless all are.
const low, high = 0x00000000000001, highRandomness

// A trace with a failure is kept whole, whichever of its spans it is on and in whichever
// request it comes. Of the others a share is kept, and spans say which.
func TestFailuresAreKeptWhole(t *testing.T) {
	t.Parallel()
	b := start(t, failuresAndSome(), nil)
	first, second := newSpans(), newSpans()
	first.add("e", "before", 1, low)
	first.add("e", "pass", 2, low, passed)
	first.add("e", "kept pass", 3, high, passed)
	first.add("e", "kept unjudged", 4, high)
	second.add("e", "failure", 1, low, flagged)
	second.add("e", "after", 1, low, passed)
	one, two := b.send(t, first.Traces), b.send(t, second.Traces)
	require.Empty(t, one, "who sent them waits")
	require.Positive(t, b.counts(t, "held_bytes", "")[""])
	require.EqualValues(t, 4, b.counts(t, "held_traces", "")[""])
	b.decide()
	require.NoError(t, <-one)
	require.NoError(t, <-two)
	require.ElementsMatch(t, []string{"before", "kept pass", "kept unjudged", "failure", "after"}, names(&b.sent))
	thresholds := map[string]string{}
	for _, td := range b.sent.AllTraces() {
		for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			thresholds[s.Name()] = s.TraceState().AsRaw()
		}
	}
	require.Equal(t, map[string]string{
		"before": "ot=th:0", "failure": "ot=th:0", "after": "ot=th:0", "kept pass": "ot=th:f33333", "kept unjudged": "ot=th:fd70a4",
	}, thresholds)
	require.Equal(t, map[string]int64{"failures": 1, "unjudged": 1, otherwise: 2}, b.counts(t, "traces", "policy"))
	require.Equal(t, map[string]int64{"kept": 3, "dropped": 1}, b.counts(t, "traces", "decision"))
	require.Equal(t, map[string]int64{"failures": 3, "unjudged": 1, otherwise: 2}, b.counts(t, "spans", "policy"))
	require.Equal(t, map[string]int64{"kept": 5, "dropped": 1}, b.counts(t, "spans", "decision"))
	require.Zero(t, b.counts(t, "held_bytes", "")[""])
	require.Zero(t, b.counts(t, "held_traces", "")[""])
}

func TestMetricsAreThereFromTheStart(t *testing.T) {
	t.Parallel()
	b := start(t, failuresAndSome(), nil)
	for name, points := range map[string]map[string]int64{
		"traces": {"failures": 0, "unjudged": 0, otherwise: 0}, "spans": {"failures": 0, "unjudged": 0, otherwise: 0},
	} {
		require.Equal(t, points, b.counts(t, name, "policy"))
	}
	require.Equal(t, map[string]int64{"memory": 0, "traces": 0, "shutdown": 0}, b.counts(t, "early", "reason"))
	require.Equal(t, map[string]int64{"kept": 0, "dropped": 0}, b.counts(t, "late", "decision"))
	require.Equal(t, map[string]int64{"malformed": 0, "inconsistent": 0}, b.counts(t, "tracestates_invalid", "reason"))
	for _, name := range []string{"refused", "lost", "held_bytes", "held_traces"} {
		require.Equal(t, map[string]int64{Type.String(): 0}, b.counts(t, name, "processor"))
	}
}

// A late span is treated as its trace was, but a failure is kept, and what follows it.
func TestLateSpans(t *testing.T) {
	t.Parallel()
	b := start(t, failuresAndSome(), nil)
	send := func(name string, trace uint32, evaluations ...eval.Evaluation) {
		td := newSpans()
		td.add("e", name, trace, low, evaluations...)
		answer := b.send(t, td.Traces)
		b.decide()
		require.NoError(t, <-answer)
	}
	send("failure", 1, flagged)
	send("late of failure", 1, passed)
	send("pass", 2, passed)
	send("late of pass", 2, passed)
	send("late failure", 2, flagged)
	send("later", 2, passed)
	require.Equal(t, []string{"failure", "late of failure", "late failure", "later"}, names(&b.sent))
	require.Equal(t, map[string]int64{"kept": 3, "dropped": 1}, b.counts(t, "late", "decision"))
	require.Equal(t, map[string]int64{"kept": 1, "dropped": 1}, b.counts(t, "traces", "decision"), "a trace is decided once")
}

func TestTracesOfTwoEnvironmentsAreTwo(t *testing.T) {
	t.Parallel()
	b := start(t, failuresAndSome(), nil)
	td := newSpans()
	td.add("one", "failure", 1, low, flagged)
	td.add("two", "pass", 1, low, passed)
	answer := b.send(t, td.Traces)
	b.decide()
	require.NoError(t, <-answer)
	require.Equal(t, []string{"failure"}, names(&b.sent))

	cfg := failuresAndSome()
	cfg.EnvironmentAttribute = "whose"
	b = start(t, cfg, nil)
	td = newSpans()
	td.add("one", "failure", 1, low, flagged)
	td.add("two", "pass", 1, low, passed)
	answer = b.send(t, td.Traces)
	b.decide()
	require.NoError(t, <-answer)
	require.Equal(t, []string{"failure", "pass"}, names(&b.sent), "their environment is unknown")
}

// Spans that pass for their pending evaluations were decided when they passed first.
func TestOwedSpansPass(t *testing.T) {
	t.Parallel()
	b := start(t, failuresAndSome(), nil)
	td := newSpans()
	td.add("e", "owed", 1, low, passed)
	td.ResourceSpans().At(0).Resource().Attributes().PutBool(tenant.AttributeDeferred, true)
	require.NoError(t, b.ConsumeTraces(t.Context(), td.Traces))
	require.Equal(t, []string{"owed"}, names(&b.sent))
	require.Empty(t, b.sent.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).TraceState().AsRaw())
	require.NoError(t, b.ConsumeTraces(t.Context(), ptrace.NewTraces()))
}

// Two samplers in a row keep what the one with the smaller share keeps, and say so.
func TestTwoSamplersInARowAreConsistent(t *testing.T) {
	t.Parallel()
	const traces = 20_000
	half, fifth := failuresAndSome(), failuresAndSome()
	half.Otherwise, fifth.Otherwise = 0.5, 0.2
	kept := func(configs ...*Config) map[string]string {
		td := newSpans()
		for i := range uint32(traces) {
			evaluations := []eval.Evaluation{passed}
			if i%100 == 0 {
				evaluations[0] = flagged
			}
			td.add("e", "", i, splitmix(uint64(i)), evaluations...)
		}
		given := td.Traces
		for _, cfg := range configs {
			b := start(t, cfg, nil)
			answer := b.send(t, given)
			b.decide()
			require.NoError(t, <-answer)
			given = b.sent.AllTraces()[0]
		}
		states := map[string]string{}
		for _, s := range given.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			states[s.TraceID().String()] = s.TraceState().AsRaw()
		}
		return states
	}
	want := kept(fifth)
	require.Equal(t, want, kept(half, fifth))
	require.Equal(t, want, kept(fifth, half))
	require.Equal(t, want, kept(fifth, fifth))
	require.InDelta(t, traces/5, len(want), traces/50)
}

// splitmix is a random number for each x.
func splitmix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return (x ^ x>>31) & highRandomness
}

// What samplers before us kept counts too, in what is written on spans and in the
// inclusion probability of evaluations.
func TestSpansThatWereSampledBefore(t *testing.T) {
	t.Parallel()
	b := start(t, failuresAndSome(), nil)
	td := newSpans()
	td.add("e", "failure", 1, high, flagged).TraceState().FromRaw("ot=th:c")
	td.add("e", "pass", 2, high, passed).TraceState().FromRaw("ot=th:c,a=b")
	td.add("e", "rarer", 3, high, passed).TraceState().FromRaw("ot=th:ffff")
	td.add("e", "explicit", 4, low, passed).TraceState().FromRaw("ot=rv:fffffffffffffe")
	td.add("e", "dropped", 5, high, passed).TraceState().FromRaw("ot=rv:00000000000001")
	td.add("e", "broken", 6, low, flagged).TraceState().FromRaw("=;=")
	td.add("e", "inconsistent", 7, low, flagged).TraceState().FromRaw("ot=th:c")
	answer := b.send(t, td.Traces)
	b.decide()
	require.NoError(t, <-answer)
	type marks struct {
		state       string
		probability float64
	}
	got := map[string]marks{}
	for _, s := range b.sent.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		got[s.Name()] = marks{s.TraceState().AsRaw(), monitor.Carried(s.Attributes())[0].Probability}
	}
	p := threshold(t, "f33333").Probability()
	require.Equal(t, map[string]marks{
		"failure": {"ot=th:c", 0.5}, "pass": {"ot=th:f33333,a=b", 0.5 * (p / 0.25)}, "rarer": {"ot=th:ffff", 0.5},
		"explicit": {"ot=th:f33333;rv:fffffffffffffe", 0.5 * p}, "broken": {"ot=th:0", 0.5}, "inconsistent": {"ot=th:0", 0.5},
	}, got)
	require.Equal(t, map[string]int64{"malformed": 1, "inconsistent": 1}, b.counts(t, "tracestates_invalid", "reason"))
}

// The sender gets the true result, and may send again.
func TestAnswersAreTrue(t *testing.T) {
	t.Parallel()
	full := errors.New("queue is full")
	var next switched
	next.set(full)
	b := start(t, failuresAndSome(), &next)
	td := newSpans()
	td.add("e", "failure", 1, low, flagged)
	again := ptrace.NewTraces()
	td.CopyTo(again)
	answer := b.send(t, td.Traces)
	b.decide()
	require.ErrorIs(t, <-answer, full)
	next.set(nil)
	require.NoError(t, b.ConsumeTraces(t.Context(), again), "it is decided")
	require.Equal(t, []string{"failure"}, names(&next.sink))
	require.Zero(t, b.counts(t, "held_bytes", "")[""])

	// A sender that goes away was not answered, and its spans are gone.
	gone, leave := context.WithCancel(t.Context())
	td = newSpans()
	td.add("e", "gone", 2, low, flagged)
	answer2 := make(chan error, 1)
	go func() { answer2 <- b.ConsumeTraces(gone, td.Traces) }()
	require.Eventually(t, func() bool { return b.requests() == 1 }, time.Minute, time.Millisecond)
	leave()
	require.ErrorIs(t, <-answer2, context.Canceled)
	require.Zero(t, b.counts(t, "held_bytes", "")[""])
	b.decide()
	require.Zero(t, b.counts(t, "held_bytes", "")[""])
	require.Equal(t, []string{"failure"}, names(&next.sink))
}

// switched is a consumer that fails while a test wants it to.
type switched struct {
	mu    sync.Mutex
	err   error
	calls int
	sink  consumertest.TracesSink
}

func (s *switched) set(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *switched) called() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func (s *switched) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: true}
}

func (s *switched) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.err != nil {
		td.ResourceSpans().RemoveIf(func(ptrace.ResourceSpans) bool { return true }) // which is its right
		return s.err
	}
	return s.sink.ConsumeTraces(ctx, td)
}

// In answer held a sender does not wait, and what is not taken is handed on again.
func TestHeldSpansAreHandedOnUntilTheyAreTaken(t *testing.T) {
	t.Parallel()
	cfg := failuresAndSome()
	cfg.Answer = answerHeld
	var next switched
	next.set(errors.New("queue is full"))
	b := start(t, cfg, &next)
	td := newSpans()
	td.add("e", "failure", 1, low, flagged)
	td.add("e", "pass", 2, low, passed)
	require.NoError(t, b.ConsumeTraces(t.Context(), td.Traces))
	require.Zero(t, next.called())
	b.decide()
	require.Eventually(t, func() bool { return next.called() >= 2 }, time.Minute, time.Millisecond)
	require.Positive(t, b.counts(t, "held_bytes", "")[""])
	next.set(nil)
	require.Eventually(t, func() bool { return next.sink.SpanCount() == 1 }, time.Minute, time.Millisecond)
	require.Equal(t, []string{"failure"}, names(&next.sink))

	next.set(consumererror.NewPermanent(errors.New("never")))
	td = newSpans()
	td.add("e", "refused", 3, low, flagged)
	require.NoError(t, b.ConsumeTraces(t.Context(), td.Traces))
	b.decide()
	require.Eventually(t, func() bool { return b.counts(t, "lost", "")[""] == 1 }, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return b.counts(t, "held_bytes", "")[""] == 0 }, time.Minute, time.Millisecond)
}

// The end of the process does not wait for what is still to come.
func TestShutdownDecidesWhatIsKnown(t *testing.T) {
	t.Parallel()
	for _, answer := range []Answer{answerDecided, answerHeld} {
		cfg := failuresAndSome()
		cfg.Answer = answer
		b := start(t, cfg, nil)
		td := newSpans()
		td.add("e", "failure", 1, low, flagged)
		td.add("e", "pass", 2, low, passed)
		answered := b.send(t, td.Traces)
		require.NoError(t, b.Shutdown(t.Context()))
		require.NoError(t, <-answered)
		require.Equal(t, []string{"failure"}, names(&b.sent))
		require.EqualValues(t, 2, b.counts(t, "early", "reason")["shutdown"])
		td = newSpans()
		td.add("e", "afterwards", 3, low, flagged)
		require.NoError(t, b.table.add(&request{td: td.Traces}, b.look(td.Traces), time.Now()))
		require.Zero(t, b.requests(), "nothing waits any more")
	}

	cfg := failuresAndSome()
	cfg.Answer = answerHeld
	var next switched
	next.set(errors.New("queue is full"))
	b := start(t, cfg, &next)
	td := newSpans()
	td.add("e", "failure", 1, low, flagged)
	require.NoError(t, b.ConsumeTraces(t.Context(), td.Traces))
	require.NoError(t, b.Shutdown(t.Context()))
	require.EqualValues(t, 1, b.counts(t, "lost", "")[""], "which is counted")
}
