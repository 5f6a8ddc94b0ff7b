// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Thirty readers of one large trace with evaluations are answered or asked to retry, and
// a neighbour's spans are accepted meanwhile. TOUCHSTONE_BIG_TRACE is how many spans the trace
// has, 20,000 unless it is set.
func TestReadersOfALargeTrace(t *testing.T) {
	t.Parallel()
	const readers, batch = 30, 2000
	spans := int(steadySetting("TOUCHSTONE_BIG_TRACE", 20_000))
	h := startLimited(t, 1024)
	greedy, modest := h.key(t, "greedy"), h.key(t, "modest")
	h.setup(t, greedy, "all", []string{"word-count", "char-count", "json-validator", "pii-detector"}, nil)
	trace := [16]byte{1, 2, 3}
	for sent := 0; sent < spans; sent += batch {
		td := someTraces(1, batch)
		for i, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			s.SetTraceID(trace)
			n := sent + i + 1
			s.SetSpanID([8]byte{4: byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
			s.Attributes().PutStr("gen_ai.completion.0.content", fmt.Sprint("The answer is ", sent+i, strings.Repeat(" and so on", 5)))
		}
		require.Eventually(t, func() bool { return h.exportGRPC(t, greedy, td) == nil }, patience, patience/1000)
	}
	for path, shown := range map[string]int{
		fmt.Sprintf("/v2/traces/%x", trace):                        min(spans, 20_000),
		fmt.Sprintf("/v2/projects/default/traces/%x/spans", trace): 5000,
	} {
		h.forgetPeak(t)
		stop := h.beside(t, modest)
		var mu sync.Mutex
		answers := map[int]int{}
		var all sync.WaitGroup
		for range readers {
			all.Go(func() {
				status, body, err := h.Call(t.Context(), http.MethodGet, path, greedy, nil)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				answers[status]++
				if n := strings.Count(string(body), `"00000000`); status == http.StatusOK && n < shown {
					t.Errorf("%s: %d spans", path, n)
				}
			})
		}
		all.Wait()
		taken, refused := stop()
		t.Logf("%s of %d spans: answers %v, peak %d MiB, neighbour %d taken, %d refused", path, spans, answers, h.peakMiB(t), taken, refused)
		require.NotZero(t, answers[http.StatusOK])
		require.Equal(t, readers, answers[http.StatusOK]+answers[http.StatusTooManyRequests])
		require.GreaterOrEqual(t, taken, 4*refused, "four of five of the neighbour's")
		require.Less(t, h.peakMiB(t), 600)
	}
	require.NoError(t, h.Stop())
}
