// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // which the sidecar sends

	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// fiveLocal are evaluators that sidecars make.
var fiveLocal = []string{"char-count", "word-count", "pii-detector", "secrets-detector", "tone-detection"}

// Spans of a steady load, which tells how much later senders are answered.
const (
	steadyBatch = 50
	steadyEvery = 200 * time.Millisecond
	steadyFor   = 40 * time.Second
)

// benchSidecar measures a sidecar of the slim build, and the same collector without
// our processors. What it hands on is taken and thrown away by this process.
func benchSidecar(ctx context.Context, o options, binary, dir string, t *table) error {
	slim, err := filepath.Abs(o.slim)
	if err != nil {
		return err
	}
	gateway, err := start(ctx, o, binary, filepath.Join(dir, "gateway"))
	if err != nil {
		return err
	}
	defer gateway.Kill()
	keys, err := gateway.Keys(ctx, "bench", "prd")
	if err != nil {
		return err
	}
	if _, err := testbed.Ask[any](ctx, gateway, http.MethodPost, "/v2/auto-monitor-setups", keys[0], map[string]any{"external_id": "five", "evaluators": fiveLocal}); err != nil {
		return err
	}
	key, err := gateway.ScopedKey(ctx, keys[0], "sidecar")
	if err != nil {
		return err
	}
	var medians [2]latencies
	for i, variant := range []struct {
		what   string
		args   []string
		judged bool
	}{
		{"without our processors", []string{"--config", "yaml:service::pipelines::traces::processors: [memory_limiter]"}, false},
		{"with five local evaluators", []string{"--config", "yaml:processors::monitor::budget: 1m"}, true}, // all of them, however slow the machine is
	} {
		run := sidecarRun{o: o, binary: slim, dir: filepath.Join(dir, variant.what), gateway: gateway, key: key, args: variant.args, judged: variant.judged}
		if medians[i], err = run.measure(ctx, t, variant.what); err != nil {
			return fmt.Errorf("%s: %w", variant.what, err)
		}
	}
	t.add(fmt.Sprintf("what judging adds to the time of a request of %d spans", steadyBatch), "", "p50 %.1f ms, p99 %.1f ms",
		ms(medians[1].at(.5)-medians[0].at(.5)), ms(medians[1].at(.99)-medians[0].at(.99)))

	var b strings.Builder
	b.WriteString("\nWritten by `make bench-sidecar`: " + o.conditions() + ".\n")
	b.WriteString("The slim build with config/sidecar.yaml, five local evaluators (" + strings.Join(fiveLocal, ", ") + ") on every span, the queue on disk included; the gateway takes everything and does nothing. " +
		"Spans count when the gateway has them.\n\n")
	t.writeRows(&b)
	return o.writeSection(sidecarHeading, b.String())
}

// sidecarRun is one measurement of a sidecar.
type sidecarRun struct {
	o           options
	binary, dir string
	gateway     *testbed.Collector
	key         string
	args        []string
	judged      bool // spans arrive with verdicts
}

// measure returns how long requests of a steady load took.
func (r *sidecarRun) measure(ctx context.Context, t *table, what string) (latencies, error) {
	var taken taker
	stop, err := taken.listen()
	if err != nil {
		return nil, err
	}
	defer stop()
	s, err := r.gateway.NewSidecar(r.dir, r.key)
	if err != nil {
		return nil, err
	}
	s.Env["TOUCHSTONE_GATEWAY_OTLP"] = "http://" + taken.address
	if err := s.Start(r.binary, "config/sidecar.yaml", r.args...); err != nil {
		return nil, err
	}
	defer s.Kill()
	if err := s.AwaitReady(ctx); err != nil {
		return nil, err
	}
	if err := s.Await(ctx, "setups", func() (bool, error) {
		_, err := os.Stat(filepath.Join(r.dir, "setups.json"))
		return err == nil, nil
	}); err != nil {
		return nil, err
	}
	idle, err := anonymousMemory(s.Pid())
	if err != nil {
		return nil, err
	}
	sent := 0
	timedRun := func(o options) (timing, error) {
		sent += o.spans
		g := spangen.New(spangen.Options{Seed: 1, Start: time.Now()})
		return timed(ctx, o, s, g, map[tenant.EnvironmentID]string{}, func() error {
			ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
			defer cancel()
			return s.Await(ctx, "the gateway to have all spans", func() (bool, error) { return int(taken.spans.Load()) >= sent, nil })
		})
	}
	full, err := timedRun(r.o)
	if err != nil {
		return nil, err
	}
	peak, err := anonymousMemory(s.Pid())
	if err != nil {
		return nil, err
	}
	steady := r.o
	steady.batch, steady.every, steady.spans = steadyBatch, steadyEvery, steadyBatch*int(steadyFor/steadyEvery)
	calm, err := timedRun(steady)
	if err != nil {
		return nil, err
	}
	if judged := int(taken.judged.Load()); r.judged != (judged == sent) || !r.judged && judged > 0 {
		return nil, fmt.Errorf("%d of %d spans have verdicts", judged, sent)
	}
	t.addIngest("OTLP/gRPC to the gateway, "+what, "", &r.o, full.cpu[0], full.wall)
	t.add(fmt.Sprintf("time of a request of %d spans at %.0f spans/s, %s", steadyBatch, steadyBatch/steadyEvery.Seconds(), what), "",
		"p50 %.1f ms, p95 %.1f ms, p99 %.1f ms", ms(calm.took.at(.5)), ms(calm.took.at(.95)), ms(calm.took.at(.99)))
	t.add("anonymous memory when idle, and after the load, "+what, "", "%d MB, %d MB", idle/1_000_000, peak/1_000_000)
	return calm.took, s.Stop()
}

// taker is a gateway that takes everything, counts it and forgets it.
type taker struct {
	ptraceotlp.UnimplementedGRPCServer
	address       string
	spans, judged atomic.Int64
}

// listen begins to take, until stop is called.
func (k *taker) listen() (stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	k.address = l.Addr().String()
	server := grpc.NewServer(grpc.MaxRecvMsgSize(128 << 20))
	ptraceotlp.RegisterGRPCServer(server, k)
	go server.Serve(l) //nolint:errcheck // it ends when it is stopped
	return server.Stop, nil
}

// Export counts spans, and those that have verdicts.
func (k *taker) Export(_ context.Context, req ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	for _, rs := range req.Traces().ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				if _, found := s.Attributes().Get(tenant.AttributeEvaluations); found {
					k.judged.Add(1)
				}
			}
		}
	}
	k.spans.Add(int64(req.Traces().SpanCount()))
	return ptraceotlp.NewExportResponse(), nil
}
