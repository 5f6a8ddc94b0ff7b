// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
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

	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// fleet is processes on one ClickHouse and one PostgreSQL.
type fleet struct {
	gateways, workers []*collector
}

// startFleet starts so many processes with the shipped configurations.
func startFleet(t *testing.T, j *judge, gateways, workers int, settings ...string) *fleet {
	t.Helper()
	spans, control := clickhousetest.Database(t, t.Name()), postgrestest.One(t).Database(t)
	run := func(config string, settings ...string) *collector {
		h := newJudgedCollector(t, t.TempDir(), j)
		delete(h.Env, "TOUCHSTONE_DATA_DIR")
		h.Env["TOUCHSTONE_CLICKHOUSE"], h.Env["TOUCHSTONE_POSTGRES"] = spans, control
		h.settings = append(h.settings, settings...)
		h.run(t, config)
		return h
	}
	f := &fleet{}
	for range gateways {
		f.gateways = append(f.gateways, run("../config/gateway.yaml", settings...))
	}
	for range workers {
		f.workers = append(f.workers, run("../config/backlog-worker.yaml", append(settings, "receivers::backlog::lease: 8s")...))
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
// meanwhile, and a setup within a second.
func (f *fleet) requireConverges(t *testing.T, key string) {
	t.Helper()
	for _, h := range f.gateways[1:] {
		require.NoError(t, connected(t, h)(key), "at the first try")
	}
	f.gateways[0].setup(t, key, "early", []string{"word-count"}, []map[string]any{rule("number", "0")})
	made := time.Now()
	type sent struct {
		at   time.Time
		name string
	}
	var all []sent
	for n := 0; time.Since(made) < 1200*time.Millisecond; n++ {
		for i, h := range f.gateways[1:] {
			td := judgedTraces(0, 1)
			s := firstSpan(td)
			s.SetTraceID([16]byte{0xee, byte(i), byte(n >> 8), byte(n)})
			s.SetName(fmt.Sprintf("early %d %d", i, n))
			all = append(all, sent{time.Now(), s.Name()})
			require.NoError(t, h.exportGRPC(t, key, td))
		}
	}
	judgedSpans := map[string]bool{}
	page := f.gateways[0].page(t, key, "limit", "1000", "filters", filters(t, map[string]any{"id": "evaluation.word-count.word_count", "operator": "exists"}))
	for _, s := range page.Spans.Data {
		judgedSpans[s.Name] = true
	}
	late := 0
	for _, s := range all {
		if s.at.Sub(made) >= time.Second {
			late++
			require.True(t, judgedSpans[s.name], "%s was sent %s after the setup was made", s.name, s.at.Sub(made))
		}
	}
	require.Positive(t, late)
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
	f.gateways[1].setup(t, key, "m", []string{judged, "char-count"}, []map[string]any{rule("load", "yes")})

	send := f.sender(t, key)
	var acked atomic.Int64
	var sending sync.WaitGroup
	for c := range clients {
		sending.Go(func() {
			for b := range batches {
				td := judgedTraces((c*batches+b)*perBatch, perBatch)
				for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
					s.Attributes().PutStr("load", "yes")
				}
				send(c+b, td)
				acked.Add(perBatch)
			}
		})
	}
	require.Eventually(t, func() bool { return acked.Load() >= spans/4 }, time.Minute, time.Millisecond)
	f.gateways[0].Kill()
	require.Eventually(t, func() bool { return len(j.asked()) >= spans/8 }, time.Minute, time.Millisecond)
	f.workers[0].Kill()
	sending.Wait()
	require.NoError(t, t.Context().Err())

	h := f.gateways[1]
	h.awaitDone(t, key, "m", spans)
	p := f.gateways[2].progress(t, key, "m")
	for _, e := range p.Evaluators {
		require.Equal(t, spans, e.Done, e.EvaluatorType)
		require.Equal(t, spans, e.Matched, e.EvaluatorType)
	}
	load := filters(t, map[string]any{"id": "load", "operator": "equals", "value": "yes"})
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
	differs := map[string]bool{"extensions store": true, "extensions keyauth": true, "extensions api": true, "service extensions": true, "service pipelines": true, "service telemetry": true}
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
	for _, name := range []string{"TOUCHSTONE_CLICKHOUSE", "TOUCHSTONE_POSTGRES", "TOUCHSTONE_ACCESS_TOKEN"} {
		t.Setenv(name, "")
		_, err := otelcoltest.LoadConfigAndValidate("../config/gateway.yaml", factories)
		require.ErrorContains(t, err, "is required", name)
		t.Setenv(name, map[string]string{
			"TOUCHSTONE_CLICKHOUSE": "http://127.0.0.1:8123/touchstone", "TOUCHSTONE_POSTGRES": "postgres://127.0.0.1/touchstone", "TOUCHSTONE_ACCESS_TOKEN": accessToken,
		}[name])
	}
}
