// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// firstOne is the path of the first span of a library.
const firstOne = spansPath + "/01000000000000000000000000000000/0200000000000000"

// shownVerdict is what came of one evaluator, as a client reads it.
type shownVerdict struct {
	Evaluator string         `json:"evaluator"`
	SetupID   string         `json:"setup_id"`
	Status    string         `json:"status"`
	Reason    string         `json:"reason"`
	Backend   string         `json:"backend"`
	Outputs   map[string]any `json:"outputs"`
	Good      *bool          `json:"good"`
	Cut       bool           `json:"cut"`
	Duration  string         `json:"duration_ns"`
	Cost      float64        `json:"cost_usd"`
}

// fullSpan is what the tests look at in a span in full.
type fullSpan struct {
	Input       string            `json:"input"`
	Output      string            `json:"output"`
	Attributes  map[string]string `json:"span_attributes"`
	Prompts     map[string]string `json:"prompts"`
	Tools       string            `json:"tool_definitions"`
	Workflow    string            `json:"workflow"`
	User        string            `json:"user_id"`
	StartNS     string            `json:"start_ns"`
	DurationNS  string            `json:"duration_ns"`
	ServiceName string            `json:"service_name"`
	Events      []struct {
		Name       string            `json:"name"`
		TimeNS     string            `json:"time_ns"`
		Attributes map[string]string `json:"attributes"`
	} `json:"events"`
	Links []struct {
		TraceID    string            `json:"trace_id"`
		Attributes map[string]string `json:"attributes"`
	} `json:"links"`
	Verdicts []shownVerdict      `json:"verdicts"`
	CutTexts map[string]int      `json:"cut_texts"`
	Content  genai.ContentSource `json:"content_source"`
}

func (l *library) full(t *testing.T, path string) (s fullSpan) {
	t.Helper()
	r := l.call(t, "GET", path, l.key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.NoError(t, json.Unmarshal([]byte(r.body), &s), r.body)
	return s
}

// hostile is a text that means something to HTML, JSON, headers and terminals.
const hostile = "</script><img src=x onerror=alert(1)>\r\nSet-Cookie: a=b\x00\"\\\u202e日本"

// writeRich stores one span that has everything, some of it hostile.
func (l *library) writeRich(t testing.TB) {
	t.Helper()
	l.write(t, 1, func(_ int, r *store.Record) {
		long := strings.Repeat("é", 1000)
		s := &r.Span
		s.Start, s.Duration = s.Start/1000*1000+789, 1_234_567
		s.Service = strings.Repeat("service ", 10)
		s.Input, s.Output, s.StatusMessage = hostile, long, "short"
		s.Attributes = span.NewAttributes([]span.Attribute{{Key: "a.b", Value: "1.50"}, {Key: "<k>\"", Value: long}, {Key: "status_message", Value: "an attribute"}})
		s.Resource = span.NewAttributes([]span.Attribute{{Key: "a.b", Value: "of the resource"}})
		s.Prompts = span.NewAttributes([]span.Attribute{{Key: "llm.prompts.0.content", Value: long + "!"}, {Key: "llm.prompts.0.role", Value: "user"}})
		s.Events = []span.Event{
			{Name: "first <b>", Time: s.Start + 1},
			{Name: "second", Time: 9_007_199_254_740_993, Attributes: span.NewAttributes([]span.Attribute{{Key: "x", Value: long}})},
		}
		s.Links = []span.Link{{TraceID: strings.Repeat("0f", 16), SpanID: strings.Repeat("0e", 8), Attributes: span.NewAttributes([]span.Attribute{{Key: "why", Value: "retry"}})}}
		for i, e := range []eval.Evaluation{
			{Evaluator: "pii-detector", Status: eval.Done, Backend: eval.Embedded, Outputs: []eval.Output{{Name: "has_pii", Value: true}}, Duration: 400_001, Usage: eval.Usage{Cost: 0.25}},
			{Evaluator: "profanity-detector", Status: eval.Done, Backend: eval.Embedded, Outputs: []eval.Output{{Name: "is_safe", Value: true}}},
			{Evaluator: "char-count", Status: eval.Done, Backend: eval.Deterministic, Outputs: []eval.Output{{Name: "char_count", Value: int64(3)}}},
			{Evaluator: "faithfulness", Status: eval.Deferred, Reason: eval.ReasonModel, Due: s.Start + 1e12},
			{Evaluator: "tone-detection", Status: eval.Skipped, Reason: eval.ReasonSampledOut},
			{Evaluator: "answer-relevancy", Status: eval.Failed, Reason: hostile + long},
		} {
			e.SetupID, e.Time = "s", s.Start+int64(i)
			r.Evaluations = append(r.Evaluations, e)
		}
	})
}

// What conventions name differently has one name in a span in full.
func TestASpanInFullNamesWhatConventionsNameDifferently(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	long := strings.Repeat("long ", 100)
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Span.Workflow, r.Span.User, r.Span.Input = "checkout", "jane", "Where is it?"
		r.Span.Attributes = span.NewAttributes([]span.Attribute{
			{Key: "input.value", Value: "Where is it?"},
			{Key: "llm.request.functions.0.name", Value: "find_order"},
			{Key: "llm.request.functions.0.description", Value: long},
		})
	})
	s := l.full(t, firstOne)
	require.Equal(t, []string{"checkout", "jane"}, []string{s.Workflow, s.User})
	require.Equal(t, genai.ContentSource{Input: "input.value"}, s.Content)
	want := fmt.Sprintf(`[{"name":"find_order","description":%q}]`, long)
	require.Equal(t, want, s.Tools)
	require.Equal(t, want, l.call(t, "GET", firstOne+"/text?field=tool_definitions", l.key, "").body)
	s = l.full(t, firstOne+"?max_text=20")
	require.Equal(t, want[:20], s.Tools)
	require.Equal(t, len(want), s.CutTexts["tool_definitions"])
}

