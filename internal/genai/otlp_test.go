// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// normalised returns the span that attributes and events lead to.
func normalised(t *testing.T, attributes map[string]any, events ...event) span.Span {
	t.Helper()
	return fromSpan(newSpan(t, attributes, events...))
}

// event is a span event of a test.
type event struct {
	name       string
	attributes map[string]any
}

func newSpan(t *testing.T, attributes map[string]any, events ...event) ptrace.Span {
	t.Helper()
	s := ptrace.NewSpan()
	require.NoError(t, s.Attributes().FromRaw(attributes))
	for _, e := range events {
		added := s.Events().AppendEmpty()
		added.SetName(e.name)
		require.NoError(t, added.Attributes().FromRaw(e.attributes))
	}
	return s
}

func fromSpan(s ptrace.Span) span.Span {
	return genai.FromOTLP(genai.NewResource(pcommon.NewResource()), pcommon.NewInstrumentationScope(), s)
}

// twice has one key two times, which no method of a pcommon.Map writes.
func twice(t *testing.T, key string, values ...string) ptrace.Span {
	t.Helper()
	var list []string
	for _, v := range values {
		list = append(list, `{"key":"`+key+`","value":{"stringValue":"`+v+`"}}`)
	}
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(
		[]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[` + strings.Join(list, ",") + `]}]}]}]}`))
	require.NoError(t, err)
	return traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
}

func TestFieldsOfASpan(t *testing.T) {
	t.Parallel()
	resource := pcommon.NewResource()
	resource.Attributes().PutStr("service.name", "shop")
	resource.Attributes().PutInt("process.pid", 7)
	resource.Attributes().PutStr("touchstone.environment.id", "forged")
	resource.Attributes().PutStr("evaluation.pii-detector.has_pii", "forged")
	scope := pcommon.NewInstrumentationScope()
	scope.SetName("scope\x00")
	scope.SetVersion("1.0\xff")

	s := ptrace.NewSpan()
	s.SetTraceID([16]byte{0xab, 15: 1})
	s.SetSpanID([8]byte{0xcd, 7: 2})
	s.SetParentSpanID([8]byte{3})
	s.TraceState().FromRaw("a=b")
	s.SetFlags(0x301)
	l := s.Links().AppendEmpty()
	l.SetTraceID([16]byte{1})
	l.SetSpanID([8]byte{2})
	l.SetFlags(1)
	l.TraceState().FromRaw("c=\xffd")
	l.Attributes().PutInt("why\x00", 3)
	s.Links().AppendEmpty()
	s.SetName("chat")
	s.SetKind(ptrace.SpanKindProducer)
	s.Status().SetCode(ptrace.StatusCodeOk)
	s.Status().SetMessage("fine")
	s.SetStartTimestamp(1_000_000)
	s.SetEndTimestamp(3_500_000)
	s.Attributes().PutStr("b", "2")
	s.Attributes().PutStr("a", "1")
	s.Attributes().PutStr("touchstone.evaluations", "forged")
	s.Attributes().PutStr("evaluation.x.y", "forged")
	e := s.Events().AppendEmpty()
	e.SetName("found")
	e.SetTimestamp(2_000_000)
	e.Attributes().PutInt("n", 4)

	require.Equal(t, span.Span{
		TraceID: span.TraceID{0xab, 15: 1}, SpanID: span.ID{0xcd, 7: 2}, ParentSpanID: span.ID{3}, TraceState: "a=b",
		Flags: 0x301, Type: span.TypeOther, Links: []span.Link{
			{
				TraceID: "01000000000000000000000000000000", SpanID: "0200000000000000", TraceState: "c=\uFFFDd", Flags: 1,
				Attributes: span.Attributes{{Key: "why\uFFFD", Value: "3"}},
			},
			{Attributes: span.Attributes{}},
		},
		Name: "chat", Kind: "SPAN_KIND_PRODUCER", Service: "shop", ScopeName: "scope\uFFFD", ScopeVersion: "1.0\uFFFD",
		StatusCode: "STATUS_CODE_OK", StatusMessage: "fine", Start: 1_000_000, Duration: 2_500_000,
		Resource:    span.Attributes{{Key: "process.pid", Value: "7"}, {Key: "service.name", Value: "shop"}},
		Attributes:  span.Attributes{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}},
		InputTokens: span.NoTokens, OutputTokens: span.NoTokens, TotalTokens: span.NoTokens, Cost: span.NoTokens, InputCost: span.NoTokens,
		Events: []span.Event{{Name: "found", Time: 2_000_000, Attributes: span.Attributes{{Key: "n", Value: "4"}}}},
	}, genai.FromOTLP(genai.NewResource(resource), scope, s))
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		start, end      uint64
		began, duration int64
	}{
		"usual":              {5, 8, 5, 3},
		"no start":           {0, 8, 8, 0},
		"neither":            {0, 0, 0, 0},
		"no end":             {5, 0, 5, 0},
		"end before start":   {8, 5, 8, 0},
		"beyond int64":       {math.MaxUint64, math.MaxUint64, math.MaxInt64, 0},
		"duration beyond":    {1, math.MaxUint64, 1, math.MaxInt64},
		"no start, end huge": {0, math.MaxUint64, math.MaxInt64, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ptrace.NewSpan()
			s.SetStartTimestamp(pcommon.Timestamp(c.start))
			s.SetEndTimestamp(pcommon.Timestamp(c.end))
			got := fromSpan(s)
			require.Equal(t, c.began, got.Start)
			require.Equal(t, c.duration, got.Duration)
		})
	}
}

func TestKindsAndStatuses(t *testing.T) {
	t.Parallel()
	for kind, text := range map[ptrace.SpanKind]string{
		0: "SPAN_KIND_UNSPECIFIED", 1: "SPAN_KIND_INTERNAL", 2: "SPAN_KIND_SERVER", 3: "SPAN_KIND_CLIENT",
		4: "SPAN_KIND_PRODUCER", 5: "SPAN_KIND_CONSUMER", 6: "SPAN_KIND_UNSPECIFIED", -1: "SPAN_KIND_UNSPECIFIED",
	} {
		s := ptrace.NewSpan()
		s.SetKind(kind)
		require.Equal(t, text, fromSpan(s).Kind)
	}
	for code, text := range map[ptrace.StatusCode]string{
		0: "STATUS_CODE_UNSET", 1: "STATUS_CODE_OK", 2: "STATUS_CODE_ERROR", 3: "STATUS_CODE_UNSET",
	} {
		s := ptrace.NewSpan()
		s.Status().SetCode(code)
		require.Equal(t, text, fromSpan(s).StatusCode)
	}
}

func TestValuesAsText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		value any
		text  string
	}{
		"text":            {"a \"b\" \\ % _", "a \"b\" \\ % _"},
		"empty":           {"", ""},
		"none":            {nil, ""},
		"NUL":             {"a\x00b", "a\x00b"},
		"not UTF-8":       {"a\xff\xfeb", "a\uFFFDb"},
		"true":            {true, "true"},
		"false":           {false, "false"},
		"int":             {int64(-12), "-12"},
		"whole":           {12.0, "12"},
		"fraction":        {0.1, "0.1"},
		"huge":            {1e300, "1e+300"},
		"no number":       {math.NaN(), "NaN"},
		"infinite":        {math.Inf(1), "Infinity"},
		"infinite below":  {math.Inf(-1), "-Infinity"},
		"bytes":           {[]byte{0, 255, 16}, "AP8Q"},
		"array":           {[]any{"a\n", int64(1), 1.5, true, nil, []any{}, []byte{1}}, `["a\n",1,1.5,true,null,[],"AQ=="]`},
		"array of odd":    {[]any{math.NaN(), math.Inf(1)}, `["NaN","Infinity"]`},
		"map":             {map[string]any{"k\x00<": map[string]any{"n": "\xff\x00"}}, `{"k` + "\uFFFD" + `<":{"n":"` + "\uFFFD" + `\u0000"}}`},
		"empty map":       {map[string]any{}, `{}`},
		"document in map": {map[string]any{"a": []any{map[string]any{"b": "c"}}}, `{"a":[{"b":"c"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := normalised(t, map[string]any{"key": c.value}).Attributes.Get("key")
			require.True(t, ok)
			require.Equal(t, c.text, got)
		})
	}
}

