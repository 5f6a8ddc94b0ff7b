// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// Paths of the spans that libraries write first.
const (
	firstSpan  = spansPath + "/01000000000000000000000000000000/0200000000000000/evaluations"
	secondSpan = spansPath + "/01010000000000000000000000000000/0200010000000000/evaluations"
)

// shownEvaluation is the record of an evaluation as a client reads it.
type shownEvaluation struct {
	SetupID    string         `json:"setup_id"`
	ExternalID string         `json:"external_id"`
	Evaluator  string         `json:"evaluator"`
	Status     string         `json:"status"`
	Reason     string         `json:"reason"`
	Outputs    map[string]any `json:"outputs"`
	Backend    string         `json:"backend"`
	Version    string         `json:"version"`
	Model      string         `json:"model"`
	Cached     bool           `json:"cached"`
	Generation int64          `json:"generation"`
	Revision   int64          `json:"revision"`
	Inclusion  float64        `json:"inclusion_probability"`
	Source     string         `json:"source"`
	Truncated  bool           `json:"truncated"`
	Attempts   int            `json:"attempts"`
	Usage      map[string]any `json:"usage"`
	DurationMS float64        `json:"duration_ms"`
	Time       string         `json:"time"`
	Due        string         `json:"due"`
}

func (h *testAPI) evaluationsOf(t *testing.T, key, path string) []shownEvaluation {
	t.Helper()
	r := h.call(t, "GET", path, key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.Contains(t, r.body, `"evaluations":[`)
	return into[struct {
		Evaluations []shownEvaluation `json:"evaluations"`
	}](t, r).Evaluations
}

func TestEvaluationsOfASpanAreToldInFull(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	s := l.create(t, l.key, `{"external_id":"m1","evaluators":["char-count"]}`)
	at := time.Now().Add(-time.Minute).Truncate(time.Millisecond).UTC()
	l.write(t, 2, func(i int, r *store.Record) {
		if i > 0 {
			return
		}
		r.Evaluations = []eval.Evaluation{
			{SetupID: s.ID, Evaluator: "char-count", Status: eval.Done, Outputs: []eval.Output{{Name: "char_count", Value: int64(3)}}, Backend: eval.Deterministic, Duration: 1_250_000, Time: at.UnixNano()},
			{
				SetupID: s.ID, Evaluator: "faithfulness", Status: eval.Done, Outputs: []eval.Output{{Name: "is_faithful", Value: false}, {Name: "why", Value: "<é\\\"\x00>"}},
				Backend: eval.Judge, Version: "2", Truncated: true, Usage: eval.Usage{PromptTokens: 100, CompletionTokens: 7, Cost: 0.125, Unpriced: true}, Attempts: 2, Time: at.Add(time.Second).UnixNano(),
			},
			{SetupID: s.ID, Evaluator: "tone-detection", Status: eval.Skipped, Reason: eval.ReasonMissingInput, Time: at.Add(2 * time.Second).UnixNano()},
			{SetupID: "gone", Evaluator: "answer-relevancy", Status: eval.Deferred, Reason: eval.ReasonModel, Time: at.Add(3 * time.Second).UnixNano(), Due: at.Add(time.Hour).UnixNano()},
		}
	})
	got := l.evaluationsOf(t, l.key, firstSpan)
	require.Equal(t, []shownEvaluation{
		{
			SetupID: s.ID, ExternalID: "m1", Evaluator: "char-count", Status: "done", Outputs: map[string]any{"char_count": 3.0}, Backend: "deterministic",
			Revision: 1, Usage: map[string]any{"prompt_tokens": 0.0, "completion_tokens": 0.0, "cost_usd": 0.0}, DurationMS: 1.25, Time: at.Format("2006-01-02T15:04:05.000Z"),
		},
		{
			SetupID: s.ID, ExternalID: "m1", Evaluator: "faithfulness", Status: "done", Outputs: map[string]any{"is_faithful": false, "why": "<é\\\"\x00>"},
			Backend: "judge", Version: "2", Truncated: true, Attempts: 2,
			Revision: 1, Usage: map[string]any{"prompt_tokens": 100.0, "completion_tokens": 7.0, "cost_usd": 0.125, "unpriced": true}, Time: at.Add(time.Second).Format("2006-01-02T15:04:05.000Z"),
		},
		{
			SetupID: s.ID, ExternalID: "m1", Evaluator: "tone-detection", Status: "skipped", Reason: "missing_input", Outputs: map[string]any{},
			Revision: 1, Usage: map[string]any{"prompt_tokens": 0.0, "completion_tokens": 0.0, "cost_usd": 0.0}, Time: at.Add(2 * time.Second).Format("2006-01-02T15:04:05.000Z"),
		},
		{
			SetupID: "gone", Evaluator: "answer-relevancy", Status: "deferred", Reason: "model", Outputs: map[string]any{},
			Revision: 1, Usage: map[string]any{"prompt_tokens": 0.0, "completion_tokens": 0.0, "cost_usd": 0.0},
			Time: at.Add(3 * time.Second).Format("2006-01-02T15:04:05.000Z"), Due: at.Add(time.Hour).Format("2006-01-02T15:04:05.000Z"),
		},
	}, got)
	require.Equal(t, got, l.evaluationsOf(t, l.key, strings.ReplaceAll(firstSpan, "0a", "0A")))
	require.Empty(t, l.evaluationsOf(t, l.key, secondSpan), "a span that no setup matched")
}

func TestRevisionsOfEvaluations(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	at := time.Now().Add(-time.Minute).UnixNano()
	made := func(revision int64, status eval.Status) eval.Evaluation {
		return eval.Evaluation{SetupID: "s", Evaluator: "tone-detection", Status: status, Revision: revision, Time: at + revision}
	}
	var stored store.Location
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Evaluations = []eval.Evaluation{made(0, eval.Failed)}
		stored = store.Location{Environment: r.Environment.ID, Span: r.Span.Key()}
	})
	for i, status := range []eval.Status{eval.Failed, eval.Done} {
		_, err := l.spans.Write(t.Context(), store.Batch{Evaluations: []store.Evaluated{{
			Environment: stored.Environment, Span: stored.Span, Evaluations: []eval.Evaluation{made(int64(i+1), status)},
		}}})
		require.NoError(t, err)
	}
	latest := l.evaluationsOf(t, l.key, firstSpan)
	require.Len(t, latest, 1)
	require.EqualValues(t, 3, latest[0].Revision)
	all := l.evaluationsOf(t, l.key, firstSpan+"?revisions=all")
	require.Len(t, all, 3)
	for i, status := range []string{"failed", "failed", "done"} {
		require.EqualValues(t, i+1, all[i].Revision, "the oldest first")
		require.Equal(t, status, all[i].Status)
	}
	require.Equal(t, latest[0], all[2])
	for _, other := range []string{"latest", "1", "ALL", "all%00"} {
		r := l.call(t, "GET", firstSpan+"?revisions="+other, l.key, "")
		require.Equal(t, http.StatusBadRequest, r.status)
		require.Equal(t, "revisions must be all, or absent", r.message(t))
	}
}