func TestASpanIsShownInFull(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.writeRich(t)
	s := l.full(t, firstOne)
	require.Equal(t, hostile, s.Input)
	require.Empty(t, s.CutTexts)
	require.Len(t, s.Output, 2000)
	require.True(t, strings.HasSuffix(s.StartNS, "789"), s.StartNS)
	require.Equal(t, "1234567", s.DurationNS)
	require.Equal(t, "first <b>", s.Events[0].Name)
	require.Empty(t, s.Events[0].Attributes)
	require.Equal(t, "9007199254740993", s.Events[1].TimeNS, "exact")
	require.Equal(t, "retry", s.Links[0].Attributes["why"])

	no, yes := false, true
	want := []struct {
		status, reason string
		good           *bool
		outputs        map[string]any
	}{
		{"done", "", &no, map[string]any{"has_pii": true}},
		{"done", "", &yes, map[string]any{"is_safe": true}},
		{"done", "", nil, map[string]any{"char_count": 3.0}},
		{"deferred", "model", nil, map[string]any{}},
		{"skipped", "sampled_out", nil, map[string]any{}},
	}
	require.Len(t, s.Verdicts, len(want)+1)
	for i, w := range want {
		v := s.Verdicts[i]
		require.Equal(t, w.status, v.Status)
		require.Equal(t, w.reason, v.Reason)
		require.Equal(t, w.good, v.Good, v.Evaluator)
		require.Equal(t, w.outputs, v.Outputs)
		require.Equal(t, "s", v.SetupID)
		require.False(t, v.Cut)
	}
	require.Equal(t, "400001", s.Verdicts[0].Duration)
	require.InDelta(t, 0.25, s.Verdicts[0].Cost, 0)
	require.Empty(t, s.Verdicts[1].Duration)
	require.NotContains(t, l.call(t, "GET", firstOne, l.key, "").body, `"cost_usd":0,`, "unknown costs are left out")
	failed := s.Verdicts[len(want)]
	require.Len(t, []rune(failed.Reason), 500)
	require.True(t, failed.Cut)
	require.True(t, strings.HasPrefix(failed.Reason, hostile))
}

