// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// One environment asks ten times as much as it may, of all that it has stored, and sends
// what it can. Another sends and asks as ever, and is refused nothing.
func TestNobodyIsRefusedForWhatAnotherAsks(t *testing.T) {
	t.Parallel()
	h := newCollector(t, t.TempDir())
	h.settings = []string{"extensions::store::queries::expensive_mib: 1", "extensions::store::queries::waiting: 4"}
	h.start(t)
	t.Cleanup(func() { h.stop() })
	greedy, modest := h.key(t, "greedy"), h.key(t, "modest")
	text := strings.Repeat("The moon is far away. ", 400)
	for trace := range byte(10) {
		td := someTraces(trace+1, 100)
		for i, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			s.Attributes().PutStr("gen_ai.completion.0.content", fmt.Sprint(text, i, trace))
		}
		require.NoError(t, h.exportGRPC(t, greedy, td))
	}
	require.NoError(t, h.exportGRPC(t, modest, someTraces(200, 20)))

	contains := "/v2/warehouse/spans?" + url.Values{
		"from_timestamp_sec": {"0"}, "filters": {`[{"id":"completions","operator":"contains","value":"no such text"}]`},
	}.Encode()
	var answered, refused atomic.Int64
	var asking, sending sync.WaitGroup
	done := make(chan struct{})
	for range 12 {
		asking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				status, _, err := h.Call(t.Context(), http.MethodGet, contains, greedy, nil)
				switch {
				case err != nil:
				case status == http.StatusOK:
					answered.Add(1)
				case status == http.StatusTooManyRequests:
					refused.Add(1)
				default:
					t.Errorf("%d", status)
				}
			}
		})
	}
	sending.Go(func() {
		for i := range byte(8) {
			if err := h.exportGRPC(t, greedy, someTraces(100+i, 200)); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range byte(8) {
		require.NoError(t, h.exportGRPC(t, modest, someTraces(201+i, 5)))
		require.EqualValues(t, 20+5*(int(i)+1), h.page(t, modest).Spans.TotalResults)
	}
	require.Eventually(t, func() bool { return answered.Load() > 0 && refused.Load() > 0 }, patience, 10*time.Millisecond)
	close(done)
	asking.Wait()
	sending.Wait()
}
