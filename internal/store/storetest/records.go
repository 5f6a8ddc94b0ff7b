// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Epoch is when the tests play.
var Epoch = time.Date(2025, 11, 21, 10, 30, 0, 0, time.UTC)

// Environment returns an environment with a retention of thirty days.
func Environment(name string) tenant.Environment {
	return tenant.Environment{
		ID:             tenant.EnvironmentID("env_" + name),
		Slug:           name,
		OrganizationID: "org_1",
		ProjectID:      "prj_1",
		Retention:      720 * time.Hour,
	}
}

// Span returns a span with little in it: n says its ids and when it started.
func Span(env tenant.Environment, n int) span.Span {
	s := span.Span{
		Environment: env.Slug,
		Name:        "span",
		Kind:        "SPAN_KIND_INTERNAL",
		StatusCode:  "STATUS_CODE_UNSET",
		Start:       Epoch.Add(-time.Hour).UnixNano() + int64(n)*int64(time.Second),
		Duration:    int64(time.Second),
	}
	for i := range span.Fields {
		if f := &span.Fields[i]; f.Count != nil {
			*f.Count(&s) = span.NoTokens
		}
	}
	s.TraceID[0], s.TraceID[14], s.TraceID[15] = 0xa0, byte(n>>8), byte(n)
	s.SpanID[0], s.SpanID[6], s.SpanID[7] = 0xb0, byte(n>>8), byte(n)
	return s
}

// RichSpan returns a span that has everything.
func RichSpan(env tenant.Environment, n int) span.Span {
	s := Span(env, n)
	s.ParentSpanID = span.ID{1, 2, 3, 4, 5, 6, 7, 0xff}
	s.TraceState = "vendor=value"
	s.Flags, s.Type, s.Arrived = 1<<32-1, span.TypeLLM, s.Start+999
	s.Links = []span.Link{
		{TraceID: s.TraceID.String(), SpanID: "0102030405060708", TraceState: "a=b", Flags: 0x101, Attributes: Attributes("k", "v")},
		{},
	}
	s.Name = "openai.chat"
	s.Kind = "SPAN_KIND_CLIENT"
	s.Service = "shop"
	s.ScopeName, s.ScopeVersion = "opentelemetry.instrumentation.openai.v1", "0.47.5"
	s.StatusCode, s.StatusMessage = "STATUS_CODE_ERROR", "timeout"
	s.Resource = Attributes("service.name", "shop", "host", "node-1", "both", "resource", "replicas", "3")
	s.Attributes = Attributes(
		"traceloop.workflow.name", "checkout", "traceloop.entity.name", "answer", "gen_ai.system", "OpenAI",
		"traceloop.entity.input", "the input", "traceloop.entity.output", "the output", "both", "span",
		"llm.vendor", "openai", "llm.request.model", "gpt-4o", "llm.response.model", "gpt-4o-2024-08-06",
		"llm.usage.input_tokens", "10", "llm.usage.output_tokens", "20", "llm.usage.total_tokens", "30",
		"gen_ai.usage.input_tokens", "10", "gen_ai.usage.output_tokens", "021", "temperature", "0.5", "empty", "",
	)
	s.Prompts = Attributes("llm.prompts.0.role", "user", "llm.prompts.0.content", "How much is 100%?")
	s.Completions = Attributes("llm.completions.0.role", "assistant", "llm.completions.0.content", `It's "all" \o/`)
	s.Input, s.Output = "the input", "the output"
	s.Workflow, s.Entity, s.Vendor = "checkout", "answer", "openai"
	s.RequestModel, s.ResponseModel = "gpt-4o", "gpt-4o-2024-08-06"
	s.InputTokens, s.OutputTokens, s.TotalTokens = 10, 20, 30
	s.Cost, s.InputCost = 1_230_000_000+int64(n), 30_000_001
	s.Conversation, s.Session, s.User = "conversation", "session", "user"
	s.Events = []span.Event{
		{Name: "logprobs", Time: s.Start + 5, Attributes: Attributes("logprobs", `[{"token":"x","logprob":-0.5}]`)},
		{Name: "bare", Time: s.Start + 6},
	}
	for i := range span.Fields { // those that nothing above knows
		switch f := &span.Fields[i]; {
		case f.Text != nil && *f.Text(&s) == "":
			*f.Text(&s) = "a " + f.ID
		case f.Count != nil && *f.Count(&s) == span.NoTokens:
			*f.Count(&s) = int64(100 + i)
		}
	}
	return s
}

// Record returns the record of a span with its evaluations.
func Record(env tenant.Environment, s span.Span, evaluations ...eval.Evaluation) store.Record {
	return store.Record{Environment: env, Span: s, Evaluations: evaluations}
}

// Attributes returns attributes of keys, each followed by its value.
func Attributes(pairs ...string) span.Attributes {
	var list []span.Attribute
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, span.Attribute{Key: pairs[i], Value: pairs[i+1]})
	}
	return span.NewAttributes(list)
}

// KeyOf returns the key of a span.
func KeyOf(s span.Span) span.Key { return s.Key() }
