// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/touchstone-otel/touchstone/internal/testbed"
)

// step is a span of a trace that a test makes up.
type step struct {
	name       string
	above      int // its parent's place from 1; 0 for a root, -1 for one that is not sent
	from, took time.Duration
	failed     string // message of its status
	attributes map[string]any
	events     map[string]map[string]any
	links      []pcommon.TraceID
}

// spanOf and traceOf are the ids of what a test sends.
func spanOf(i int) pcommon.SpanID          { return pcommon.SpanID{9, byte(i >> 16), byte(i >> 8), byte(i)} }
func traceOf(n byte) pcommon.TraceID       { return pcommon.TraceID{7, 7, 7, n} }
func hasBegun(ago time.Duration) time.Time { return time.Now().Add(-ago) }

// sendTrace sends a trace that began a while ago over OTLP/gRPC.
func sendTrace(t testing.TB, c *testbed.Collector, key string, trace pcommon.TraceID, begin time.Time, steps []step) {
	t.Helper()
	const most = 5000 // spans of a request
	for first := 0; first < len(steps); first += most {
		traces := ptrace.NewTraces()
		r := traces.ResourceSpans().AppendEmpty()
		r.Resource().Attributes().PutStr("service.name", "shop")
		spans := r.ScopeSpans().AppendEmpty().Spans()
		for i := first; i < min(first+most, len(steps)); i++ {
			fill(t, spans.AppendEmpty(), trace, begin, i, steps[i])
		}
		export(t, c, key, traces)
	}
}

func fill(t testing.TB, span ptrace.Span, trace pcommon.TraceID, begin time.Time, i int, s step) {
	t.Helper()
	span.SetName(s.name)
	span.SetTraceID(trace)
	span.SetSpanID(spanOf(i + 1))
	switch {
	case s.above > 0:
		span.SetParentSpanID(spanOf(s.above))
	case s.above < 0:
		span.SetParentSpanID(pcommon.SpanID{255})
	}
	start := begin.Add(s.from)
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(start.Add(s.took)))
	if s.failed != "" {
		span.Status().SetCode(ptrace.StatusCodeError)
		span.Status().SetMessage(s.failed)
	}
	require.NoError(t, span.Attributes().FromRaw(s.attributes))
	for name, attributes := range s.events {
		e := span.Events().AppendEmpty()
		e.SetName(name)
		e.SetTimestamp(pcommon.NewTimestampFromTime(start.Add(s.took / 2)))
		require.NoError(t, e.Attributes().FromRaw(attributes))
	}
	for _, l := range s.links {
		link := span.Links().AppendEmpty()
		link.SetTraceID(l)
		link.SetSpanID(spanOf(1))
	}
}

// export sends traces over OTLP/gRPC.
func export(t testing.TB, c *testbed.Collector, key string, traces ptrace.Traces) {
	t.Helper()
	require.NoError(t, deliver(c, key, traces))
}

// deliver is export for goroutines other than the test's.
func deliver(c *testbed.Collector, key string, traces ptrace.Traces) error {
	conn, err := grpc.NewClient(c.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+key)
	_, err = ptraceotlp.NewGRPCClient(conn).Export(ctx, ptraceotlp.NewExportRequestFromTraces(traces))
	return err
}

