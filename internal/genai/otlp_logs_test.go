// SPDX-License-Identifier: Apache-2.0

package genai_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// record is a log record of a test: of span 1, if no other is named.
type record struct {
	name       string
	time       uint64
	body       any
	attributes map[string]any
	span       byte
	nameless   bool // the name stands in an attribute
}

func logsOf(t *testing.T, records ...record) plog.ResourceLogs {
	t.Helper()
	logs := plog.NewResourceLogs()
	list := logs.ScopeLogs().AppendEmpty().LogRecords()
	for _, r := range records {
		added := list.AppendEmpty()
		added.SetTraceID([16]byte{9})
		added.SetSpanID([8]byte{max(r.span, 1)})
		require.NoError(t, added.Body().FromRaw(r.body))
		require.NoError(t, added.Attributes().FromRaw(r.attributes))
		if r.nameless {
			added.Attributes().PutStr("event.name", r.name)
			added.SetObservedTimestamp(pcommon.Timestamp(r.time))
		} else {
			added.SetEventName(r.name)
			added.SetTimestamp(pcommon.Timestamp(r.time))
		}
	}
	return logs
}

func TestMessagesFromLogs(t *testing.T) {
	t.Parallel()
	content := func(text string) map[string]any { return map[string]any{"content": text} }
	for name, c := range map[string]struct {
		records []record
		want    said
	}{
		"bodies of every form": {
			records: []record{
				{name: "gen_ai.system.message", body: content("S")},
				{name: "gen_ai.user.message", body: `{"content":"U"}`, nameless: true},
				{name: "gen_ai.user.message", body: "plain"},
				{name: "gen_ai.user.message", attributes: map[string]any{"content": "own"}},
				{name: "gen_ai.tool.message", body: map[string]any{"id": "1", "content": map[string]any{"temp": 21}}},
				{name: "gen_ai.user.message"},
				{name: "gen_ai.user.message", body: `{"content":`},
				{name: "other", body: content("no")},
			},
			want: said{
				"prompts.0.role": "system", "prompts.0.content": "S", "prompts.1.role": "user", "prompts.1.content": "U",
				"prompts.2.role": "user", "prompts.2.content": "plain", "prompts.3.role": "user", "prompts.3.content": "own",
				"prompts.4.role": "tool", "prompts.4.tool_call_id": "1", "prompts.4.content": `{"temp":21}`,
			},
		},
		"order of time, then as sent": {
			records: []record{
				{name: "gen_ai.user.message", time: 2, body: content("c")},
				{name: "gen_ai.user.message", time: 1, body: content("a"), nameless: true},
				{name: "gen_ai.user.message", time: 1, body: content("b")},
			},
			want: said{
				"prompts.0.role": "user", "prompts.0.content": "a", "prompts.1.role": "user", "prompts.1.content": "b",
				"prompts.2.role": "user", "prompts.2.content": "c",
			},
		},
		"choices by their index": {
			records: []record{
				{name: "gen_ai.choice", time: 1, body: map[string]any{"index": 1, "message": content("B")}},
				{name: "gen_ai.choice", time: 2, body: map[string]any{"index": 0, "finish_reason": "stop", "message": content("A")}},
			},
			want: said{
				"completions.0.role": "assistant", "completions.0.content": "A", "completions.0.finish_reason": "stop",
				"completions.1.role": "assistant", "completions.1.content": "B",
			},
		},
		"everything at once counts first": {
			records: []record{
				{name: "gen_ai.user.message", body: content("x")},
				{name: "gen_ai.choice", body: map[string]any{"message": content("C")}},
				{name: "gen_ai.client.inference.operation.details", time: 1, attributes: map[string]any{"gen_ai.input.messages": `[{"role":"user","content":"early"},{"role":"user","content":"gone"}]`}},
				{name: "gen_ai.client.inference.operation.details", time: 2, attributes: map[string]any{
					"gen_ai.system_instructions": []any{map[string]any{"type": "text", "content": "S"}},
					"gen_ai.input.messages":      `[{"role":"user","content":"U"}]`,
				}},
			},
			want: said{
				"prompts.0.role": "system", "prompts.0.content": "S", "prompts.1.role": "user", "prompts.1.content": "U",
				"completions.0.role": "assistant", "completions.0.content": "C",
			},
		},
		"content records": {
			records: []record{
				{name: "gen_ai.content.prompt", body: `[{"role":"user","content":"U"}]`},
				{name: "gen_ai.content.completion", attributes: map[string]any{"gen_ai.completion": "A"}},
			},
			want: said{
				"prompts.0.role": "user", "prompts.0.content": "U", "completions.0.role": "assistant", "completions.0.content": "A",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := genai.MessagesFromLogs(logsOf(t, c.records...))
			require.Len(t, found, 1)
			require.Equal(t, span.TraceID{9}, found[0].TraceID)
			require.Equal(t, span.ID{1}, found[0].SpanID)
			requireSaid(t, c.want, span.Span{Prompts: found[0].Prompts, Completions: found[0].Completions})
		})
	}
}

func TestLogsOfSeveralSpans(t *testing.T) {
	t.Parallel()
	found := genai.MessagesFromLogs(logsOf(t,
		record{name: "gen_ai.user.message", time: 8, body: "one", span: 2},
		record{name: "gen_ai.user.message", time: 5, body: "two", span: 1},
		record{name: "gen_ai.user.message", time: 7, body: "three", span: 2},
		record{name: "gen_ai.user.message", span: 3},
	))
	require.Len(t, found, 2)
	require.Equal(t, span.ID{2}, found[0].SpanID)
	require.Equal(t, int64(7), found[0].Time)
	require.Len(t, found[0].Prompts, 4)
	require.Equal(t, span.ID{1}, found[1].SpanID)
	require.Equal(t, int64(5), found[1].Time)
}

func TestLogsWithoutASpanYieldNothing(t *testing.T) {
	t.Parallel()
	logs := logsOf(t, record{name: "gen_ai.user.message", body: "a"}, record{name: "gen_ai.user.message", body: "b"}, record{body: "c"})
	list := logs.ScopeLogs().At(0).LogRecords()
	list.At(0).SetTraceID([16]byte{})
	list.At(1).SetSpanID([8]byte{})
	list.At(2).Attributes().PutInt("event.name", 1)
	require.Empty(t, genai.MessagesFromLogs(logs))
}
