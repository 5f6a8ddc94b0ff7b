// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Log events of a coding agent are spans of its session, once however often they are sent;
// the sender reads what was refused.
func TestLogEventsOfAgentsAreSpans(t *testing.T) {
	h := startCollector(t, t.TempDir())
	key := h.key(t, "agents")
	now := time.Now().UnixNano()
	text := func(s string) map[string]any { return map[string]any{"stringValue": s} }
	record := func(name string, sequence int, attributes map[string]string) map[string]any {
		list := []map[string]any{
			{"key": "event.name", "value": text(name)},
			{"key": "session.id", "value": text("s1")},
			{"key": "prompt.id", "value": text("p1")},
			{"key": "event.sequence", "value": map[string]any{"intValue": strconv.Itoa(sequence)}},
		}
		for k, v := range attributes {
			list = append(list, map[string]any{"key": k, "value": text(v)})
		}
		return map[string]any{"timeUnixNano": strconv.FormatInt(now+int64(sequence), 10), "body": text("claude_code." + name), "attributes": list}
	}
	body, err := json.Marshal(map[string]any{"resourceLogs": []any{map[string]any{"scopeLogs": []any{map[string]any{"logRecords": []any{
		record("user_prompt", 1, map[string]string{"prompt": "Fix the test."}),
		record("api_request", 2, map[string]string{"model": "claude-opus-4-1", "request_id": "r1", "input_tokens": "12", "output_tokens": "5", "cost_usd": "0.5"}),
		record("assistant_response", 3, map[string]string{"request_id": "r1", "response": "It is fixed."}),
		record("tool_result", 4, map[string]string{"tool_name": "Bash", "tool_input": `{"command":"ls"}`}),
		record("plugin_installed", 5, nil),
		map[string]any{"timeUnixNano": strconv.FormatInt(now, 10), "body": text("started")},
	}}}}}})
	require.NoError(t, err)
	for range 2 {
		status, _, answer := h.postOTLP(t, "/v1/logs", key, "application/json", "", body)
		require.Equal(t, http.StatusOK, status, string(answer))
		require.JSONEq(t, `{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"an agent's log event of this name is not stored; log records are stored only if they hold messages of the span that they name, or an evaluation"}}`, string(answer))
	}
	page := h.page(t, key, "from_timestamp_sec", strconv.FormatInt(now/1e9-60, 10))
	require.Len(t, page.Spans.Data, 3)
	outputs := map[string]string{}
	for _, s := range page.Spans.Data {
		outputs[s.Name] = s.Completions["llm.completions.0.content"] + s.Input
	}
	require.Equal(t, map[string]string{"claude_code.interaction": "Fix the test.", "claude_code.llm_request": "It is fixed.", "claude_code.tool": `{"command":"ls"}`}, outputs)
}
