// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/otelcol/otelcoltest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// fleet is processes on one ClickHouse and one PostgreSQL.
type fleet struct {
	gateways, workers []*collector
}

// startFleet starts so many processes with the shipped configurations. Settings of the
// backlog are for workers alone.
func startFleet(t *testing.T, j *judge, gateways, workers int, settings ...string) *fleet {
	t.Helper()
	return startFleetOn(t, clickhousetest.Database(t, t.Name()), postgrestest.One(t).Database(t), j, gateways, workers, settings...)
}

// startFleetOn starts it on databases by their DSNs.
func startFleetOn(t *testing.T, spans, control string, j *judge, gateways, workers int, settings ...string) *fleet {
	t.Helper()
	run := func(config string, settings ...string) *collector {
		h := newJudgedCollector(t, t.TempDir(), j)
		delete(h.Env, "TOUCHSTONE_DATA_DIR")
		h.Env["TOUCHSTONE_CLICKHOUSE"], h.Env["TOUCHSTONE_POSTGRES"] = spans, control
		h.settings = append(h.settings, settings...)
		h.run(t, config)
		return h
	}
	f := &fleet{}
	ofAll := slices.DeleteFunc(slices.Clone(settings), func(s string) bool { return strings.HasPrefix(s, "receivers::backlog") })
	for range gateways {
		f.gateways = append(f.gateways, run("../config/gateway.yaml", ofAll...))
	}
	for range workers { // of which one that is killed does not hold what it leased for long
		f.workers = append(f.workers, run("../config/backlog-worker.yaml", append([]string{"receivers::backlog::lease: 20s"}, settings...)...))
	}
	for _, h := range append(f.gateways, f.workers...) {
		require.NoError(t, h.AwaitReady(t.Context()))
	}
	return f
}

// sender returns what sends spans to one gateway after the other until one of them
// acknowledges them, as a client does behind a load balancer.
func (f *fleet) sender(t *testing.T, key string) func(from int, td ptrace.Traces) {
	t.Helper()
	var clients []ptraceotlp.GRPCClient
	for _, h := range f.gateways {
		conn, err := grpc.NewClient(h.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, conn.Close()) })
		clients = append(clients, ptraceotlp.NewGRPCClient(conn))
	}
	return func(from int, td ptrace.Traces) {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+key)
		for try := from; ctx.Err() == nil; try++ {
			if _, err := clients[try%len(clients)].Export(ctx, ptraceotlp.NewExportRequestFromTraces(td)); err == nil {
				return
			}
		}
	}
}

// What is made on one gateway works on all: a key at the first try, without a 401
// meanwhile, and a setup from the next look at what others changed on.
func (f *fleet) requireConverges(t *testing.T, key string) {
	t.Helper()
	for _, h := range f.gateways[1:] {
		require.NoError(t, connected(t, h)(key), "at the first try")
	}
	f.gateways[0].makeSetup(t, key, "early", []string{"word-count"}, []map[string]any{rule("number", "0")})
	made := time.Now()
	for i, h := range f.gateways[1:] {
		send := func(n int) string {
			td := judgedTraces(0, 1)
			s := firstSpan(td)
			s.SetTraceID([16]byte{0xee, byte(i), byte(n >> 8), byte(n)})
			require.NoError(t, h.exportGRPC(t, key, td))
			return s.TraceID().String()
		}
		judgedSpans := func(trace string) bool {
			page := h.page(t, key, "trace_id", trace)
			require.Len(t, page.Spans.Data, 1)
			_, is := page.Spans.Data[0].SpanAttributes["evaluation.word-count.word_count"]
			return is
		}
		n := 0
		for known := false; !known; {
			n++
			begun := time.Now()
			known = judgedSpans(send(n))
			require.True(t, known || begun.Sub(made) < time.Second, "a span that was sent after a second is judged on all gateways")
		}
		for range 5 { // and stays known
			n++
			require.True(t, judgedSpans(send(n)))
		}
	}
}

