// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSetupIsRefusedNamingTheField(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	many := strings.Repeat(`"char-count",`, 100) + `"char-count"`
	for body, want := range map[string]string{
		`{}`:                            "external_id is required",
		`{"evaluators":["char-count"]}`: "external_id is required",
		`{"external_id":""}`:            "external_id is required",
		`{"external_id":null}`:          "external_id is required",
		`{"external_id":7}`:             "external_id must be a string",
		`{"external_id":" m","evaluators":["char-count"]}`:                   "external_id must not begin",
		`{"external_id":"m\u0000","evaluators":["char-count"]}`:              "external_id must not have control",
		`{"external_id":"` + strings.Repeat("x", 256) + `"}`:                 "external_id must be at most 255",
		`{"external_id":"bulk","evaluators":["char-count"]}`:                 "external_id must not be the reserved word",
		`{"external_id":"..","evaluators":["char-count"]}`:                   "external_id must not be the reserved word",
		`{"entity_type":"workflow","evaluators":["char-count"]}`:             "entity_value is required",
		`{"entity_value":"x","evaluators":["char-count"]}`:                   "entity_type is required",
		`{"entity_type":"x","entity_value":"x","evaluators":["char-count"]}`: "entity_type must be one of",
		`{"external_id":"m"}`:                                                             "evaluators is required",
		`{"external_id":"m","evaluators":null}`:                                           "evaluators is required",
		`{"external_id":"m","evaluators":[]}`:                                             "evaluators must contain at least one item",
		`{"external_id":"m","evaluators":"char-count"}`:                                   "evaluators must be an array",
		`{"external_id":"m","evaluators":[` + many + `]}`:                                 "evaluators must have at most 100",
		`{"external_id":"m","evaluators":["char-count",7]}`:                               "evaluators[1] must be the slug",
		`{"external_id":"m","evaluators":[null]}`:                                         "evaluators[0] must be the slug",
		`{"external_id":"m","evaluators":["char-count","nope"]}`:                          `evaluators[1]: unknown evaluator slug "nope"`,
		`{"external_id":"m","evaluators":[{"evaluator_type":"nope"}]}`:                    `evaluators[0].evaluator_type: unknown`,
		`{"external_id":"m","evaluators":[{"evaluator_type":7}]}`:                         "evaluators[0].evaluator_type must be a string",
		`{"external_id":"m","evaluators":[{"evaluator_id":"cm1"}]}`:                       "evaluators[0].evaluator_id: unknown",
		`{"external_id":"m","evaluators":[{}]}`:                                           "evaluators[0].evaluator_type is required",
		`{"external_id":"m","evaluators":["char-count",{"evaluator_type":"char-count"}]}`: "evaluators[1].evaluator_type is the same evaluator as evaluators[0]",
	} {
		r := h.call(t, "POST", setupsPath, key, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Contains(t, r.message(t), want, body)
	}
	for selector, want := range map[string]string{
		`7`:           "selector must be an array",
		`"x"`:         "selector must be an array",
		`[7]`:         "selector[0] must be a JSON object",
		`[null]`:      "selector[0] must be a JSON object",
		`[{}]`:        "selector[0].key is required",
		`[{"key":1}]`: "selector[0].key must be a string",
		`[{"key":" ","source":"span_attributes","operator":"exists"}]`:                                   "selector[0].key is required",
		`[{"key":"a","operator":"exists"}]`:                                                              "selector[0].source is required",
		`[{"key":"a","source":"x","operator":"exists"}]`:                                                 "selector[0].source must be",
		`[{"key":"a","source":"span_attributes"}]`:                                                       "selector[0].value is required",
		`[{"key":"a","source":"span_attributes","value":null}]`:                                          "selector[0].value is required",
		`[{"key":"a","source":"span_attributes","value":["x"]}]`:                                         "selector[0].value must be",
		`[{"key":"a","source":"span_attributes","operator":"in"}]`:                                       "selector[0].values is required",
		`[{"key":"a","source":"span_attributes","operator":"in","values":[]}]`:                           "selector[0].values is required",
		`[{"key":"a","source":"span_attributes","operator":"in","values":"x"}]`:                          "selector[0].values must be an array",
		`[{"key":"a","source":"span_attributes","operator":"in","values":["x",{}]}]`:                     "selector[0].values[1] must be",
		`[{"key":"a","source":"span_attributes","operator":"starts_with","value":"x"}]`:                  "selector[0].operator must be one of",
		`[{"key":"a","source":"span_attributes","operator":"in","op":"equals","value":"x"}]`:             "selector[0].op differs",
		`[` + strings.Repeat(`{"key":"a","source":"span_attributes","operator":"exists"},`, 100) + `{}]`: "selector must have at most 100",
		`[{"key":"touchstone.environment.id","source":"resource_attributes","operator":"exists"}]`:       `selector[0].key must not begin with "touchstone."`,
		`{"a":"x","touchstone.evaluations":"x"}`:                                                         `selector[1].key must not begin with "touchstone."`,
		`[{"key":"evaluation.pii-detector.has_pii","source":"resource_attributes","value":true}]`:        "selector[0].source must be span_attributes: verdicts",
		`{"evaluation.pii-detector":"x"}`:                                                                "selector[0].key must have the form evaluation.<slug>.<output>",
		`{"a":null}`:                                                                                     "selector.a must be",
		`{"a":{}}`:                                                                                       "selector.a must be",
		`{"":"x"}`:                                                                                       "selector[0].key is required",
		`{"a":"` + strings.Repeat("x", 4097) + `"}`:                                                      "selector[0].value must be at most",
	} {
		body := `{"external_id":"m","evaluators":["char-count"],"selector":` + selector + `}`
		r := h.call(t, "POST", setupsPath, key, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Contains(t, r.message(t), want, body)
	}
	full := `[` + strings.Repeat(`{"key":"a","source":"span_attributes","operator":"exists"},`, 99) + `{"key":"a","source":"span_attributes","operator":"exists"}]`
	r := h.call(t, "POST", setupsPath, key, `{"entity_type":"tool","entity_value":"x","evaluators":["char-count"],"selector":`+full+`}`)
	require.Equal(t, http.StatusBadRequest, r.status)
	require.Contains(t, r.message(t), "selector must have at most 99 rules")

	require.JSONEq(t, `[]`, h.call(t, "GET", setupsPath, key, "").body, "nothing of it was kept")
}
