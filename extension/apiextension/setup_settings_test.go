// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Settings of pii-detector and char-count.
const (
	tunedPII   = `"config":{"probability_threshold":0.5},"sample_rate":0.25,"backend":"deterministic","input_mapping":{"text":"question"}`
	tunedCount = `"input_mapping":{"text":{"source":"span_attributes","key":"app.answer","json_path":"0.text","regex":"text: (.+)"}}`
)

func TestSetupShowsItsSettings(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for i, body := range []string{
		`"evaluators":["pii-detector","char-count","word-count"],"evaluator_configs":[{"evaluator_type":"char-count",` + tunedCount + `},{"slug":"pii-detector",` + tunedPII + `}]`,
		`"evaluators":["pii-detector","char-count","word-count"],"evaluator_configs":{"char-count":{` + tunedCount + `},"pii-detector":{` + tunedPII + `}}`,
		`"evaluators":[{"evaluator_type":"pii-detector",` + tunedPII + `},{"evaluator_type":"char-count",` + tunedCount + `},"word-count"]`,
		`"evaluators":[{"evaluator_type":"pii-detector"},{"slug":"char-count",` + tunedCount + `},"word-count"],"evaluator_configs":{"pii-detector":{` + tunedPII + `}}`,
	} {
		s := h.create(t, key, fmt.Sprintf(`{"external_id":"m%d",%s,"max_cost_per_day":1.5,"deadline_sec":3600,"min_spans":10,"other_languages":"use"}`, i, body))
		pii, count, plain := s.Evaluators[0], s.Evaluators[1], s.Evaluators[2]
		require.Equal(t, map[string]any{"probability_threshold": 0.5}, pii.Config)
		require.InDelta(t, 0.25, pii.SampleRate, 0)
		require.Equal(t, "deterministic", pii.Backend)
		require.Equal(t, map[string]any{"text": map[string]any{"source": "span", "key": "question"}}, pii.InputMapping)
		require.Equal(t, map[string]any{"text": map[string]any{
			"source": "span_attributes", "key": "app.answer", "json_path": "0.text", "regex": "text: (.+)",
		}}, count.InputMapping)
		require.Nil(t, count.Config)
		require.Zero(t, count.SampleRate)
		require.Empty(t, plain.Backend)
		require.Nil(t, plain.InputMapping)
		require.InDelta(t, 1.5, s.MaxCostPerDay, 0)
		require.EqualValues(t, 3600, s.DeadlineSec)
		require.EqualValues(t, 10, s.MinSpans)
		require.Equal(t, "use", s.OtherLanguages)
		require.Equal(t, s, h.get(t, key, s.ExternalID))

		stored, err := store.Setups(h.live).Get(t.Context(), tenant.EnvironmentID(s.EnvProjectID), s.ID)
		require.NoError(t, err)
		require.Equal(t, time.Hour, stored.Deadline)
		require.Equal(t, monitor.Span, stored.Evaluators[0].Inputs["text"].Source)
	}
	r := h.call(t, "POST", setupsPath, key, `{"external_id":"plain","evaluators":["char-count"],"evaluator_configs":null,"max_cost_per_day":null,"deadline_sec":null,"min_spans":null,"other_languages":null}`)
	require.Equal(t, http.StatusCreated, r.status)
	for _, field := range []string{"config", "input_mapping", "sample_rate", "backend", "evaluator_id", "max_cost_per_day", "deadline_sec", "min_spans", "other_languages"} {
		require.NotContains(t, r.body, `"`+field+`"`)
	}
}

func TestSettingsAreKeptAsTheyMean(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	made := h.define(t, key, qualityJudge)
	s := h.create(t, key, `{"external_id":"m","evaluators":["quality-judge"],"evaluator_configs":[{"evaluator_id":"`+made.ID+`",
		"config":{"a":1,"a":12345678901234567890.50,"b":"<\u0000\ud800\\%_'\"é","c":{"d":[null]}},"input_mapping":{"text":"attribute:reference"}}]}`)
	require.Equal(t, map[string]any{"text": map[string]any{"source": "span", "key": "attribute:reference"}}, s.Evaluators[0].InputMapping)
	require.Equal(t, "<\x00\uFFFD\\%_'\"é", s.Evaluators[0].Config["b"])
	r := h.call(t, "GET", setupsPath+"/m", key, "")
	require.Contains(t, r.body, `"a":12345678901234567890.50,`, "the last of equal names, digit by digit")
}

