// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

func (l *library) preview(t *testing.T, body string) previewAnswer {
	t.Helper()
	r := l.call(t, "POST", setupsPath+"/preview", l.key, `{"from_timestamp_sec":`+l.from+`,`+body+`}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[previewAnswer](t, r)
}

func TestPreviewShowsWhatASetupWouldSee(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 8, func(i int, r *store.Record) {
		r.Span.Start += int64(i) * 1e6
		attributes := []span.Attribute{{Key: "kind", Value: []string{"chat", "tool"}[i%2]}, {Key: "app", Value: `["` + strconv.Itoa(i) + `"]`}}
		switch i {
		case 2:
		case 4:
			attributes = append(attributes, span.Attribute{Key: "output.value", Value: strings.Repeat("é", 1001)})
		default:
			attributes = append(attributes, span.Attribute{Key: "output.value", Value: "answer " + strconv.Itoa(i)})
		}
		r.Span.Attributes = span.NewAttributes(attributes)
	})
	l.define(t, l.key, moodJudge)
	got := l.preview(t, `"evaluators":["char-count","faithfulness","agent-flow-quality","mood-judge"],"selector":{"kind":"chat"},
		"evaluator_configs":{"char-count":{"sample_rate":0.000001}}`)
	require.EqualValues(t, 8, got.Spans)
	require.EqualValues(t, 4, got.Matched)
	require.False(t, got.Truncated)
	require.Equal(t, previewedRun{EvaluatorType: "char-count", Status: "ready", Missing: map[string]int{"text": 1}}, got.Evaluators[0])
	require.Equal(t, "faithfulness", got.Evaluators[1].EvaluatorType)
	require.Equal(t, 4, got.Evaluators[1].Missing["question"])
	require.Equal(t, "failed", got.Evaluators[2].Status)
	require.Equal(t, "config.conditions is required", got.Evaluators[2].ErrorMessage)
	require.Equal(t, "failed", got.Evaluators[3].Status)
	require.Contains(t, got.Evaluators[3].ErrorMessage, "map it")
	require.Len(t, got.Samples, 4)
	newest := got.Samples[0]
	require.Equal(t, "6", newest.SpanName)
	require.Equal(t, "01000000000000000000000000000000", newest.TraceID)
	require.Equal(t, "0200060000000000", newest.SpanID)
	require.Equal(t, previewedInputs{EvaluatorType: "char-count", Inputs: map[string]string{"text": "answer 6"}, Missing: []string{}}, newest.Evaluators[0])
	require.True(t, newest.Evaluators[1].Sampled)
	require.Contains(t, newest.Evaluators[1].Missing, "question")
	cut := got.Samples[1].Evaluators[0]
	require.Equal(t, strings.Repeat("é", 1000), cut.Inputs["text"])
	require.True(t, cut.Truncated)
	require.Equal(t, []string{"text"}, got.Samples[2].Evaluators[0].Missing)
	require.Empty(t, got.Samples[2].Evaluators[0].Inputs)

	mapped := l.preview(t, `"evaluators":[{"evaluator_type":"char-count","input_mapping":{"text":{"source":"span_attributes","key":"app","json_path":"0"}}}],"limit":2`)
	require.EqualValues(t, 8, mapped.Matched)
	require.Len(t, mapped.Samples, 2)
	require.Equal(t, map[string]string{"text": "7"}, mapped.Samples[0].Evaluators[0].Inputs)
	named := l.preview(t, `"evaluators":[{"evaluator_type":"char-count","input_mapping":{"text":"span_name"}}],"limit":1,"external_id":"m"`)
	require.Equal(t, map[string]string{"text": "7"}, named.Samples[0].Evaluators[0].Inputs)

	for _, without := range []string{`"selector":{"kind":"chat"},"limit":2`, `"evaluators":[],"selector":{"kind":"chat"},"limit":2`} {
		alone := l.preview(t, without)
		require.EqualValues(t, 8, alone.Spans)
		require.EqualValues(t, 4, alone.Matched)
		require.Equal(t, []previewedRun{}, alone.Evaluators)
		require.Len(t, alone.Samples, 2)
		require.Equal(t, "6", alone.Samples[0].SpanName)
		require.Equal(t, []previewedInputs{}, alone.Samples[0].Evaluators)
	}

	require.JSONEq(t, `[]`, l.call(t, "GET", setupsPath, l.key, "").body, "nothing is stored")
	require.Empty(t, l.evaluationsOf(t, l.key, firstSpan))
	r := l.call(t, "POST", setupsPath+"/preview", l.newKey(t), `{"from_timestamp_sec":`+l.from+`,"evaluators":["char-count"]}`)
	require.EqualValues(t, 0, into[previewAnswer](t, r).Spans, "another environment's")
}

// Selectors and the store agree on what matches, whatever the store is asked.
func TestPreviewMatchesAsSelectorsDo(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 6, func(i int, r *store.Record) {
		values := []span.Attribute{{Key: "i", Value: strconv.Itoa(i)}}
		if i > 1 {
			values = append(values, span.Attribute{Key: "some", Value: "v%_" + strconv.Itoa(i)})
		}
		switch i {
		case 1:
			values = append(values, span.Attribute{Key: "traceloop.workflow.name", Value: "w"}, span.Attribute{Key: "gen_ai.agent.name", Value: "a"})
			r.Span.Workflow, r.Span.Entity = "w", "a"
		case 2:
			values = append(values, span.Attribute{Key: "platform.workflow.name", Value: "w"}, span.Attribute{Key: "traceloop.entity.name", Value: "a"})
			r.Span.Workflow, r.Span.Entity = "w", "a"
		case 3:
			values = append(values, span.Attribute{Key: "gen_ai.tool.name", Value: "search"})
		case 4:
			values = append(values, span.Attribute{Key: "span_type", Value: "mine"})
		case 5:
			values = append(values, span.Attribute{Key: "empty", Value: ""})
		}
		r.Span.Attributes = span.NewAttributes(values)
		r.Span.Resource = span.NewAttributes([]span.Attribute{{Key: "r", Value: strconv.Itoa(i % 2)}})
		r.Span.Prompts = span.NewAttributes([]span.Attribute{{Key: "llm.prompts.0.role", Value: "user"}, {Key: "llm.prompts.0.content", Value: "q" + strconv.Itoa(i)}})
		r.Evaluations = []eval.Evaluation{{
			SetupID: "s", Evaluator: "char-count", Status: eval.Done, Backend: eval.Deterministic,
			Outputs: []eval.Output{{Name: "char_count", Value: int64(i)}}, Time: r.Span.Start,
		}}
	})
	for rule, want := range map[string]int64{
		`{"key":"some","source":"span_attributes","operator":"exists"}`:                                       4,
		`{"key":"some","source":"span_attributes","operator":"not_exists"}`:                                   2,
		`{"key":"some","source":"span_attributes","operator":"not_equals","value":"v%_2"}`:                    5,
		`{"key":"some","source":"span_attributes","operator":"contains","value":"%_"}`:                        4,
		`{"key":"some","source":"span_attributes","operator":"not_contains","value":"%_"}`:                    2,
		`{"key":"some","source":"span_attributes","operator":"in","values":["v%_2","v%_3","x"]}`:              2,
		`{"key":"some","source":"span_attributes","operator":"not_in","values":["v%_2","v%_3"]}`:              4,
		`{"key":"some","source":"resource_attributes","operator":"exists"}`:                                   0,
		`{"key":"empty","source":"span_attributes","operator":"exists"}`:                                      1,
		`{"key":"empty","source":"span_attributes","operator":"equals","value":""}`:                           1,
		`{"key":"r","source":"resource_attributes","operator":"equals","value":1}`:                            3,
		`{"key":"r","source":"span_attributes","operator":"equals","value":1}`:                                0,
		`{"key":"llm.prompts.0.content","source":"span_attributes","operator":"equals","value":"q3"}`:         1,
		`{"key":"evaluation.char-count.char_count","source":"span_attributes","operator":"equals","value":4}`: 1,
		`{"key":"traceloop.workflow.name","source":"span_attributes","operator":"equals","value":"w"}`:        1,
		`{"key":"traceloop.workflow.name","source":"span_attributes","operator":"not_exists"}`:                5,
		`{"key":"traceloop.entity.name","source":"span_attributes","operator":"equals","value":"a"}`:          1,
		`{"key":"gen_ai.agent.name","source":"span_attributes","operator":"exists"}`:                          1,
		`{"key":"touchstone.evaluations","source":"resource_attributes","operator":"not_exists"}`:             6,
		`{"key":"span_type","source":"span_attributes","operator":"equals","value":"tool"}`:                   1,
		`{"key":"span_type","source":"span_attributes","operator":"equals","value":"mine"}`:                   1,
		`{"key":"span_type","source":"span_attributes","operator":"not_exists"}`:                              0,
	} {
		got := l.preview(t, `"evaluators":["char-count"],"selector":[`+rule+`]`)
		require.Equal(t, want, got.Matched, rule)
		require.EqualValues(t, 6, got.Spans, rule)
	}
}

func TestPreviewLooksForInputsInTheTrace(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 3, func(i int, r *store.Record) {
		r.Span.TraceID = span.TraceID{9}
		r.Span.Start += int64(i) * 1e6
		switch i {
		case 0:
			r.Span.Attributes = span.NewAttributes([]span.Attribute{{Key: "traceloop.span.kind", Value: "workflow"}})
		case 1:
			r.Span.ParentSpanID = span.ID{2, 0, 0}
			r.Span.Attributes = span.NewAttributes([]span.Attribute{{Key: "retrieval.documents.0.document.content", Value: "Paris is in France."}})
		case 2:
			r.Span.ParentSpanID = span.ID{2, 0, 0}
			r.Span.Prompts = span.NewAttributes([]span.Attribute{{Key: "llm.prompts.0.role", Value: "user"}, {Key: "llm.prompts.0.content", Value: "Where is Paris?"}})
			r.Span.Completions = span.NewAttributes([]span.Attribute{{Key: "llm.completions.0.role", Value: "assistant"}, {Key: "llm.completions.0.content", Value: "In France."}})
		}
	})
	got := l.preview(t, `"evaluators":["faithfulness"],"selector":[{"key":"llm.prompts.0.content","source":"span_attributes","operator":"exists"}]`)
	require.EqualValues(t, 1, got.Matched)
	require.EqualValues(t, 3, got.Spans)
	require.Empty(t, got.Samples[0].Evaluators[0].Missing)
	require.Contains(t, fmt.Sprint(got.Samples[0].Evaluators[0].Inputs), "Paris is in France.")
}

func TestPreviewOfEvaluatorsThatAskModels(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.define(t, l.key, qualityJudge)
	got := l.preview(t, `"evaluators":["quality-judge","agent-tool-selection-quality"]`)
	for _, e := range got.Evaluators {
		require.Equal(t, "needs_model", e.Status)
		require.Contains(t, e.ErrorMessage, "configure one")
	}
	require.NotEmpty(t, got.Evaluators[0].EvaluatorID)

	h, _ := newJudgedTestAPI(t)
	key := h.newKey(t)
	h.define(t, key, qualityJudge)
	r := h.call(t, "POST", setupsPath+"/preview", key, `{"from_timestamp_sec":1,"evaluators":["quality-judge"]}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.Equal(t, "ready", into[previewAnswer](t, r).Evaluators[0].Status)
}

func TestPreviewIsRefusedNamingTheField(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for body, want := range map[string]string{
		`{}`:                            "from_timestamp_sec is required",
		`{"evaluators":["char-count"]}`: "from_timestamp_sec is required",
		`{"evaluators":"char-count","from_timestamp_sec":1}`:                                                               "evaluators must be an array",
		`{"from_timestamp_sec":1,"evaluator_configs":{"char-count":{"sample_rate":0.5}}}`:                                  "evaluator_configs.char-count: \"char-count\" is not an evaluator of the setup",
		`{"from_timestamp_sec":1,"on_verdict":[{"evaluator":"pii-detector","action":"mask"}]}`:                             "on_verdict[0].evaluator",
		`{"evaluators":["char-count"],"from_timestamp_sec":1.5}`:                                                           "from_timestamp_sec must be",
		`{"evaluators":["char-count"],"from_timestamp_sec":2,"to_timestamp_sec":1}`:                                        "from_timestamp_sec must not be after",
		`{"evaluators":["char-count"],"from_timestamp_sec":1,"limit":0}`:                                                   "limit must be a whole number from 1 to 50",
		`{"evaluators":["char-count"],"from_timestamp_sec":1,"limit":51}`:                                                  "limit must be",
		`{"evaluators":["char-count"],"from_timestamp_sec":1,"limit":"5"}`:                                                 "limit must be",
		`{"evaluators":["nope"],"from_timestamp_sec":1}`:                                                                   "evaluators[0]: unknown",
		`{"evaluators":["char-count"],"from_timestamp_sec":1,"selector":[{}]}`:                                             "selector[0].key is required",
		`{"evaluators":["char-count"],"from_timestamp_sec":1,"selector":{"touchstone.evaluations":"x"}}`:                   "selector[0].key must not begin with",
		`{"evaluators":["char-count"],"from_timestamp_sec":1,"external_id":"bulk"}`:                                        "external_id must not be",
		`{"evaluators":["char-count"],"from_timestamp_sec":1,"entity_type":"workflow"}`:                                    "entity_value is required",
		`{"evaluators":["char-count"],"from_timestamp_sec":1,"max_cost_per_day":0}`:                                        "max_cost_per_day must be",
		`{"evaluators":["char-count"],"from_timestamp_sec":1,"evaluator_configs":[{"slug":"char-count","sample_rate":2}]}`: "evaluator_configs[0].sample_rate must be",
	} {
		r := h.call(t, "POST", setupsPath+"/preview", key, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Contains(t, r.message(t), want)
	}
}

func TestOwnTrafficIsNotPreviewed(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 2, func(i int, r *store.Record) {
		if i == 0 {
			r.Span.TraceID = span.NewSelfTraceID()
		}
	})
	got := l.preview(t, `"evaluators":["char-count"]`)
	require.EqualValues(t, 2, got.Spans)
	require.EqualValues(t, 1, got.Matched)
}
