// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func mappings(t *testing.T, list ...tenant.Mapping) tenant.Mappings {
	t.Helper()
	m, err := tenant.NewMappings(list)
	require.NoError(t, err)
	return m
}

// arrived returns a resource with mappings and a span with attributes, as they pass.
func arrived(t *testing.T, m tenant.Mappings, attributes map[string]any) (pcommon.Resource, ptrace.Span) {
	t.Helper()
	r, s := pcommon.NewResource(), ptrace.NewSpan()
	genai.StampMappings(r.Attributes(), m)
	require.NoError(t, s.Attributes().FromRaw(attributes))
	return r, s
}

var acme = []tenant.Mapping{
	{Attribute: "acme.step", Role: "span_type"},
	{Attribute: "acme.ask", Role: "input"},
	{Attribute: "acme.say", Role: "output"},
	{Attribute: "acme.engine", Role: "llm.request.model"},
	{Attribute: "acme.in", Role: "llm.usage.input_tokens"},
	{Attribute: "acme.out", Role: "llm.usage.output_tokens"},
	{Attribute: "acme.price", Role: "cost"},
	{Attribute: "acme.who", Role: "user_id"},
	{Attribute: "acme.visit", Role: "session_id"},
	{Attribute: "acme.found", Role: "context"},
	{Attribute: "acme.secret", Role: "content"},
	{Attribute: "acme.fn", Role: "tool_name"},
}

func TestMappedAttributesAreRead(t *testing.T) {
	t.Parallel()
	m := mappings(t, acme...)
	r, sent := arrived(t, m, map[string]any{
		"acme.step": "llm", "acme.ask": "Where is it?", "acme.say": `[{"role":"assistant","content":"Here."}]`, "acme.engine": "own-1", "acme.in": 12, "acme.out": 3,
		"acme.price": 0.5, "acme.who": "ann", "acme.visit": "v-1", "acme.found": "It is here.", "gen_ai.request.model": "not-this", "input.value": "nor this",
	})
	s := genai.FromOTLP(genai.NewResource(r), pcommon.NewInstrumentationScope(), sent)
	require.Equal(t, span.TypeLLM, s.Type)
	require.Equal(t, "Where is it?", s.Input)
	for key, want := range map[string]string{"llm.prompts.0.role": "user", "llm.prompts.0.content": "Where is it?"} {
		got, _ := s.Prompts.Get(key)
		require.Equal(t, want, got)
	}
	answer, _ := s.Completions.Get("llm.completions.0.content")
	require.Equal(t, "Here.", answer)
	require.Equal(t, "own-1", s.RequestModel)
	require.EqualValues(t, 15, s.TotalTokens)
	require.Equal(t, int64(span.PerDollar/2), s.Cost)
	require.Equal(t, "ann v-1", s.User+" "+s.Session)
	model, _ := s.Attributes.Get("llm.request.model")
	require.Equal(t, "own-1", model)
	require.Equal(t, genai.ContentSource{Prompts: "acme.ask", Completions: "acme.say", Input: "acme.ask", Output: "acme.say"}, genai.ContentSourceOf(&s, m))

	for part, want := range map[span.Part]string{span.PartQuestion: "Where is it?", span.PartOutput: "Here.", span.PartContext: "It is here."} {
		got, _ := genai.NewView(r, sent).Part(part)
		require.Equal(t, want, got, part)
		view := &genai.View{}
		view.ResetStored(&s, m)
		got, _ = view.Part(part)
		require.Equal(t, want, got, "%s, stored", part)
	}
	require.Equal(t, "input.value", genai.ContentSourceOf(&s, "").Input, "of another environment")
}

func TestMappedTool(t *testing.T) {
	t.Parallel()
	r, sent := arrived(t, mappings(t, acme...), map[string]any{"acme.fn": "search", "acme.ask": `{"q":"x"}`, "acme.say": "found"})
	s := genai.FromOTLP(genai.NewResource(r), pcommon.NewInstrumentationScope(), sent)
	require.Equal(t, []string{span.TypeTool, "search", `{"q":"x"}`, "found"}, []string{s.Type, s.Entity, s.Input, s.Output})
	require.Empty(t, s.Prompts)
}

