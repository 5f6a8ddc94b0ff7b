// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
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
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// What one environment notices of another that is at ten times its share: it sends ten
// times as many spans, five times its quota, and then asks without a pause through ten
// clients, both from a process of its own that comes second where processors are short, and
// then has a backlog of a judge that takes its time. Nothing of the first is
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
	n.during(t, period, "alone", func() {})
	n.during(t, period, "next to ten times its spans", n.beGreedy(t, greedySpans))
	n.during(t, period, "alone", func() {})
	n.during(t, period, "next to ten clients that ask", n.beGreedy(t, greedyQueries))
	n.during(t, period, "alone", func() {})
	for range 5 {
		n.send(t.Context(), t, n.greedy, 200, true)
	}
	n.during(t, period, "behind a backlog", func() {})
}

// neighbours are two environments of one collector.
type neighbours struct {
	h              *collector
	greedy, modest string // their keys

	mu   sync.Mutex
	next uint64
}

// What the process of the greedy one does.
const (
	greedySpans   = "spans"
	greedyQueries = "queries"

	greedyDoes = "TOUCHSTONE_TEST_GREEDY" // names what a process of it does
)

// becomeGreedy does what the greedy one does in a process of its own, until its standard
// input ends, if that is what this process is for. It says how often it did.
func becomeGreedy() {
	what := os.Getenv(greedyDoes)
	if what == "" {
		return
	}
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) // its machine is not the collector's
	n := &neighbours{
		h:      &collector{Collector: &testbed.Collector{API: os.Getenv(greedyDoes + "_API"), GRPC: os.Getenv(greedyDoes + "_GRPC")}},
		greedy: os.Getenv(greedyDoes + "_KEY"), next: 1 << 16,
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	done := atomic.Int64{}
	if what == greedySpans {
		n.often(ctx, 20, 200*time.Millisecond, func() {
			_, _ = n.export(ctx, n.greedy, 10, false)
			done.Add(1)
		})
	} else {
		contains := "/v2/warehouse/spans?" + url.Values{
			"from_timestamp_sec": {"0"}, "filters": {`[{"id":"completions","operator":"contains","value":"no such text"}]`},
		}.Encode()
		n.often(ctx, 10, 0, func() {
			_, _, _ = n.h.Call(ctx, http.MethodGet, contains, n.greedy, nil)
			done.Add(1)
		})
	}
	fmt.Println(done.Load())
	os.Exit(0)
}

// beGreedy starts a process of the greedy one and returns what ends it.
func (n *neighbours) beGreedy(t *testing.T, what string) (end func()) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), greedyDoes+"="+what, greedyDoes+"_API="+n.h.API, greedyDoes+"_GRPC="+n.h.GRPC, greedyDoes+"_KEY="+n.greedy)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	var out strings.Builder
	c.Stdout, c.Stderr = &out, os.Stderr
	require.NoError(t, c.Start())
	return func() {
		t.Helper()
		require.NoError(t, in.Close())
		require.NoError(t, c.Wait())
		t.Logf("%s: %s times", what, strings.TrimSpace(out.String()))
		require.NotEqual(t, "0\n", out.String())
	}
}

// during does what the modest one does for a while, while something else goes on that is
// ended then, and logs how long it waited.
func (n *neighbours) during(t *testing.T, period time.Duration, beside string, end func()) {
	t.Helper()
	defer end()
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

// send sends spans. Those of the greedy one are sent until its quota lets them in.
func (n *neighbours) send(ctx context.Context, t *testing.T, key string, spans int, judged bool) (trace [16]byte) {
	for {
		trace, err := n.export(ctx, key, spans, judged)
		switch {
		case err == nil || ctx.Err() != nil:
			return trace
		case key == n.modest || status.Code(err) != codes.ResourceExhausted:
			t.Error(err)
			return trace
		}
		<-time.After(100 * time.Millisecond)
	}
}

// export sends spans of one trace, over a connection of their own.
func (n *neighbours) export(ctx context.Context, key string, spans int, judged bool) (trace [16]byte, err error) {
	conn, err := grpc.NewClient(n.h.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return trace, err
	}
	defer conn.Close()
	td := n.spans(spans, judged)
	_, err = ptraceotlp.NewGRPCClient(conn).Export(metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+key), ptraceotlp.NewExportRequestFromTraces(td))
	return td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).TraceID(), err
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
