// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// exerciseText stores what is hard to store.
func exerciseText(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	for name, text := range map[string]string{
		"quotes":         `it's "quoted" ''twice'' $1 ? ; --`,
		"wildcards":      `100% _ * ? [a-z] \% \_`,
		"backslashes":    `C:\new\table \\ \" \u0041`,
		"control":        "a\x00b\x01\x1f\x7f\r\n\t",
		"emoji":          "👩‍👩‍👧‍👦 naïve Ω 漢字 \u202e \ufeff",
		"json":           `{"a":[1,"2",{"b":null}],"c":"\ud83d"}`,
		"spaces":         "  leading and trailing  ",
		"twelve":         "123456789012",
		"thirteen":       "1234567890123",
		"a mebibyte":     strings.Repeat("0123456789abcdef", 1<<16),
		"NULL":           "NULL",
		"list and map":   "[a, b] {k=v}",
		"looks negative": "-1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t, open)
			s := storetest.RichSpan(env, 1)
			s.Name, s.StatusMessage, s.Input, s.Output, s.Workflow, s.TraceState = text, text, text, text, text, text
			key := text[:min(len(text), 100)]
			s.Attributes = storetest.Attributes("plain", text, key, text, "traceloop.entity.input", text)
			s.Resource = storetest.Attributes(key, text)
			s.Prompts = storetest.Attributes("llm.prompts.0."+key, text)
			s.Completions = storetest.Attributes("llm.completions.0.content", text)
			s.Links = []span.Link{{TraceState: text, Attributes: storetest.Attributes(key, text)}}
			s.Events = []span.Event{{Name: key, Time: 1, Attributes: storetest.Attributes(key, text)}}
			b.write(storetest.Record(env, s, storetest.Verdict(key, key, 1, key, text)), storetest.Record(env, storetest.Span(env, 2)))
			for _, f := range []query.Filter{
				filter(query.FieldColumn, "span_name", query.OpEquals, text),
				filter(query.FieldSpanAttribute, key, query.OpEquals, text),
				filter(query.FieldResourceAttribute, key, query.OpContains, text),
				filter(query.FieldMessage, "llm.prompts.0."+key, query.OpStartsWith, text),
				filter(query.FieldColumn, "completions", query.OpContains, text),
				{Field: query.Field{Kind: query.FieldEvaluation, Name: key, Output: key}, Operator: query.OpIn, Values: []string{text, "x"}},
			} {
				got := b.find(env, everything(f))
				require.EqualValues(t, 1, got.Total, f.Field)
				want := s
				want.Attributes = append(span.Attributes(nil), s.Attributes...).With("evaluation."+key+"."+key, text)
				storetest.RequireSpans(t, []span.Span{want}, got.Spans)
			}
		})
	}
	t.Run("bytes that are no UTF-8 become replacement characters", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		s.Name = "a\xff\xfeb"
		s.Attributes = storetest.Attributes("k\xc3", "v\xe2\x82")
		b.write(storetest.Record(env, s))
		got := b.all(env)
		require.Equal(t, "a\uFFFDb", got[0].Name)
		require.Equal(t, storetest.Attributes("k\uFFFD", "v\uFFFD"), got[0].Attributes)
		require.Zero(t, b.find(env, everything(filter(query.FieldColumn, "span_name", query.OpEquals, "a\xff\xfeb"))).Total)
		require.EqualValues(t, 1, b.find(env, everything(filter(query.FieldColumn, "span_name", query.OpNotEquals, "\xff"))).Total)
		b.write(storetest.Record(env, s))
		require.Len(t, b.all(env), 1)
	})
	t.Run("thousands of attributes", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		for i := range 5000 {
			s.Attributes = append(s.Attributes, span.Attribute{Key: "key." + string(rune('a'+i%26)) + strings.Repeat("x", i/26), Value: "v"})
		}
		s.Attributes = span.NewAttributes(s.Attributes)
		b.write(storetest.Record(env, s))
		storetest.RequireSpans(t, []span.Span{s}, b.all(env))
	})
	t.Run("every span has keys of its own", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		var want []span.Span
		var records []store.Record
		for i := range 600 {
			s := storetest.Span(env, i)
			key := strings.Repeat(string(rune('a'+i%26)), 500) + s.SpanID.String()
			s.Attributes, s.Resource = storetest.Attributes(key, "1"), storetest.Attributes(key, "2")
			want = append(want, s)
			records = append(records, storetest.Record(env, s))
		}
		b.write(records[:300]...)
		b.write(records[300:]...)
		storetest.RequireSpans(t, want, b.all(env))
		key := want[123].Attributes[0].Key
		require.EqualValues(t, 1, b.find(env, everything(filter(query.FieldAttribute, key, query.OpEquals, "1"))).Total)
	})
}