func TestMapsKeepTheOrderSent(t *testing.T) {
	t.Parallel()
	s := ptrace.NewSpan()
	m := s.Attributes().PutEmptyMap("m")
	m.PutStr("z", "1")
	m.PutStr("a", "2")
	got := fromSpan(s)
	require.Equal(t, span.Attributes{{Key: "m", Value: `{"z":"1","a":"2"}`}}, got.Attributes)
}

func TestDeepValuesAreCutOff(t *testing.T) {
	t.Parallel()
	s := ptrace.NewSpan()
	v := s.Attributes().PutEmptySlice("deep")
	for range 10_000 {
		v = v.AppendEmpty().SetEmptySlice()
	}
	deepMap := s.Attributes().PutEmptyMap("deep map")
	for range 10_000 {
		deepMap = deepMap.PutEmptyMap("m")
	}
	got, _ := fromSpan(s).Attributes.Get("deep")
	require.Equal(t, strings.Repeat("[", 64)+"null"+strings.Repeat("]", 64), got)
	got, _ = fromSpan(s).Attributes.Get("deep map")
	require.Equal(t, strings.Repeat(`{"m":`, 64)+"null"+strings.Repeat("}", 64), got)
}

func TestTheFirstOfEqualKeysCounts(t *testing.T) {
	t.Parallel()
	got := fromSpan(twice(t, "gen_ai.system", "First", "second"))
	require.Equal(t, span.Attributes{{Key: "gen_ai.system", Value: "First"}, {Key: "llm.vendor", Value: "first"}}, got.Attributes)

	got = fromSpan(twice(t, "gen_ai.prompt.0.content", "first", "second"))
	require.Empty(t, got.Attributes)
	require.Equal(t, span.Attributes{{Key: "llm.prompts.0.content", Value: "first"}}, got.Prompts)
}

