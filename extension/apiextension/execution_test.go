// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
)

// begin starts an execution that must be taken.
func (h *testAPI) begin(t *testing.T, key, slug, body string) executionAnswer {
	t.Helper()
	r := h.call(t, "POST", evaluatorsPath+"/"+slug+"/executions", key, body)
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[executionAnswer](t, r)
}

// stream waits for a result as clients do: they put /v2 before the URL.
func (h *testAPI) stream(t *testing.T, key string, x executionAnswer) reply {
	t.Helper()
	return h.send(t, "GET", "/v2"+x.StreamURL, http.Header{
		"Authorization": {"Bearer " + key}, "Accept": {"text/event-stream"}, "Cache-Control": {"no-cache"},
	}, nil)
}

func TestExecutionIsReadFromItsStream(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	x := h.begin(t, key, "char-count", `{"input_schema_mapping":{"text":{"source":"hello"},"extra":{"source":"x"}},
		"evaluator_version":null,"evaluator_config":null,"task_id":"t","experiment_id":"e"}`)
	require.Equal(t, "/executions/"+x.ID+"/stream", x.StreamURL)
	for range 2 { // as often as it is asked for
		r := h.stream(t, key, x)
		require.Equal(t, http.StatusOK, r.status, r.body)
		require.JSONEq(t, fmt.Sprintf(`{"execution_id":%q,"result":{"evaluator_result":{"char_count":5,"reason":"The text has 5 characters."}}}`, x.ID), r.body)
		require.Equal(t, "deterministic", r.header.Get("X-Evaluator-Backend"))
	}
	require.NotEqual(t, x.ID, h.begin(t, key, "char-count", `{"input_schema_mapping":{"text":{"source":"hello"}}}`).ID)
}

func TestExecutionsTakeConfigAndVersion(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for threshold, success := range map[string]bool{"0.1": true, "1": false} {
		x := h.begin(t, key, "agent-tool-trajectory", `{"evaluator_version":"v1","evaluator_config":{"threshold":`+threshold+`},"input_schema_mapping":{
			"executed_tool_calls":{"source":[{"name":"a"},{"name":"b"}]},
			"expected_tool_calls":{"source":"[{\"name\":\"a\"},{\"name\":\"c\"}]"}}}`)
		r := h.stream(t, key, x)
		require.Equal(t, http.StatusOK, r.status, r.body)
		require.Contains(t, r.body, fmt.Sprintf(`"success":%t`, success))
	}
}

func TestEveryEvaluatorCanBeExecutedApart(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for _, e := range evaluators.Catalog().All() {
		r := h.call(t, "POST", evaluatorsPath+"/"+e.Slug+"/executions", key, `{"input_schema_mapping":{}}`)
		for _, f := range e.Input {
			if f.Required {
				require.Equal(t, http.StatusBadRequest, r.status, r.body)
				require.Equal(t, "input_schema_mapping."+f.Name+" is required", r.message(t))
				break
			}
		}
	}
}

func TestExecutionIsRefusedNamingTheField(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	const path = evaluatorsPath + "/agent-tool-trajectory/executions"
	long := strings.Repeat("é", 1000)
	for body, want := range map[string]string{
		`{}`:                                                               "input_schema_mapping is required",
		`{"input_schema_mapping":null}`:                                    "input_schema_mapping is required",
		`{"input_schema_mapping":7}`:                                       "input_schema_mapping must be a JSON object",
		`{"input_schema_mapping":[]}`:                                      "input_schema_mapping must be a JSON object",
		`{"input_schema_mapping":{"a":7}}`:                                 "input_schema_mapping.a must be a JSON object",
		`{"input_schema_mapping":{"a":null}}`:                              "input_schema_mapping.a must be a JSON object",
		`{"input_schema_mapping":{"a":{}}}`:                                "input_schema_mapping.a.source is required",
		`{"input_schema_mapping":{"a":{"source":null}}}`:                   "input_schema_mapping.a.source is required",
		`{"input_schema_mapping":{"` + long + `":{}}}`:                     "input_schema_mapping.é",
		`{"input_schema_mapping":{"\u0000\"%":{}}}`:                        "input_schema_mapping.\x00\"%.source is required",
		`{"input_schema_mapping":{"executed_tool_calls":{"source":"[]"}}}`: "input_schema_mapping.expected_tool_calls is required",
		`{"evaluator_version":7}`:                                          "evaluator_version must be a string",
		`{"input_schema_mapping":{},"evaluator_version":"v99"}`:            `evaluator_version: unknown version "v99"`,
		`{"input_schema_mapping":{"executed_tool_calls":{"source":"[]"},"expected_tool_calls":{"source":"[]"}},"evaluator_config":7}`:               "evaluator_config",
		`{"input_schema_mapping":{"executed_tool_calls":{"source":"[]"},"expected_tool_calls":{"source":"[]"}},"evaluator_config":{"threshold":7}}`: "evaluator_config.threshold must be between",
	} {
		r := h.call(t, "POST", path, key, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Contains(t, r.message(t), want, body)
		require.Less(t, len(r.body), 500)
	}
	r := h.call(t, "POST", evaluatorsPath+"/nobody/executions", key, `{"input_schema_mapping":{}}`)
	require.Equal(t, http.StatusNotFound, r.status)
}

// What is wrong with an input is found by the evaluator: clients read any
// status but 200 with its {error}.
func TestStreamAnswersARefusalAsOne(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for source, want := range map[string]string{
		`7`:                                      "input_schema_mapping.text must be a string",
		`["a"]`:                                  "input_schema_mapping.text must be a string",
		`"` + strings.Repeat("x", 1<<20+1) + `"`: "input_schema_mapping.text is over the limit",
	} {
		r := h.stream(t, key, h.begin(t, key, "char-count", `{"input_schema_mapping":{"text":{"source":`+source+`}}}`))
		require.Contains(t, []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge}, r.status)
		require.Contains(t, r.message(t), want)
	}
}

func TestExecutionsOfOthersAreNotThere(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	ours, theirs := h.newKey(t), h.newKey(t)
	x := h.begin(t, ours, "char-count", `{"input_schema_mapping":{"text":{"source":"hello"}}}`)
	require.Equal(t, http.StatusOK, h.stream(t, ours, x).status)
	r := h.stream(t, theirs, x)
	require.Equal(t, http.StatusNotFound, r.status)
	require.Equal(t, "execution not found", r.message(t))
	for _, id := range []string{
		"x", "..", "%2e%2e%2f", "%00", "%ff", "'%20OR%201=1", strings.ToUpper(x.ID), x.ID + "%00", "%20" + x.ID,
		"00000000-0000-0000-0000-000000000000", strings.Repeat("a", 5000),
	} {
		r := h.stream(t, ours, executionAnswer{StreamURL: "/executions/" + id + "/stream"})
		require.Equal(t, http.StatusNotFound, r.status, id)
		require.NotEmpty(t, r.message(t))
	}
	require.Equal(t, http.StatusForbidden, h.stream(t, accessToken, x).status)
}
