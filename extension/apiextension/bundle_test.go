// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const bundlePath = "/v2/setups/bundle"

// bundle asks for the bundle with the tag of the one that is there, if any.
func (h *testAPI) bundle(t *testing.T, key, tag string) reply {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + key}}
	if tag != "" {
		header.Set("If-None-Match", tag)
	}
	return h.send(t, "GET", bundlePath, header, nil)
}

// bundled is bundle for one that is to have changed; it gives the setups by external
// id, and the tag.
func (h *testAPI) bundled(t *testing.T, key, tag string) (map[string]monitor.Setup, string) {
	t.Helper()
	r := h.bundle(t, key, tag)
	require.Equal(t, http.StatusOK, r.status, r.body)
	b, err := monitor.UnpackBundle([]byte(r.body))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), b.MadeAt, time.Minute)
	byName := map[string]monitor.Setup{}
	for _, s := range b.Setups {
		byName[s.ExternalID] = s
	}
	require.NotEqual(t, tag, r.header.Get("Etag"))
	return byName, r.header.Get("Etag")
}

func TestASidecarFollowsTheSetupsOfItsEnvironment(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t, func(p *parts) { // a judge is what "auto" means where there is one
		p.models, p.cfg.Models = &everywhere{judges{judge: noJudge{}}}, component.MustNewID("models")
	})
	org, keys := h.newOrganization(t, "prd", "dev")
	made := into[keyAnswer](t, h.operator(t, "POST", org+"/environments/prd/keys", `{"name":"sidecars","scope":"sidecar"}`, http.StatusCreated))
	setups, tag := h.bundled(t, made.APIKey, "")
	require.Empty(t, setups)
	require.Equal(t, http.StatusNotModified, h.bundle(t, made.APIKey, tag).status)

	custom := h.define(t, keys[0], qualityJudge)
	h.create(t, keys[0], `{"external_id":"local","selector":[{"source":"span_attributes","key":"llm.request.type","operator":"equals","value":"chat"}],"evaluators":["char-count",
		{"evaluator_type":"pii-detector","backend":"deterministic"}],"min_spans":3,"max_cost_per_day":7}`)
	h.create(t, keys[0], fmt.Sprintf(`{"external_id":"mixed","evaluators":["word-count","answer-relevancy",%q]}`, custom.Slug))
	h.create(t, keys[0], fmt.Sprintf(`{"external_id":"judged","evaluators":["faithfulness",%q]}`, custom.Slug))
	h.create(t, keys[1], `{"external_id":"theirs","evaluators":["char-count"]}`)
	setups, tag = h.bundled(t, made.APIKey, tag)
	require.Len(t, setups, 2, "what has none that judges in place is not there")
	local, mixed := setups["local"], setups["mixed"]
	require.Equal(t, int64(1), local.Generation)
	require.Len(t, local.Evaluators, 2)
	require.Len(t, local.Selector, 1)
	require.Zero(t, local.MaxCostPerDay)
	require.Len(t, mixed.Evaluators, 1, "a judge is asked for the others")
	require.Equal(t, "word-count", mixed.Evaluators[0].Slug)

	// How far setups got changes nothing, the wishes of users do.
	answered := h.bundle(t, made.APIKey, tag)
	require.Equal(t, http.StatusNotModified, answered.status)
	require.Empty(t, answered.body)
	require.Equal(t, tag, answered.header.Get("Etag"))
	moved, err := store.Setups(h.live).Get(t.Context(), local.EnvironmentID, "local")
	require.NoError(t, err)
	moved, _ = moved.TakenUp(time.Now())
	_, err = store.Setups(h.live).Replace(t.Context(), moved)
	require.NoError(t, err)
	require.Equal(t, http.StatusNotModified, h.bundle(t, made.APIKey, `"other", W/`+tag).status)
	for i, body := range []string{`{"selector":[]}`, `{"paused":true}`, `{"paused":false}`, `{"evaluators":["char-count"]}`} {
		require.Equal(t, http.StatusOK, h.call(t, "PUT", setupsPath+"/local", keys[0], body).status)
		setups, tag = h.bundled(t, made.APIKey, tag)
		require.Equal(t, i == 1, len(setups) == 1, body)
	}
	require.Equal(t, int64(3), setups["local"].Generation)

	for scope, status := range map[tenant.Scope]int{tenant.Full: 200, tenant.Read: 200, tenant.Ingest: 403} {
		k := into[keyAnswer](t, h.operator(t, "POST", org+"/environments/dev/keys", fmt.Sprintf(`{"name":"k","scope":%q}`, scope), http.StatusCreated))
		r := h.bundle(t, k.APIKey, tag)
		require.Equal(t, status, r.status)
		require.NotContains(t, r.body, "local", "another environment's")
	}
	h.operator(t, "GET", bundlePath, "", http.StatusForbidden)
}

// Only we write bundles, and still damaged ones are refused.
func TestABundleIsReadStrictly(t *testing.T) {
	t.Parallel()
	whole := monitor.Bundle{Version: monitor.BundleVersion, Environment: "e", Setups: []monitor.Setup{{ID: "s", EnvironmentID: "e", Generation: 1}}}
	for name, spoil := range map[string]func(*monitor.Bundle){
		"":                                func(*monitor.Bundle) {},
		"has version 2":                   func(b *monitor.Bundle) { b.Version = 2 },
		"names no environment":            func(b *monitor.Bundle) { b.Environment = "" },
		"the bundle of setups is damaged": func(b *monitor.Bundle) { b.Setups[0].EnvironmentID = "other" },
		"the bundle of setups is damaged" + "\x00": func(b *monitor.Bundle) { b.Setups[0].Generation = 0 },
	} {
		b := whole
		b.Setups = append([]monitor.Setup{}, whole.Setups...)
		spoil(&b)
		text, err := json.Marshal(b)
		require.NoError(t, err)
		_, err = monitor.UnpackBundle(text)
		if name == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, name[:min(len(name), 20)])
	}
	_, err := monitor.UnpackBundle([]byte("{"))
	require.Error(t, err)
	require.Empty(t, monitor.Local([]monitor.Setup{{Evaluators: []monitor.SetupEvaluator{{Slug: "none"}}}}, func(*monitor.SetupEvaluator) (*eval.Evaluator, error) { return nil, nil }))
}
