// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

// What one environment notices of another that is at ten times its share: it sends ten
// times as many spans, five times its quota, and then asks without a pause through ten
// clients, and then has a backlog of a judge that takes its time. Nothing of the first is
// refused. How much slower it is answered is logged: TOUCHSTONE_NEIGHBOUR_SECONDS says for how
// long each is measured, half a second unless it does.
func TestNeighbour(t *testing.T) {
	t.Parallel()
	period := time.Duration(steadySetting("TOUCHSTONE_NEIGHBOUR_SECONDS", 0.5) * float64(time.Second))
	slow := modeltest.NewServer(t, func(w http.ResponseWriter, r *http.Request, got modeltest.Request) {
		time.Sleep(300 * time.Millisecond) // a judge that takes its time
		modeltest.JSON(map[string]any{"reason": "It did.", "verdict": "yes"})(w, r, got)
	})
	h := newCollector(t, t.TempDir())
	h.Env["TOUCHSTONE_JUDGE_URL"], h.Env["TOUCHSTONE_JUDGE_MODEL"] = slow.URL(), "judge"
	h.settings = []string{"extensions::store::quotas::spans_per_second: 200", "extensions::store::quotas::concurrent_queries: 4"}
	h.runBinary(t)
	require.NoError(t, h.AwaitReady(t.Context()))
	n := &neighbours{h: h, greedy: h.key(t, "greedy"), modest: h.key(t, "modest")}
	for _, key := range []string{n.greedy, n.modest} {
		h.setup(t, key, "local", []string{"word-count", "char-count", "json-validator"}, nil)
		must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
			"external_id": "judged", "evaluators": []string{judged}, "evaluator_configs": map[string]any{judged: map[string]any{"backend": "judge"}},
			"selector": []map[string]any{{"key": "judged", "source": "span_attributes", "op": "equals", "value": "yes"}},
		})
	}
	for range 4 { // to ask about
		n.send(t.Context(), t, n.greedy, 200, false)
	}
	n.during(t, period, "alone", func(context.Context) {})
	n.during(t, period, "beside ten times its spans", func(ctx context.Context) {
		n.often(ctx, 20, 200*time.Millisecond, func() { n.send(ctx, t, n.greedy, 10, false) })
	})
	n.during(t, period, "alone", func(context.Context) {})
	n.during(t, period, "beside ten clients that ask", func(ctx context.Context) {
		contains := "/v2/warehouse/spans?" + url.Values{
			"from_timestamp_sec": {"0"}, "filters": {`[{"id":"completions","operator":"contains","value":"no such text"}]`},
		}.Encode()
		asked := atomic.Int64{}
		n.often(ctx, 10, 0, func() { _, _, _ = n.h.Call(ctx, http.MethodGet, contains, n.greedy, nil); asked.Add(1) })
		t.Logf("they asked %d times", asked.Load())
	})
	n.during(t, period, "alone", func(context.Context) {})
	for range 5 {
		n.send(t.Context(), t, n.greedy, 200, true)
	}
	n.during(t, period, "behind a backlog", func(context.Context) {})
}

// neighbours are two environments of one collector.
type neighbours struct {
	h              *collector
	greedy, modest string // their keys

	mu   sync.Mutex
	next uint64
}

// during does what the modest one does for a while, beside something else, and logs how
// long it waited.
func (n *neighbours) during(t *testing.T, period time.Duration, beside string, other func(ctx context.Context)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), period)
	defer cancel()
	var mu sync.Mutex
	took := map[string][]time.Duration{}
	timed := func(what string, f func()) {
		begun := time.Now()
		f()
		mu.Lock()
		defer mu.Unlock()
		took[what] = append(took[what], time.Since(begun))
	}
	var all sync.WaitGroup
	all.Go(func() { other(ctx) })
	all.Go(func() {
		n.often(ctx, 2, 200*time.Millisecond, func() { timed("spans", func() { n.send(t.Context(), t, n.modest, 10, false) }) })
	})
	all.Go(func() {
		n.often(ctx, 1, 200*time.Millisecond, func() {
			timed("page", func() {
				status, body, err := n.h.Call(t.Context(), http.MethodGet, "/v2/warehouse/spans?from_timestamp_sec=0&limit=50", n.modest, nil)
				if err != nil || status != http.StatusOK {
					t.Errorf("%d %s %v", status, body, err)
				}
			})
		})
	})
	all.Go(func() {
		n.often(ctx, 1, 500*time.Millisecond, func() { timed("verdict", func() { n.verdict(t) }) })
	})
	all.Wait()
	for _, what := range []string{"spans", "page", "verdict"} {
		list := took[what]
		slices.Sort(list)
		require.NotEmpty(t, list)
		t.Logf("%s: %d of %s, p50 %s, p95 %s", beside, len(list), what, list[len(list)/2], list[len(list)*95/100])
	}
}

// often has so many call f again and again, at least once each, and not more often than
// every so long.
func (n *neighbours) often(ctx context.Context, callers int, every time.Duration, f func()) {
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for {
				next := time.After(every)
				f()
				select {
				case <-next:
				case <-ctx.Done():
				}
				if ctx.Err() != nil {
					return
				}
			}
		})
	}
	all.Wait()
}

// send sends spans. Those of the greedy one may be refused for its quota.
func (n *neighbours) send(ctx context.Context, t *testing.T, key string, spans int, judged bool) (trace [16]byte) {
	conn, err := grpc.NewClient(n.h.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Error(err)
		return trace
	}
	defer conn.Close()
	td := n.spans(spans, judged)
	for {
		_, err = ptraceotlp.NewGRPCClient(conn).Export(metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+key), ptraceotlp.NewExportRequestFromTraces(td))
		code := status.Code(err)
		switch {
		case err == nil || ctx.Err() != nil:
			return td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).TraceID()
		case key == n.modest || code != codes.ResourceExhausted:
			t.Error(err)
			return trace
		case spans < 100: // it sends what it can
			return trace
		}
		<-time.After(100 * time.Millisecond) // before the load begins all of it is sent
	}
}

// spans makes spans of a trace.
func (n *neighbours) spans(count int, isJudged bool) ptrace.Traces {
	td := someTraces(1, count)
	n.mu.Lock()
	n.next++
	trace := n.next
	n.mu.Unlock()
	for i, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		s.SetTraceID([16]byte{0xbb, byte(trace >> 16), byte(trace >> 8), byte(trace)})
		s.SetSpanID([8]byte{byte(i >> 8), byte(i), 1})
		s.Attributes().PutStr("gen_ai.completion.0.content", fmt.Sprint(strings.Repeat("The moon is far away. ", 50), trace, i))
		if isJudged {
			s.Attributes().PutStr("judged", "yes")
		}
	}
	return td
}

// verdict sends a span and waits until its judge has answered.
func (n *neighbours) verdict(t *testing.T) {
	trace := n.send(t.Context(), t, n.modest, 1, true)
	path := fmt.Sprintf("/v2/warehouse/spans/%x/%x/evaluations", trace[:], [8]byte{0, 0, 1})
	for t.Context().Err() == nil {
		status, body, err := n.h.Call(t.Context(), http.MethodGet, path, n.modest, nil)
		if err != nil || status != http.StatusOK {
			t.Errorf("%d %s %v", status, body, err)
			return
		}
		if strings.Count(string(body), `"status":"done"`) == 4 {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
}
