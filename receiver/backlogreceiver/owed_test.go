// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestOwedSpansComeAsTheyAreStoredWithWhatIsOwed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	one, two := h.setup("one", nil, "toxicity-detector", "char-count"), h.setup("two", nil, "toxicity-detector")
	h.setup("three", nil, "toxicity-detector")
	verdict := eval.Evaluation{SetupID: one.ID, Evaluator: "char-count", Status: eval.Done, Outputs: []eval.Output{{Name: "char_count", Value: int64(4)}}, Time: 1}
	h.write(h.newSpan(0), owedBy(one, "toxicity-detector"), verdict, owedBy(two, "toxicity-detector"))
	h.write(h.newSpan(1), verdict)
	got := make(chan ptrace.Traces, 1)
	h.start(testConfig(), func(ctx context.Context, td ptrace.Traces) error {
		got <- td
		return h.settle(ctx, td)
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
	setups, customs, err := monitor.CarriedSetups(rs.Resource().Attributes())
	require.NoError(t, err)
	require.Empty(t, customs)
	require.Len(t, setups, 2, "those with something owed")
	require.Equal(t, "one", setups[0].ExternalID)
	require.Equal(t, "two", setups[1].ExternalID)
	carried := monitor.Carried(s.Attributes())
	require.Len(t, carried, 2, "the verdict is not owed")
	require.Equal(t, one.ID, carried[0].SetupID)
	require.Equal(t, eval.Deferred, carried[0].Status)

	back := span.FromOTLP(span.NewResource(rs.Resource()), rs.ScopeSpans().At(0).Scope(), s)
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
	}, 10*time.Second, time.Millisecond)
}

// The rest of the trace comes along where an evaluator reads it, and only there.
func TestSiblingsComeAlongWhereTheyAreRead(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	reads, alone := h.setup("reads", nil, "faithfulness"), h.setup("alone", nil, "toxicity-detector")
	family := func(trace byte, n int) span.Span {
		s := h.newSpan(n)
		s.TraceID = span.TraceID{trace}
		return s
	}
	h.write(family(1, 0), owedBy(reads, "faithfulness"))
	h.write(family(1, 1), owedBy(reads, "faithfulness"))
	h.write(family(2, 3), owedBy(alone, "toxicity-detector"))
	for n := 4; n < 10; n++ {
		h.write(family(1, n))
		h.write(family(2, n))
	}
	var mu sync.Mutex
	var seen []ptrace.Traces
	cfg := testConfig()
	cfg.Siblings = 3
	h.start(cfg, func(ctx context.Context, td ptrace.Traces) error {
		mu.Lock()
		seen = append(seen, td)
		mu.Unlock()
		return h.settle(ctx, td)
	})
	require.Eventually(t, func() bool { return h.real.Owing().Evaluations == 0 }, 10*time.Second, time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, seen, 1)
	require.Equal(t, []int{0, 1, 3, 4, 5, 6}, numbers(seen[0]), "three siblings of the one trace, each once")
	for _, rs := range seen[0].ResourceSpans().All() {
		s := rs.ScopeSpans().At(0).Spans().At(0)
		setups, _, err := monitor.CarriedSetups(rs.Resource().Attributes())
		require.NoError(t, err, "whoever judges looks at each resource")
		require.Len(t, setups, len(monitor.Carried(s.Attributes())), "siblings are only looked at")
	}
}

func TestCustomEvaluatorsComeAlong(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, slug := range []string{"ours", "other"} {
		require.NoError(t, h.live.CreateEvaluator(t.Context(), storetest.NewEvaluator(h.env, slug)))
	}
	custom, err := h.live.Evaluator(t.Context(), h.env.ID, "ours")
	require.NoError(t, err)
	s := h.setup("m", func(s *monitor.Setup) { s.Evaluators[0].CustomID = custom.ID }, "ours")
	h.write(h.newSpan(0), owedBy(s, "ours"))
	h.write(h.newSpan(1), owedBy(s, "ours"))
	got := make(chan ptrace.Traces, 1)
	h.start(testConfig(), func(ctx context.Context, td ptrace.Traces) error {
		got <- td
		return h.settle(ctx, td)
	})
	td := <-got
	for _, rs := range td.ResourceSpans().All() {
		_, customs, err := monitor.CarriedSetups(rs.Resource().Attributes())
		require.NoError(t, err)
		require.Len(t, customs, 1)
		require.Equal(t, custom.VersionID, customs[0].VersionID)
	}
}

