// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const agentKey = "Bearer tl_of-the-agent"

// asked is a request of a tool to the API.
type asked struct {
	route, evaluator, trace, span string
	body                          []byte
}

// newAPI returns an API of the routes that tools use, which notes what it is asked. Whatever
// else is asked is noted as the route "".
func newAPI(t testing.TB, list *[]asked) http.Handler {
	t.Helper()
	mux := http.NewServeMux()
	for route, answer := range map[string]string{
		"GET /v2/me":                                           `{"environment":{"id":"e"}}`,
		"GET /v2/warehouse/spans":                              `{"spans":{"data":[{"timestamp":1,"trace_id":"a","span_id":"b","span_attributes":{"evaluation.x.y":"text","llm.request.model":"m"},"prompts":{"llm.prompts.0.content":"é"}}],"total_results":1}}`,
		"POST /v2/metrics":                                     `{"metrics":{"data":[{"points":[{"numeric_value":1e308},{"numeric_value":1e308},{"bool_value":true},{"enum_value":"x"}]}],"total_results":3}}`,
		"GET /v2/auto-monitor-setups":                          `[{"external_id":"a","evaluators":[{"slug":"x","input_schema":{}},5]}]`,
		"POST /v2/auto-monitor-setups/preview":                 `{"samples":[]}`,
		"POST /v2/evaluators/{slug}/execute":                   `{"char_count":3}`,
		"GET /v2/warehouse/spans/{trace_id}/{span_id}/explain": `{"sentence":"s","setups":[{"rules":[{"key":"k"}]}],"opinions":[{}]}`,
		"/": `{"error":"no such path"}`,
	} {
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil || r.Header.Get("Authorization") != agentKey {
				route = ""
			}
			*list = append(*list, asked{strings.TrimSuffix(route, "/"), r.PathValue("slug"), r.PathValue("trace_id"), r.PathValue("span_id"), body})
			if route == "/" {
				w.WriteHeader(http.StatusNotFound)
			}
			_, _ = w.Write([]byte(answer))
		})
	}
	return mux
}

// FuzzTools calls every tool with whatever an agent may write. Each asks the API for what
// it is for and for nothing else, under the names that were given; an answer is one
// message of the protocol.
func FuzzTools(f *testing.F) {
	names := []string{"find_spans", "get_trace", "explain_span", "verdict_trend", "list_setups", "preview_setup", "run_evaluator", "no_such_tool"}
	routes := map[string]string{
		"find_spans": "GET /v2/warehouse/spans", "get_trace": "GET /v2/warehouse/spans", "explain_span": "GET /v2/warehouse/spans/{trace_id}/{span_id}/explain",
		"verdict_trend": "POST /v2/metrics", "list_setups": "GET /v2/auto-monitor-setups", "preview_setup": "POST /v2/auto-monitor-setups/preview",
		"run_evaluator": "POST /v2/evaluators/{slug}/execute",
	}
	for i, arguments := range []string{
		`{"since_hours":1e-300,"filters":[{"id":"a","operator":"in","values":["x"]},{"id":"b","operator":"equals","value":{"a":[1e999]}}],"limit":50,"order":"asc"}`,
		`{"trace_id":"A%2F..","since_hours":8784}`, `{"trace_id":"..","span_id":"../../me?x#","setup":"&a=b"}`,
		`{"evaluator":"a\u0000","output":"b","steps":48,"since_hours":1e-9}`, `{}`,
		`{"selector":[{"a":null}],"evaluators":["x"],"limit":3}`, `{"evaluator":"..","input":{"text":"a"},"config":{"a":1}}`, `[]`,
	} {
		f.Add(uint8(i), arguments)
	}
	f.Add(uint8(6), `{"evaluator":"a/../b c%2F?x=1#y","input":{}}`)
	f.Add(uint8(6), `{"evaluator":"","input":{}}`)
	f.Add(uint8(2), `{"trace_id":"","span_id":"."}`)
	f.Add(uint8(2), `{"trace_id":"a/b","span_id":"%2e%2e"}`)
	var list []asked
	h := New(newAPI(f, &list), "v-test", resttest.Server(f, tenant.Environment{ID: "acme"}))
	f.Fuzz(func(t *testing.T, tool uint8, arguments string) {
		list = nil
		name := names[int(tool)%len(names)]
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":`+arguments+`}}`))
		r.Header.Set("Authorization", agentKey)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		require.NotEmpty(t, list)
		require.Equal(t, "GET /v2/me", list[0].route, "who calls")
		require.LessOrEqual(t, len(list), 2+maxSpans)
		for _, a := range list[1:] {
			require.Equal(t, routes[name], a.route, "%s %s", name, arguments)
		}
		require.Less(t, answer.Code, 500)
		if answer.Code != http.StatusOK || !json.Valid([]byte(arguments)) {
			return
		}
		var told struct {
			Result *struct {
				IsError bool `json:"isError"`
				Content []struct {
					Text string `json:"text"`
				} `json:"content"`
			} `json:"result"`
			Error *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &told), answer.Body)
		require.NotEqual(t, told.Result == nil, told.Error == nil, answer.Body)
		if told.Result != nil && told.Result.IsError {
			require.Len(t, told.Result.Content, 1)
			require.NotContains(t, told.Result.Content[0].Text, "invalid character", "the API's answer was not understood")
		}
		var given map[string]any
		_ = json.Unmarshal([]byte(arguments), &given)
		for _, a := range list[1:] {
			switch name {
			case "run_evaluator":
				require.Equal(t, given["evaluator"], a.evaluator)
			case "explain_span":
				require.Equal(t, given["trace_id"], a.trace)
				require.Equal(t, given["span_id"], a.span)
			}
		}
	})
}
