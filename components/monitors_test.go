// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMonitorJudgesFromTheAnswerOn(t *testing.T) {
	t.Parallel()
	h := startCollector(t, t.TempDir())
	key := h.key(t, "ours")
	for i := range 20 { // no span after the 201 may be missed, not even the very next
		id := "m" + strconv.Itoa(i)
		h.makeSetup(t, key, id, []string{"char-count", "word-count"}, []map[string]any{rule("round", id)})
		td := someTraces(byte(i), 1)
		firstSpan(td).Attributes().PutStr("round", id)
		require.NoError(t, h.exportGRPC(t, key, td))
	}
	// What an evaluator that still loads does not judge at once is judged a moment later.
	for _, of := range []string{"evaluation.char-count.char_count", "evaluation.word-count.word_count"} {
		h.awaitVerdicts(t, key, of, 20)
	}
	page := h.page(t, key)
	require.EqualValues(t, 20, page.Spans.TotalResults)
	for _, s := range page.Spans.Data {
		require.Equal(t, "17", s.SpanAttributes["evaluation.char-count.char_count"], s.SpanAttributes)
		require.Equal(t, "3", s.SpanAttributes["evaluation.word-count.word_count"])
	}
}

// awaitVerdicts waits until so many spans have an output of an evaluator.
func (h *collector) awaitVerdicts(t *testing.T, key, of string, spans int) {
	t.Helper()
	exists := filters(t, map[string]any{"id": of, "operator": "exists"})
	require.Eventually(t, func() bool {
		return h.page(t, key, "limit", "1", "filters", exists).Spans.TotalResults >= int64(spans)
	}, patience, 20*time.Millisecond, "%s of %d spans", of, spans)
}

func requireFilters(t *testing.T, h *collector) {
	t.Helper()
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{"char-count", "json-validator"}, nil)
	td := someTraces(1, 4)
	spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	for i, text := range []string{"[1]", "nine char", "twelve chars", "100 tens"} {
		spans.At(i).Attributes().PutStr("gen_ai.completion.0.content", text)
	}
	require.NoError(t, h.exportGRPC(t, key, td))
	for _, c := range []struct {
		id, operator string
		value        any
		want         int64
	}{
		{"evaluation.char-count.char_count", "greater_than", 8, 2}, // 9 and 12: as numbers, not as text
		{"evaluation.char-count.char_count", "less_than_or_equal", "8", 2},
		{"evaluation.char-count.char_count", "equals", "12", 1},
		{"evaluation.json-validator.is_valid_json", "equals", true, 1},
		{"evaluation.json-validator.is_valid_json", "not_equals", "true", 3},
		{"evaluation.json-validator.is_valid_json", "in", []string{"true", "false"}, 4},
		{"evaluation.perplexity.perplexity_score", "exists", nil, 0},
		{"evaluation.perplexity.perplexity_score", "not_exists", nil, 4},
	} {
		condition := map[string]any{"id": c.id, "operator": c.operator}
		if c.value != nil {
			condition["value"] = c.value
		}
		page := h.page(t, key, "filters", filters(t, condition))
		require.Equal(t, c.want, page.Spans.TotalResults, "%v", condition)
	}
}

func requireSetupStatusTellsTheTruth(t *testing.T, h *collector) {
	t.Helper()
	key := h.key(t, "ours")
	created := must[shownSetup](t, h, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{
		"external_id": "m", "evaluators": []string{"char-count"}, "selector": []map[string]any{rule("gen_ai.system", "openai")},
	})
	require.Equal(t, "pending", created.Status)
	require.Equal(t, "pending", created.Evaluators[0].Status)

	h.awaitStatus(t, key, "m", "waiting_for_spans")
	td := someTraces(1, 1)
	firstSpan(td).Attributes().PutStr("gen_ai.system", "anthropic")
	require.NoError(t, h.exportGRPC(t, key, td)) // no match
	require.NoError(t, h.exportGRPC(t, key, someTraces(2, 1)))
	done := h.awaitStatus(t, key, "m", "completed")
	require.Equal(t, "completed", done.Evaluators[0].Status)
	require.Equal(t, created.ID, done.ID)

	// A changed setup starts over, and only a span that matches it completes it.
	put := must[shownSetup](t, h, http.MethodPut, "/v2/auto-monitor-setups/m", key, map[string]any{
		"selector": []map[string]any{rule("gen_ai.system", "mistral")},
	})
	require.Equal(t, "pending", put.Status)
	h.awaitStatus(t, key, "m", "waiting_for_spans")
	require.NoError(t, h.exportGRPC(t, key, someTraces(3, 1)))
	td = someTraces(4, 1)
	firstSpan(td).Attributes().PutStr("gen_ai.system", "mistral")
	require.NoError(t, h.exportGRPC(t, key, td))
	h.awaitStatus(t, key, "m", "completed")
	judged := h.page(t, key, "filters", filters(t, map[string]any{"id": "evaluation.char-count.char_count", "operator": "exists"}))
	require.EqualValues(t, 2, judged.Spans.TotalResults)
}

func requireDeletedSetupJudgesNoMore(t *testing.T, h *collector) {
	t.Helper()
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{"char-count"}, nil)
	code, body := h.call(t, http.MethodDelete, "/v2/auto-monitor-setups/m", key, nil)
	require.Equal(t, http.StatusNoContent, code)
	require.Empty(t, body)
	require.NoError(t, h.exportGRPC(t, key, someTraces(1, 1)))
	require.NotContains(t, h.page(t, key).Spans.Data[0].SpanAttributes, "evaluation.char-count.char_count")
}

func TestEverythingSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := startCollector(t, dir)
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{"char-count"}, nil)
	td := someTraces(1, 5)
	require.NoError(t, h.exportGRPC(t, key, td))
	first := h.page(t, key, "limit", "2")
	h.stop()

	again := startCollector(t, dir)
	require.NoError(t, again.exportGRPC(t, key, td)) // a retry that the restart got in the way of
	require.NoError(t, again.exportGRPC(t, key, someTraces(2, 1)))
	page := again.page(t, key)
	require.EqualValues(t, 6, page.Spans.TotalResults)
	for _, s := range page.Spans.Data {
		require.Equal(t, "17", s.SpanAttributes["evaluation.char-count.char_count"])
	}
	rest := again.page(t, key, "limit", "2", "cursor", first.Spans.NextCursor)
	require.Equal(t, page.Spans.Data[2:4], rest.Spans.Data)
	again.awaitStatus(t, key, "m", "completed")
}

type shownSetup struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	Evaluators []struct {
		EvaluatorType string `json:"evaluator_type"`
		Status        string `json:"status"`
	} `json:"evaluators"`
}

func (h *collector) awaitStatus(t *testing.T, key, externalID, want string) (s shownSetup) {
	t.Helper()
	require.Eventually(t, func() bool {
		s = must[shownSetup](t, h, http.MethodGet, "/v2/auto-monitor-setups/"+externalID, key, nil)
		return s.Status == want
	}, patience, 20*time.Millisecond, "want %s", want)
	return s
}