// A setup that waits for a hundred spans has them at the hundredth that any gateway saw,
// also when one of these is another process by then.
func (f *fleet) requireHundred(t *testing.T, key string) {
	t.Helper()
	must[map[string]any](t, f.gateways[0], http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "hundred", "evaluators": []string{"char-count"}, "min_spans": 100, "selector": []map[string]any{rule("hundred", "yes")},
	})
	for _, h := range f.gateways { // which have a second to hear of it
		h.awaitStatus(t, key, "hundred", "waiting_for_spans")
	}
	match := func(gateway, from, n int) {
		td := judgedTraces(from, n)
		for i, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			s.SetTraceID([16]byte{0xdd, byte(from + i)})
			s.Attributes().PutStr("hundred", "yes")
		}
		require.NoError(t, f.gateways[gateway].exportGRPC(t, key, td))
	}
	for i := range f.gateways {
		match(i, 100_000+33*i, 33)
	}
	h := f.gateways[0]
	require.NoError(t, h.Stop())
	h.run(t, "../config/gateway.yaml")
	require.NoError(t, h.AwaitReady(t.Context()))
	for _, h := range f.gateways {
		h.awaitStatus(t, key, "hundred", "waiting_for_spans")
	}
	match(1, 100_099, 1)
	for _, h := range f.gateways {
		h.awaitStatus(t, key, "hundred", "completed")
	}
}

// Three gateways and two backlog workers over one ClickHouse and one PostgreSQL, clients
// that try again, and one process of each kind killed under load: every acknowledged span
// is there exactly once, and each of its evaluations was made once.
func TestAFleetLosesNothing(t *testing.T) {
	t.Parallel()
	const clients, batches, perBatch = 3, 10, 10
	const spans = clients * batches * perBatch
	j := startJudge(t)
	f := startFleet(t, j, 3, 2)
	key := f.gateways[0].key(t, "ours")
	f.requireConverges(t, key)
	f.requireHundred(t, key)
	f.gateways[1].setup(t, key, "m", []string{judged, "char-count"}, []map[string]any{rule("load", "yes")})
	for _, h := range f.gateways { // which have a second to hear of it
		h.awaitStatus(t, key, "m", "waiting_for_spans")
	}

	send := f.sender(t, key)
	var sent, acked atomic.Int64
	var sending sync.WaitGroup
	load := filters(t, map[string]any{"id": "load", "operator": "equals", "value": "yes"})
	requireExact := func() {
		least := acked.Load()
		total := f.gateways[2].page(t, key, "limit", "1", "filters", load).Spans.TotalResults
		require.GreaterOrEqual(t, total, least, "less than what was acknowledged")
		require.LessOrEqual(t, total, sent.Load(), "more than what was sent")
	}
	for c := range clients {
		sending.Go(func() {
			for b := range batches {
				td := judgedTraces((c*batches+b)*perBatch, perBatch)
				for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
					s.Attributes().PutStr("load", "yes")
				}
				sent.Add(perBatch)
				send(c+b, td)
				acked.Add(perBatch)
			}
		})
	}
	for acked.Load() < spans/4 {
		requireExact()
	}
	f.gateways[0].Kill()
	require.Eventually(t, func() bool { return len(j.asked()) >= spans/8 }, patience, time.Millisecond)
	f.workers[0].Kill()
	ended := make(chan struct{})
	go func() {
		sending.Wait()
		close(ended)
	}()
	for is := true; is; {
		requireExact()
		select {
		case <-ended:
			is = false
		default:
		}
	}
	require.NoError(t, t.Context().Err())

	h := f.gateways[1]
	h.awaitDone(t, key, "m", spans)
	p := f.gateways[2].progress(t, key, "m")
	for _, e := range p.Evaluators {
		require.Equal(t, spans, e.Done, e.EvaluatorType)
		require.Equal(t, spans, e.Matched, e.EvaluatorType)
	}
	seen := map[string]int{}
	page := f.gateways[2].page(t, key, "limit", "1000", "filters", load)
	require.EqualValues(t, spans, page.Spans.TotalResults)
	for _, s := range page.Spans.Data {
		seen[s.SpanID]++
		require.Contains(t, s.SpanAttributes, "evaluation.char-count.char_count")
		require.Equal(t, "true", s.SpanAttributes["evaluation."+judged+".pass"])
	}
	require.Len(t, seen, spans, "each once")
	asked, extra := j.asked(), 0
	for n := range spans {
		require.Positive(t, asked[n], "span %d", n)
		extra += asked[n] - 1
	}
	require.LessOrEqual(t, extra, inFlight, "what was in flight in the worker that was killed")
	for n := 1; n < spans; n += spans / 10 { // the first has another setup
		list := h.records(t, key, n)
		require.Len(t, list, 2)
		require.Equal(t, 1, list[1].Revision)
	}
	for _, h := range []*collector{f.gateways[1], f.gateways[2], f.workers[1]} {
		require.NoError(t, h.Stop())
		require.NotContains(t, h.Output(), "panic")
	}
}

