// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestUpdateReplacesWhatItHas(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	made := h.create(t, key, `{"external_id":"m1","evaluators":["char-count"],"selector":{"a":"b"}}`)
	env := tenant.EnvironmentID(made.EnvProjectID)
	settle(t, h, env)
	require.Equal(t, "failed", h.get(t, key, "m1").Status)
	require.NotEmpty(t, h.get(t, key, "m1").Evaluators[0].ProcessedAt)
	require.Equal(t, "no model", h.get(t, key, "m1").Evaluators[0].ErrorMessage)

	put := func(name, body string) shownSetup {
		t.Helper()
		r := h.call(t, "PUT", setupsPath+"/"+name, key, body)
		require.Equal(t, http.StatusOK, r.status, r.body)
		s := into[shownSetup](t, r)
		require.Equal(t, "pending", s.Status)
		for _, e := range s.Evaluators {
			require.Equal(t, "pending", e.Status)
			require.Empty(t, e.ErrorMessage+e.ProcessedAt)
		}
		require.Equal(t, made.ID, s.ID)
		require.Equal(t, made.ExternalID, s.ExternalID)
		require.Equal(t, made.CreatedAt, s.CreatedAt)
		require.Equal(t, s, h.get(t, key, "m1"))
		return s
	}
	first := put("m1", `{"evaluators":["perplexity",{"evaluator_type":"word-count"}]}`)
	require.Equal(t, []string{"perplexity", "word-count"}, first.slugs())
	require.Equal(t, made.InitRules, first.InitRules)
	require.Greater(t, first.UpdatedAt, made.UpdatedAt)

	second := put(made.ID, `{"selector":[{"key":"a","source":"span_attributes","operator":"exists"}],"external_id":"m1"}`)
	require.Equal(t, first.slugs(), second.slugs())
	require.Equal(t, []map[string]any{{"key": "a", "source": "span_attributes", "operator": "exists"}}, second.InitRules)

	settle(t, h, env)
	third := put("m1", `{"selector":null,"evaluators":null}`)
	require.Equal(t, second.InitRules, third.InitRules)
	fourth := put("m1", `{"selector":[]}`)
	require.Empty(t, fourth.InitRules)

	stored, err := store.Setups(h.live).Get(t.Context(), env, "m1")
	require.NoError(t, err)
	require.EqualValues(t, 4, stored.Generation, "the third changed no selector")
}

// settle ends the setups' first steps, as the monitor processor does.
func settle(t *testing.T, h *testAPI, env tenant.EnvironmentID) {
	t.Helper()
	s, err := store.Setups(h.live).Get(t.Context(), env, "m1")
	require.NoError(t, err)
	s, ok := s.TakenUp(time.Now())
	require.True(t, ok)
	s, ok = s.Checked(time.Now(), func(*monitor.SetupEvaluator) string { return "no model" })
	require.True(t, ok)
	_, err = store.Setups(h.live).Replace(t.Context(), s)
	require.NoError(t, err)
}

// What was answered can be sent back, to any of the ways to a setup: its rules stay.
func TestSetupsAreSentBackAsTheyWereAnswered(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	ours, theirs := h.newKey(t), h.newKey(t)
	for _, body := range []string{
		`{"external_id":"m1","evaluators":["char-count"],"selector":[{"key":"a","source":"span_attributes","operator":"exists"},{"key":"b","values":["x","y"],"source":"resource_attributes","operator":"in"}]}`,
		`{"entity_type":"agent","entity_value":"planner","evaluators":[{"slug":"char-count","sample_rate":0.5}],"selector":{"c":"d"}}`,
		`{"external_id":"all","evaluators":["char-count"]}`,
	} {
		made := h.create(t, ours, body)
		path := setupsPath + "/" + url.PathEscape(made.ExternalID)
		answered := h.call(t, "GET", path, ours, "").body
		put := into[shownSetup](t, h.call(t, "PUT", path, ours, answered))
		require.Equal(t, made.InitRules, put.InitRules)
		bulk := h.bulk(t, ours, answered)
		require.Equal(t, made.InitRules, bulk.Setups[0].Result.InitRules, "replaced as a whole")
		require.Equal(t, made.InitRules, h.create(t, theirs, answered).InitRules)
		preview := h.call(t, "POST", setupsPath+"/preview", ours, `{"from_timestamp_sec":0,`+answered[1:])
		require.Equal(t, http.StatusOK, preview.status, preview.body)

		both := h.call(t, "PUT", path, ours, `{"selector":{"e":"f"},`+answered[1:])
		require.Equal(t, []map[string]any{{"key": "e", "value": "f", "source": "span_attributes", "operator": "equals"}}, into[shownSetup](t, both).InitRules)
		wrong := h.call(t, "PUT", path, ours, `{"init_rules":[{"key":"a","source":"span_attributes","operator":"in"}]}`)
		require.Equal(t, "init_rules[0].values is required for operator in", wrong.message(t))
	}
}

func TestUpdateIsRefusedNamingTheField(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	made := h.create(t, key, `{"external_id":"m1","evaluators":["char-count"]}`)
	for body, want := range map[string]string{
		`{"evaluators":[]}`:       "evaluators must contain at least one item",
		`{"evaluators":["nope"]}`: "evaluators[0]: unknown",
		`{"selector":[{}]}`:       "selector[0].key is required",
		`{"external_id":"m2"}`:    "external_id cannot be changed",
		`{"entity_type":"agent"}`: "entity_type cannot be changed",
		`{"entity_value":"x"}`:    "entity_value cannot be changed",
		`{"entity_value":7}`:      "entity_value must be a string",
	} {
		r := h.call(t, "PUT", setupsPath+"/m1", key, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Contains(t, r.message(t), want)
	}
	r := h.call(t, "PUT", setupsPath+"/unknown", key, `{}`)
	require.Equal(t, http.StatusNotFound, r.status)
	require.JSONEq(t, `{"error":"auto monitor setup not found"}`, r.body)
	require.Equal(t, made, h.get(t, key, "m1"))
}

func TestDeletedSetupIsGone(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for _, by := range []func(shownSetup) string{
		func(s shownSetup) string { return s.ID },
		func(s shownSetup) string { return s.ExternalID },
	} {
		s := h.create(t, key, `{"external_id":"m1","evaluators":["char-count"]}`)
		r := h.call(t, "DELETE", setupsPath+"/"+by(s), key, "")
		require.Equal(t, http.StatusNoContent, r.status)
		require.Empty(t, r.body)
		require.Empty(t, r.header.Get("Content-Type"))
		require.Equal(t, http.StatusNotFound, h.call(t, "DELETE", setupsPath+"/"+by(s), key, "").status)
		require.Equal(t, http.StatusNotFound, h.call(t, "GET", setupsPath+"/m1", key, "").status)
	}
}