func TestUpdateOfSettings(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	custom := h.define(t, key, qualityJudge)
	h.create(t, key, `{"external_id":"m","evaluators":["pii-detector","char-count","quality-judge"],"max_cost_per_day":1,"deadline_sec":60,"min_spans":7,
		"evaluator_configs":{"pii-detector":{`+tunedPII+`},"char-count":{`+tunedCount+`},"quality-judge":{"sample_rate":0.5}}}`)
	put := func(body string) shownSetup {
		t.Helper()
		r := h.call(t, "PUT", setupsPath+"/m", key, body)
		require.Equal(t, http.StatusOK, r.status, r.body)
		s := into[shownSetup](t, r)
		require.Equal(t, s, h.get(t, key, "m"))
		return s
	}
	s := put(`{"selector":[],"evaluator_configs":null,"evaluators":null}`)
	require.InDelta(t, 0.25, s.Evaluators[0].SampleRate, 0, "what is left out stays")
	require.NotEmpty(t, s.Evaluators[1].InputMapping)
	require.Equal(t, custom.ID, s.Evaluators[2].EvaluatorID)
	require.InDelta(t, 1, s.MaxCostPerDay, 0)

	s = put(`{"evaluators":["word-count","quality-judge","pii-detector"]}`)
	require.Equal(t, []string{"word-count", "quality-judge", "pii-detector"}, s.slugs())
	require.Zero(t, s.Evaluators[0].SampleRate)
	require.InDelta(t, 0.5, s.Evaluators[1].SampleRate, 0, "those that stay keep their settings")
	require.InDelta(t, 0.25, s.Evaluators[2].SampleRate, 0)
	require.Equal(t, "deterministic", s.Evaluators[2].Backend)

	s = put(`{"evaluators":["pii-detector",{"evaluator_id":"` + custom.ID + `","sample_rate":1},"char-count"],"max_cost_per_day":2}`)
	require.InDelta(t, 0.25, s.Evaluators[0].SampleRate, 0)
	require.InDelta(t, 1, s.Evaluators[1].SampleRate, 0)
	require.Nil(t, s.Evaluators[2].InputMapping, "who left came back without")
	require.InDelta(t, 2, s.MaxCostPerDay, 0)
	require.EqualValues(t, 60, s.DeadlineSec)
	require.EqualValues(t, 7, s.MinSpans)

	s = put(`{"evaluator_configs":[{"evaluator_type":"char-count","sample_rate":0.125}],"deadline_sec":null}`)
	require.Zero(t, s.Evaluators[0].SampleRate, "what is there replaces all settings")
	require.Zero(t, s.Evaluators[1].SampleRate)
	require.InDelta(t, 0.125, s.Evaluators[2].SampleRate, 0)
	require.Zero(t, s.DeadlineSec)
	require.InDelta(t, 2, s.MaxCostPerDay, 0)

	s = put(`{"evaluator_configs":{},"max_cost_per_day":null,"min_spans":null}`)
	require.Zero(t, s.MinSpans)
	require.Zero(t, s.Evaluators[2].SampleRate)
	require.Zero(t, s.MaxCostPerDay)

	stored, err := store.Setups(h.live).Get(t.Context(), tenant.EnvironmentID(s.EnvProjectID), "m")
	require.NoError(t, err)
	require.EqualValues(t, 6, stored.Generation)
	s = put(`{"other_languages":"skip"}`)
	require.Equal(t, "skip", s.OtherLanguages)
	stored, err = store.Setups(h.live).Get(t.Context(), tenant.EnvironmentID(s.EnvProjectID), "m")
	require.NoError(t, err)
	require.EqualValues(t, 7, stored.Generation, "other verdicts are asked for")
	put(`{"max_cost_per_day":3}`)
	stored, err = store.Setups(h.live).Get(t.Context(), tenant.EnvironmentID(s.EnvProjectID), "m")
	require.NoError(t, err)
	require.EqualValues(t, 7, stored.Generation, "a bound makes no other generation")
}