// A worker that looks once an hour makes what a gateway owes all the same: it is woken.
func TestWorkersAreWokenByGateways(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	f := startFleet(t, j, 1, 1, "receivers::backlog::poll_interval: 1h")
	h := f.gateways[0]
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{judged}, nil)
	for n := range 3 {
		require.NoError(t, h.exportGRPC(t, key, judgedTraces(n, 1)))
		h.awaitDone(t, key, "m", n+1)
	}
}

// Five backlog workers keep together to what a model may be asked in a minute, to the
// rate at which they hand out, and to the money of a setup's day.
func TestWorkersOfAFleetKeepToLimitsTogether(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	f := startFleet(t, j, 1, 5,
		"extensions::models::prices::judge: {prompt: 100, completion: 100}", // 0.012 dollars for an answer
		"extensions::models::judges::default::limits: {requests_per_minute: 120, max_wait: 30s, attempts: 1, break_after: 0}",
		// Nobody is killed, and a lease that is over before its work is done has another
		// worker ask again.
		"receivers::backlog::lease: 5m")
	h := f.gateways[0]
	const spans, affordable = 40, 17 // the last of them exceeds what is left
	var p setupProgress
	var took time.Duration
	var asked int
	withinOneDay(func(first int) {
		key := h.key(t, "ours")
		must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
			"external_id": "poor", "evaluators": []string{judged}, "max_cost_per_day": 0.2,
		})
		begun := time.Now()
		require.NoError(t, h.exportGRPC(t, key, judgedTraces(first, spans)))
		require.Eventually(t, func() bool {
			p = h.progress(t, key, "poor")
			return p.Evaluators[0].Done >= affordable && p.Evaluators[0].Done+len(h.waitingForMoney(t, key, first, spans)) == spans
		}, patience, 20*time.Millisecond)
		var of []modeltest.Request // that are about these spans
		for _, r := range j.Requests() {
			if n, is := numberOf(r); is && n >= first {
				of = append(of, r)
			}
		}
		took, asked = of[affordable-1].At.Sub(begun), len(of)
	})
	// A tenth may go at once, and the rest at 109 a minute. Each worker by itself would
	// have asked all of it at once. The time begins before the first may be asked, since a
	// request may be under way for long before the judge sees it.
	const least = (affordable - 12) * time.Minute / 109
	require.GreaterOrEqual(t, took, least)
	require.Equal(t, affordable, p.Evaluators[0].Done)
	require.InDelta(t, affordable*0.012, p.SpentToday, 1e-9)
	require.Equal(t, affordable, asked, "nobody asked for more than there was money")
}

// The configurations of a fleet are valid, need no directory, and are otherwise that
// of one machine.
func TestConfigurationsOfAFleet(t *testing.T) {
	t.Setenv("TOUCHSTONE_CLICKHOUSE", "http://127.0.0.1:8123/touchstone")
	t.Setenv("TOUCHSTONE_POSTGRES", "postgres://127.0.0.1/touchstone")
	t.Setenv("TOUCHSTONE_ACCESS_TOKEN", accessToken)
	factories, err := components()
	require.NoError(t, err)
	sections := func(file string) map[string]map[string]any {
		conf, err := confmaptest.LoadConf(file)
		require.NoError(t, err)
		list := map[string]map[string]any{}
		for name, section := range conf.ToStringMap() {
			list[name], _ = section.(map[string]any)
		}
		return list
	}
	one := sections("../config.yaml")
	differs := map[string]bool{"extensions store": true, "extensions models": true, "extensions keyauth": true, "extensions api": true, "service extensions": true, "service pipelines": true, "service telemetry": true}
	for _, file := range []string{"../config/gateway.yaml", "../config/backlog-worker.yaml"} {
		_, err := otelcoltest.LoadConfigAndValidate(file, factories)
		require.NoError(t, err)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(text), "DATA_DIR")
		for section, list := range sections(file) {
			for name, own := range list {
				if !differs[section+" "+name] && (name != "health_check" || strings.Contains(file, "gateway")) {
					require.Equal(t, one[section][name], own, "%s: %s of %s", file, name, section)
				}
			}
		}
	}
	for _, name := range []string{"TOUCHSTONE_CLICKHOUSE", "TOUCHSTONE_POSTGRES"} {
		t.Setenv(name, "")
		_, err := otelcoltest.LoadConfigAndValidate("../config/gateway.yaml", factories)
		require.ErrorContains(t, err, "is required", name)
		t.Setenv(name, map[string]string{
			"TOUCHSTONE_CLICKHOUSE": "http://127.0.0.1:8123/touchstone", "TOUCHSTONE_POSTGRES": "postgres://127.0.0.1/touchstone",
		}[name])
	}
}
