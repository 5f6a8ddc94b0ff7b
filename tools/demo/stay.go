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

const (
	pause    = 12 * time.Second // between two requests of the demo that stays
	recorded = 5                // every so many of them are of a recording
)

// The judge is down for some minutes of each half hour, first when a visitor has had
// a look around.
const (
	upFirst = 30 * time.Second
	down    = 4 * time.Minute
	cycle   = 30 * time.Minute
)

// remain makes monitors, sends the traffic of a day, says where the web UI is, and
// goes on sending until the context ends.
func remain(ctx context.Context, c *testbed.Collector, key string, sent func()) error {
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
	send := sender{client: ptraceotlp.NewGRPCClient(conn), key: key}
	fmt.Println("sending the traffic of a day …")
	traffic := newStream()
	for _, td := range traffic.history(time.Now()) {
		if err := send.traces(ctx, td); err != nil {
			return err
		}
	}
	sent()
	fmt.Printf("\nweb UI:  %s/ui/\nkey:     %s\n\nnew spans come until Ctrl-C; the judge is down for %s from %s on\n", c.API, key, down, time.Now().Add(upFirst).Format(time.TimeOnly))
	for n := uint64(1); ; n++ {
		td := ptrace.NewTraces()
		if n%recorded == 0 {
			td, err = again(recordings, n/recorded)
		} else {
			traffic.trace(td, time.Now().Add(-5*time.Second), true)
		}
		if err == nil {
			err = send.traces(ctx, td)
		}
		select {
		case <-ctx.Done(): // the collector gets the same signal
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

type sender struct {
	client ptraceotlp.GRPCClient
	key    string
}

func (s sender) traces(ctx context.Context, td ptrace.Traces) error {
	with := metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+s.key)
	_, err := s.client.Export(with, ptraceotlp.NewExportRequestFromTraces(td))
	return err
}

// again is one of the recordings of traces as if it happened now, with trace ids of
// this round.
func again(recordings []genaitest.Recording, n uint64) (ptrace.Traces, error) {
	var all []genaitest.Recording
	for _, r := range recordings {
		if r.Signal == genaitest.Traces {
			all = append(all, r)
		}
	}
	count := uint64(len(all))
	r := all[n%count]
	fresh, err := r.At(time.Now())
	if err != nil {
		return ptrace.Traces{}, fmt.Errorf("%s: %w", r.File, err)
	}
	td, err := fresh.Traces()
	if err != nil {
		return ptrace.Traces{}, fmt.Errorf("%s: %w", r.File, err)
	}
	renew(td, n/count+1)
	return td, nil
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

// helpfulness is an evaluator of the demo's own, which asks its judge.
var helpfulness = map[string]any{
	"name": "Helpfulness", "slug": "helpfulness", "description": "Checks whether an answer helps the user who asked.", "provider": "default", "model": demoModel, "mode": "chat",
	"messages":     []map[string]any{{"role": "user", "content": "Does {{answer}} help who asked {{question}}? Say why in a sentence."}},
	"input_schema": []map[string]any{{"name": "question", "type": "string"}, {"name": "answer", "type": "string"}},
	"output_schema": []map[string]any{
		{"name": "helpful", "type": "boolean", "description": "Whether the answer helps.", "passes": []string{"true"}}, {"name": "why", "type": "string", "description": "Why."},
	},
}

type judged = map[string]any

// makeMonitors makes setups that judge calls of models, here and by the judge, and
// one whose rules hold for none.
func makeMonitors(ctx context.Context, c *testbed.Collector, key string) error {
	if _, err := testbed.Ask[any](ctx, c, http.MethodPost, "/v2/evaluators", key, helpfulness); err != nil {
		return err
	}
	equals := func(source, key, value string) map[string]any {
		return map[string]any{"key": key, "source": source, "operator": "equals", "value": value}
	}
	chats := equals("span_attributes", "span_type", "llm")
	models := map[string]any{"key": "llm.request.model", "source": "span_attributes", "operator": "exists"}
	for _, m := range []struct {
		name       string
		evaluators []judged
		rules      []map[string]any
		more       map[string]any
	}{
		{"safety", []judged{{"evaluator_type": "pii-detector"}, {"evaluator_type": "prompt-injection"}, {"evaluator_type": "profanity-detector"}}, []map[string]any{chats, models}, nil},
		{"answers", []judged{{"evaluator_type": "answer-relevancy", "backend": "embedded"}, {"evaluator_type": "word-count"}}, []map[string]any{chats, models}, nil},
		{"helpful", []judged{{"evaluator_type": "helpfulness", "sample_rate": 0.5}}, []map[string]any{chats, models}, map[string]any{"max_cost_per_day": 5}},
		{"grounded", []judged{{"evaluator_type": "faithfulness", "backend": "embedded"}}, []map[string]any{equals("resource_attributes", "service.name", "docs-search"), models}, nil},
		{"refunds", []judged{{"evaluator_type": "tone-detection"}}, []map[string]any{chats, equals("span_attributes", "llm.request.model", "gpt-5")}, nil},
	} {
		body := map[string]any{"external_id": m.name, "evaluators": m.evaluators, "selector": m.rules}
		for k, v := range m.more {
			body[k] = v
		}
		if _, err := testbed.Ask[any](ctx, c, http.MethodPost, "/v2/auto-monitor-setups", key, body); err != nil {
			return fmt.Errorf("monitor %s: %w", m.name, err)
		}
	}
	alert := map[string]any{
		"name": "answers miss the question", "metric": "failing_share", "evaluator": "answer-relevancy", "group_by": []string{"service_name"},
		"condition": map[string]any{"above": 0.2},
	}
	if _, err := testbed.Ask[any](ctx, c, http.MethodPost, "/v2/alerts", key, alert); err != nil {
		return fmt.Errorf("alert: %w", err)
	}
	for _, name := range []string{"safety", "answers", "helpful", "grounded"} {
		if err := c.Await(ctx, "the monitor "+name, func() (bool, error) { return c.Loaded(ctx, key, name) }); err != nil {
			return err
		}
	}
	return nil
}
