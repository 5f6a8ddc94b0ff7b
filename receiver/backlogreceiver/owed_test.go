// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestOwedSpansComeAsTheyAreStoredWithWhatIsOwed(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	one, two := h.setup("one", nil, "toxicity-detector", "char-count"), h.setup("two", nil, "toxicity-detector")
	h.setup("three", nil, "toxicity-detector")
	verdict := eval.Evaluation{SetupID: one.ID, Evaluator: "char-count", Status: eval.Done, Outputs: []eval.Output{{Name: "char_count", Value: int64(4)}}, Time: 1}
	h.write(h.newSpan(0), owedBy(one, "toxicity-detector"), verdict, owedBy(two, "toxicity-detector"))
	h.write(h.newSpan(1), verdict)
	got := make(chan ptrace.Traces, 1)
	h.start(testConfig(), func(ctx context.Context, td ptrace.Traces) error {
		got <- td
		return h.complete(ctx, td)
	})
	td := <-got
	require.Equal(t, []int{0}, numbers(td))
	rs := td.ResourceSpans().At(0)
	require.Equal(t, 1, rs.ScopeSpans().Len())
	s := rs.ScopeSpans().At(0).Spans().At(0)
	resource := rs.Resource().Attributes().AsRaw()
	require.Equal(t, string(h.env.ID), resource[tenant.AttributeEnvironmentID])
	require.Equal(t, true, resource[tenant.AttributeDeferred])
	require.NotContains(t, resource, tenant.AttributeBackfill)
	setups, customEvaluators, err := monitor.CarriedSetups(rs.Resource().Attributes())
	require.NoError(t, err)
	require.Empty(t, customEvaluators)
	require.Len(t, setups, 2, "those with pending evaluations")
	require.Equal(t, "one", setups[0].ExternalID)
	require.Equal(t, "two", setups[1].ExternalID)
	carried := monitor.Carried(s.Attributes())
	require.Len(t, carried, 2, "the verdict is not pending")
	require.Equal(t, one.ID, carried[0].SetupID)
	require.Equal(t, eval.Deferred, carried[0].Status)

	back := genai.FromOTLP(genai.NewResource(rs.Resource()), rs.ScopeSpans().At(0).Scope(), s)
	back.Environment = h.env.Slug
	want, err := h.real.Get(t.Context(), h.env, []span.Key{{TraceID: back.TraceID, SpanID: back.SpanID}}, 0)
	require.NoError(t, err)
	require.Equal(t, want[0].Completions, back.Completions)
	require.Equal(t, want[0].Start, back.Start)
	require.Eventually(t, func() bool {
		done := 0
		for _, e := range h.evaluations(0) {
			if e.Status == eval.Done {
				done++
			}
		}
		return done == 3
	}, patience, time.Millisecond)
}

// What was made of a span that is replaced while a worker has it does not count
// for the new content.
func TestASpanIsReplacedWhileItIsJudged(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	one := h.setup("one", nil, "toxicity-detector")
	h.write(h.newSpan(0), owedBy(one, "toxicity-detector"))
	later := owedBy(one, "toxicity-detector")
	later.Due = time.Now().Add(time.Hour).UnixNano()
	completed := make(chan error, 1)
	h.start(testConfig(), func(ctx context.Context, td ptrace.Traces) error {
		s := h.newSpan(0)
		s.Name = "replaced"
		h.write(s, later)
		completed <- h.complete(ctx, td)
		return nil
	})
	require.NoError(t, <-completed)
	require.Equal(t, []eval.Evaluation{later}, h.evaluations(0))
}

func TestWhatThePipelineDoesNotTakeIsOwedAsBefore(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	s := h.setup("m", nil, "toxicity-detector")
	const spans = 40
	for n := range spans {
		h.write(h.newSpan(n), owedBy(s, "toxicity-detector"))
	}
	cfg := testConfig()
	cfg.Batch = spans / 2
	var calls atomic.Int64
	both := make(chan struct{})
	stop := h.start(cfg, func(ctx context.Context, td ptrace.Traces) error {
		n := calls.Add(1)
		if n == 2 {
			close(both)
		}
		if n <= 2 { // two leases that fail together
			<-both
			return errors.New("no connection")
		}
		return h.complete(ctx, td)
	})
	for n := range spans {
		require.Equal(t, 1, h.await(n, eval.Done).Attempts, "given up leases are no tries")
	}
	stop() // what is done is off the backlog then, and reported
	require.Zero(t, h.real.stats(t))
	require.Len(t, h.logs.FilterMessageSnippet("pending evaluations, will retry").All(), 1, "one line for one outage")
	require.Len(t, h.logs.FilterMessageSnippet("accepts pending evaluations again").All(), 1)
}