func TestKeysThatAreNotTextStayApartAndSorted(t *testing.T) {
	t.Parallel()
	s := ptrace.NewSpan()
	s.Attributes().PutStr("b\xff", "1")
	s.Attributes().PutStr("b\x00", "2")
	s.Attributes().PutStr("", "empty")
	s.Attributes().PutStr("a'\"%_\\", "odd")
	got := fromSpan(s)
	require.Equal(t, span.Attributes{
		{Key: "", Value: "empty"}, {Key: "a'\"%_\\", Value: "odd"}, {Key: "b\uFFFD", Value: "1"},
	}, got.Attributes)

	v := genai.NewView(pcommon.NewResource(), s)
	text, ok := v.SpanAttribute("b\uFFFD")
	require.True(t, ok)
	require.Equal(t, "1", text)
	_, ok = v.SpanAttribute("c\uFFFD")
	require.False(t, ok)
}

func TestManyAttributesAreSorted(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 3, 33, 63, 64, 65, 1000} {
		s := ptrace.NewSpan()
		for i := range n {
			s.Attributes().PutInt(strings.Repeat("k", (i*7919)%n+1), int64(i))
		}
		requireSorted(t, fromSpan(s).Attributes)
	}
}

func requireSorted(t *testing.T, list span.Attributes) {
	t.Helper()
	for i := 1; i < len(list); i++ {
		require.Less(t, list[i-1].Key, list[i].Key)
	}
}
