// SPDX-License-Identifier: Apache-2.0

// Package storetest holds the contracts of the stores as tests that every
// engine passes.
package storetest

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// OpenSpans opens the store in dir with a clock; it fails the test if it
// cannot. Opened again with the same dir after Close, it has what it had.
type OpenSpans func(t *testing.T, dir string, now func() time.Time) store.Engine

// ExerciseSpans holds an engine to the contract of store.Engine.
func ExerciseSpans(t *testing.T, open OpenSpans) {
	for _, group := range []struct {
		name string
		run  func(t *testing.T, open OpenSpans)
	}{
		{"Write", exerciseWrite},
		{"Repeat", exerciseRepeat},
		{"Text", exerciseText},
		{"Find", exerciseFind},
		{"Pages", exercisePages},
		{"Filters", exerciseFilters},
		{"Model", exerciseModel},
		{"OrderByVerdict", exerciseOrderByVerdict},
		{"Evaluations", exerciseEvaluations},
		{"Outputs", exerciseOutputs},
		{"Tallies", exerciseTallies},
		{"Messages", exerciseMessages},
		{"Retention", exerciseRetention},
		{"Drop", exerciseDrop},
		{"Life", exerciseLife},
		{"Completed", exerciseCompleted},
		{"Revisions", exerciseRevisions},
		{"Owed", exerciseOwed},
		{"Aggregate", exerciseAggregate},
		{"Progress", exerciseProgress},
		{"Get", exerciseGet},
	} {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			group.run(t, open)
		})
	}
}

// bench is a store under test and its clock.
type bench struct {
	store.Engine
	t     *testing.T
	open  OpenSpans
	dir   string
	clock *atomic.Int64
}

// epoch is when the tests play.
var epoch = time.Date(2025, 11, 21, 10, 30, 0, 0, time.UTC)

