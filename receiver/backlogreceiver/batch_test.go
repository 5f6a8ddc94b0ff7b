// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// The rest of the trace comes along where an evaluator reads it, and only there.
func TestSiblingsComeAlongWhereTheyAreRead(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
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
		return h.complete(ctx, td)
	})
	require.Eventually(t, func() bool { return h.real.stats(t).Evaluations == 0 }, patience, time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, seen, 1)
	require.Equal(t, []int{0, 1, 3, 4, 5, 6}, numbers(seen[0]), "three siblings of the one trace, each once")
	for _, rs := range seen[0].ResourceSpans().All() {
		s := rs.ScopeSpans().At(0).Spans().At(0)
		setups, _, err := monitor.CarriedSetups(rs.Resource().Attributes())
		require.NoError(t, err, "the processor looks at each resource")
		require.Len(t, setups, len(monitor.Carried(s.Attributes())), "siblings are only looked at")
	}
}

func TestCustomEvaluatorsComeAlong(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	for _, slug := range []string{"ours", "other"} {
		require.NoError(t, store.Evaluators(h.live).Create(t.Context(), storetest.NewEvaluator(h.env, slug)))
	}
	custom, err := store.Evaluators(h.live).Get(t.Context(), h.env.ID, "ours")
	require.NoError(t, err)
	s := h.setup("m", func(s *monitor.Setup) { s.Evaluators[0].CustomID = custom.ID }, "ours")
	h.write(h.newSpan(0), owedBy(s, "ours"))
	h.write(h.newSpan(1), owedBy(s, "ours"))
	got := make(chan ptrace.Traces, 1)
	h.start(testConfig(), func(ctx context.Context, td ptrace.Traces) error {
		got <- td
		return h.complete(ctx, td)
	})
	td := <-got
	for _, rs := range td.ResourceSpans().All() {
		_, customEvaluators, err := monitor.CarriedSetups(rs.Resource().Attributes())
		require.NoError(t, err)
		require.Len(t, customEvaluators, 1)
		require.Equal(t, custom.VersionID, customEvaluators[0].VersionID)
	}
}

// Large spans go through the pipeline in parts, and siblings only as far as
// they go in.
func TestLargeSpansAreSentInParts(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
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
		return h.complete(ctx, td)
	})
	for n := range 3 {
		h.await(n, eval.Done)
	}
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, sizes, 2)
	for _, n := range sizes {
		require.LessOrEqual(t, n, maxBatchBytes)
	}
	require.ElementsMatch(t, []int{0, 10, 12, 1, 2}, spans, "the second sibling does not go in")
}
