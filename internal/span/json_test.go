// SPDX-License-Identifier: Apache-2.0

package span

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func fullSpan() Span {
	return Span{
		Environment: "prd", TraceID: TraceID{1, 2}, SpanID: ID{3}, ParentSpanID: ID{4}, TraceState: "a=b",
		Name: "chat", Kind: "SPAN_KIND_CLIENT", Service: "shop", ScopeName: "scope", ScopeVersion: "1.0",
		StatusCode: "STATUS_CODE_ERROR", StatusMessage: "no", Start: 1_700_000_000_123_999_999, Duration: 2_999_999,
		Resource:    NewAttributes([]Attribute{{"service.name", "shop"}}),
		Attributes:  NewAttributes([]Attribute{{"llm.usage.total_tokens", "7"}, {"k", "v"}}),
		Prompts:     NewAttributes([]Attribute{{"llm.prompts.0.content", "hi"}}),
		Completions: NewAttributes([]Attribute{{"llm.completions.0.content", "ho"}}),
		Input:       "in", Output: "out", InputTokens: NoTokens, Workflow: "not shown", Cost: 1_020_000_003, InputCost: NoTokens,
		Type: TypeLLM, Arrived: 1_700_000_000_200_000_001, Flags: 0x301, Links: []Link{
			{TraceID: "0a", SpanID: "0b", TraceState: "c=d", Flags: 1, Attributes: Attributes{{"k", `"v"`}}}, {},
		},
	}
}

func TestSpanShowsEveryField(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(fullSpan())
	require.NoError(t, err)
	require.JSONEq(t, `{"environment":"prd","timestamp":1700000000123,"trace_id":"01020000000000000000000000000000",`+
		`"span_id":"0300000000000000","parent_span_id":"0400000000000000","trace_state":"a=b","span_name":"chat",`+
		`"span_kind":"SPAN_KIND_CLIENT","service_name":"shop","resource_attributes":{"service.name":"shop"},`+
		`"scope_name":"scope","scope_version":"1.0","span_attributes":{"k":"v","llm.usage.total_tokens":"7"},"duration":2,`+
		`"status_code":"STATUS_CODE_ERROR","status_message":"no","prompts":{"llm.prompts.0.content":"hi"},`+
		`"completions":{"llm.completions.0.content":"ho"},"input":"in","output":"out","span_type":"llm","cost":1.020000003,"input_cost":null,`+
		`"start_ns":"1700000000123999999","duration_ns":"2999999","arrived_ns":"1700000000200000001","flags":769,"links":[`+
		`{"trace_id":"0a","span_id":"0b","trace_state":"c=d","flags":1,"attributes":{"k":"\"v\""}},`+
		`{"trace_id":"","span_id":"","trace_state":"","flags":0,"attributes":{}}]}`, string(got))

	empty := Span{}
	require.JSONEq(t, `{"environment":"","timestamp":0,"trace_id":"","span_id":"","parent_span_id":"","trace_state":"",`+
		`"span_name":"","span_kind":"","service_name":"","resource_attributes":{},"scope_name":"","scope_version":"",`+
		`"span_attributes":{},"duration":0,"status_code":"","status_message":"","prompts":{},"completions":{},`+
		`"input":"","output":"","span_type":"","cost":0,"input_cost":0,"start_ns":"0","duration_ns":"0","arrived_ns":"0","flags":0,"links":[]}`, string(empty.AppendJSON(nil)))
}

func FuzzQuoted(f *testing.F) {
	for _, text := range []string{"", "plain", "\x00\x01\x1f\x7f", "\"\\/\b\f\n\r\t", "naïve 日本 👩‍👩‍👧 \u2028", "\xff\xc3\x28\xed\xa0\x80", "</script>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted := AppendQuoted(nil, text)
		var got string
		require.NoError(t, json.Unmarshal(quoted, &got), "%q", quoted)
		var want string
		standard, err := json.Marshal(text)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(standard, &want))
		require.Equal(t, want, got)
	})
}

func BenchmarkAppendJSON(b *testing.B) {
	s := fullSpan()
	s.Prompts = NewAttributes([]Attribute{{"llm.prompts.0.content", strings.Repeat("A line of \"honest\" text.\n", 150)}})
	buffer := s.AppendJSON(nil)
	b.SetBytes(int64(len(buffer)))
	b.ReportAllocs()
	for b.Loop() {
		buffer = s.AppendJSON(buffer[:0])
	}
}