func TestSettingsAreRefusedNamingTheElement(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	h.create(t, key, `{"external_id":"there","evaluators":["char-count","pii-detector"]}`)
	many := strings.Repeat(`{"slug":"char-count"},`, 100) + `{"slug":"char-count"}`
	for configs, want := range map[string]string{
		`7`:                       "evaluator_configs must be an array",
		`"x"`:                     "evaluator_configs must be an array",
		`[7]`:                     "evaluator_configs[0] must be a JSON object",
		`[{}]`:                    "evaluator_configs[0].evaluator_type is required",
		`[` + many + `]`:          "evaluator_configs must have at most 100",
		`[{"slug":"word-count"}]`: `evaluator_configs[0].slug: "word-count" is not an evaluator of the setup`,
		`{"word-count":{}}`:       `evaluator_configs.word-count: "word-count" is not an evaluator`,
		`{"char-count":7}`:        "evaluator_configs.char-count must be a JSON object",
		`[{"slug":"char-count"},{"evaluator_type":"char-count"}]`: "evaluator_configs[1].evaluator_type is the same evaluator as evaluator_configs[0]",
		`[{"slug":7}]`: "evaluator_configs[0].slug must be a string",
		`[{"slug":"char-count","sample_rate":0}]`:                                                         "evaluator_configs[0].sample_rate must be a number above 0",
		`[{"slug":"char-count","sample_rate":1.01}]`:                                                      "evaluator_configs[0].sample_rate must be",
		`[{"slug":"char-count","sample_rate":-1}]`:                                                        "evaluator_configs[0].sample_rate must be",
		`[{"slug":"char-count","sample_rate":"0.5"}]`:                                                     "evaluator_configs[0].sample_rate must be",
		`[{"slug":"char-count","sample_rate":1e-999}]`:                                                    "evaluator_configs[0].sample_rate must be",
		`[{"slug":"char-count","config":[]}]`:                                                             "evaluator_configs[0].config must be a JSON object",
		`[{"slug":"char-count","backend":"gpt"}]`:                                                         "evaluator_configs[0].backend must be one of",
		`[{"slug":"char-count","backend":7}]`:                                                             "evaluator_configs[0].backend must be a string",
		`{"pii-detector":{"config":{"probability_threshold":7}}}`:                                         "evaluator_configs.pii-detector.config.probability_threshold",
		`[{"slug":"char-count","config":{"x":"` + strings.Repeat("x", 70000) + `"}}]`:                     "evaluator_configs[0].config must be at most",
		`[{"slug":"char-count","input_mapping":7}]`:                                                       "evaluator_configs[0].input_mapping must be a JSON object",
		`[{"slug":"char-count","input_mapping":{"text":7}}]`:                                              "evaluator_configs[0].input_mapping.text must be an object",
		`[{"slug":"char-count","input_mapping":{"text":null}}]`:                                           "evaluator_configs[0].input_mapping.text must be an object",
		`[{"slug":"char-count","input_mapping":{"text":"nothing"}}]`:                                      "evaluator_configs[0].input_mapping.text.key must be a field or a part",
		`[{"slug":"char-count","input_mapping":{"text":{}}}]`:                                             "evaluator_configs[0].input_mapping.text.source is required",
		`[{"slug":"char-count","input_mapping":{"text":{"source":"log"}}}]`:                               "evaluator_configs[0].input_mapping.text.source must be",
		`[{"slug":"char-count","input_mapping":{"text":{"source":7}}}]`:                                   "evaluator_configs[0].input_mapping.text.source must be a string",
		`[{"slug":"char-count","input_mapping":{"text":{"source":"span"}}}]`:                              "evaluator_configs[0].input_mapping.text.key is required",
		`[{"slug":"char-count","input_mapping":{"other":"output"}}]`:                                      "evaluator_configs[0].input_mapping.other is not an input",
		`[{"slug":"char-count","input_mapping":{"text":{"source":"span","key":"output","regex":"("}}}]`:   "evaluator_configs[0].input_mapping.text.regex",
		`[{"slug":"char-count","input_mapping":{"text":{"source":"span","key":"output","regex":"abc"}}}]`: "evaluator_configs[0].input_mapping.text.regex",
	} {
		for _, x := range []struct{ method, path, prefix string }{
			{"POST", setupsPath, `{"external_id":"m","evaluators":["char-count","pii-detector"],`}, {"PUT", setupsPath + "/there", `{`},
		} {
			r := h.call(t, x.method, x.path, key, x.prefix+`"evaluator_configs":`+configs+`}`)
			require.Equal(t, http.StatusBadRequest, r.status, "%.200s", configs)
			require.Contains(t, r.message(t), want)
		}
	}
	for body, want := range map[string]string{
		`"evaluators":[{"evaluator_type":"char-count","sample_rate":7}]`:                                         "evaluators[0].sample_rate must be",
		`"evaluators":[{"evaluator_type":"char-count","sample_rate":0.5}],"evaluator_configs":{"char-count":{}}`: "evaluator_configs.char-count: the evaluator has settings in evaluators[0]",
		`"evaluators":["char-count"],"max_cost_per_day":0`:                                                       "max_cost_per_day must be",
		`"evaluators":["char-count"],"max_cost_per_day":"1"`:                                                     "max_cost_per_day must be",
		`"evaluators":["char-count"],"max_cost_per_day":1e999`:                                                   "max_cost_per_day must be",
		`"evaluators":["char-count"],"max_cost_per_day":-1`:                                                      "max_cost_per_day must be",
		`"evaluators":["char-count"],"deadline_sec":0`:                                                           "deadline_sec must be a whole number",
		`"evaluators":["char-count"],"deadline_sec":1.5`:                                                         "deadline_sec must be",
		`"evaluators":["char-count"],"deadline_sec":true`:                                                        "deadline_sec must be",
		`"evaluators":["char-count"],"deadline_sec":2592001`:                                                     "deadline_sec must be",
		`"evaluators":["char-count"],"other_languages":"ask"`:                                                    "other_languages must be one of judge, skip, use",
		`"evaluators":["char-count"],"other_languages":7`:                                                        "other_languages must be one of judge, skip, use",
		`"evaluators":["char-count"],"other_languages":""`:                                                       "other_languages must be one of",
		`"evaluators":["char-count"],"min_spans":0`:                                                              "min_spans must be a whole number from 1 to 1000000",
		`"evaluators":["char-count"],"min_spans":"1"`:                                                            "min_spans must be",
		`"evaluators":["char-count"],"min_spans":1e18`:                                                           "min_spans must be",
		`"evaluators":["char-count"],"deadline_sec":1e300`:                                                       "deadline_sec must be",
	} {
		for _, x := range []struct{ method, path, prefix string }{{"POST", setupsPath, `{"external_id":"m",`}, {"PUT", setupsPath + "/there", `{`}} {
			r := h.call(t, x.method, x.path, key, x.prefix+body+`}`)
			require.Equal(t, http.StatusBadRequest, r.status, body)
			require.Contains(t, r.message(t), want)
		}
	}
	require.Len(t, into[[]shownSetup](t, h.call(t, "GET", setupsPath, key, "")), 1)
}