func newBench(t *testing.T, open OpenSpans) *bench {
	t.Helper()
	b := &bench{t: t, open: open, dir: t.TempDir(), clock: new(atomic.Int64)}
	b.clock.Store(epoch.UnixNano())
	b.Engine = open(t, b.dir, b.now)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func (b *bench) now() time.Time { return time.Unix(0, b.clock.Load()).UTC() }

// pass lets time pass.
func (b *bench) pass(d time.Duration) { b.clock.Add(int64(d)) }

// reopen closes the store and opens it again.
func (b *bench) reopen() {
	b.t.Helper()
	require.NoError(b.t, b.Close())
	b.Engine = b.open(b.t, b.dir, b.now)
}

// write stores records and expects that to work.
func (b *bench) write(records ...store.Record) {
	b.t.Helper()
	require.NoError(b.t, Write(b.t.Context(), b, records))
}

// settle stores evaluations of stored spans and expects that to work.
func (b *bench) settle(list ...store.Evaluated) {
	b.t.Helper()
	_, err := b.Write(b.t.Context(), store.Batch{Evaluations: list})
	require.NoError(b.t, err)
}

// evaluations gives those of a span.
func (b *bench) evaluations(env tenant.Environment, s span.Span) []eval.Evaluation {
	b.t.Helper()
	list, err := evaluationsOf(b.t.Context(), b, env, s)
	require.NoError(b.t, err)
	return list
}

// find asks for a page and expects an answer.
func (b *bench) find(env tenant.Environment, q query.Query) query.Page {
	b.t.Helper()
	page, err := b.Search(b.t.Context(), env, q)
	require.NoError(b.t, err)
	return page
}

// all gives every span of an environment, oldest first.
func (b *bench) all(env tenant.Environment) []span.Span {
	b.t.Helper()
	page := b.find(env, everything())
	require.Nil(b.t, page.Next)
	require.EqualValues(b.t, len(page.Spans), page.Total)
	return page.Spans
}

// everything asks for all spans there are, up to the limit.
func everything(filters ...query.Filter) query.Query {
	return query.Query{
		From:    -1 << 63,
		To:      1<<63 - 1,
		Filters: filters,
		Order:   query.Order{By: query.SortTimestamp},
		Limit:   query.MaxLimit,
		Total:   true,
	}
}

// environment makes an environment with a retention of thirty days.
func environment(name string) tenant.Environment {
	return tenant.Environment{
		ID:             tenant.EnvironmentID("env_" + name),
		Slug:           name,
		OrganizationID: "org_1",
		ProjectID:      "prj_1",
		Retention:      720 * time.Hour,
	}
}

// simple makes a span with little in it: n gives its ids and when it started.
func simple(env tenant.Environment, n int) span.Span {
	s := span.Span{
		Environment:  env.Slug,
		Name:         "span",
		Kind:         "SPAN_KIND_INTERNAL",
		StatusCode:   "STATUS_CODE_UNSET",
		Start:        epoch.Add(-time.Hour).UnixNano() + int64(n)*int64(time.Second),
		Duration:     int64(time.Second),
		InputTokens:  span.NoTokens,
		OutputTokens: span.NoTokens,
		TotalTokens:  span.NoTokens,
	}
	s.TraceID[0], s.TraceID[14], s.TraceID[15] = 0xa0, byte(n>>8), byte(n)
	s.SpanID[0], s.SpanID[6], s.SpanID[7] = 0xb0, byte(n>>8), byte(n)
	return s
}

func record(env tenant.Environment, s span.Span, evaluations ...eval.Evaluation) store.Record {
	return store.Record{Environment: env, Span: s, Evaluations: evaluations}
}

// rich makes a span that has everything.
func rich(env tenant.Environment, n int) span.Span {
	s := simple(env, n)
	s.ParentSpanID = span.ID{1, 2, 3, 4, 5, 6, 7, 0xff}
	s.TraceState = "vendor=value"
	s.Flags, s.Type, s.Arrived = 1<<32-1, span.TypeLLM, s.Start+999
	s.Links = []span.Link{
		{TraceID: s.TraceID.String(), SpanID: "0102030405060708", TraceState: "a=b", Flags: 0x101, Attributes: attributes("k", "v")},
		{},
	}
	s.Name = "openai.chat"
	s.Kind = "SPAN_KIND_CLIENT"
	s.Service = "shop"
	s.ScopeName, s.ScopeVersion = "opentelemetry.instrumentation.openai.v1", "0.47.5"
	s.StatusCode, s.StatusMessage = "STATUS_CODE_ERROR", "timeout"
	s.Resource = attributes("service.name", "shop", "host", "node-1", "both", "resource", "replicas", "3")
	s.Attributes = attributes(
		"traceloop.workflow.name", "checkout", "traceloop.entity.name", "answer", "gen_ai.system", "OpenAI",
		"traceloop.entity.input", "the input", "traceloop.entity.output", "the output", "both", "span",
		"llm.vendor", "openai", "llm.request.model", "gpt-4o", "llm.response.model", "gpt-4o-2024-08-06",
		"llm.usage.input_tokens", "10", "llm.usage.output_tokens", "20", "llm.usage.total_tokens", "30",
		"gen_ai.usage.input_tokens", "10", "gen_ai.usage.output_tokens", "021", "temperature", "0.5", "empty", "",
	)
	s.Prompts = attributes("llm.prompts.0.role", "user", "llm.prompts.0.content", "How much is 100%?")
	s.Completions = attributes("llm.completions.0.role", "assistant", "llm.completions.0.content", `It's "all" \o/`)
	s.Input, s.Output = "the input", "the output"
	s.Workflow, s.Entity, s.Vendor = "checkout", "answer", "openai"
	s.RequestModel, s.ResponseModel = "gpt-4o", "gpt-4o-2024-08-06"
	s.InputTokens, s.OutputTokens, s.TotalTokens = 10, 20, 30
	s.Events = []span.Event{
		{Name: "logprobs", Time: s.Start + 5, Attributes: attributes("logprobs", `[{"token":"x","logprob":-0.5}]`)},
		{Name: "bare", Time: s.Start + 6},
	}
	return s
}

func attributes(pairs ...string) span.Attributes {
	var list []span.Attribute
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, span.Attribute{Key: pairs[i], Value: pairs[i+1]})
	}
	return span.NewAttributes(list)
}