func TestWhatThePipelineDoesNotTakeIsOwedAsBefore(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.setup("m", nil, "toxicity-detector")
	const spans = 40
	for n := range spans {
		h.write(h.newSpan(n), owedBy(s, "toxicity-detector"))
	}
	var calls atomic.Int64
	h.start(testConfig(), func(ctx context.Context, td ptrace.Traces) error {
		if calls.Add(1) <= 2 {
			return errors.New("no connection")
		}
		return h.settle(ctx, td)
	})
	for n := range spans {
		require.Equal(t, 1, h.await(n, eval.Done).Attempts, "given up leases are no tries")
	}
	require.Zero(t, h.real.Owing())
	require.Len(t, h.logs.FilterMessageSnippet("owed as before").All(), 1, "one line for one outage")
	require.Eventually(t, func() bool { return h.logs.FilterMessageSnippet("takes owed evaluations again").Len() == 1 }, 10*time.Second, time.Millisecond)
}

// A span that no pipeline takes does not keep the others waiting, and is not
// lost.
func TestPoisonIsPutOff(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.setup("m", nil, "toxicity-detector")
	const spans, poison = 4, 1
	for n := range spans {
		h.write(h.newSpan(n), owedBy(s, "toxicity-detector"))
	}
	cfg := testConfig()
	cfg.Workers = 1
	h.start(cfg, func(ctx context.Context, td ptrace.Traces) error {
		for _, n := range numbers(td) {
			if n == poison {
				return consumererror.NewPermanent(errors.New("too large"))
			}
		}
		return h.settle(ctx, td)
	})
	for n := range spans {
		if n != poison {
			h.await(n, eval.Done)
		}
	}
	require.Eventually(t, func() bool { return h.evaluations(poison)[0].Attempts == 1 }, 20*time.Second, 2*time.Millisecond)
	e := h.evaluations(poison)[0]
	require.Equal(t, eval.Deferred, e.Status)
	require.Equal(t, reasonRefused, e.Reason)
	require.Greater(t, e.Due, time.Now().UnixNano())
	require.EqualValues(t, 1, h.counted("touchstone_backlog_settled", "refused"))
}

// What takes longer than the lease is cancelled, and alone it is put off.
func TestASendEndsWithItsLease(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.setup("m", nil, "toxicity-detector")
	h.write(h.newSpan(0), owedBy(s, "toxicity-detector"))
	cfg := testConfig()
	cfg.Lease = 50 * time.Millisecond
	h.start(cfg, func(ctx context.Context, _ ptrace.Traces) error {
		<-ctx.Done()
		return errors.New("the other side says that the deadline is exceeded")
	})
	require.Eventually(t, func() bool { return h.evaluations(0)[0].Attempts == 1 }, 20*time.Second, 2*time.Millisecond)
	require.Equal(t, reasonRefused, h.evaluations(0)[0].Reason)
}

func TestShutdownWaitsForWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.setup("m", nil, "toxicity-detector")
	h.write(h.newSpan(0), owedBy(s, "toxicity-detector"))
	at, goOn := make(chan struct{}), make(chan struct{})
	stop := h.start(testConfig(), func(ctx context.Context, td ptrace.Traces) error {
		close(at)
		<-goOn
		return h.settle(ctx, td)
	})
	<-at
	h.write(h.newSpan(1), owedBy(s, "toxicity-detector"))
	stopped := make(chan struct{})
	go func() {
		stop()
		close(stopped)
	}()
	close(goOn)
	<-stopped
	require.Equal(t, eval.Done, h.evaluations(0)[0].Status)
}

func TestShutdownCancelsWhatTakesTooLong(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.setup("m", nil, "toxicity-detector")
	const spans = 5
	for n := range spans {
		h.write(h.newSpan(n), owedBy(s, "toxicity-detector"))
	}
	at := make(chan struct{})
	cfg := testConfig()
	cfg.ShutdownGrace = 0
	stop := h.start(cfg, func(ctx context.Context, _ ptrace.Traces) error {
		close(at)
		<-ctx.Done()
		return ctx.Err()
	})
	<-at
	require.EqualValues(t, spans, h.real.Owing().Leased)
	stop()
	require.Zero(t, h.real.Owing().Leased, "leases are given back")
	require.EqualValues(t, spans, h.real.Owing().Evaluations)
	require.Empty(t, h.logs.FilterLevelExact(2).All())
	require.Equal(t, 0, h.evaluations(0)[0].Attempts)
	h.start(testConfig(), h.settle)
	for n := range spans {
		h.await(n, eval.Done)
	}
}

func TestRateBoundsWhatIsHandedOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.setup("m", nil, "toxicity-detector")
	const spans = 5
	for n := range spans {
		h.write(h.newSpan(n), owedBy(s, "gone")) // what needs nobody does not count
		h.write(h.newSpan(spans+n), owedBy(s, "toxicity-detector"))
	}
	cfg := testConfig()
	cfg.Rate = 1e-4 // one in three hours
	stop := h.start(cfg, h.settle)
	require.Eventually(t, func() bool { return h.real.Owing().Evaluations < 2*spans }, 10*time.Second, time.Millisecond)
	h.awaitSum(spans, eval.Done, 1)
	stop()
	h.awaitSum(spans, eval.Done, 1)
	require.Zero(t, h.real.Owing().Leased, "nobody waits with a lease")
}