// An input that spans do not have keeps the evaluator from running, which its
// status tells; the setup is taken.
func TestSetupIsTakenWithAnInputThatSpansDoNotHave(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	h.define(t, key, moodJudge)
	s := h.create(t, key, `{"external_id":"m","evaluators":["mood-judge","agent-flow-quality"]}`)
	require.Equal(t, "pending", s.Evaluators[0].Status)
}

// moodJudge has an input that spans do not have by themselves.
var moodJudge = strings.NewReplacer(`"Quality Judge"`, `"Mood Judge"`, `{{text}}`, `{{mood}}`, `"name":"text"`, `"name":"mood"`).Replace(qualityJudge)

func TestUpdateOfASetupWhoseEvaluatorIsGone(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	s := h.create(t, key, `{"external_id":"m","evaluators":["char-count"]}`)
	stored, err := store.Setups(h.live).Get(t.Context(), tenant.EnvironmentID(s.EnvProjectID), "m")
	require.NoError(t, err)
	stored.Evaluators = append(stored.Evaluators, monitor.SetupEvaluator{Slug: "dropped", Status: monitor.Pending})
	_, err = store.Setups(h.live).Replace(t.Context(), stored)
	require.NoError(t, err)
	r := h.call(t, "PUT", setupsPath+"/m", key, `{"evaluator_configs":{"char-count":{"sample_rate":0.5}}}`)
	require.Equal(t, http.StatusBadRequest, r.status)
	require.Contains(t, r.message(t), `the evaluator "dropped" of the setup is gone`)
	r = h.call(t, "PUT", setupsPath+"/m", key, `{"evaluators":["char-count"],"evaluator_configs":{"char-count":{"sample_rate":0.5}}}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
}