func TestEvaluationsOfNoSpan(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Evaluations = []eval.Evaluation{{SetupID: "s", Evaluator: "char-count", Status: eval.Failed, Reason: "x", Time: r.Span.Start}}
	})
	require.Len(t, l.evaluationsOf(t, l.key, firstSpan), 1)
	require.Len(t, l.evaluationsOf(t, l.key, strings.ToUpper(firstSpan[:0])+firstSpan), 1)
	for path, key := range map[string]string{
		firstSpan: l.newKey(t), // another's
		strings.Replace(firstSpan, "0200", "0f00", 1):                                l.key,
		spansPath + "/00000000000000000000000000000000/0000000000000000/evaluations": l.key,
	} {
		r := l.call(t, "GET", path, key, "")
		require.Equal(t, http.StatusNotFound, r.status, path)
		require.Equal(t, "span not found", r.message(t))
	}
	for path, want := range map[string]string{
		spansPath + "/x/0200000000000000/evaluations":                                   "trace_id must be 32 hexadecimal digits",
		spansPath + "/0g000000000000000000000000000000/0200000000000000/evaluations":    "trace_id must be 32 hexadecimal digits",
		spansPath + "/%2000000000000000000000000000000%20/0200000000000000/evaluations": "trace_id must be 32",
		spansPath + "/01000000000000000000000000000000/020000000000000/evaluations":     "span_id must be 16 hexadecimal digits",
		spansPath + "/01000000000000000000000000000000/0x00000000000000/evaluations":    "span_id must be 16",
		spansPath + "/01000000000000000000000000000000/%27%20OR%201=1%20--/evaluations": "span_id must be 16",
		spansPath + "/01000000000000000000000000000000/020000000000000%00/evaluations":  "span_id must be 16",
	} {
		r := l.call(t, "GET", path, l.key, "")
		require.Equal(t, http.StatusBadRequest, r.status, path)
		require.Contains(t, r.message(t), want)
	}
}

// A client may use the ids of a span again in another ten minutes. Routes that name a
// span by its ids tell of the one that started last.
func TestOfSpansOfTheSameIDsTheLastCounts(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	s := l.create(t, l.key, `{"external_id":"m1","evaluators":["char-count"]}`)
	for i, before := range []time.Duration{time.Hour, 2 * time.Hour} { // the later one comes first
		l.write(t, 1, func(_ int, r *store.Record) {
			r.Span.Start = time.Now().Add(-before).UnixNano()
			r.Evaluations = []eval.Evaluation{{
				SetupID: s.ID, Evaluator: "char-count", Status: eval.Done, Backend: eval.Deterministic, Time: r.Span.Start,
				Outputs: []eval.Output{{Name: "char_count", Value: int64(i)}},
			}}
		})
	}
	got := l.evaluationsOf(t, l.key, firstSpan)
	require.Len(t, got, 1)
	require.Equal(t, map[string]any{"char_count": 0.0}, got[0].Outputs)
	r := l.call(t, "GET", strings.Replace(firstSpan, "/evaluations", "/explain", 1), l.key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	var told struct {
		Timestamp int64 `json:"timestamp"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.body), &told))
	require.InDelta(t, time.Now().Add(-time.Hour).UnixMilli(), told.Timestamp, 120_000, "milliseconds")
}
