// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
)

// again stores what the stored span is sent as.
func again(s *span.Span) span.Span {
	rs := ptrace.NewResourceSpans()
	out := genai.ToOTLP(s, rs)
	return genai.FromOTLP(genai.NewResource(rs.Resource()), rs.ScopeSpans().At(0).Scope(), out)
}

// sameParts expects that a passing span has the parts of the stored one.
func sameParts(t *testing.T, s *span.Span) {
	t.Helper()
	rs := ptrace.NewResourceSpans()
	v := genai.NewView(rs.Resource(), genai.ToOTLP(s, rs))
	for _, name := range slices.Concat(textParts, jsonParts) {
		want, wantOK := genai.Part(s, name)
		got, ok := v.Part(name)
		require.Equal(t, want, got, name)
		require.Equal(t, wantOK, ok, name)
	}
}

func TestStoredRecordingsAreSentAgain(t *testing.T) {
	t.Parallel()
	messages := recordedMessages(t)
	for _, r := range genaitest.Recordings(t) {
		if r.Signal != genaitest.Traces {
			continue
		}
		for _, s := range spansOf(t, r) {
			require.Equal(t, s, again(&s), r.File)
			sameParts(t, &s)
			if m, ok := messages[s.SpanID]; ok {
				s.Prompts, s.Completions = m.Prompts, m.Completions
				got := again(&s)
				require.Equal(t, asMap(s.Prompts), asMap(got.Prompts), r.File)
				require.Equal(t, asMap(s.Completions), asMap(got.Completions), r.File)
			}
		}
	}
}

func TestMadeSpansAreSentAgain(t *testing.T) {
	t.Parallel()
	g := spangen.New(spangen.Options{Seed: 11, Start: time.Unix(1_700_000_000, 123_456_789)})
	for range 500 {
		_, s := g.Next()
		got := again(&s)
		require.Empty(t, got.Environment)
		s.Environment = ""
		require.Equal(t, s, got)
	}
}

func TestOddSpansAreSentAgain(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]map[string]any{
		"nothing":                          {},
		"messages of JSON":                 {"gen_ai.input.messages": conversation, "gen_ai.output.messages": answer},
		"both spellings of prompts":        {"llm.prompts.0.role": "user", "gen_ai.prompt.0.content": "x", "gen_ai.prompt.7.y": "z"},
		"both spellings of completions":    {"llm.completions.0.role": "user", "gen_ai.completion.0.content": "x", "llm.completions.x": "no index", "llm.completions.1.": "no suffix"},
		"a suffix with a meaning":          {"gen_ai.prompt.0.prompt.text": "x", "gen_ai.prompt.0.content": "y", "gen_ai.prompt.00.a": "z"},
		"the same of OpenInference":        {"llm.input_messages.0.message.prompt.text": "x", "llm.input_messages.007.message.role": "user"},
		"that suffix within another":       {"llm.prompts.0.x.prompt.text": "x", "gen_ai.prompt.0.y": "stays"},
		"prompts of the completions API":   {"llm.prompts.0.prompt.text": "x", "llm.prompts.1.prompt.text": "y"},
		"aliases of its own":               {"llm.vendor": "", "llm.request.model": "M", "llm.usage.total_tokens": "many", "gen_ai.system": "OpenAI", "gen_ai.usage.input_tokens": 3},
		"sums":                             {"gen_ai.usage.input_tokens": math.MaxInt64, "gen_ai.usage.output_tokens": 1, "llm.usage.cache_read_input_tokens": "x"},
		"finish reasons":                   {"gen_ai.completion.0.content": "a", "gen_ai.completion.1.content": "b", "gen_ai.completion.1.finish_reason": "", "gen_ai.response.finish_reasons": []any{"stop", "length"}},
		"arrays, maps and bytes":           {"a": []any{"x", 1.5, nil}, "m": map[string]any{"k": map[string]any{}}, "b": []byte{0, 255}, "n": nil, "f": math.NaN()},
		"hostile texts":                    {"a\x00b\xff": "\xff\x00", "": "", "'\"%_\\": "'; DROP", strings.Repeat("k", 5000): strings.Repeat("v", 1<<20)},
		"reserved":                         {"touchstone.evaluations": "x", "evaluation.a.b": "x"},
		"Vercel":                           {"ai.prompt": `{"system":"S","prompt":"Q"}`, "ai.response.text": "A", "ai.model.provider": "openai.chat"},
		"a generation of Langfuse":         {"langfuse.observation.type": "generation", "langfuse.observation.input": `["Q"]`, "langfuse.observation.output": `{"a":1}`, "langfuse.observation.usage_details": `{"input":18,"input_cached_tokens":5,"output":1}`},
		"entities, workflows and the like": {"traceloop.workflow.name": "w", "gen_ai.agent.name": "a", "traceloop.entity.input": "i", "output.value": "o"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := normalised(t, sent, event{"gen_ai.choice", map[string]any{"message": "E"}}, event{"e\x00", map[string]any{"touchstone.x": 1, "b": []any{}}})
			require.Equal(t, s, again(&s))
			sameParts(t, &s)
		})
	}
}

