// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/monitor"
)

func TestSetupsSayWhatBecomesOfSpans(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	const one = `"on_verdict":[{"evaluator":"pii-detector","action":"mask"},{"evaluator":"profanity-detector","action":"drop_span","on_failure":"keep"}]`
	r := h.call(t, "POST", setupsPath, key, `{"external_id":"m","evaluators":["pii-detector",{"slug":"profanity-detector","backend":"embedded"}],`+one+`}`)
	require.Equal(t, http.StatusCreated, r.status, r.body)
	want := []monitor.OnVerdict{{Evaluator: "pii-detector", Action: monitor.ActMask}, {Evaluator: "profanity-detector", Action: monitor.ActDropSpan, OnFailure: monitor.FailKeep}}
	require.Equal(t, want, into[shownSetup](t, r).OnVerdict)
	tag := r.header.Get("Etag")

	put := func(body string) reply { return h.call(t, "PUT", setupsPath+"/m", key, body) }
	r = put(`{"min_spans":2}`)
	require.Equal(t, want, into[shownSetup](t, r).OnVerdict, "what is left out stays")
	require.NotEqual(t, tag, r.header.Get("Etag"))
	r = put(`{"evaluators":["pii-detector"]}`)
	require.Equal(t, http.StatusBadRequest, r.status)
	require.Equal(t, `on_verdict[1].evaluator: "profanity-detector" is not an evaluator of the setup`, r.message(t))
	r = put(`{"evaluators":["pii-detector"],"evaluator_configs":{"pii-detector":{"sample_rate":0.5}},"on_verdict":[{"evaluator":"pii-detector","action":"hash"}]}`)
	require.Equal(t, "on_verdict[0].evaluator: pii-detector must judge every span: leave out its sample_rate", r.message(t))
	r = put(`{"on_verdict":null}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.Nil(t, into[shownSetup](t, r).OnVerdict)
	require.Nil(t, into[shownSetup](t, h.call(t, "GET", setupsPath+"/m", key, "")).OnVerdict)
}

func TestWhatCannotBecomeOfSpans(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t, func(p *parts) { // there is a judge to be asked
		p.models, p.cfg.Models = &everywhere{judges{judge: noJudge{}}}, component.MustNewID("models")
	})
	_, keys := h.newOrganization(t, "prd")
	key := keys[0]
	custom := h.define(t, key, qualityJudge)
	for asked, want := range map[string]string{
		`[{"evaluator":"pii-detector","action":"mask"},{"evaluator":"pii-detector","action":"hash"}]`: "on_verdict[1].evaluator is named before",
		`[{"evaluator":"word-count","action":"drop_span"}]`:                                           `on_verdict[0].evaluator: "word-count" is not an evaluator of the setup`,
		`[{"evaluator":"char-count","action":"drop_span"}]`:                                           "on_verdict[0].evaluator: the verdicts of char-count speak neither for a text nor against it",
		`[{"evaluator":"json-validator","action":"mask"}]`:                                            "on_verdict[0].action must be drop_content or drop_span: json-validator does not tell where in a text it found something",
		`[{"evaluator":"regex-validator","action":"mask"}]`:                                           "on_verdict[0].action: regex-validator: config.should_match must be false where what the expression finds speaks against a text",
		`[{"evaluator":"answer-relevancy","action":"drop_content"}]`:                                  "on_verdict[0].evaluator: answer-relevancy may ask a model, and no span waits for one: set its backend to embedded",
		fmt.Sprintf(`[{"evaluator":%q,"action":"drop_content"}]`, custom.Slug):                        fmt.Sprintf("on_verdict[0].evaluator: %s asks a model, and no span waits for one", custom.Slug),
		`[{"evaluator":"agent-goal-accuracy","action":"drop_content"}]`:                               "on_verdict[0].evaluator: \"agent-goal-accuracy\" is not an evaluator of the setup",
		`[{"evaluator":"pii-detector","action":"burn"}]`:                                              "on_verdict[0].action must be one of mask, hash, drop_content, drop_span",
		`[{"evaluator":"pii-detector","action":"mask","on_failure":"pray"}]`:                          "on_verdict[0].on_failure must be one of drop_content, keep",
		`[{"action":"mask"}]`:            "on_verdict[0].evaluator is required",
		`[{"evaluator":"pii-detector"}]`: "on_verdict[0].action is required",
		`{"evaluator":"pii-detector"}`:   "on_verdict must be an array",
		`[7]`:                            "on_verdict[0] must be a JSON object",
	} {
		r := h.call(t, "POST", setupsPath, key, fmt.Sprintf(`{"external_id":"m","evaluators":["pii-detector","char-count","json-validator","answer-relevancy",%q,
			{"slug":"regex-validator","config":{"regex":"x"}}],"on_verdict":%s}`, custom.Slug, asked))
		require.Equal(t, http.StatusBadRequest, r.status, asked)
		require.Equal(t, want, r.message(t), asked)
	}
	r := h.call(t, "POST", setupsPath, key, `{"external_id":"m","evaluators":[{"slug":"pii-detector","backend":"judge"}],"on_verdict":[{"evaluator":"pii-detector","action":"mask"}]}`)
	require.Equal(t, "on_verdict[0].evaluator: pii-detector may ask a model, and no span waits for one: set its backend to deterministic", r.message(t))
}

// A sidecar learns what becomes of spans, and the key of hashes if one is needed; who only
// reads does not.
func TestTheBundleSaysWhatBecomesOfSpans(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	org, keys := h.newOrganization(t, "prd", "dev")
	scoped := func(env, scope string) string {
		return into[keyAnswer](t, h.operator(t, "POST", org+"/environments/"+env+"/keys", fmt.Sprintf(`{"name":"k","scope":%q}`, scope), http.StatusCreated)).APIKey
	}
	read := func(key string) (b monitor.Bundle) {
		r := h.bundle(t, key, "")
		require.Equal(t, http.StatusOK, r.status)
		require.NoError(t, json.Unmarshal([]byte(r.body), &b))
		return b
	}
	sidecar := scoped("prd", "sidecar")
	h.create(t, keys[0], `{"external_id":"m","evaluators":["pii-detector","char-count"],"on_verdict":[{"evaluator":"pii-detector","action":"mask"}]}`)
	b := read(sidecar)
	require.Equal(t, []monitor.OnVerdict{{Evaluator: "pii-detector", Action: monitor.ActMask}}, b.Setups[0].OnVerdict)
	require.Empty(t, b.HashKey)

	for _, key := range keys {
		h.create(t, key, `{"external_id":"h","evaluators":["secrets-detector"],"on_verdict":[{"evaluator":"secrets-detector","action":"hash"}]}`)
	}
	b = read(sidecar)
	require.Len(t, b.HashKey, 32)
	require.Equal(t, b.HashKey, read(scoped("prd", "sidecar")).HashKey)
	require.NotEqual(t, b.HashKey, read(scoped("dev", "sidecar")).HashKey)
	require.Empty(t, read(scoped("prd", "read")).HashKey)
}