func TestTextsOfASpanAreCut(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.writeRich(t)
	s := l.full(t, firstOne+"?max_text=10")
	require.Equal(t, strings.Repeat("é", 10), s.Output)
	require.Equal(t, "1.50", s.Attributes["a.b"])
	require.Len(t, s.ServiceName, 80, "names are whole")
	require.Equal(t, map[string]int{
		"input": len(hostile), "output": 2000, `span_attributes.<k>"`: 2000, "span_attributes.status_message": 12, "resource_attributes.a.b": 15,
		"prompts.llm.prompts.0.content": 2001, "events.1.attributes.x": 2000,
	}, s.CutTexts)
	require.Equal(t, strings.Repeat("é", 10), s.Events[1].Attributes["x"])
	// Each text that the answer calls longer is there whole.
	for field, size := range s.CutTexts {
		r := l.call(t, "GET", firstOne+"/text?field="+url.QueryEscape(field), l.key, "")
		require.Equal(t, http.StatusOK, r.status, field)
		require.Len(t, r.body, size, field)
	}
	require.Empty(t, l.full(t, firstOne+"?max_text=1000000").CutTexts)
	for _, text := range []string{"0", "-1", "1000001", "99999999999999999999", "x", "", "1.5", "%00"} {
		r := l.call(t, "GET", firstOne+"?max_text="+text, l.key, "")
		require.Equal(t, http.StatusBadRequest, r.status, text)
		require.Equal(t, "max_text must be a whole number from 1 to 1000000", r.message(t))
	}
}

func TestATextOfASpanIsAFile(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.writeRich(t)
	for field, want := range map[string]string{
		"input": hostile, "status_message": "short", "span_attributes.status_message": "an attribute",
		"span_attributes.a.b": "1.50", "resource_attributes.a.b": "of the resource",
		"prompts.llm.prompts.0.role": "user", "links.0.attributes.why": "retry",
	} {
		r := l.call(t, "GET", firstOne+"/text?field="+url.QueryEscape(field), l.key, "")
		require.Equal(t, http.StatusOK, r.status, field)
		require.Equal(t, want, r.body)
		require.Equal(t, "text/plain; charset=utf-8", r.header.Get("Content-Type"))
		require.Equal(t, "nosniff", r.header.Get("X-Content-Type-Options"))
		require.Equal(t, `attachment; filename="01000000000000000000000000000000-0200000000000000.txt"`, r.header.Get("Content-Disposition"))
		require.Equal(t, "no-store", r.header.Get("Cache-Control"))
		require.Empty(t, r.header.Get("Set-Cookie"))
	}
	for field, want := range map[string]int{
		"":                        http.StatusBadRequest,
		strings.Repeat("x", 4097): http.StatusBadRequest,
		"span_name":               http.StatusNotFound,
		"a.b":                     http.StatusNotFound,
		"span_attributes":         http.StatusNotFound,
		"completions.x":           http.StatusNotFound,
		"events.0.attributes.x":   http.StatusNotFound,
		"events.-1.attributes.x":  http.StatusNotFound,
		"events.01.attributes.x":  http.StatusNotFound,
		"links.9.attributes.why":  http.StatusNotFound,
		"../../etc/passwd":        http.StatusNotFound,
	} {
		r := l.call(t, "GET", firstOne+"/text?field="+url.QueryEscape(field), l.key, "")
		require.Equal(t, want, r.status, field)
		require.Empty(t, r.header.Get("Content-Disposition"))
		require.NotEmpty(t, r.message(t))
	}
}

func TestASpanIsShownToItsOwnersAlone(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.writeRich(t)
	other := l.newKey(t)
	for _, suffix := range []string{"", "/text?field=input"} {
		for path, want := range map[string]int{
			firstOne: http.StatusNotFound,
			spansPath + "/01000000000000000000000000000000/0200000000000009": http.StatusNotFound,
			spansPath + "/x/0200000000000000":                                http.StatusBadRequest,
			spansPath + "/01000000000000000000000000000000/%27%20OR%201=1":   http.StatusBadRequest,
		} {
			r := l.call(t, "GET", path+suffix, other, "")
			require.Equal(t, want, r.status, path)
			require.NotEmpty(t, r.message(t))
		}
		r := l.call(t, "GET", firstOne+suffix, accessToken, "")
		require.Equal(t, http.StatusForbidden, r.status)
	}
	// A span past its retention is not there any more.
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Span.SpanID = span.ID{3}
		r.Span.Start = time.Now().Add(-r.Environment.Retention - time.Hour).UnixNano()
	})
	r := l.call(t, "GET", fmt.Sprintf("%s/01000000000000000000000000000000/%s", spansPath, span.ID{3}), l.key, "")
	require.Equal(t, http.StatusNotFound, r.status)
}