// Of several attributes of one role the one that is mapped first counts.
func TestMappingsHaveAnOrder(t *testing.T) {
	t.Parallel()
	m := mappings(t, tenant.Mapping{Attribute: "acme.z", Role: "output"}, tenant.Mapping{Attribute: "acme.a", Role: "output"})
	for want, attributes := range map[string]map[string]any{
		"z": {"acme.a": "a", "acme.z": "z"}, "a": {"acme.a": "a", "acme.z": ""},
	} {
		r, sent := arrived(t, m, attributes)
		require.Equal(t, want, genai.FromOTLP(genai.NewResource(r), pcommon.NewInstrumentationScope(), sent).Output)
	}
}

// Every role is read as something, or is content that goes.
func TestEveryRoleCounts(t *testing.T) {
	t.Parallel()
	for _, role := range semconv.Roles() {
		text := map[string]string{
			"messages": `[{"role":"user","content":"7"},{"role":"assistant","content":"8"}]`, "tool_calls": `[{"name":"f","arguments":{}}]`, "span_type": "agent",
			"tool_definitions": `[{"name":"f"}]`,
		}[role]
		if text == "" {
			text = "7"
		}
		r, sent := arrived(t, mappings(t, tenant.Mapping{Attribute: "acme.x", Role: role}), map[string]any{"acme.x": text, "gen_ai.operation.name": "chat"})
		if role == "span_type" || role == "messages" { // which a call of a model shows anyway
			sent.Attributes().Remove("gen_ai.operation.name")
		}
		plain := genai.FromOTLP(genai.NewResource(pcommon.NewResource()), pcommon.NewInstrumentationScope(), sent)
		read := genai.FromOTLP(genai.NewResource(r), pcommon.NewInstrumentationScope(), sent)
		view := genai.NewView(r, sent)
		documents, _ := view.Part(span.PartContext)
		tools, _ := view.Part(span.PartToolDefinitions)
		if role != "content" {
			require.False(t, documents+tools == "" && reflect.DeepEqual(plain, read), role)
		}
	}
}

func TestMappedContentIsDropped(t *testing.T) {
	t.Parallel()
	r, s := arrived(t, mappings(t, acme...), map[string]any{"acme.ask": "yes", "acme.say": "no", "acme.secret": "42", "acme.found": "it", "acme.who": "Ann B", "acme.engine": strings.Repeat("x", 65), "acme.free": "ok"})
	genai.DropContent(r, s)
	require.Equal(t, map[string]any{"acme.who": "Ann B", "acme.free": "ok"}, s.Attributes().AsRaw())
}

// A stored span is read as if mappings had been there when it arrived.
func TestStoredSpansAreReadWithMappings(t *testing.T) {
	t.Parallel()
	r, sent := arrived(t, "", map[string]any{"acme.step": "llm", "acme.ask": "Where?", "some.response": "Nowhere."})
	stored := genai.FromOTLP(genai.NewResource(r), pcommon.NewInstrumentationScope(), sent)
	read := genai.Mapped(&stored, mappings(t, acme...))
	question, _ := read.Span.Prompts.Get("llm.prompts.0.content")
	require.Equal(t, "Where?", question)
	require.Equal(t, "acme.ask", read.From.Prompts)
	require.Equal(t, []genai.UsedMapping{{Mapping: acme[0], Text: "llm"}, {Mapping: acme[1], Text: "Where?"}}, read.Used)

	_, sent = arrived(t, "", map[string]any{"gen_ai.prompt.0.content": "Sent so.", "acme.ask": "Where?"})
	stored = genai.FromOTLP(genai.NewResource(r), pcommon.NewInstrumentationScope(), sent)
	read = genai.Mapped(&stored, mappings(t, acme...))
	require.Equal(t, stored.Prompts, read.Span.Prompts)
	require.Equal(t, "indexed attributes or log records", read.From.Prompts)
	require.Equal(t, "Where?", read.Span.Input)
}
