// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
)

const guards = "/v2/guardrails/"

type shownGuard struct {
	Result map[string]any `json:"result"`
	Pass   bool           `json:"pass"`
	// What is done to a text that the evaluator is uncertain of.
	OnUncertain string `json:"on_uncertain"`
}

// What the published service was recorded to answer, but for what is uncertain here.
func TestGuardsAnswerAsRecorded(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	const (
		contact = `Contact john.smith@company.com for help.`
		welcome = `Welcome to our service! We hope you enjoy your experience.`
		pii     = `"config":{"probability_threshold":0.7}`
		toxic   = `"config":{"threshold":0.7}`
	)
	for _, x := range []struct {
		slug, input, config, output string
		value, pass                 bool
	}{
		{"pii-detector", `{"text":"` + contact + `"}`, pii, "has_pii", true, false},
		{"pii-detector", `{"text":"Contact me at john.doe@example.com for more details."}`, pii, "has_pii", true, false},
		{"pii-detector", `{"text":"Hello, this is a simple message without any personal information."}`, pii, "has_pii", false, true},
		{"pii-detector", `{"text":"` + welcome + `"}`, pii, "has_pii", false, true},
		{"toxicity-detector", `{"text":"You are stupid and worthless!"}`, toxic, "is_safe", false, false},
		{"toxicity-detector", `{"text":"Thank you for helping me today! I really appreciate your assistance."}`, toxic, "is_safe", true, true},
		{"toxicity-detector", `{"text":"` + contact + `"}`, toxic, "is_safe", true, true},
		{"toxicity-detector", `{"text":"` + welcome + `"}`, toxic, "is_safe", true, true},
		{"answer-relevancy", `{"question":"What is the capital of France?","answer":"The capital of France is Paris."}`, ``, "is_relevant", true, true},
		{"answer-relevancy", `{"question":"What is the capital of France?","answer":"I like eating pizza on weekends."}`, ``, "is_relevant", false, true}, // uncertain here, which passes
	} {
		body := `{"input":` + x.input + `}`
		if x.config != "" {
			body = `{"input":` + x.input + `,` + x.config + `}`
		}
		r := h.call(t, "POST", guards+x.slug+"/execute", key, body)
		require.Equal(t, http.StatusOK, r.status, r.body)
		got := into[shownGuard](t, r)
		require.Equal(t, x.value, got.Result[x.output], "%s %s", x.slug, x.input)
		require.Equal(t, x.pass, got.Pass, "%s %s", x.slug, x.input)
		require.NotEmpty(t, r.header.Get("X-Evaluator-Backend"))
	}
}

// Clients of guards call one text by several names, and give it under one of
// them or under all.
func TestGuardsKnowSynonymsOfInputs(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for _, x := range []struct {
		slug, input string
		want        int
	}{
		{"semantic-similarity", `{"text":"a cat","reference":"a cat"}`, http.StatusOK},
		{"answer-relevancy", `{"text":"x","prompt":"x","completion":"x"}`, http.StatusOK},
		{"char-count", `{"response":"four"}`, http.StatusOK},
		{"char-count", `{"question":"four"}`, http.StatusBadRequest},
		{"char-count", `{"text":4,"answer":"four"}`, http.StatusBadRequest},
		{"char-count", `["text"]`, http.StatusBadRequest},
		{"char-count", `null`, http.StatusBadRequest},
	} {
		r := h.call(t, "POST", guards+x.slug+"/execute", key, `{"input":`+x.input+`}`)
		require.Equal(t, x.want, r.status, "%s %s: %s", x.slug, x.input, r.body)
	}
	r := h.call(t, "POST", guards+"char-count/execute", key, `{"input":{"response":"four"}}`)
	require.EqualValues(t, 4, into[shownGuard](t, r).Result["char_count"])
	r = h.call(t, "POST", "/v2/evaluators/char-count/execute", key, `{"input":{"response":"four"}}`)
	require.Equal(t, http.StatusBadRequest, r.status, "execute takes inputs by their names")
}

func TestGuardsGiveTheVerdictOfTheEvaluator(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for _, e := range evaluators.Catalog().All() {
		for _, x := range e.Examples {
			body := `{"input":` + x.Input + `}`
			if x.Config != "" {
				body = `{"input":` + x.Input + `,"config":` + x.Config + `}`
			}
			plain := h.call(t, "POST", evaluatorsPath+"/"+e.Slug+"/execute", key, body)
			guarded := h.call(t, "POST", guards+e.Slug+"/execute", key, body)
			require.Equal(t, plain.status, guarded.status)
			if plain.status != http.StatusOK {
				require.Equal(t, plain.message(t), guarded.message(t))
				continue
			}
			got := into[shownGuard](t, guarded)
			for name, value := range into[map[string]any](t, plain) {
				require.Equal(t, value, got.Result[name])
			}
		}
	}
	r := h.call(t, "POST", guards+"nobody/execute", key, `{"input":{}}`)
	require.Equal(t, http.StatusNotFound, r.status)
}

func TestGuardsTakeTheSynonymsThatClientsSend(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	r := h.call(t, "POST", guards+"char-count/execute", h.newKey(t), `{"input":{"text":"abc","prompt":"abc","completion":"abc"}}`)
	require.JSONEq(t, `{"result":{"char_count":3,"reason":"The text has 3 characters."},"pass":true}`, r.body)
}

// Every true or false that an evaluator gives is a verdict with a polarity.
func TestEveryBooleanOutputHasAPolarity(t *testing.T) {
	t.Parallel()
	for _, e := range evaluators.Catalog().All() {
		for _, f := range e.Output {
			if f.Type == eval.Boolean {
				_, known := eval.Output{Name: f.Name, Value: true}.Passes()
				require.True(t, known, "%s: %s", e.Slug, f.Name)
			}
		}
	}
}

func TestGuardOfPromptPerplexitySaysWhetherThePromptIsValid(t *testing.T) {
	t.Parallel()
	if _, here := evaluators.Catalog().Get("prompt-perplexity"); !here {
		return
	}
	h := newTestAPI(t)
	key := h.newKey(t)
	for prompt, valid := range map[string]bool{
		"Please write a short letter to my landlord about the broken heating.": true,
		strings.Repeat("xq7$Zk9@wv!", 20):                                      false,
	} {
		r := h.call(t, "POST", guards+"prompt-perplexity/execute", key, `{"input":{"prompt":"`+prompt+`"}}`)
		require.Equal(t, http.StatusOK, r.status, r.body)
		got := into[shownGuard](t, r)
		require.Equal(t, valid, got.Result["is_valid"], r.body)
		require.Equal(t, valid, got.Pass)
	}
}