// What a lease failed of is free again once its failure is noted, so that it is not
// leased again without a pause.
func TestAFailureIsNotedBeforeItsLeaseIsReleased(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(f *front){
		"pipeline": func(*front) {},
		"get": func(f *front) {
			f.get = func(context.Context, tenant.Environment, []span.Key, int) ([]span.Span, error) {
				return nil, errors.New("the disk is slow")
			}
		},
		"reserve": func(f *front) {
			f.reserve = func(context.Context, store.Budget, store.Location, string) (store.Reserved, error) {
				return store.Granted, errors.New("the disk is slow")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newTestbed(t)
			s := h.setup("m", func(s *monitor.Setup) { s.MaxCostPerDay = 1 }, "toxicity-detector")
			h.write(h.newSpan(0), owedBy(s, "toxicity-detector"))
			f := &front{Engine: h.real.Engine, Backlog: h.real.Backlog}
			spoil(f)
			noted := make(chan int, 1)
			f.release = func(ctx context.Context, list []store.Evaluated, due time.Time) error {
				select {
				case noted <- h.logs.FilterMessageSnippet("pending evaluations, will retry").Len():
				default:
				}
				return f.Backlog.Release(ctx, list, due)
			}
			h.spans, h.backlog = f, f
			h.start(testConfig(), func(context.Context, ptrace.Traces) error { return errors.New("no connection") })
			require.Equal(t, 1, <-noted)
		})
	}
}

// A span that no pipeline takes does not keep the others waiting, and is not
// lost.
func TestPoisonIsPutOff(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	s := h.setup("m", nil, "toxicity-detector")
	const spans, poison = 4, 1
	for n := range spans {
		h.write(h.newSpan(n), owedBy(s, "toxicity-detector"))
	}
	cfg := testConfig()
	cfg.Workers = 1
	stop := h.start(cfg, func(ctx context.Context, td ptrace.Traces) error {
		for _, n := range numbers(td) {
			if n == poison {
				return consumererror.NewPermanent(errors.New("too large"))
			}
		}
		return h.complete(ctx, td)
	})
	for n := range spans {
		if n != poison {
			h.await(n, eval.Done)
		}
	}
	require.Eventually(t, func() bool { return h.evaluations(poison)[0].Attempts == 1 }, patience, 2*time.Millisecond)
	stop() // it is counted then
	e := h.evaluations(poison)[0]
	require.Equal(t, eval.Deferred, e.Status)
	require.Equal(t, reasonRefused, e.Reason)
	require.Greater(t, e.Due, time.Now().UnixNano())
	require.EqualValues(t, 1, h.counted("touchstone_backlog_completed", "refused"))
}

func TestRateBoundsWhatIsHandedOut(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	s := h.setup("m", nil, "toxicity-detector")
	const spans = 5
	for n := range spans {
		h.write(h.newSpan(n), owedBy(s, "gone")) // what needs no model does not count
		h.write(h.newSpan(spans+n), owedBy(s, "toxicity-detector"))
	}
	cfg := testConfig()
	cfg.Rate = 1e-4 // one in three hours
	stop := h.start(cfg, h.complete)
	require.Eventually(t, func() bool { return h.real.stats(t).Evaluations < 2*spans }, patience, time.Millisecond)
	h.awaitSum(spans, eval.Done, 1)
	stop()
	h.awaitSum(spans, eval.Done, 1)
	require.Zero(t, h.real.stats(t).Leased, "no one waits with a lease")
}

// awaitSum waits until so many of the spans n to 2n-1 have this status.
func (h *testbed) awaitSum(n int, want eval.Status, sum int) {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		got := 0
		for i := range n {
			if h.evaluations(n + i)[0].Status == want {
				got++
			}
		}
		return got == sum
	}, patience, time.Millisecond)
}

func TestManySpansAreHandedOutOnce(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	s := h.setup("m", nil, "toxicity-detector")
	const spans = 300
	records := make([]store.Record, spans)
	for n := range spans {
		records[n] = store.Record{Environment: h.env, Span: h.newSpan(n), Evaluations: []eval.Evaluation{owedBy(s, "toxicity-detector")}}
	}
	require.NoError(t, storetest.Write(t.Context(), h.real, records))
	var mu sync.Mutex
	handed := map[int]int{}
	h.start(testConfig(), func(ctx context.Context, td ptrace.Traces) error {
		mu.Lock()
		for _, n := range numbers(td) {
			handed[n]++
		}
		mu.Unlock()
		return h.complete(ctx, td)
	})
	require.Eventually(t, func() bool { return h.real.stats(t).Evaluations == 0 }, patience, time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, handed, spans)
	for n, times := range handed {
		require.Equal(t, 1, times, "span %d", n)
	}
}