// agent is what a shop's assistant did for one question.
func agent() []step {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	chat := func(tokens int, messages map[string]any) map[string]any {
		a := map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4o", "gen_ai.response.model": "gpt-4o-2024-08-06",
			"gen_ai.usage.input_tokens": tokens, "gen_ai.usage.output_tokens": 64,
		}
		for k, v := range messages {
			a[k] = v
		}
		return a
	}
	offered := map[string]any{
		"gen_ai.tool.definitions": `[{"type":"function","name":"find_order","description":"Looks an order up.","parameters":{"type":"object","properties":{"order":{"type":"integer"}}}}]`,
		"traceloop.prompt.key":    "shop-answer", "traceloop.prompt.version": 12, "gen_ai.workflow.name": "support",
	}
	system := "You help the customers of a shop for kitchen ware.\n\nRules:\n- Look an order up before you say anything about it.\n- Be brief, and say when a parcel arrives.\n" +
		"- Never tell a customer what another customer bought.\n- Returns are free within 30 days, as long as the box has not been opened.\n" +
		"- When you do not know, say so and give the address of the service: help@shop.example.\n- Write in the language of the customer. Do not use lists for less than three things."
	asked := map[string]any{
		"gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": system,
		"gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "Hello,\n\nwhere is my parcel? My order is number 17,\nand my card is 4111 1111 1111 1111.",
	}
	called := map[string]any{
		"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.finish_reason": "tool_calls",
		"gen_ai.completion.0.tool_calls.0.id": "call_a1", "gen_ai.completion.0.tool_calls.0.name": "find_order", "gen_ai.completion.0.tool_calls.0.arguments": `{"order":17,"with":["state","carrier"]}`,
	}
	answered := map[string]any{
		"gen_ai.prompt.2.role": "assistant", "gen_ai.prompt.2.tool_calls.0.id": "call_a1", "gen_ai.prompt.2.tool_calls.0.name": "find_order",
		"gen_ai.prompt.2.tool_calls.0.arguments": `{"order":17,"with":["state","carrier"]}`,
		"gen_ai.prompt.3.role":                   "tool", "gen_ai.prompt.3.tool_call_id": "call_a1", "gen_ai.prompt.3.content": `{"order":17,"state":"on its way","carrier":"Post","due":"2026-11-23"}`,
		"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.finish_reason": "stop",
		"gen_ai.completion.0.content": "Your parcel is on its way with Post\nand should be with you tomorrow.\n\nAnything else I can do for you? Write to help@kitchen-ware.com.",
	}
	join := func(all ...map[string]any) map[string]any {
		m := map[string]any{}
		for _, one := range all {
			for k, v := range one {
				m[k] = v
			}
		}
		return m
	}
	return []step{
		{name: "answer a question", took: ms(4820), attributes: map[string]any{"traceloop.span.kind": "workflow", "traceloop.entity.input": "where is my parcel?", "traceloop.entity.output": "on its way"}},
		{name: "agent.plan", above: 1, from: ms(20), took: ms(4700), attributes: map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "shop"}},
		{name: "chat", above: 2, from: ms(60), took: ms(1240), attributes: chat(812, join(asked, called, offered))},
		{name: "POST /v1/chat/completions", above: 3, from: ms(70), took: ms(1210), attributes: map[string]any{"http.request.method": "POST", "url.path": "/v1/chat/completions", "http.response.status_code": 200}},
		{name: "find_order", above: 2, from: ms(1330), took: ms(310), attributes: map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find_order", "gen_ai.tool.call.arguments": `{"order":17}`, "gen_ai.tool.call.result": `{"state":"on its way"}`,
		}},
		{name: "SELECT orders", above: 5, from: ms(1345), took: 720 * time.Microsecond, attributes: map[string]any{"db.system.name": "postgresql"}},
		{
			name: "GET /carriers/post", above: 5, from: ms(1360), took: ms(270), failed: "connection reset by peer", attributes: map[string]any{"http.request.method": "GET"},
			events: map[string]map[string]any{"exception": {"exception.type": "ConnectionError", "exception.stacktrace": "File \"shop/post.py\", line 41\n    raise ConnectionError"}},
			links:  []pcommon.TraceID{traceOf(200)},
		},
		{name: "chat", above: 2, from: ms(1700), took: ms(2960), attributes: chat(934, join(asked, answered))},
		{name: "POST /v1/chat/completions", above: 8, from: ms(1712), took: ms(2930), attributes: map[string]any{"http.request.method": "POST"}},
		{name: "late.flush", above: -1, from: ms(4700), took: ms(60)},
	}
}

// monitors makes setups that match, that nearly match, and that do not match the
// calls of agent.
func monitors(t *testing.T, c *testbed.Collector, key string) {
	t.Helper()
	make := func(name, evaluator string, selector ...map[string]any) {
		_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
			"external_id": name, "evaluators": []string{evaluator}, "selector": selector,
		})
		require.NoError(t, err)
		awaitLoaded(t, c, key, name)
	}
	rule := func(key, operator string, value any) map[string]any {
		r := map[string]any{"key": key, "source": "span_attributes", "operator": operator}
		if value != nil {
			r["value"] = value
		}
		return r
	}
	make("personal data", "pii-detector", rule("llm.vendor", "exists", nil))
	make("lengths", "char-count", rule("llm.vendor", "exists", nil))
	make("questions", "answer-relevancy", rule("llm.vendor", "exists", nil))
	make("context", "faithfulness", rule("llm.vendor", "exists", nil))
	make("refunds", "word-count", rule("llm.vendor", "equals", "openai"), rule("llm.request.model", "equals", "gpt-5"))
}

// awaitLoaded waits until a monitor is loaded: spans that come before are judged a moment
// later, when a page may have been read already.
func awaitLoaded(t *testing.T, c *testbed.Collector, key, name string) {
	t.Helper()
	require.NoError(t, c.Await(t.Context(), "the evaluators of "+name, func() (bool, error) { return c.Loaded(t.Context(), key, name) }))
}

// await waits until so many spans can be found.
func await(t testing.TB, c *testbed.Collector, key string, spans int) {
	t.Helper()
	require.NoError(t, c.Await(t.Context(), "the spans", func() (bool, error) {
		page, err := testbed.Ask[testbed.Page](t.Context(), c, http.MethodGet, "/v2/warehouse/spans?from_timestamp_sec=1&limit=1", key, nil)
		return err == nil && page.Spans.TotalResults >= int64(spans), err
	}))
}
