// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// The mappings of an environment are tried on stored spans, hold for spans that arrive
// after them, for evaluators and dropped content too, and for no other environment.
func TestMappingsOfAnEnvironment(t *testing.T) {
	h := startCollector(t, t.TempDir())
	keys := []string{h.key(t, "own"), h.key(t, "other")}
	now := time.Now()
	type full struct {
		Type    string            `json:"span_type"`
		Input   string            `json:"input"`
		Prompts map[string]string `json:"prompts"`
		Source  struct {
			Prompts, Input string
		} `json:"content_source"`
		Attributes map[string]string `json:"span_attributes"`
	}
	send := func(key string, number byte) full {
		td := ptrace.NewTraces()
		s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.SetTraceID([16]byte{number})
		s.SetSpanID([8]byte{number})
		s.SetStartTimestamp(pcommon.NewTimestampFromTime(now))
		s.SetEndTimestamp(pcommon.NewTimestampFromTime(now))
		require.NoError(t, s.Attributes().FromRaw(map[string]any{"acme.step": "llm", "acme.ask": "Mail ann@example.com, please.", "touchstone.mappings": "[]"}))
		require.NoError(t, h.exportGRPC(t, key, td))
		return must[full](t, h, http.MethodGet, "/v2/warehouse/spans/"+s.TraceID().String()+"/"+s.SpanID().String(), key, nil)
	}
	require.Empty(t, send(keys[0], 1).Prompts)
	mappings := map[string]any{"mappings": []map[string]any{{"attribute": "acme.step", "role": "span_type"}, {"attribute": "acme.ask", "role": "input"}}}
	status, body := h.call(t, http.MethodPost, "/v2/mappings/test", keys[0], mappings)
	require.Equal(t, http.StatusOK, status, string(body))
	require.JSONEq(t, `{"spans":1,"matched":1,"samples":[{"trace_id":"01000000000000000000000000000000","span_id":"0100000000000000","timestamp":`+strconv.FormatInt(now.UnixMilli(), 10)+`,"span_name":"",
		"span_type":"llm","question":"Mail ann@example.com, please.","output":"","content_source":{"prompts":"acme.ask","completions":"","input":"acme.ask","output":""},
		"reads":[{"attribute":"acme.step","role":"span_type","text":"llm"},{"attribute":"acme.ask","role":"input","text":"Mail ann@example.com, please."}]}]}`, string(body))
	require.Empty(t, send(keys[0], 2).Prompts, "a trial stores nothing")

	status, body = h.call(t, http.MethodPut, "/v2/mappings", keys[0], mappings)
	require.Equal(t, http.StatusOK, status, string(body))
	read := send(keys[0], 3)
	require.Equal(t, "llm", read.Type)
	require.Equal(t, "Mail ann@example.com, please.", read.Prompts["llm.prompts.0.content"])
	require.Equal(t, "acme.ask", read.Source.Prompts)
	require.Equal(t, "acme.ask", read.Source.Input)
	require.NotContains(t, read.Attributes, "touchstone.mappings")
	require.Empty(t, send(keys[1], 3).Prompts, "of another environment")
	status, again := h.call(t, http.MethodGet, "/v2/mappings", keys[0], nil)
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, string(body), string(again))

	for _, wrong := range []any{
		map[string]any{"mappings": []map[string]any{{"attribute": "a", "role": "nothing"}}},
		map[string]any{"mappings": []map[string]any{{"attribute": "touchstone.a", "role": "input"}}},
		map[string]any{"mappings": []map[string]any{{"attribute": "a", "role": "input"}, {"attribute": "a", "role": "output"}}},
		map[string]any{},
	} {
		status, body = h.call(t, http.MethodPut, "/v2/mappings", keys[0], wrong)
		require.Equal(t, http.StatusBadRequest, status, string(body))
	}
	status, _ = h.call(t, http.MethodPut, "/v2/mappings", keys[0], map[string]any{"mappings": []any{}})
	require.Equal(t, http.StatusOK, status)
	require.Empty(t, send(keys[0], 4).Prompts)
}