// awaitSum waits until so many of the spans n to 2n-1 have this status.
func (h *house) awaitSum(n int, want eval.Status, sum int) {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		got := 0
		for i := range n {
			if h.evaluations(n + i)[0].Status == want {
				got++
			}
		}
		return got == sum
	}, 10*time.Second, time.Millisecond)
}

func TestManySpansAreHandedOutOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.setup("m", nil, "toxicity-detector")
	const spans = 300
	records := make([]store.Record, spans)
	for n := range spans {
		records[n] = store.Record{Environment: h.env, Span: h.newSpan(n), Evaluations: []eval.Evaluation{owedBy(s, "toxicity-detector")}}
	}
	require.NoError(t, h.real.Write(t.Context(), records))
	var mu sync.Mutex
	handed := map[int]int{}
	h.start(testConfig(), func(ctx context.Context, td ptrace.Traces) error {
		mu.Lock()
		for _, n := range numbers(td) {
			handed[n]++
		}
		mu.Unlock()
		return h.settle(ctx, td)
	})
	require.Eventually(t, func() bool { return h.real.Owing().Evaluations == 0 }, 20*time.Second, time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, handed, spans)
	for n, times := range handed {
		require.Equal(t, 1, times, "span %d", n)
	}
}

// Large spans go through the pipeline in parts, and siblings only as far as
// they go in.
func TestLargeSpansAreSentInParts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.setup("m", nil, "faithfulness")
	large := func(n, size int) span.Span {
		x := h.newSpan(n)
		x.Attributes = span.NewAttributes([]span.Attribute{{Key: "blob", Value: strings.Repeat("x", size)}})
		return x
	}
	h.write(large(0, 9<<20), owedBy(s, "faithfulness"))
	h.write(large(1, 9<<20), owedBy(s, "faithfulness"))
	h.write(large(2, 1<<10), owedBy(s, "faithfulness"))
	for n, size := range []int{5 << 20, 5 << 20, 1 << 10} {
		sibling := large(10+n, size)
		sibling.TraceID = h.newSpan(0).TraceID
		h.write(sibling)
	}
	var mu sync.Mutex
	var sizes, spans []int
	h.start(testConfig(), func(ctx context.Context, td ptrace.Traces) error {
		mu.Lock()
		sizes = append(sizes, (&ptrace.ProtoMarshaler{}).TracesSize(td))
		spans = append(spans, numbers(td)...)
		mu.Unlock()
		return h.settle(ctx, td)
	})
	for n := range 3 {
		h.await(n, eval.Done)
	}
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, sizes, 2)
	for _, n := range sizes {
		require.LessOrEqual(t, n, maxFreight)
	}
	require.ElementsMatch(t, []int{0, 10, 12, 1, 2}, spans, "the second sibling does not go in")
}

func TestAStoreThatFailsIsAskedAgain(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(h *house, f *front, broken func() error){
		"lease": func(_ *house, f *front, broken func() error) {
			f.lease = func(ctx context.Context, now, until time.Time, limit int) ([]store.Owed, error) {
				if err := broken(); err != nil {
					return nil, err
				}
				return f.Spans.Lease(ctx, now, until, limit)
			}
		},
		"get": func(_ *house, f *front, broken func() error) {
			f.get = func(ctx context.Context, env tenant.Environment, keys []span.Key, siblings int) ([]span.Span, error) {
				if err := broken(); err != nil {
					return nil, err
				}
				return f.Spans.Get(ctx, env, keys, siblings)
			}
		},
		"spent": func(_ *house, f *front, broken func() error) {
			f.spent = func(context.Context, tenant.EnvironmentID, string, time.Time) (float64, error) { return 0, broken() }
		},
		"settle": func(_ *house, f *front, broken func() error) {
			f.settle = func(ctx context.Context, list []store.Settlement) error {
				if err := broken(); err != nil {
					return err
				}
				return f.Spans.Settle(ctx, list)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			s := h.setup("m", func(s *monitor.Setup) { s.MaxCostPerDay = 1 }, "toxicity-detector")
			h.write(h.newSpan(0), owedBy(s, "toxicity-detector"))
			h.write(h.newSpan(1), owedBy(s, "gone")) // which is settled in the receiver
			var calls atomic.Int64
			f := &front{Spans: h.real}
			spoil(h, f, func() error {
				if calls.Add(1) == 1 {
					return errors.New("the disk is full")
				}
				return nil
			})
			h.spans = f
			h.start(testConfig(), h.settle)
			h.await(0, eval.Done)
			h.await(1, eval.Skipped)
			require.Len(t, h.logs.FilterMessageSnippet("owed as before").All(), 1)
		})
	}
}
