// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// without returns the body of qualityJudge less some members and with others.
func without(t *testing.T, names []string, more string) string {
	t.Helper()
	var all, others map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(qualityJudge), &all))
	require.NoError(t, json.Unmarshal([]byte(more), &others))
	for _, name := range names {
		delete(all, name)
	}
	for name, value := range others {
		all[name] = value
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	return string(text)
}

// refusedDefinitions are members of a custom evaluator that is refused, with what
// the refusal says.
var refusedDefinitions = map[string]string{
	`{"name":7}`:                "name must be a string",
	`{"model":{}}`:              "model must be a string",
	`{"messages":7}`:            "messages must be an array",
	`{"messages":[]}`:           "messages must contain at least one",
	`{"messages":[null]}`:       "messages[0] must be a JSON object",
	`{"messages":[{"role":7}]}`: "messages[0].role must be a string",
	`{"messages":[{"role":"user","content":["a"]}]}`:                      "messages[0].content must be a string",
	`{"messages":[{"role":"root","content":"a"}]}`:                        "messages[0].role must be one of",
	`{"messages":[{"role":"user","content":"{{other}}"}]}`:                "messages[0].content: {{other}} is not an input",
	`{"messages":[{"role":"user","content":"{{range .}}SESAME{{end}}"}]}`: "messages[0].content has a placeholder",
	`{"input_schema":{}}`:                                                     "input_schema must be an array",
	`{"input_schema":["text"]}`:                                               "input_schema[0] must be a JSON object",
	`{"input_schema":[{"name":7}]}`:                                           "input_schema[0].name must be a string",
	`{"input_schema":[{}]}`:                                                   "input_schema[0].name is required",
	`{"input_schema":[{"name":"text"}]}`:                                      "input_schema[0].type is required",
	`{"output_schema":[{"name":"a","type":"object"}]}`:                        "output_schema[0].type must be one of",
	`{"output_schema":[{"name":"a","type":"enum"}]}`:                          "output_schema[0].enum_values must contain",
	`{"output_schema":[{"name":"a","type":"enum","enum_values":"x"}]}`:        "output_schema[0].enum_values must be an array",
	`{"output_schema":[{"name":"a","type":"enum","enum_values":["a",null]}]}`: "output_schema[0].enum_values[1] must be a string",
	`{"output_schema":[{"name":"a","type":"int","enum_values":["a"]}]}`:       "output_schema[0].enum_values must not be given",
	`{"output_schema":[{"name":"a","type":"int"},{"name":"A","type":"int"}]}`: "output_schema[1].name is the same",
	`{"temperature":"hot"}`:                                                   "temperature must be a number",
	`{"temperature":1e999}`:                                                   "temperature must be a number",
	`{"temperature":2.1}`:                                                     "temperature must be a number from 0 to 2",
	`{"top_p":-0.1}`:                                                          "top_p must be a number from 0 to 1",
	`{"frequency_penalty":[]}`:                                                "frequency_penalty must be a number",
	`{"presence_penalty":3}`:                                                  "presence_penalty must be a number from -2 to 2",
	`{"max_tokens":0}`:                                                        "max_tokens must be a whole number from 1 to 32768",
	`{"max_tokens":1.5}`:                                                      "max_tokens must be a whole number from 1 to 32768",
	`{"max_tokens":1000000}`:                                                  "max_tokens must be a whole number from 1 to 32768",
	`{"stop":7}`:                                                              "stop must be an array",
	`{"stop":["a",7]}`:                                                        "stop[1] must be a string",
	`{"stop":["a","b","c","d","e"]}`:                                          "stop must have at most",
	`{"logprobs":"yes"}`:                                                      "logprobs must be a boolean",
	`{"description":"` + strings.Repeat("x", 5000) + `"}`:                     "description must be at most",
}

func TestCustomEvaluatorIsRefusedNamingTheField(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for _, name := range []string{"name", "provider", "model", "messages", "input_schema", "output_schema"} {
		for _, body := range []string{without(t, []string{name}, `{}`), without(t, nil, `{"`+name+`":null}`)} {
			r := h.call(t, "POST", evaluatorsPath, key, body)
			require.Equal(t, http.StatusBadRequest, r.status, body)
			require.Equal(t, name+" is required", r.message(t))
		}
	}
	for more, want := range refusedDefinitions {
		r := h.call(t, "POST", evaluatorsPath, key, without(t, nil, more))
		require.Equal(t, http.StatusBadRequest, r.status, more)
		require.Contains(t, r.message(t), want, more)
		require.NotContains(t, r.body, "SESAME")
	}
	require.Empty(t, h.evaluators(t, key, "?source=custom"), "nothing of it was kept")
}

func TestCustomEvaluatorTakesWhatClientsSend(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	h.define(t, key, without(t, []string{"description", "mode", "temperature", "max_tokens", "top_p", "frequency_penalty", "presence_penalty", "stop", "logprobs"},
		`{"Name":"Case does not matter","slug":null,"stop":"END","unknown":{}}`))
	h.define(t, key, without(t, []string{"name"}, `{"name":" Spaced ","stop":[],"temperature":null}`))
	e := h.shown(t, key, "spaced")
	require.Equal(t, "Spaced", e.Name)
	require.NotContains(t, e.Config.LLM, "stop")
	require.NotContains(t, e.Config.LLM, "temperature")
}

func TestCustomEvaluatorChangeIsRefusedNamingTheField(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	h.define(t, key, qualityJudge)
	was := h.shown(t, key, "quality-judge")
	for body, want := range map[string]string{
		`{"name":" "}`:                                        "name is required",
		`{"name":7}`:                                          "name must be a string",
		`{"slug":"another"}`:                                  "slug cannot be changed",
		`{"config":7}`:                                        "config must be a JSON object",
		`{"config":{"provider":7}}`:                           "config.provider must be a string",
		`{"config":{"provider":""}}`:                          "config.provider is required",
		`{"config":{"messages":[]}}`:                          "config.messages must contain",
		`{"config":{"messages":[7]}}`:                         "config.messages[0] must be a JSON object",
		`{"config":{"messages":[{"role":"user"}]}}`:           "config.messages[0].content is required",
		`{"config":{"llm_config":[]}}`:                        "config.llm_config must be a JSON object",
		`{"config":{"llm_config":{"model":""}}}`:              "config.llm_config.model is required",
		`{"config":{"llm_config":{"model":7}}}`:               "config.llm_config.model must be a string",
		`{"config":{"llm_config":{"stop":[""]}}}`:             "config.llm_config.stop[0] must not be blank",
		`{"config":{"llm_config":{"temperature":9}}}`:         "config.llm_config.temperature must be a number from 0 to 2",
		`{"input_schema":[]}`:                                 "input_schema must contain",
		`{"input_schema":[{"name":"other","type":"string"}]}`: "config.messages[1].content: {{text}} is not an input",
	} {
		r := h.call(t, "PATCH", evaluatorsPath+"/quality-judge", key, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Contains(t, r.message(t), want, body)
	}
	require.Equal(t, was, h.shown(t, key, "quality-judge"))
	for _, name := range []string{"nobody", "%00", "..%2f", "%ff"} {
		r := h.call(t, "PATCH", evaluatorsPath+"/"+name, key, `{}`)
		require.Equal(t, http.StatusNotFound, r.status)
	}
}
