// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// ids name the first span of a library in a body.
const ids = `"trace_id":"01000000000000000000000000000000","span_id":"0200000000000000"`

// executedSpan is what came of an evaluator on a span.
type executedSpan struct {
	TraceID    string            `json:"trace_id"`
	SpanID     string            `json:"span_id"`
	Inputs     map[string]string `json:"inputs"`
	Missing    []string          `json:"missing"`
	Reason     string            `json:"reason"`
	Result     map[string]any    `json:"result"`
	Good       *bool             `json:"good"`
	Backend    string            `json:"backend"`
	Version    string            `json:"version"`
	Model      string            `json:"model"`
	Cached     bool              `json:"cached"`
	Language   string            `json:"language"`
	Truncated  bool              `json:"truncated"`
	Usage      map[string]any    `json:"usage"`
	DurationMS float64           `json:"duration_ms"`
}

// answered is a completion.
func answered(text string) span.Attributes {
	return span.NewAttributes([]span.Attribute{{Key: "llm.completions.0.role", Value: "assistant"}, {Key: "llm.completions.0.content", Value: text}})
}

func (l *library) executeSpan(t *testing.T, slug, members string) executedSpan {
	t.Helper()
	r := l.call(t, "POST", evaluatorsPath+"/"+slug+"/execute-span", l.key, "{"+ids+members+"}")
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[executedSpan](t, r)
}

func TestEvaluatorsRunOnStoredSpans(t *testing.T) {
	t.Parallel()
	h, server := newJudgedTestAPI(t, modeltest.Content(`{"reason":"r","label":"bad","pass":false}`))
	l := libraryOf(t, h)
	l.define(t, l.key, qualityJudge)
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Span.Completions = answered("Write to jane.miller@example.com, please.")
		r.Span.Attributes = span.NewAttributes([]span.Attribute{{Key: "app.reply", Value: `[{"text":"abc"}]`}})
	})
	x := l.executeSpan(t, "pii-detector", "")
	require.Equal(t, map[string]string{"text": "Write to jane.miller@example.com, please."}, x.Inputs)
	require.Equal(t, true, x.Result["has_pii"])
	require.False(t, *x.Good)
	require.Empty(t, x.Missing)
	require.Empty(t, x.Reason)
	require.NotEmpty(t, x.Backend)
	require.Equal(t, "0200000000000000", x.SpanID)

	x = l.executeSpan(t, "char-count", `,"input_mapping":{"text":{"source":"span_attributes","key":"app.reply","json_path":"0.text"}}`)
	require.Equal(t, map[string]string{"text": "abc"}, x.Inputs)
	require.Equal(t, map[string]any{"char_count": 3.0, "reason": "The text has 3 characters."}, x.Result)
	require.Nil(t, x.Good)
	x = l.executeSpan(t, "char-count", `,"config":null,"input_mapping":{"text":"span_name"}`)
	require.Equal(t, map[string]string{"text": "0"}, x.Inputs)

	x = l.executeSpan(t, "char-count", `,"input_mapping":{"text":{"source":"span_attributes","key":"absent"}}`)
	require.Equal(t, []string{"text"}, x.Missing)
	require.Equal(t, "missing_input", x.Reason)
	require.Nil(t, x.Result)
	require.Empty(t, x.Backend)

	require.Empty(t, server.Requests())
	x = l.executeSpan(t, "quality-judge", `,"input_mapping":{"text":"output"}`)
	require.Equal(t, map[string]any{"reason": "r", "label": "bad", "pass": false}, x.Result)
	require.False(t, *x.Good)
	require.Equal(t, "judge", x.Backend)
	require.Positive(t, x.Usage["prompt_tokens"])
	require.Positive(t, x.DurationMS)
	// Nothing is stored.
	require.Empty(t, l.evaluationsOf(t, l.key, firstSpan))
}

func TestTextsInOtherLanguagesAreUncertain(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Span.Completions = answered("Das Paket ist gestern bei uns angekommen, und alle haben sich sehr darüber gefreut, obwohl es eine Woche zu spät war.")
	})
	x := l.executeSpan(t, "tone-detection", "")
	require.Empty(t, x.Reason)
	require.Equal(t, "de", x.Language)
	require.Equal(t, "language", x.Result["reason"])
	require.Equal(t, true, x.Result["uncertain"])
	require.Nil(t, x.Good)
	require.Len(t, x.Inputs, 1)
}

func TestEvaluatorsOnSpansAreRefused(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Span.Completions = answered("text")
		r.Span.Prompts = span.NewAttributes([]span.Attribute{{Key: "llm.prompts.0.role", Value: "user"}, {Key: "llm.prompts.0.content", Value: "question"}})
	})
	for _, c := range []struct {
		slug, body string
		status     int
		message    string
	}{
		{"char-count", `{}`, http.StatusBadRequest, "trace_id is required"},
		{"char-count", `{"trace_id":"x","span_id":"0200000000000000"}`, http.StatusBadRequest, "trace_id must be 32 hexadecimal digits"},
		{"char-count", `{"trace_id":"01000000000000000000000000000000","span_id":"' OR 1=1 --"}`, http.StatusBadRequest, "span_id must be 16 hexadecimal digits"},
		{"char-count", `{` + strings.Replace(ids, "0200", "0f00", 1) + `}`, http.StatusNotFound, "span not found"},
		{"unknown", `{` + ids + `}`, http.StatusNotFound, "evaluator"},
		{"char-count", `{` + ids + `,"config":7}`, http.StatusBadRequest, "config must be"},
		{"pii-detector", `{` + ids + `,"config":{"probability_threshold":2}}`, http.StatusBadRequest, "config.probability_threshold must be"},
		{"answer-relevancy", `{` + ids + `,"config":{"backend":"magic"}}`, http.StatusBadRequest, "config.backend must be one of"},
		{"char-count", `{` + ids + `,"input_mapping":{"nope":"output"}}`, http.StatusBadRequest, "input_mapping.nope is not an input"},
		{"char-count", `{` + ids + `,"input_mapping":{"text":{"source":"span_attributes","key":"a","regex":"("}}}`, http.StatusBadRequest, "input_mapping.text.regex"},
		{"char-count", `{` + ids + `,"input_mapping":{"text":"no_such_field"}}`, http.StatusBadRequest, "input_mapping.text"},
		{"answer-relevancy", `{` + ids + `,"config":{"backend":"judge"}}`, http.StatusNotImplemented, "needs a judge model"},
	} {
		r := l.call(t, "POST", evaluatorsPath+"/"+c.slug+"/execute-span", l.key, c.body)
		require.Equal(t, c.status, r.status, "%s %s %s", c.slug, c.body, r.body)
		require.Contains(t, r.message(t), c.message)
		require.False(t, strings.HasPrefix(r.message(t), "."))
	}
	for _, e := range evaluators.Catalog().All() {
		if e.Unmapped(func(string) bool { return false }) != nil {
			r := l.call(t, "POST", evaluatorsPath+"/"+e.Slug+"/execute-span", l.key, `{`+ids+`}`)
			require.Equal(t, http.StatusBadRequest, r.status, e.Slug)
			require.Contains(t, r.message(t), "which spans do not have by themselves: map it")
		}
	}
	r := l.call(t, "POST", evaluatorsPath+"/char-count/execute-span", l.newKey(t), `{`+ids+`}`)
	require.Equal(t, http.StatusNotFound, r.status, "another environment's span")
	r = l.call(t, "POST", evaluatorsPath+"/char-count/execute-span", accessToken, `{`+ids+`}`)
	require.Equal(t, http.StatusForbidden, r.status)
}
