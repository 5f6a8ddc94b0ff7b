// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// filter returns a filter with one value; for a numeric operator it is a number.
func filter(kind query.FieldKind, name string, op query.Operator, value string) query.Filter {
	f := query.Filter{Field: query.Field{Kind: kind, Name: name}, Operator: op, Value: value}
	if op.Numeric() {
		f.Number, _ = strconv.ParseFloat(value, 64)
	}
	return f
}

// exerciseFilters holds filters to the contract one by one, on two spans: one
// that has everything and one that has nothing.
func exerciseFilters(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	const (
		column, alias, message = query.FieldColumn, query.FieldAlias, query.FieldMessage
		either, ofSpan, ofHost = query.FieldAttribute, query.FieldSpanAttribute, query.FieldResourceAttribute
	)
	full, bare := storetest.RichSpan(env, 1), storetest.Span(env, 2)
	bare.Name, bare.Kind, bare.StatusCode = "", "", ""
	bare.Start, bare.Duration = full.Start+int64(1e9), 0
	b := newFixture(t, open)
	b.write(storetest.Record(env, full), storetest.Record(env, bare))
	millis := strconv.FormatInt(full.TimestampMillis(), 10)

	for _, c := range []struct {
		kind query.FieldKind
		name string
		op   query.Operator
		// value, and for in and not_in further ones
		value  string
		values []string
		full   bool
		bare   bool
	}{
		// Texts.
		{column, "span_name", query.OpEquals, "openai.chat", nil, true, false},
		{column, "span_name", query.OpEquals, "OpenAI.chat", nil, false, false},
		{column, "span_name", query.OpEquals, "", nil, false, false},
		{column, "span_name", query.OpContains, "", nil, true, false},
		{column, "span_name", query.OpStartsWith, "", nil, true, false},
		{column, "span_name", query.OpStartsWith, "openai", nil, true, false},
		{column, "span_name", query.OpStartsWith, "chat", nil, false, false},
		{column, "span_name", query.OpContains, "i.c", nil, true, false},
		{column, "span_name", query.OpContains, "i_c", nil, false, false},
		{column, "span_name", query.OpContains, "%", nil, false, false},
		{column, "span_name", query.OpNotEquals, "openai.chat", nil, false, true},
		{column, "span_name", query.OpIn, "x", []string{"openai.chat"}, true, false},
		{column, "span_name", query.OpIn, "", []string{"x"}, false, false},
		{column, "span_name", query.OpNotIn, "", []string{"x"}, true, true},
		{column, "span_name", query.OpNotIn, "openai.chat", nil, false, true},
		{column, "span_name", query.OpExists, "", nil, true, false},
		{column, "span_name", query.OpNotExists, "", nil, false, true},
		{column, "span_name", query.OpGreaterThan, "0", nil, false, false},
		{column, "span_kind", query.OpEquals, "SPAN_KIND_CLIENT", nil, true, false},
		{column, "span_kind", query.OpNotExists, "", nil, false, true},
		{column, "service_name", query.OpContains, "sho", nil, true, false},
		{column, "service_name", query.OpNotEquals, "shop", nil, false, true},
		{column, "scope_name", query.OpStartsWith, "opentelemetry.", nil, true, false},
		{column, "scope_version", query.OpEquals, "0.47.5", nil, true, false},
		{column, "status_code", query.OpEquals, "STATUS_CODE_ERROR", nil, true, false},
		{column, "status_message", query.OpEquals, "timeout", nil, true, false},
		{column, "trace_state", query.OpContains, "=", nil, true, false},
		{column, "input", query.OpEquals, "the input", nil, true, false},
		{column, "output", query.OpContains, "put", nil, true, false},
		{column, "output", query.OpNotExists, "", nil, false, true},
		{column, "span_type", query.OpEquals, "llm", nil, true, false},
		{column, "span_type", query.OpNotExists, "", nil, false, true},
		{column, "environment", query.OpEquals, "prd", nil, true, true},
		{column, "environment", query.OpNotEquals, "prd", nil, false, false},
		{column, "environment", query.OpIn, "stg", []string{"prd"}, true, true},
		{column, "environment", query.OpExists, "", nil, true, true},

		// Ids.
		{column, "trace_id", query.OpEquals, full.TraceID.String(), nil, true, false},
		{column, "trace_id", query.OpEquals, "A0" + full.TraceID.String()[2:], nil, false, false},
		{column, "trace_id", query.OpEquals, "a0", nil, false, false},
		{column, "trace_id", query.OpNotEquals, "not an id", nil, true, true},
		{column, "trace_id", query.OpStartsWith, "a00000", nil, true, true},
		{column, "trace_id", query.OpContains, full.TraceID.String()[28:], nil, true, false},
		{column, "trace_id", query.OpIn, "x", []string{full.TraceID.String()}, true, false},
		{column, "span_id", query.OpEquals, full.SpanID.String(), nil, true, false},
		{column, "span_id", query.OpNotIn, full.SpanID.String(), nil, false, true},
		{column, "parent_span_id", query.OpEquals, "01020304050607ff", nil, true, false},
		{column, "parent_span_id", query.OpEquals, "0000000000000000", nil, false, false},
		{column, "parent_span_id", query.OpContains, "0", nil, true, false},
		{column, "parent_span_id", query.OpNotExists, "", nil, false, true},

		// Milliseconds.
		{column, "timestamp", query.OpEquals, millis, nil, true, false},
		{column, "timestamp", query.OpEquals, millis + ".0", nil, true, false},
		{column, "timestamp", query.OpEquals, "soon", nil, false, false},
		{column, "timestamp", query.OpNotEquals, "soon", nil, true, true},
		{column, "timestamp", query.OpIn, "x", []string{millis}, true, false},
		{column, "timestamp", query.OpStartsWith, millis[:5], nil, true, true},
		{column, "timestamp", query.OpGreaterThan, millis, nil, false, true},
		{column, "timestamp", query.OpLessThanOrEqual, millis, nil, true, false},
		{column, "duration", query.OpEquals, "1000", nil, true, false},
		{column, "duration", query.OpEquals, "1e3", nil, true, false},
		{column, "duration", query.OpContains, "00", nil, true, false},
		{column, "duration", query.OpEquals, "0", nil, false, true},
		{column, "duration", query.OpLessThan, "0.5", nil, false, true},
		{column, "duration", query.OpGreaterThanOrEqual, "1000", nil, true, false},
		{column, "duration", query.OpExists, "", nil, true, true},
		{column, "duration", query.OpNotExists, "", nil, false, false},

		// Promoted values.
		{alias, span.AliasWorkflow, query.OpEquals, "checkout", nil, true, false},
		{alias, span.AliasEntity, query.OpNotEquals, "answer", nil, false, true},
		{alias, span.AliasVendor, query.OpEquals, "openai", nil, true, false},
		{alias, span.AliasVendor, query.OpEquals, "OpenAI", nil, false, false},
		{alias, span.AliasRequestModel, query.OpStartsWith, "gpt", nil, true, false},
		{alias, span.AliasResponseModel, query.OpContains, "2024", nil, true, false},
		{alias, span.AliasInputTokens, query.OpGreaterThan, "9.5", nil, true, false},
		{alias, span.AliasInputTokens, query.OpLessThan, "9", nil, false, false},
		{alias, span.AliasInputTokens, query.OpEquals, "10", nil, true, false},
		{alias, span.AliasInputTokens, query.OpEquals, "010", nil, false, false},
		{alias, span.AliasInputTokens, query.OpEquals, "-1", nil, false, false},
		{alias, span.AliasOutputTokens, query.OpContains, "2", nil, true, false},
		{alias, span.AliasOutputTokens, query.OpNotIn, "20", nil, false, true},
		{alias, span.AliasTotalTokens, query.OpStartsWith, "3", nil, true, false},
		{alias, span.AliasTotalTokens, query.OpLessThanOrEqual, "30", nil, true, false},
		{alias, span.AliasTotalTokens, query.OpExists, "", nil, true, false},
		{alias, span.AliasTotalTokens, query.OpNotExists, "", nil, false, true},
		{alias, span.AliasConversation, query.OpEquals, "conversation", nil, true, false},
		{alias, span.AliasSession, query.OpStartsWith, "sess", nil, true, false},
		{alias, span.AliasUser, query.OpNotExists, "", nil, false, true},
		{column, "cost", query.OpGreaterThan, "1.2299", nil, true, false},
		{column, "cost", query.OpLessThanOrEqual, "1.2299", nil, false, false},
		{column, "cost", query.OpStartsWith, "1.23", nil, true, false},
		{column, "cost", query.OpExists, "", nil, true, false},
		{column, "cost", query.OpNotExists, "", nil, false, true},
		{column, "input_cost", query.OpEquals, "0.030000001", nil, true, false},
		{column, "input_cost", query.OpEquals, "0.0300000010", nil, false, false},
		{column, "input_cost", query.OpLessThan, "0.030000002", nil, true, false},
		{column, "input_cost", query.OpIn, "", []string{"1", "0.030000001"}, true, false},

		// Attributes: of the span first, then of the resource.
		{either, "both", query.OpEquals, "span", nil, true, false},
		{either, "both", query.OpEquals, "resource", nil, false, false},
		{ofSpan, "both", query.OpEquals, "span", nil, true, false},
		{ofHost, "both", query.OpEquals, "resource", nil, true, false},
		{ofHost, "both", query.OpNotEquals, "resource", nil, false, true},
		{either, "host", query.OpEquals, "node-1", nil, true, false},
		{ofSpan, "host", query.OpExists, "", nil, false, false},
		{ofSpan, "host", query.OpNotExists, "", nil, true, true},
		{either, "host", query.OpIn, "node-2", []string{"node-1"}, true, false},
		{either, "replicas", query.OpGreaterThan, "2.5", nil, true, false},
		{ofHost, "replicas", query.OpLessThan, "3", nil, false, false},
		{either, "temperature", query.OpLessThan, "1", nil, true, false},
		{either, "temperature", query.OpStartsWith, "0.", nil, true, false},
		{ofSpan, "empty", query.OpExists, "", nil, true, false},
		{ofSpan, "empty", query.OpEquals, "", nil, true, false},
		{ofSpan, "empty", query.OpGreaterThan, "-1", nil, false, false},
		{either, "nowhere", query.OpNotEquals, "x", nil, true, true},
		{either, "nowhere", query.OpContains, "", nil, false, false},
		{either, "'; DROP TABLE spans; --", query.OpNotExists, "", nil, true, true},
		// Such as repeat a promoted value, and such as do not.
		{ofSpan, "llm.vendor", query.OpEquals, "openai", nil, true, false},
		{ofSpan, "gen_ai.system", query.OpEquals, "OpenAI", nil, true, false},
		{ofSpan, "gen_ai.usage.input_tokens", query.OpGreaterThan, "9", nil, true, false},
		{ofSpan, "gen_ai.usage.input_tokens", query.OpEquals, "10", nil, true, false},
		{ofSpan, "gen_ai.usage.output_tokens", query.OpEquals, "021", nil, true, false},
		{ofSpan, "gen_ai.usage.output_tokens", query.OpGreaterThan, "20.5", nil, true, false},
		{either, "traceloop.entity.output", query.OpContains, "the", nil, true, false},
		{either, "traceloop.workflow.name", query.OpNotExists, "", nil, false, true},

		// Messages.
		{message, "llm.prompts.0.content", query.OpContains, "100%", nil, true, false},
		{message, "llm.prompts.0.role", query.OpEquals, "user", nil, true, false},
		{message, "llm.prompts.1.role", query.OpExists, "", nil, false, false},
		{message, "llm.completions.0.content", query.OpContains, `"all" \o/`, nil, true, false},
		{message, "llm.completions.0.content", query.OpNotExists, "", nil, false, true},
		{column, "prompts", query.OpEquals, "user", nil, true, false},
		{column, "prompts", query.OpStartsWith, "How", nil, true, false},
		{column, "prompts", query.OpContains, "llm.prompts", nil, false, false},
		{column, "prompts", query.OpNotEquals, "user", nil, false, true},
		{column, "completions", query.OpContains, `\o/`, nil, true, false},
		{column, "completions", query.OpIn, "assistant", []string{"x"}, true, false},
		{column, "completions", query.OpExists, "", nil, true, false},
	} {
		f := filter(c.kind, c.name, c.op, c.value)
		if c.op == query.OpIn || c.op == query.OpNotIn {
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
		require.Equal(t, storetest.IDs(want), storetest.IDs(page.Spans), "%+v", f)
		require.EqualValues(t, len(want), page.Total, "%+v", f)
	}
	for i := range span.Fields { // each that is stored by itself
		f := &span.Fields[i]
		if f.Text == nil && f.Count == nil {
			continue
		}
		kind := column
		if f.Promoted {
			kind = alias
		}
		require.Empty(t, f.Value(&bare), f.ID)
		for op, want := range map[query.Operator]*span.Span{query.OpEquals: &full, query.OpExists: &full, query.OpNotEquals: &bare, query.OpNotExists: &bare} {
			page := b.find(env, everything(filter(kind, f.ID, op, f.Value(&full))))
			require.Equal(t, storetest.IDs([]span.Span{*want}), storetest.IDs(page.Spans), "%s %s", f.ID, op)
		}
	}
	t.Run("what is a number", func(t *testing.T) {
		b := newFixture(t, open)
		for text, number := range map[string]bool{
			"12": true, "+12": true, "12.0": true, "1.2e1": true, ".12E+2": true, "12.": true, "012": true,
			"": false, "12x": false, " 12": false, "12 ": false, "1_2": false, "0xc": false, "inf": false, "NaN": false,
			"1e999": false, "-1e999": false, "１２": false, "true": false, "12\x00": false, "1,2": false, "12d": false, "infinity": false,
		} {
			s := storetest.Span(env, 1)
			s.Attributes = storetest.Attributes("v", text)
			b.write(storetest.Record(env, s))
			above := b.find(env, everything(filter(ofSpan, "v", query.OpGreaterThanOrEqual, "12"))).Total
			below := b.find(env, everything(filter(ofSpan, "v", query.OpLessThanOrEqual, "12"))).Total
			require.Equal(t, number, above == 1, "%q", text)
			require.Equal(t, number, below == 1, "%q", text)
		}
	})
	t.Run("one evaluation must satisfy all", func(t *testing.T) {
		b := newFixture(t, open)
		failed := storetest.Deferred("set_1", "tone", storetest.Epoch)
		failed.Status, failed.Reason, failed.Due = eval.Failed, "it's down", 0
		b.write(
			storetest.Record(env, storetest.Span(env, 1), failed, storetest.Verdict("set_2", "count", 1, "n", int64(1))),
			storetest.Record(env, storetest.Span(env, 2), storetest.Verdict("set_1", "count", 1, "n", int64(1))),
			storetest.Record(env, storetest.Span(env, 3)),
		)
		on := func(evaluator, member, value string) query.Filter {
			return query.Filter{Field: query.Field{Kind: query.FieldJudged, Name: evaluator, Output: member}, Operator: query.OpEquals, Value: value}
		}
		before := on("", query.JudgedTime, strconv.FormatInt(storetest.Epoch.UnixNano(), 10))
		before.Operator = query.OpLessThan
		there := on("count", query.JudgedBackend, "")
		there.Operator = query.OpExists
		for i, c := range []struct {
			of   query.Filter
			want int64
		}{
			{query.Judged(), 2},
			{query.Judged(on("", query.JudgedSetup, "set_1")), 2},
			{query.Judged(on("", query.JudgedSetup, "set_1"), on("", query.JudgedStatus, "failed"), on("tone", query.JudgedReason, "it's down")), 1},
			{query.Judged(on("", query.JudgedSetup, "set_2"), on("", query.JudgedStatus, "failed")), 0},
			{query.Judged(on("", query.JudgedSetup, "set_1"), there), 1},
			{query.Judged(on("", query.JudgedSetup, "set_1"), before), 1},
			{query.Judged(on("", query.JudgedStatus, "failed"), before), 0},
			{query.Judged(on("tone", query.JudgedStatus, "failed"), there), 0},
			{query.Judged(on("", query.JudgedSetup, "set_1"), on("", query.JudgedReason, "\xff")), 0},
			{query.Any(query.Judged(on("", query.JudgedReason, "\xff"), there), query.Judged(on("", query.JudgedStatus, "failed"))), 1},
		} {
			page := b.find(env, everything(c.of))
			require.Equal(t, c.want, page.Total, "case %d", i)
			require.Len(t, page.Spans, int(c.want), "case %d", i)
		}
	})
	t.Run("all must hold", func(t *testing.T) {
		has := filter(either, "both", query.OpExists, "")
		require.EqualValues(t, 1, b.find(env, everything(has, filter(ofHost, "both", query.OpEquals, "resource"), has)).Total)
		require.Zero(t, b.find(env, everything(has, filter(column, "span_name", query.OpEquals, "x"))).Total)
	})
}
