// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// pause is how long the demo that stays waits between two requests.
const pause = 400 * time.Millisecond

// remain makes monitors, says where the web UI is, and sends the recordings of
// traces again and again, as new traces, until the context ends.
func remain(ctx context.Context, c *testbed.Collector, key string) error {
	if err := makeMonitors(ctx, c, key); err != nil {
		return err
	}
	recordings, err := genaitest.Load()
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient(c.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // the end of the demo
	client := ptraceotlp.NewGRPCClient(conn)
	fmt.Printf("\nweb UI:  %s/ui/\nkey:     %s\n\nrecorded traffic of SDKs is sent until Ctrl-C\n", c.API, key)
	for round := uint64(1); ; round++ {
		for _, r := range recordings {
			if r.Signal != genaitest.Traces {
				continue
			}
			err := again(ctx, client, key, r, round)
			select {
			case <-ctx.Done(): // which the collector was told, too
				return nil
			case <-c.Ended():
				return errors.New("the collector ended")
			case <-time.After(pause):
			}
			if err != nil {
				return err
			}
		}
	}
}

// again sends a recording as if it happened now, with trace ids of this round.
func again(ctx context.Context, client ptraceotlp.GRPCClient, key string, r genaitest.Recording, round uint64) error {
	fresh, err := r.At(time.Now())
	if err != nil {
		return fmt.Errorf("%s: %w", r.File, err)
	}
	td, err := fresh.Traces()
	if err != nil {
		return fmt.Errorf("%s: %w", r.File, err)
	}
	renew(td, round)
	with := metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+key)
	if _, err := client.Export(with, ptraceotlp.NewExportRequestFromTraces(td)); err != nil {
		return fmt.Errorf("%s: %w", r.File, err)
	}
	return nil
}

// renew gives traces other ids, the same ones to spans of the same trace.
func renew(td ptrace.Traces, round uint64) {
	other := func(id pcommon.TraceID) pcommon.TraceID {
		binary.BigEndian.PutUint64(id[:8], binary.BigEndian.Uint64(id[:8])^round)
		return id
	}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				s.SetTraceID(other(s.TraceID()))
				for _, l := range s.Links().All() {
					l.SetTraceID(other(l.TraceID()))
				}
			}
		}
	}
}

// makeMonitors makes setups that judge every call of a model, and one whose
// rules hold for none.
func makeMonitors(ctx context.Context, c *testbed.Collector, key string) error {
	rule := func(key, operator string, value any) map[string]any {
		r := map[string]any{"key": key, "source": "span_attributes", "operator": operator}
		if value != nil {
			r["value"] = value
		}
		return r
	}
	calls := rule("llm.vendor", "exists", nil)
	for _, m := range []struct {
		name       string
		evaluators []string
		rules      []map[string]any
	}{
		{"safety", []string{"pii-detector", "prompt-injection", "toxicity-detector"}, []map[string]any{calls}},
		{"answers", []string{"answer-relevancy", "faithfulness", "word-count"}, []map[string]any{calls}},
		{"refunds", []string{"tone-detection"}, []map[string]any{calls, rule("llm.request.model", "equals", "gpt-5")}},
	} {
		if _, err := testbed.Ask[any](ctx, c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
			"external_id": m.name, "evaluators": m.evaluators, "selector": m.rules,
		}); err != nil {
			return err
		}
	}
	return nil
}
