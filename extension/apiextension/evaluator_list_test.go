// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
)

// shownEvaluator is an evaluator as a client reads it.
type shownEvaluator struct {
	ID           string              `json:"id"`
	Slug         string              `json:"slug"`
	Name         string              `json:"name"`
	Type         string              `json:"type"`
	Description  string              `json:"description"`
	Version      string              `json:"version"`
	Source       string              `json:"source"`
	InputSchema  []map[string]any    `json:"input_schema"`
	OutputSchema []map[string]any    `json:"output_schema"`
	ConfigSchema []map[string]string `json:"config_schema"`
	Languages    []string            `json:"languages"`
	Backends     []string            `json:"backends"`
	Config       *shownConfig        `json:"config"`
	CreatedAt    string              `json:"created_at"`
	UpdatedAt    string              `json:"updated_at"`
}

type shownConfig struct {
	Provider string              `json:"provider"`
	Mode     string              `json:"mode"`
	Messages []map[string]string `json:"messages"`
	LLM      map[string]any      `json:"llm_config"`
}

func (h *testAPI) evaluators(t *testing.T, key, params string) (slugs []string) {
	t.Helper()
	r := h.call(t, "GET", evaluatorsPath+params, key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.Contains(t, r.body, `"evaluators":[`, "never null")
	for _, e := range into[struct {
		Evaluators []shownEvaluator `json:"evaluators"`
	}](t, r).Evaluators {
		slugs = append(slugs, e.Slug)
	}
	return slugs
}

func TestPrebuiltEvaluatorsAreListed(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	var all []string
	for _, e := range evaluators.Catalog().All() {
		all = append(all, e.Slug)
	}
	require.Equal(t, all, h.evaluators(t, key, "?source=prebuilt"))
	require.Equal(t, all, h.evaluators(t, key, ""))
	require.Equal(t, all, h.evaluators(t, key, "?source=&unknown=x"))
	require.Empty(t, h.evaluators(t, key, "?source=custom"))
	for _, params := range []string{"?source=x", "?source=%00", "?source=%zz"} {
		r := h.call(t, "GET", evaluatorsPath+params, key, "")
		require.Equal(t, http.StatusBadRequest, r.status, params)
		require.NotEmpty(t, r.message(t))
	}
}

func TestPrebuiltEvaluatorIsShown(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	r := h.call(t, "GET", evaluatorsPath+"/agent-tool-trajectory", key, "")
	require.Equal(t, http.StatusOK, r.status)
	e := into[shownEvaluator](t, r)
	require.Equal(t, "agent-tool-trajectory", e.Slug)
	require.Equal(t, e.Slug, e.ID)
	require.Equal(t, "prebuilt", e.Source)
	require.Equal(t, "v1", e.Version)
	require.NotEmpty(t, e.Description)
	require.NotEmpty(t, e.InputSchema)
	require.NotEmpty(t, e.OutputSchema)
	require.Len(t, e.ConfigSchema, 4)
	require.Equal(t, []string{"deterministic"}, e.Backends)
	relevancy := into[shownEvaluator](t, h.call(t, "GET", evaluatorsPath+"/answer-relevancy", key, ""))
	require.Equal(t, []string{"judge", "embedded"}, relevancy.Backends, "the best first")
	for _, name := range []string{"nobody", "%00", "%ff", "..%2f", "char-count%20", "CHAR-COUNT"} {
		r := h.call(t, "GET", evaluatorsPath+"/"+name, key, "")
		require.Equal(t, http.StatusNotFound, r.status, name)
		require.Equal(t, "evaluator not found", r.message(t))
	}
}
