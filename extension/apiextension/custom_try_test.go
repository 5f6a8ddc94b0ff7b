// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

const tryPath = evaluatorsPath + "/custom-evaluator/try"

// trial is a request that tries a custom evaluator on a text.
func trial(definition string) string {
	return `{"evaluator":` + definition + `,"input":{"text":"hello"}}`
}

func TestCustomEvaluatorIsTriedBeforeItIsMade(t *testing.T) {
	t.Parallel()
	const good = `{"reason":"so","label":"good","pass":true}`
	h, server := newJudgedTestAPI(t, modeltest.Content(good))
	key := h.newKey(t)
	r := h.call(t, "POST", tryPath, key, `{"evaluator":`+qualityJudge+`,"input":{"text":"hello","extra":[1]},"config":{"unknown":1}}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.JSONEq(t, good, r.body)
	require.Equal(t, "judge", r.header.Get("X-Evaluator-Backend"))
	require.Equal(t, "true", r.header.Get("X-Evaluator-Good"))
	for _, name := range []string{"Version", "Duration-Ms", "Prompt-Tokens", "Completion-Tokens", "Cost-Usd"} {
		require.NotEmpty(t, r.header.Get("X-Evaluator-"+name), name)
	}
	asked := server.Requests()[0]
	require.Equal(t, "judge-1", asked.Chat().Model)
	require.Equal(t, int64(512), asked.Chat().MaxTokens+asked.Chat().MaxCompletionTokens)
	require.Contains(t, asked.System(), "You judge texts.")
	text, found := asked.Data("text")
	require.True(t, found)
	require.Equal(t, "hello", text)

	require.Empty(t, h.evaluators(t, key, "?source=custom"), "nothing of it is kept")
	for _, name := range []string{"quality-judge", strings.TrimSuffix(r.header.Get("X-Evaluator-Version"), "/1")} {
		require.Equal(t, http.StatusNotFound, h.call(t, "GET", evaluatorsPath+"/"+name, key, "").status)
		require.Equal(t, http.StatusNotFound, h.call(t, "POST", evaluatorsPath+"/"+name+"/execute", key, `{"input":{"text":"x"}}`).status)
	}
	require.Equal(t, http.StatusNotFound, h.call(t, "GET", evaluatorsPath+"/custom-evaluator", key, "").status)
	require.Equal(t, http.StatusMethodNotAllowed, h.callUndocumented(t, "GET", tryPath, key, "").status)
}

func TestNewVersionOfACustomEvaluatorIsTried(t *testing.T) {
	t.Parallel()
	h, server := newJudgedTestAPI(t, modeltest.Content(`{"score":0.5}`), modeltest.Content(`{"reason":"so","label":"good","pass":true}`))
	key := h.newKey(t)
	h.define(t, key, qualityJudge)
	was := h.shown(t, key, "quality-judge")
	r := h.call(t, "POST", tryPath, key, trial(without(t, nil, `{"output_schema":[{"name":"score","type":"number"}],
		"messages":[{"role":"user","content":"Score {{text}}"}]}`)))
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.JSONEq(t, `{"score":0.5}`, r.body)
	require.NotContains(t, server.Requests()[0].System(), "You judge texts.")
	require.Equal(t, was, h.shown(t, key, "quality-judge"), "what is kept stays as it was")
	r = h.call(t, "POST", evaluatorsPath+"/quality-judge/execute", key, `{"input":{"text":"hello"}}`)
	require.Contains(t, r.body, `"label":"good"`)
}

func TestTriedCustomEvaluatorIsRefusedNamingTheField(t *testing.T) {
	t.Parallel()
	h, server := newJudgedTestAPI(t)
	key := h.newKey(t)
	refused := func(body string, status int, want string) {
		t.Helper()
		r := h.call(t, "POST", tryPath, key, body)
		require.Equal(t, status, r.status, body)
		require.Truef(t, strings.HasPrefix(r.message(t), want), "%s: %s", body, r.body)
	}
	for _, name := range []string{"name", "provider", "model", "messages", "input_schema", "output_schema"} {
		refused(trial(without(t, []string{name}, `{}`)), http.StatusBadRequest, "evaluator."+name+" is required")
	}
	for more, want := range refusedDefinitions {
		r := h.call(t, "POST", tryPath, key, trial(without(t, nil, more)))
		require.Equal(t, http.StatusBadRequest, r.status, more)
		require.Contains(t, r.message(t), "evaluator."+want, more)
		require.NotContains(t, r.body, "SESAME")
	}
	for more, want := range map[string]string{
		`{"name":" "}`: "evaluator.name is required", `{"name":"和"}`: "evaluator.slug is required", `{"slug":"A"}`: "evaluator.slug must be lower-case",
		`{"slug":"custom-evaluator"}`: "evaluator.slug must not be the reserved word",
		`{"messages":[{"role":"user","content":"` + strings.Repeat("x", 70_000) + `"}]}`: "evaluator.messages, input_schema and output_schema must have at most",
	} {
		refused(trial(without(t, nil, more)), http.StatusBadRequest, want)
	}
	refused(trial(without(t, nil, `{"slug":"char-count"}`)), http.StatusConflict, `evaluator.slug "char-count" is taken by a prebuilt evaluator`)
	for body, want := range map[string]string{
		`{"input":{"text":"x"}}`:                                             "evaluator is required",
		`{"evaluator":7,"input":{"text":"x"}}`:                               "evaluator must be a JSON object",
		`{"evaluator":` + qualityJudge + `}`:                                 "input is required",
		`{"evaluator":` + qualityJudge + `,"input":7}`:                       "input must be a JSON object",
		`{"evaluator":` + qualityJudge + `,"input":{}}`:                      "input.text is required",
		`{"evaluator":` + qualityJudge + `,"input":{"text":7}}`:              "input.text must be a string",
		`{"evaluator":` + qualityJudge + `,"input":{"text":"x"},"config":7}`: "config must be a JSON object",
		trial(without(t, nil, `{"model":"another"}`)):                        `the model "another" is not among`,
	} {
		refused(body, http.StatusBadRequest, want)
	}
	require.Empty(t, server.Requests(), "nothing is asked in vain")
	require.Empty(t, h.evaluators(t, key, "?source=custom"))
}

func TestTryingACustomEvaluatorFailsAsExecutingOneDoes(t *testing.T) {
	t.Parallel()
	h, _ := newJudgedTestAPI(t, modeltest.Status(500, "boom"), modeltest.Content("SESAME"))
	key := h.newKey(t)
	r := h.call(t, "POST", tryPath, key, trial(qualityJudge))
	require.Equal(t, http.StatusServiceUnavailable, r.status, r.body)
	require.NotEmpty(t, r.header.Get("Retry-After"))
	r = h.call(t, "POST", tryPath, key, trial(qualityJudge))
	require.Equal(t, http.StatusBadGateway, r.status, r.body)
	require.Equal(t, `the model "test" gave no usable answer`, r.message(t))

	h = newTestAPI(t)
	r = h.call(t, "POST", tryPath, h.newKey(t), trial(qualityJudge))
	require.Equal(t, http.StatusNotImplemented, r.status, r.body)
	require.Contains(t, r.message(t), "needs a judge model; configure")
}

func TestTriedCustomEvaluatorIsOfOneEnvironment(t *testing.T) {
	t.Parallel()
	server := modeltest.NewServer(t, modeltest.Content(`{"reason":"so","label":"good","pass":true}`))
	judge := model.NewJudge(model.JudgeSettings{
		Server: model.Server{URL: server.URL(), Client: server.Client()}, Model: modeltest.JudgeModel, MaxTokens: 1000,
		Cache: model.CacheLimits{Bytes: 1 << 20, Age: time.Hour},
	}, model.NewGuard("test", model.Limits{Timeout: time.Minute}, nil, nil))
	h := newTestAPI(t, func(p *parts) { p.models, p.cfg.Models = &judges{judge: judge}, component.MustNewID("models") })
	ours, theirs := h.newKey(t), h.newKey(t)
	for n, key := range []string{ours, theirs} {
		r := h.call(t, "POST", tryPath, key, trial(qualityJudge))
		require.Equal(t, http.StatusOK, r.status, r.body)
		require.Len(t, server.Requests(), n+1, "an environment gets no answer that another one asked for")
	}
	for _, key := range []string{ours, theirs} {
		require.Empty(t, h.evaluators(t, key, "?source=custom"))
	}
}

func TestTryingACustomEvaluatorTakesAKeyThatMayExecute(t *testing.T) {
	t.Parallel()
	h, server := newJudgedTestAPI(t)
	org, _ := h.newOrganization(t, "prd")
	keys := []string{"tl_unknown", accessToken}
	for _, scope := range []string{"ingest", "read", "sidecar"} {
		made := into[keyAnswer](t, h.operator(t, "POST", org+"/environments/prd/keys", fmt.Sprintf(`{"name":"k","scope":%q}`, scope), http.StatusCreated))
		keys = append(keys, made.APIKey)
	}
	for _, key := range keys {
		want := h.call(t, "POST", evaluatorsPath+"/char-count/execute", key, `{"input":{"text":"hello"}}`)
		require.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, want.status)
		got := h.call(t, "POST", tryPath, key, trial(qualityJudge))
		require.Equal(t, want.status, got.status)
		require.Equal(t, want.body, got.body)
	}
	require.Empty(t, server.Requests())
}
