// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

const (
	steadySenders = 8
	steadyBatch   = 50
)

// Ordinary load on the shipped configuration: spans at a steady rate, six local
// evaluators, one of a hundred spans judged by a model, and a user who reads a page
// every two seconds. Nothing is refused, no page fails, pending evaluations do not pile up,
// and memory stays where it is. TOUCHSTONE_STEADY_MINUTES and TOUCHSTONE_STEADY_RATE
// say for how long, and how many spans a second: a tenth of a minute and 500, unless
// they do.
func TestSteady(t *testing.T) {
	t.Parallel()
	minutes, rate := steadySetting("TOUCHSTONE_STEADY_MINUTES", 0.1), steadySetting("TOUCHSTONE_STEADY_RATE", 500)
	j := startJudge(t)
	h := newCollector(t, t.TempDir())
	h.Env["TOUCHSTONE_JUDGE_URL"], h.Env["TOUCHSTONE_JUDGE_MODEL"] = j.URL(), "judge"
	h.runBinary(t)
	require.NoError(t, h.AwaitReady(t.Context()))
	key := h.key(t, "ours")
	for name, evaluators := range map[string][]string{"one": {"word-count", "char-count"}, "two": {"json-validator", "pii-detector"}, "three": {"toxicity-detector", "prompt-injection"}} {
		h.setup(t, key, name, evaluators, nil)
	}
	must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "judged", "evaluators": []string{judged},
		"evaluator_configs": map[string]any{judged: map[string]any{"backend": "judge", "sample_rate": 0.01}},
	})

	s := &steady{h: h, key: key}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(minutes*float64(time.Minute)))
	defer cancel()
	var all sync.WaitGroup
	for range steadySenders {
		all.Go(func() { s.send(ctx, t, rate/steadySenders/steadyBatch) })
	}
	all.Go(func() { s.read(ctx, t) })
	all.Go(func() { s.watch(ctx, t) })
	all.Wait()

	t.Logf("%.0f spans/s wanted, %.0f sent, %d refused of %d requests, slowest %s; %d pages, slowest %s; memory %v MiB; pending %v",
		rate, float64(s.requests.Load()*steadyBatch)/(minutes*60), s.refused.Load(), s.requests.Load(), time.Duration(s.slowest.Load()),
		s.pages.Load(), time.Duration(s.slowestPage.Load()), s.memory, s.owed)
	require.Zero(t, s.refused.Load(), "requests were refused")
	require.Positive(t, s.pages.Load())
	if n := len(s.memory); n >= 8 { // enough to tell growth from the beginning
		early, late := largest(s.memory[n/4:n/2]), largest(s.memory[3*n/4:])
		require.LessOrEqual(t, late, early*5/4+32, "MiB: memory grows")
		early, late = largest(s.owed[n/4:n/2]), largest(s.owed[3*n/4:])
		require.LessOrEqual(t, late, early*2+int64(rate/10), "pending evaluations pile up")
	}
	require.Equal(t, s.requests.Load()*steadyBatch, h.page(t, key, "limit", "1").Spans.TotalResults)
	require.NoError(t, h.Stop())
}

func steadySetting(name string, usual float64) float64 {
	if x, err := strconv.ParseFloat(os.Getenv(name), 64); err == nil {
		return x
	}
	return usual
}

func largest(list []int64) (most int64) {
	for _, x := range list {
		most = max(most, x)
	}
	return most
}

// steady is what became of the load.
type steady struct {
	h   *collector
	key string

	next, requests, refused, slowest, pages, slowestPage atomic.Int64
	memory, owed                                         []int64 // every few seconds: MiB resident, evaluations
}

// send sends so many requests a second, one after the other.
func (s *steady) send(ctx context.Context, t *testing.T, perSecond float64) {
	conn, err := grpc.NewClient(s.h.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	client := ptraceotlp.NewGRPCClient(conn)
	pace := time.NewTicker(time.Duration(float64(time.Second) / perSecond))
	defer pace.Stop()
	for ctx.Err() == nil {
		begun := time.Now()
		send := metadata.AppendToOutgoingContext(context.WithoutCancel(ctx), "authorization", "Bearer "+s.key)
		if _, err := client.Export(send, ptraceotlp.NewExportRequestFromTraces(s.batch())); err != nil {
			s.refused.Add(1)
			t.Error(err)
			return
		}
		s.requests.Add(1)
		slower(&s.slowest, time.Since(begun))
		select {
		case <-pace.C:
		case <-ctx.Done():
		}
	}
}

func slower(most *atomic.Int64, took time.Duration) {
	for {
		was := most.Load()
		if int64(took) <= was || most.CompareAndSwap(was, int64(took)) {
			return
		}
	}
}

func (s *steady) batch() ptrace.Traces {
	first := s.next.Add(steadyBatch) - steadyBatch
	td := judgedTraces(int(first), steadyBatch)
	for i, x := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		k := first + int64(i)
		x.SetTraceID([16]byte{byte(k >> 40), byte(k >> 32), byte(k >> 24), byte(k >> 16), byte(k >> 8), byte(k), 15: 9})
		x.SetSpanID([8]byte{byte(k >> 40), byte(k >> 32), byte(k >> 24), byte(k >> 16), byte(k >> 8), byte(k), 0, 9})
		x.Attributes().PutStr("gen_ai.prompt.0.content", strings.Repeat("How far is it from here to there? ", 20))
	}
	return td
}

// read reads the newest page every two seconds.
func (s *steady) read(ctx context.Context, t *testing.T) {
	pace := time.NewTicker(2 * time.Second)
	defer pace.Stop()
	for ctx.Err() == nil {
		begun := time.Now()
		since := strconv.FormatInt(begun.Add(-time.Hour).Unix(), 10)
		status, body, err := s.h.Call(context.WithoutCancel(ctx), http.MethodGet, "/v2/warehouse/spans?sort_order=DESC&limit=50&from_timestamp_sec="+since, s.key, nil)
		if err != nil || status != http.StatusOK {
			t.Errorf("a page: %d %v %.200s", status, err, body)
			return
		}
		s.pages.Add(1)
		slower(&s.slowestPage, time.Since(begun))
		select {
		case <-pace.C:
		case <-ctx.Done():
		}
	}
}

// watch looks at memory and at pending evaluations, until the load is over.
func (s *steady) watch(ctx context.Context, t *testing.T) {
	pace := time.NewTicker(2 * time.Second)
	defer pace.Stop()
	for {
		select {
		case <-pace.C:
		case <-ctx.Done():
			return
		}
		values := s.h.numbers(t, "otelcol_process_memory_rss", "touchstone_backlog_evaluations")
		s.memory, s.owed = append(s.memory, int64(values[0])>>20), append(s.owed, int64(values[1]))
	}
}
