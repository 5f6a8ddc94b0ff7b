// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// sourceOf is a passing span with these attributes.
func sourceOf(attributes map[string]any) SpanSource {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	rs.Resource().Attributes().PutStr("tier", "gold")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("scope")
	ss.Scope().SetVersion("1.2")
	s := ss.Spans().AppendEmpty()
	s.SetName("chat")
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(pcommon.SpanID{2})
	s.SetParentSpanID(pcommon.SpanID{3})
	s.TraceState().FromRaw("a=b")
	s.SetKind(ptrace.SpanKindClient)
	s.Status().SetCode(ptrace.StatusCodeError)
	s.Status().SetMessage("broke")
	s.SetStartTimestamp(5_000_000)
	s.SetEndTimestamp(12_000_000)
	if err := s.Attributes().FromRaw(attributes); err != nil {
		panic(err)
	}
	return WithFields(genai.NewView(rs.Resource(), s), func() *span.Span {
		stored := genai.FromOTLP(genai.NewResource(rs.Resource()), ss.Scope(), s)
		return &stored
	})
}

func TestInputsComeFromWhereTheyAreMapped(t *testing.T) {
	t.Parallel()
	source := sourceOf(map[string]any{
		"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "About 384,400 km.",
		"traceloop.entity.input": `{"question":"How far?"}`,
		"doc":                    `[{"text":"first","n":1.50,"tags":["a","b"],"none":null,"yes":true,"inner":"{\"deep\":[\"x\"]}"},{"text":"ß\u0000"}]`,
		"number":                 42, "half": 0.5, "flag": true, "empty": "",
		"list": []any{"a", 2},
		"traceloop.association.properties.reference": "the moon",
	})
	for _, c := range []struct {
		from InputSource
		want string // "" is nothing
	}{
		{InputSource{Source: SpanAttributes, Key: "number"}, "42"},
		{InputSource{Source: SpanAttributes, Key: "half"}, "0.5"},
		{InputSource{Source: SpanAttributes, Key: "flag"}, "true"},
		{InputSource{Source: SpanAttributes, Key: "list"}, `["a",2]`},
		{InputSource{Source: SpanAttributes, Key: "list", Path: "1"}, "2"},
		{InputSource{Source: SpanAttributes, Key: "empty"}, ""},
		{InputSource{Source: SpanAttributes, Key: "absent"}, ""},
		{InputSource{Source: SpanAttributes, Key: "tier"}, ""},
		{InputSource{Source: ResourceAttributes, Key: "tier"}, "gold"},
		{InputSource{Source: ResourceAttributes, Key: "number"}, ""},

		{InputSource{Source: Span, Key: "span_name"}, "chat"},
		{InputSource{Source: Span, Key: "service_name"}, "shop"},
		{InputSource{Source: Span, Key: "scope_name"}, "scope"},
		{InputSource{Source: Span, Key: "scope_version"}, "1.2"},
		{InputSource{Source: Span, Key: "trace_id"}, "01000000000000000000000000000000"},
		{InputSource{Source: Span, Key: "span_id"}, "0200000000000000"},
		{InputSource{Source: Span, Key: "parent_span_id"}, "0300000000000000"},
		{InputSource{Source: Span, Key: "trace_state"}, "a=b"},
		{InputSource{Source: Span, Key: "span_kind"}, "SPAN_KIND_CLIENT"},
		{InputSource{Source: Span, Key: "status_code"}, "STATUS_CODE_ERROR"},
		{InputSource{Source: Span, Key: "status_message"}, "broke"},
		{InputSource{Source: Span, Key: "timestamp"}, "5"},
		{InputSource{Source: Span, Key: "duration"}, "7"},
		{InputSource{Source: Span, Key: "input"}, `{"question":"How far?"}`},
		{InputSource{Source: Span, Key: "input", Path: "question"}, "How far?"},
		{InputSource{Source: Span, Key: "output"}, "About 384,400 km."}, // the part: there is no such field
		{InputSource{Source: Span, Key: "completions", Path: "0"}, "About 384,400 km."},
		{InputSource{Source: Span, Key: "output_messages", Path: "0.role"}, "assistant"},
		{InputSource{Source: Span, Key: "attribute:reference"}, "the moon"},
		{InputSource{Source: Span, Key: "tool_input"}, ""},

		{InputSource{Source: SpanAttributes, Key: "doc", Path: "0.text"}, "first"},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "0.n"}, "1.50"},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "0.tags"}, `["a","b"]`},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "0.tags.1"}, "b"},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "0.yes"}, "true"},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "0.none"}, ""},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "0.inner.deep.0"}, "x"},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "0.inner"}, `{"deep":["x"]}`},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "1.text"}, "ß\x00"},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "2"}, ""},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "-1"}, ""},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "text"}, ""},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "0.Text"}, ""},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "0.text.more"}, ""},
		{InputSource{Source: SpanAttributes, Key: "flag", Path: "0"}, ""},
		{InputSource{Source: Span, Key: "span_name", Path: "0"}, ""},

		{InputSource{Source: SpanAttributes, Key: "doc", Pattern: `text":"(.+?)"`}, "first"},
		{InputSource{Source: SpanAttributes, Key: "doc", Path: "0.tags", Pattern: `"(b)"`}, "b"},
		{InputSource{Source: SpanAttributes, Key: "doc", Pattern: `absent(x)`}, ""},
		{InputSource{Source: SpanAttributes, Key: "doc", Pattern: `text(x)?`}, ""},
		{InputSource{Source: SpanAttributes, Key: "doc", Pattern: `text()`}, ""},
	} {
		m, err := newMapping("m", c.from)
		require.NoError(t, err)
		got, ok := m.take(source)
		require.Equal(t, c.want, got, "%+v", c.from)
		require.Equal(t, c.want != "", ok, "%+v", c.from)
	}
}

