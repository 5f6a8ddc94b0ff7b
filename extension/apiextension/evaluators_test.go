// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
)

func TestEveryEvaluatorKeepsItsExamplesOverHTTP(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for _, e := range evaluators.Catalog().All() {
		for _, x := range e.Examples {
			body := `{"input":` + x.Input + `}`
			if x.Config != "" {
				body = `{"input":` + x.Input + `,"config":` + x.Config + `}`
			}
			r := h.call(t, "POST", "/v2/evaluators/"+e.Slug+"/execute", key, body)
			if x.Refused != "" {
				require.Equal(t, http.StatusBadRequest, r.status, "%s: %s", e.Slug, x.About)
				require.Equal(t, x.Refused, r.message(t))
				continue
			}
			require.Equal(t, http.StatusOK, r.status, r.body)
			requireSameVerdict(t, x.Want, r.body)
			require.Equal(t, string(e.Backend), r.header.Get("X-Evaluator-Backend"))
		}
	}
}

// requireSameVerdict lets the last digit of a number differ: processors fuse
// multiplications and additions as they like. Score, reason and evidence are compared
// where they are wanted.
func requireSameVerdict(t *testing.T, want, got string) {
	t.Helper()
	var a, b map[string]any
	require.NoError(t, json.Unmarshal([]byte(want), &a))
	require.NoError(t, json.Unmarshal([]byte(got), &b))
	for _, name := range []string{"score", "reason", "evidence"} {
		if _, wanted := a[name]; !wanted {
			delete(b, name)
		}
	}
	require.Len(t, b, len(a))
	for name, value := range a {
		if number, ok := value.(float64); ok {
			require.InDelta(t, number, b[name], 1e-9)
			continue
		}
		require.Equal(t, value, b[name])
	}
}

func TestEvaluatorsTakeWhatClientsSend(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for body, want := range map[string]string{
		`{"input":{"text":"héé","prompt":["x"],"completion":{"a":1}}}`: `{"char_count":3,"reason":"The text has 3 characters."}`,
		`{"input":{"text":""},"extra":true}`:                           `{"char_count":0,"reason":"The text has 0 characters."}`,
		`{"input":{"text":"\u0000\ud800"},"config":null}`:              `{"char_count":2,"reason":"The text has 2 characters."}`,
		`{"input":{"text":"a"},"input":{"text":"last counts"}}`:        `{"char_count":11,"reason":"The text has 11 characters."}`,
	} {
		r := h.call(t, "POST", execute, key, body)
		require.Equal(t, http.StatusOK, r.status, r.body)
		require.JSONEq(t, want, r.body)
	}
}

func TestEvaluatorRefusals(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for body, field := range map[string]string{
		`{}`:                      "input",
		`{"input":null}`:          "input",
		`{"input":"text"}`:        "input",
		`{"input":{}}`:            "text",
		`{"input":{"text":null}}`: "text",
		`{"input":{"text":7}}`:    "text",
	} {
		r := h.call(t, "POST", execute, key, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Contains(t, r.message(t), field)
	}
	for _, slug := range []string{"unknown", "Char-Count", "%2e%2e", "char-count%00"} {
		r := h.call(t, "POST", "/v2/evaluators/"+slug+"/execute", key, `{"input":{"text":"a"}}`)
		require.Equal(t, http.StatusNotFound, r.status, slug)
		require.NotEmpty(t, r.message(t))
	}
}

func TestTextsOverTheLimitAreTooLarge(t *testing.T) {
	t.Parallel()
	h, _ := newJudgedTestAPI(t)
	key := h.newKey(t)
	h.define(t, key, qualityJudge)
	text := strings.Repeat("x", eval.MaxText)
	for path, body := range map[string]string{
		execute:                       `{"input":{"text":"%s"}}`,
		guards + "char-count/execute": `{"input":{"text":"%s"}}`,
		evaluatorsPath + "/quality-judge/execute":  `{"input":{"text":"%s"}}`,
		evaluatorsPath + "/faithfulness/execute":   `{"input":{"question":"q","context":"c","completion":"%s"}}`,
		evaluatorsPath + "/tone-detection/execute": `{"input":{"text":"%s"}}`,
		guards + "prompt-injection/execute":        `{"input":{"prompt":"%s"}}`,
	} {
		r := h.call(t, "POST", path, key, strings.Replace(body, "%s", text+"x", 1))
		require.Equal(t, http.StatusRequestEntityTooLarge, r.status, "%s %.200s", path, r.body)
		require.Contains(t, r.message(t), "input.")
	}
	r := h.call(t, "POST", execute, key, `{"input":{"text":"`+text+`"}}`)
	require.Equal(t, http.StatusOK, r.status)
}

// A model that is not configured is no failure that operators should look at.
func TestMissingModelIsNoErrorInTheLog(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.DebugLevel)
	h := newTestAPI(t, func(p *parts) { p.settings.Logger = zap.New(core) })
	key := h.newKey(t)
	h.define(t, key, qualityJudge)
	for path, body := range map[string]string{
		evaluatorsPath + "/quality-judge/execute":         `{"input":{"text":"a"}}`,
		evaluatorsPath + "/action-advancement/execute":    `{"input":{"messages":"[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"}]"}}`,
		evaluatorsPath + "/instruction-adherence/execute": `{"input":{"instructions":"Be kind.","response":"I am."}}`,
		evaluatorsPath + "/faithfulness/execute":          `{"input":{"question":"q","context":"c","completion":"d"},"config":{"backend":"judge"}}`,
		guards + "quality-judge/execute":                  `{"input":{"text":"a"}}`,
	} {
		r := h.call(t, "POST", path, key, body)
		require.Equal(t, http.StatusNotImplemented, r.status, "%s %s", path, r.body)
		require.Contains(t, r.message(t), "configure one")
		require.Empty(t, r.header.Values("Retry-After"), "the same request fails until the operator configures a model")
	}
	logged := logs.FilterMessage("request was not served").All()
	require.Len(t, logged, 5)
	for _, entry := range logged {
		require.Equal(t, zap.DebugLevel, entry.Level)
	}
}

// A verdict on a text that the evaluator cannot read is marked as one.
func TestVerdictsTellTheLanguageOfTheText(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for text, want := range map[string]string{
		"Das Museum wurde im Frühjahr eröffnet und ist sehr schön.": "de",
		"The museum was opened in the spring and is very nice.":     "en",
		"Museum": "",
	} {
		for _, path := range []string{evaluatorsPath + "/tone-detection/execute", guards + "tone-detection/execute"} {
			r := h.call(t, "POST", path, key, `{"input":{"text":"`+text+`"}}`)
			require.Equal(t, http.StatusOK, r.status, r.body)
			require.Equal(t, want, r.header.Get("X-Evaluator-Language"))
		}
		r := h.stream(t, key, h.begin(t, key, "tone-detection", `{"input_schema_mapping":{"text":{"source":"`+text+`"}}}`))
		require.Equal(t, want, r.header.Get("X-Evaluator-Language"))
		r = h.call(t, "POST", execute, key, `{"input":{"text":"`+text+`"}}`)
		require.Empty(t, r.header.Values("X-Evaluator-Language"), "characters are counted in any language")
	}
	r := h.call(t, "GET", evaluatorsPath+"/tone-detection", key, "")
	require.Contains(t, r.body, `"languages":["en"]`)
}
