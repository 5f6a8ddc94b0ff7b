// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

// evaluatorSchema is what a form is made of, as a client reads it.
type evaluatorSchema struct {
	Slug     string            `json:"slug"`
	Version  string            `json:"version"`
	Input    map[string]any    `json:"input"`
	Config   map[string]any    `json:"config"`
	Output   map[string]any    `json:"output"`
	Parts    map[string]string `json:"span_parts"`
	Good     map[string]any    `json:"good"`
	Backends []struct {
		Backend   string `json:"backend"`
		Available bool   `json:"available"`
		Needs     string `json:"needs"`
	} `json:"backends"`
	Auto     string `json:"auto"`
	Examples []struct {
		About  string          `json:"about"`
		Input  json.RawMessage `json:"input"`
		Config json.RawMessage `json:"config"`
		Output json.RawMessage `json:"output"`
		Judge  bool            `json:"judge"`
	} `json:"examples"`
}

func (h *testAPI) schema(t *testing.T, key, name string) evaluatorSchema {
	t.Helper()
	r := h.call(t, "GET", evaluatorsPath+"/"+name+"/schema", key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[evaluatorSchema](t, r)
}

func TestSchemasOfEveryEvaluator(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for _, e := range evaluators.Catalog().All() {
		s := h.schema(t, key, e.Slug)
		require.Equal(t, e.Slug, s.Slug)
		require.NotEmpty(t, s.Input["properties"], e.Slug)
		require.Len(t, s.Output["required"], len(e.Output))
		available := ""
		for _, b := range s.Backends {
			require.Equal(t, b.Available, b.Needs == "", e.Slug)
			if b.Available && available == "" {
				available = b.Backend
			}
		}
		require.Equal(t, available, s.Auto, "the best that can judge now: %s", e.Slug)
		require.NotEmpty(t, s.Examples, e.Slug)
		for _, x := range s.Examples {
			if x.Judge || s.Auto == "" {
				continue
			}
			body := `{"input":` + string(x.Input) + `}`
			if x.Config != nil {
				body = `{"input":` + string(x.Input) + `,"config":` + string(x.Config) + `}`
			}
			r := h.call(t, "POST", evaluatorsPath+"/"+e.Slug+"/execute", key, body)
			require.Equal(t, http.StatusOK, r.status, r.body)
			requireSameVerdict(t, string(x.Output), r.body)
		}
	}
	pii := h.schema(t, key, "pii-detector")
	require.Equal(t, map[string]any{"has_pii": false}, pii.Good)
	require.Equal(t, map[string]string{"text": "output"}, pii.Parts)
	require.Equal(t, []any{"text"}, pii.Input["required"])
	threshold := pii.Config["properties"].(map[string]any)["probability_threshold"].(map[string]any)
	require.InDelta(t, 0.8, threshold["default"], 0)
	require.InDelta(t, 1, threshold["maximum"], 0)
	require.Empty(t, h.schema(t, key, "char-count").Good)
	require.Equal(t, "deterministic", h.schema(t, key, "char-count").Auto)

	relevancy := h.schema(t, key, "answer-relevancy")
	require.Equal(t, map[string]any{"is_relevant": true}, relevancy.Good)
	require.Equal(t, "judge", relevancy.Backends[0].Backend)
	require.False(t, relevancy.Backends[0].Available)
	require.Contains(t, relevancy.Backends[0].Needs, "answer-relevancy needs a judge model")

	for _, name := range []string{"unknown", "Char-Count", "%2e%2e"} {
		require.Equal(t, http.StatusNotFound, h.call(t, "GET", evaluatorsPath+"/"+name+"/schema", key, "").status, name)
	}
}

func TestSchemasOfCustomEvaluators(t *testing.T) {
	t.Parallel()
	h, _ := newJudgedTestAPI(t)
	key := h.newKey(t)
	h.define(t, key, qualityJudge)
	s := h.schema(t, key, "quality-judge")
	require.Equal(t, "judge", s.Auto)
	require.Equal(t, map[string]any{"pass": true}, s.Good)
	require.Contains(t, s.Input["properties"], "text")
	require.Empty(t, s.Examples)
	require.Equal(t, http.StatusNotFound, h.call(t, "GET", evaluatorsPath+"/quality-judge/schema", h.newKey(t), "").status, "another environment's")

	without := newTestAPI(t)
	key = without.newKey(t)
	without.define(t, key, qualityJudge)
	s = without.schema(t, key, "quality-judge")
	require.Empty(t, s.Auto)
	require.False(t, s.Backends[0].Available)
}

func TestExecuteTellsWhatTheVerdictTook(t *testing.T) {
	t.Parallel()
	h, _ := newJudgedTestAPI(t, modeltest.Content(`{"reason":"r","label":"good","pass":true}`))
	key := h.newKey(t)
	h.define(t, key, qualityJudge)
	r := h.call(t, "POST", evaluatorsPath+"/quality-judge/execute", key, `{"input":{"text":"x"}}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	number := func(name string) float64 {
		t.Helper()
		n, err := strconv.ParseFloat(r.header.Get("X-Evaluator-"+name), 64)
		require.NoError(t, err, name)
		return n
	}
	require.NotEmpty(t, r.header.Get("X-Evaluator-Version"))
	require.Equal(t, "true", r.header.Get("X-Evaluator-Good"))
	require.Positive(t, number("Duration-Ms"))
	require.Positive(t, number("Prompt-Tokens"))
	require.Positive(t, number("Completion-Tokens"))
	require.GreaterOrEqual(t, number("Cost-Usd"), 0.0)

	r = h.call(t, "POST", execute, key, `{"input":{"text":"abc"}}`)
	require.Equal(t, http.StatusOK, r.status)
	require.Empty(t, r.header.Get("X-Evaluator-Version"))
	require.Empty(t, r.header.Values("X-Evaluator-Good"), "a count speaks neither for a text nor against it")
	require.Zero(t, number("Prompt-Tokens")+number("Completion-Tokens")+number("Cost-Usd"))
	require.Positive(t, number("Duration-Ms"))
}