// Of JSON, the field output shows all; the part only the answer.
func TestFieldComesBeforeThePartOfItsName(t *testing.T) {
	t.Parallel()
	source := sourceOf(map[string]any{"traceloop.entity.output": `{"answer":"x","documents":["d"]}`})
	m, err := newMapping("m", InputSource{Source: Span, Key: "output", Path: "documents.0"})
	require.NoError(t, err)
	got, _ := m.take(source)
	require.Equal(t, "d", got)
	part, _ := source.Part("output")
	require.Equal(t, "x", part)
}

func TestMappingsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	attribute := InputSource{Source: SpanAttributes, Key: "a"}
	with := func(path, pattern string) InputSource {
		s := attribute
		s.Path, s.Pattern = path, pattern
		return s
	}
	for want, s := range map[string]InputSource{
		"m.source is required": {Key: "a"},
		"m.source must be":     {Source: "spans", Key: "a"},
		"m.key is required":    {Source: Span, Key: " "},
		"m.key must be at most": {
			Source: SpanAttributes, Key: strings.Repeat("k", maxMappingKey+1),
		},
		`m.key must be a field or a part of spans: there is no "nothing"`: {Source: Span, Key: "nothing"},
		`there is no "attribute:"`:                                        {Source: Span, Key: "attribute:"},
		"m.json_path must be names":                                       with("a..b", ""),
		"m.json_path must be at most":                                     with(strings.Repeat("a", maxMappingPath+1), ""),
		"m.json_path must have at most":                                   with(strings.Repeat("a.", maxMappingSteps)+"a", ""),
		"m.regex is not a valid":                                          with("", "("),
		"m.regex must have exactly one group":                             with("", "x"),
		"m.regex must be at most":                                         with("", "(x)"+strings.Repeat("x", maxMappingPattern)),
		"m.regex is too complex":                                          with("", "((?:[a-z]{30}){30}[a-z]{900})"),
	} {
		_, err := newMapping("m", s)
		require.ErrorContains(t, err, want)
		require.True(t, fault.Is(err, fault.Invalid))
		require.Less(t, len(err.Error()), 300)
	}
	for _, pattern := range []string{"(a)(b)", "(?P<x>a)(b)", "(?:a)"} {
		_, err := newMapping("m", with("", pattern))
		require.ErrorContains(t, err, "exactly one group")
	}
	_, err := newMapping("m", with("", "(?P<named>a{2,100})"))
	require.NoError(t, err)
	_, err = compileSources("m", map[string]InputSource{"b": {}, "a": {}})
	require.ErrorContains(t, err, "m.a.source", "always the same one is named")
}

// Long texts are looked through up to a bound, which cuts no character.
func TestPatternsStopAtTheirBound(t *testing.T) {
	t.Parallel()
	m, err := newMapping("m", InputSource{Source: SpanAttributes, Key: "a", Pattern: "(.+)"})
	require.NoError(t, err)
	got, ok := pick("x"+strings.Repeat("ß", maxPatternText), m.pattern)
	require.True(t, ok)
	require.True(t, utf8.ValidString(got))
	require.Len(t, got, maxPatternText-1)
}

func FuzzWalk(f *testing.F) {
	f.Add(`[{"text":"x"}]`, "0.text")
	f.Add(`{"a":{"a":"{\"a\":1}"},"a":2}`, "a.a.a")
	f.Add(strings.Repeat("[", 20_000), "0.0.0")
	f.Add(`"\"\\\"[1]\\\"\""`, "0.0")
	f.Add("{\"\x00\xff\":1}", "\x00")
	f.Fuzz(func(t *testing.T, text, path string) {
		steps, err := parsePath("p", path)
		if err != nil {
			return
		}
		got, ok := walk(text, steps)
		require.LessOrEqual(t, len(got), 3*len(text), "an invalid byte becomes three")
		require.True(t, ok || got == "")
	})
}

func FuzzPattern(f *testing.F) {
	f.Add(`text":"(.+?)"`, `{"text":"x"}`)
	f.Add(`((?:a{30}){30})`, "aaa")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		compiled, err := parsePattern("p", pattern)
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid))
			return
		}
		got, _ := pick(text, compiled)
		require.Contains(t, text, got)
	})
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	source := sourceOf(map[string]any{"doc": `[{"text":"","n":7}]`, "empty": ""})
	for want, from := range map[Lack][]InputSource{
		LackNothing: {{Source: SpanAttributes, Key: "doc"}, {Source: SpanAttributes, Key: "doc", Path: "0.n", Pattern: `(\d)`}},
		LackSource:  {{Source: SpanAttributes, Key: "absent", Path: "0"}, {Source: SpanAttributes, Key: "empty"}, {Source: ResourceAttributes, Key: "doc"}, {Source: Span, Key: "output"}},
		LackPath:    {{Source: SpanAttributes, Key: "doc", Path: "1"}, {Source: SpanAttributes, Key: "doc", Path: "0.text", Pattern: "(x)"}},
		LackPattern: {{Source: SpanAttributes, Key: "doc", Path: "0.n", Pattern: "(x)"}, {Source: SpanAttributes, Key: "doc", Pattern: "(x*)"}},
	} {
		for _, s := range from {
			m, err := newMapping("m", s)
			require.NoError(t, err)
			text, lack := m.taken(source)
			require.Equal(t, want, lack, "%+v", s)
			require.Equal(t, lack != LackNothing, text == "", "%+v", s)
		}
	}
}
