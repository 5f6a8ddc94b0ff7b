// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// filter makes a filter with one value; for a numeric operator it is a number.
func filter(kind span.FieldKind, name string, op span.Operator, value string) span.Filter {
	f := span.Filter{Field: span.Field{Kind: kind, Name: name}, Operator: op, Value: value}
	if op.Numeric() {
		f.Number, _ = strconv.ParseFloat(value, 64)
	}
	return f
}

// exerciseFilters holds filters to the contract one by one, on two spans: one
// that has everything and one that has nothing.
func exerciseFilters(t *testing.T, open OpenSpans) {
	env := environment("prd")
	const (
		column, alias, message = span.FieldColumn, span.FieldAlias, span.FieldMessage
		either, ofSpan, ofHost = span.FieldAttribute, span.FieldSpanAttribute, span.FieldResourceAttribute
	)
	full, bare := rich(env, 1), simple(env, 2)
	bare.Name, bare.Kind, bare.StatusCode = "", "", ""
	bare.Start, bare.Duration = full.Start+int64(1e9), 0
	b := newBench(t, open)
	b.write(record(env, full), record(env, bare))
	millis := strconv.FormatInt(full.TimestampMillis(), 10)

	for _, c := range []struct {
		kind span.FieldKind
		name string
		op   span.Operator
		// value, and for in and not_in further ones
		value  string
		values []string
		full   bool
		bare   bool
	}{
		// Texts.
		{column, "span_name", span.OpEquals, "openai.chat", nil, true, false},
		{column, "span_name", span.OpEquals, "OpenAI.chat", nil, false, false},
		{column, "span_name", span.OpEquals, "", nil, false, false},
		{column, "span_name", span.OpContains, "", nil, true, false},
		{column, "span_name", span.OpStartsWith, "", nil, true, false},
		{column, "span_name", span.OpStartsWith, "openai", nil, true, false},
		{column, "span_name", span.OpStartsWith, "chat", nil, false, false},
		{column, "span_name", span.OpContains, "i.c", nil, true, false},
		{column, "span_name", span.OpContains, "i_c", nil, false, false},
		{column, "span_name", span.OpContains, "%", nil, false, false},
		{column, "span_name", span.OpNotEquals, "openai.chat", nil, false, true},
		{column, "span_name", span.OpIn, "x", []string{"openai.chat"}, true, false},
		{column, "span_name", span.OpIn, "", []string{"x"}, false, false},
		{column, "span_name", span.OpNotIn, "", []string{"x"}, true, true},
		{column, "span_name", span.OpNotIn, "openai.chat", nil, false, true},
		{column, "span_name", span.OpExists, "", nil, true, false},
		{column, "span_name", span.OpNotExists, "", nil, false, true},
		{column, "span_name", span.OpGreaterThan, "0", nil, false, false},
		{column, "span_kind", span.OpEquals, "SPAN_KIND_CLIENT", nil, true, false},
		{column, "span_kind", span.OpNotExists, "", nil, false, true},
		{column, "service_name", span.OpContains, "sho", nil, true, false},
		{column, "service_name", span.OpNotEquals, "shop", nil, false, true},
		{column, "scope_name", span.OpStartsWith, "opentelemetry.", nil, true, false},
		{column, "scope_version", span.OpEquals, "0.47.5", nil, true, false},
		{column, "status_code", span.OpEquals, "STATUS_CODE_ERROR", nil, true, false},
		{column, "status_message", span.OpEquals, "timeout", nil, true, false},
		{column, "trace_state", span.OpContains, "=", nil, true, false},
		{column, "input", span.OpEquals, "the input", nil, true, false},
		{column, "output", span.OpContains, "put", nil, true, false},
		{column, "output", span.OpNotExists, "", nil, false, true},
		{column, "environment", span.OpEquals, "prd", nil, true, true},
		{column, "environment", span.OpNotEquals, "prd", nil, false, false},
		{column, "environment", span.OpIn, "stg", []string{"prd"}, true, true},
		{column, "environment", span.OpExists, "", nil, true, true},

		// Ids.
		{column, "trace_id", span.OpEquals, full.TraceID.String(), nil, true, false},
		{column, "trace_id", span.OpEquals, "A0" + full.TraceID.String()[2:], nil, false, false},
		{column, "trace_id", span.OpEquals, "a0", nil, false, false},
		{column, "trace_id", span.OpNotEquals, "not an id", nil, true, true},
		{column, "trace_id", span.OpStartsWith, "a00000", nil, true, true},
		{column, "trace_id", span.OpContains, full.TraceID.String()[28:], nil, true, false},
		{column, "trace_id", span.OpIn, "x", []string{full.TraceID.String()}, true, false},
		{column, "span_id", span.OpEquals, full.SpanID.String(), nil, true, false},
		{column, "span_id", span.OpNotIn, full.SpanID.String(), nil, false, true},
		{column, "parent_span_id", span.OpEquals, "01020304050607ff", nil, true, false},
		{column, "parent_span_id", span.OpEquals, "0000000000000000", nil, false, false},
		{column, "parent_span_id", span.OpContains, "0", nil, true, false},
		{column, "parent_span_id", span.OpNotExists, "", nil, false, true},

		// Milliseconds.
		{column, "timestamp", span.OpEquals, millis, nil, true, false},
		{column, "timestamp", span.OpEquals, millis + ".0", nil, true, false},
		{column, "timestamp", span.OpEquals, "soon", nil, false, false},
		{column, "timestamp", span.OpNotEquals, "soon", nil, true, true},
		{column, "timestamp", span.OpIn, "x", []string{millis}, true, false},
		{column, "timestamp", span.OpStartsWith, millis[:5], nil, true, true},
		{column, "timestamp", span.OpGreaterThan, millis, nil, false, true},
		{column, "timestamp", span.OpLessThanOrEqual, millis, nil, true, false},
		{column, "duration", span.OpEquals, "1000", nil, true, false},
		{column, "duration", span.OpEquals, "1e3", nil, true, false},
		{column, "duration", span.OpContains, "00", nil, true, false},
		{column, "duration", span.OpEquals, "0", nil, false, true},
		{column, "duration", span.OpLessThan, "0.5", nil, false, true},
		{column, "duration", span.OpGreaterThanOrEqual, "1000", nil, true, false},
		{column, "duration", span.OpExists, "", nil, true, true},
		{column, "duration", span.OpNotExists, "", nil, false, false},

		// Promoted values.
		{alias, span.AliasWorkflow, span.OpEquals, "checkout", nil, true, false},
		{alias, span.AliasEntity, span.OpNotEquals, "answer", nil, false, true},
		{alias, span.AliasVendor, span.OpEquals, "openai", nil, true, false},
		{alias, span.AliasVendor, span.OpEquals, "OpenAI", nil, false, false},
		{alias, span.AliasRequestModel, span.OpStartsWith, "gpt", nil, true, false},
		{alias, span.AliasResponseModel, span.OpContains, "2024", nil, true, false},
		{alias, span.AliasInputTokens, span.OpGreaterThan, "9.5", nil, true, false},
		{alias, span.AliasInputTokens, span.OpLessThan, "9", nil, false, false},
		{alias, span.AliasInputTokens, span.OpEquals, "10", nil, true, false},
		{alias, span.AliasInputTokens, span.OpEquals, "010", nil, false, false},
		{alias, span.AliasInputTokens, span.OpEquals, "-1", nil, false, false},
		{alias, span.AliasOutputTokens, span.OpContains, "2", nil, true, false},
		{alias, span.AliasOutputTokens, span.OpNotIn, "20", nil, false, true},
		{alias, span.AliasTotalTokens, span.OpStartsWith, "3", nil, true, false},
		{alias, span.AliasTotalTokens, span.OpLessThanOrEqual, "30", nil, true, false},
		{alias, span.AliasTotalTokens, span.OpExists, "", nil, true, false},
		{alias, span.AliasTotalTokens, span.OpNotExists, "", nil, false, true},

		// Attributes: of the span first, then of the resource.
		{either, "both", span.OpEquals, "span", nil, true, false},
		{either, "both", span.OpEquals, "resource", nil, false, false},
		{ofSpan, "both", span.OpEquals, "span", nil, true, false},
		{ofHost, "both", span.OpEquals, "resource", nil, true, false},
		{ofHost, "both", span.OpNotEquals, "resource", nil, false, true},
		{either, "host", span.OpEquals, "node-1", nil, true, false},
		{ofSpan, "host", span.OpExists, "", nil, false, false},
		{ofSpan, "host", span.OpNotExists, "", nil, true, true},
		{either, "host", span.OpIn, "node-2", []string{"node-1"}, true, false},
		{either, "replicas", span.OpGreaterThan, "2.5", nil, true, false},
		{ofHost, "replicas", span.OpLessThan, "3", nil, false, false},
		{either, "temperature", span.OpLessThan, "1", nil, true, false},
		{either, "temperature", span.OpStartsWith, "0.", nil, true, false},
		{ofSpan, "empty", span.OpExists, "", nil, true, false},
		{ofSpan, "empty", span.OpEquals, "", nil, true, false},
		{ofSpan, "empty", span.OpGreaterThan, "-1", nil, false, false},
		{either, "nowhere", span.OpNotEquals, "x", nil, true, true},
		{either, "nowhere", span.OpContains, "", nil, false, false},
		{either, "'; DROP TABLE spans; --", span.OpNotExists, "", nil, true, true},
		// Such as repeat a promoted value, and such as do not.
		{ofSpan, "llm.vendor", span.OpEquals, "openai", nil, true, false},
		{ofSpan, "gen_ai.system", span.OpEquals, "OpenAI", nil, true, false},
		{ofSpan, "gen_ai.usage.input_tokens", span.OpGreaterThan, "9", nil, true, false},
		{ofSpan, "gen_ai.usage.input_tokens", span.OpEquals, "10", nil, true, false},
		{ofSpan, "gen_ai.usage.output_tokens", span.OpEquals, "021", nil, true, false},
		{ofSpan, "gen_ai.usage.output_tokens", span.OpGreaterThan, "20.5", nil, true, false},
		{either, "traceloop.entity.output", span.OpContains, "the", nil, true, false},
		{either, "traceloop.workflow.name", span.OpNotExists, "", nil, false, true},

		// Messages.
		{message, "llm.prompts.0.content", span.OpContains, "100%", nil, true, false},
		{message, "llm.prompts.0.role", span.OpEquals, "user", nil, true, false},
		{message, "llm.prompts.1.role", span.OpExists, "", nil, false, false},
		{message, "llm.completions.0.content", span.OpContains, `"all" \o/`, nil, true, false},
		{message, "llm.completions.0.content", span.OpNotExists, "", nil, false, true},
		{column, "prompts", span.OpEquals, "user", nil, true, false},
		{column, "prompts", span.OpStartsWith, "How", nil, true, false},
		{column, "prompts", span.OpContains, "llm.prompts", nil, false, false},
		{column, "prompts", span.OpNotEquals, "user", nil, false, true},
		{column, "completions", span.OpContains, `\o/`, nil, true, false},
		{column, "completions", span.OpIn, "assistant", []string{"x"}, true, false},
		{column, "completions", span.OpExists, "", nil, true, false},
	} {
		f := filter(c.kind, c.name, c.op, c.value)
		if c.op == span.OpIn || c.op == span.OpNotIn {
			f.Value, f.Values = "", append([]string{c.value}, c.values...)
		}
		want := []span.Span{}
		if c.full {
			want = append(want, full)
		}
		if c.bare {
			want = append(want, bare)
		}
		page := b.find(env, everything(f))
		require.Equal(t, ids(want), ids(page.Spans), "%+v", f)
		require.EqualValues(t, len(want), page.Total, "%+v", f)
	}
	t.Run("what is a number", func(t *testing.T) {
		b := newBench(t, open)
		for text, number := range map[string]bool{
			"12": true, "+12": true, "12.0": true, "1.2e1": true, ".12E+2": true, "12.": true, "012": true,
			"": false, "12x": false, " 12": false, "12 ": false, "1_2": false, "0xc": false, "inf": false, "NaN": false,
			"1e999": false, "-1e999": false, "１２": false, "true": false, "12\x00": false, "1,2": false, "12d": false, "infinity": false,
		} {
			s := simple(env, 1)
			s.Attributes = attributes("v", text)
			b.write(record(env, s))
			above := b.find(env, everything(filter(ofSpan, "v", span.OpGreaterThanOrEqual, "12"))).Total
			below := b.find(env, everything(filter(ofSpan, "v", span.OpLessThanOrEqual, "12"))).Total
			require.Equal(t, number, above == 1, "%q", text)
			require.Equal(t, number, below == 1, "%q", text)
		}
	})
	t.Run("all must hold", func(t *testing.T) {
		has := filter(either, "both", span.OpExists, "")
		require.EqualValues(t, 1, b.find(env, everything(has, filter(ofHost, "both", span.OpEquals, "resource"), has)).Total)
		require.Zero(t, b.find(env, everything(has, filter(column, "span_name", span.OpEquals, "x"))).Total)
	})
}