// What a selector says of a span as it was sent holds when it was stored.
func TestAttributesOfStoredSpansAnswerToTheirKeys(t *testing.T) {
	t.Parallel()
	for _, r := range genaitest.Recordings(t) {
		if r.Signal != genaitest.Traces {
			continue
		}
		eachSpan(t, r, func(resource pcommon.Resource, scope pcommon.InstrumentationScope, sent ptrace.Span) {
			s := genai.FromOTLP(genai.NewResource(resource), scope, sent)
			rs := ptrace.NewResourceSpans()
			v, before := genai.NewView(rs.Resource(), genai.ToOTLP(&s, rs)), genai.NewView(resource, sent)
			for key := range sent.Attributes().All() {
				want, _ := before.SpanAttribute(key)
				if strings.HasSuffix(key, ".prompt.text") { // is stored as content
					continue
				}
				got, ok := v.SpanAttribute(key)
				require.True(t, ok, key)
				require.Equal(t, want, got, key)
			}
		})
	}
}

func TestFieldsOfAStoredSpanAreSent(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"} {
		for _, code := range []string{"UNSET", "OK", "ERROR"} {
			s := span.Span{
				TraceID: span.TraceID{1}, SpanID: span.ID{2}, ParentSpanID: span.ID{3}, TraceState: "a=b,c", Name: "n", ScopeName: "s", ScopeVersion: "v",
				Kind: "SPAN_KIND_" + kind, StatusCode: "STATUS_CODE_" + code, StatusMessage: "m", Start: 1_700_000_000_000_000_001, Duration: 999,
				Flags: 0x3ff, Type: span.TypeOther, Links: []span.Link{
					{TraceID: span.TraceID{1}.String(), SpanID: span.ID{2}.String(), TraceState: "a=b", Flags: 1, Attributes: span.Attributes{{Key: "k", Value: "v"}}},
					{Attributes: span.Attributes{}},
				},
				Service: "svc", Resource: span.Attributes{{Key: "service.name", Value: "svc"}}, Attributes: span.Attributes{},
				InputTokens: span.NoTokens, OutputTokens: span.NoTokens, TotalTokens: span.NoTokens, Cost: span.NoTokens, InputCost: span.NoTokens,
				Events: []span.Event{{Name: "e", Time: 7, Attributes: span.Attributes{}}},
			}
			require.Equal(t, s, again(&s))
		}
	}
	for _, times := range [][2]int64{{0, 0}, {1, 0}, {math.MaxInt64, math.MaxInt64}, {1, math.MaxInt64}} {
		s := span.Span{Start: times[0], Duration: times[1], Kind: "odd", StatusCode: ""}
		got := again(&s)
		require.Equal(t, times[0], got.Start)
		require.Equal(t, times[1], got.Duration)
		require.Equal(t, "SPAN_KIND_UNSPECIFIED", got.Kind)
		require.Equal(t, "STATUS_CODE_UNSET", got.StatusCode)
	}
	s := span.Span{Start: -5, Duration: -5}
	require.Zero(t, again(&s).Start)
}

func TestVerdictsAreSentAndNeverStored(t *testing.T) {
	t.Parallel()
	s := span.Span{
		Resource:   span.Attributes{{Key: "evaluation.a.b", Value: "r"}, {Key: "service.name", Value: "svc"}, {Key: "touchstone.deferred", Value: "true"}},
		Attributes: span.Attributes{{Key: "a", Value: "1"}, {Key: "evaluation.char-count.char_count", Value: "5"}, {Key: "touchstone.evaluations", Value: "x"}},
	}
	rs := ptrace.NewResourceSpans()
	rs.Resource().Attributes().PutBool("touchstone.deferred", true)
	out := genai.ToOTLP(&s, rs)
	require.Equal(t, map[string]any{"touchstone.deferred": true, "service.name": "svc"}, rs.Resource().Attributes().AsRaw())
	require.Equal(t, map[string]any{"a": "1", "evaluation.char-count.char_count": "5"}, out.Attributes().AsRaw())
	text, ok := genai.NewView(rs.Resource(), out).SpanAttribute("evaluation.char-count.char_count")
	require.True(t, ok)
	require.Equal(t, "5", text)
	require.Equal(t, span.Attributes{{Key: "a", Value: "1"}}, again(&s).Attributes)
}

func TestManyAttributesAreSent(t *testing.T) {
	t.Parallel()
	var s span.Span
	for i := range 100_000 {
		s.Attributes = append(s.Attributes, span.Attribute{Key: "k" + strconv.Itoa(i), Value: "v"})
	}
	s.Attributes = span.NewAttributes(s.Attributes)
	s.Resource = s.Attributes
	rs := ptrace.NewResourceSpans()
	rs.Resource().Attributes().PutEmptySlice("was there").AppendEmpty().SetInt(1)
	got := genai.FromOTLP(genai.NewResource(pcommon.NewResource()), pcommon.NewInstrumentationScope(), genai.ToOTLP(&s, rs))
	require.Equal(t, s.Attributes, got.Attributes)
	require.Equal(t, 100_001, rs.Resource().Attributes().Len())
}
