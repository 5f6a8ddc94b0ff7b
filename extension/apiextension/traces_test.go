// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

const firstTrace = "/v2/traces/01000000000000000000000000000000"

// traceAnswer is a trace as a client reads it.
type traceAnswer struct {
	TraceID      string              `json:"trace_id"`
	Total        int64               `json:"total"`
	Truncated    bool                `json:"truncated"`
	StartNS      string              `json:"start_ns"`
	DurationNS   string              `json:"duration_ns"`
	Dictionaries map[string][]string `json:"dictionaries"`
	Columns      struct {
		SpanID   []string         `json:"span_id"`
		Parent   []int            `json:"parent"`
		Name     []int            `json:"name"`
		Service  []int            `json:"service"`
		Kind     []int            `json:"kind"`
		Type     []int            `json:"type"`
		Status   []int            `json:"status"`
		Model    []int            `json:"model"`
		Offset   []int64          `json:"offset_ns"`
		Duration []int64          `json:"duration_ns"`
		Tokens   []*int64         `json:"tokens"`
		Verdicts map[string][]int `json:"verdicts"`
	} `json:"columns"`
}

func (l *library) trace(t *testing.T, path string) traceAnswer {
	t.Helper()
	r := l.call(t, "GET", path, l.key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[traceAnswer](t, r)
}

// writeTrace stores spans of one trace, a nanosecond after one another, in a
// few writes.
func (l *library) writeTrace(t testing.TB, n int, start time.Time, change func(i int, r *store.Record)) {
	t.Helper()
	const atOnce = 5000
	for begin := 0; begin < n; begin += atOnce {
		records := make([]store.Record, min(atOnce, n-begin))
		for j := range records {
			i, r := begin+j, &records[j]
			r.Environment = l.env
			r.Span = span.Span{
				Environment: l.env.Slug, TraceID: span.TraceID{1}, SpanID: span.ID{9, byte(i >> 16), byte(i >> 8), byte(i)},
				Name: "step " + strconv.Itoa(i%7), Kind: "SPAN_KIND_INTERNAL", Service: "shop", StatusCode: "STATUS_CODE_UNSET", Type: span.TypeOther,
				Start: start.UnixNano() + int64(i), Duration: 1000,
				InputTokens: span.NoTokens, OutputTokens: span.NoTokens, TotalTokens: span.NoTokens,
			}
			if i > 0 {
				r.Span.ParentSpanID = span.ID{9}
			}
			if change != nil {
				change(i, r)
			}
		}
		_, err := l.spans.Write(t.Context(), store.Batch{Records: records})
		require.NoError(t, err)
	}
}

func TestATraceIsGivenByColumns(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	start := time.Now().Add(-time.Minute).Truncate(time.Second)
	l.writeTrace(t, 5, start, func(i int, r *store.Record) {
		s := &r.Span
		s.Output = "texts are not shown"
		switch i {
		case 1:
			s.Name, s.Type, s.TotalTokens, s.RequestModel = "chat <b>", span.TypeLLM, 0, "asked"
			done := func(name string, value any) eval.Evaluation {
				return eval.Evaluation{Status: eval.Done, Backend: eval.Embedded, Outputs: []eval.Output{{Name: name, Value: value}}}
			}
			for j, e := range []eval.Evaluation{
				done("has_pii", true), done("is_safe", false), done("is_valid", true), done("char_count", int64(3)),
				{Status: eval.Deferred, Reason: eval.ReasonModel, Due: s.Start + 1e12},
				{Status: eval.Skipped, Reason: eval.ReasonSampledOut},
				{Status: eval.Skipped, Reason: eval.ReasonMissingInput},
				{Status: eval.Failed, Reason: "x"},
			} {
				e.SetupID, e.Evaluator, e.Time = "s", "e-"+string(rune('a'+j)), s.Start
				r.Evaluations = append(r.Evaluations, e)
			}
		case 2:
			s.ParentSpanID, s.RequestModel, s.ResponseModel, s.TotalTokens = span.ID{9, 0, 0, 1}, "asked", "answered", 1204
		case 3:
			s.ParentSpanID = span.ID{8} // it never came
		case 4:
			s.ParentSpanID, s.StatusCode, s.Duration = s.SpanID, "STATUS_CODE_ERROR", 5_000_000 // its own parent
		}
	})
	got := l.trace(t, firstTrace)
	require.Equal(t, "01000000000000000000000000000000", got.TraceID)
	require.EqualValues(t, 5, got.Total)
	require.False(t, got.Truncated)
	require.Equal(t, strconv.FormatInt(start.UnixNano(), 10), got.StartNS)
	require.Equal(t, "5000004", got.DurationNS)
	c := got.Columns
	require.Equal(t, []int{-1, 0, 1, -2, 4}, c.Parent)
	require.Equal(t, []int64{0, 1, 2, 3, 4}, c.Offset)
	require.Equal(t, []int64{1000, 1000, 1000, 1000, 5_000_000}, c.Duration)
	require.Equal(t, "0900000100000000", c.SpanID[1][:4]+"0001"+c.SpanID[1][8:])
	require.Equal(t, []string{"step 0", "chat <b>", "step 2", "step 3", "step 4"}, got.Dictionaries["name"])
	require.Equal(t, []int{0, 1, 2, 3, 4}, c.Name)
	require.Equal(t, []string{"other", "llm"}, got.Dictionaries["type"])
	require.Equal(t, []int{0, 1, 0, 0, 0}, c.Type)
	require.Equal(t, []string{"", "asked", "answered"}, got.Dictionaries["model"])
	require.Equal(t, []int{0, 1, 2, 0, 0}, c.Model)
	require.Equal(t, []int{0, 0, 0, 0, 1}, c.Status)
	require.Nil(t, c.Tokens[0])
	require.Zero(t, *c.Tokens[1])
	require.EqualValues(t, 1204, *c.Tokens[2])
	for kind, n := range map[string]int{"for": 1, "against": 2, "neither": 1, "owed": 1, "skipped": 2, "failed": 1} {
		require.Equal(t, []int{0, n, 0, 0, 0}, c.Verdicts[kind], kind)
	}
	require.NotContains(t, l.call(t, "GET", firstTrace, l.key, "").body, "texts are not")
}

func TestTracesOfSeveralPagesAndPeriods(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	start := time.Now().Add(-time.Minute).Truncate(time.Second)
	l.writeTrace(t, 2500, start, func(i int, r *store.Record) {
		if i >= 1500 {
			r.Span.Start += 10 * int64(time.Second)
		}
		if i == 2499 {
			r.Evaluations = []eval.Evaluation{{SetupID: "s", Evaluator: "e", Status: eval.Failed, Reason: "x", Time: r.Span.Start}}
		}
	})
	got := l.trace(t, firstTrace)
	require.EqualValues(t, 2500, got.Total)
	require.Len(t, got.Columns.SpanID, 2500)
	require.Equal(t, 1, got.Columns.Verdicts["failed"][2499])
	require.Len(t, got.Dictionaries["name"], 7)
	for i := 1; i < 2500; i++ {
		require.Equal(t, 0, got.Columns.Parent[i])
		require.Equal(t, i%7, got.Columns.Name[i])
	}
	at := start.Unix()
	for query, want := range map[string]int64{
		fmt.Sprintf("?to_timestamp_sec=%d", at+5):                                1500,
		fmt.Sprintf("?from_timestamp_sec=%d", at+5):                              1000,
		fmt.Sprintf("?from_timestamp_sec=%d&to_timestamp_sec=%d", at-1, at+1):    1500,
		fmt.Sprintf("?from_timestamp_sec=0&to_timestamp_sec=%d", int64(1)<<62):   2500,
		fmt.Sprintf("?from_timestamp_sec=-9999999999&to_timestamp_sec=%d", at+5): 1500,
	} {
		got := l.trace(t, firstTrace+query)
		require.Equal(t, want, got.Total, query)
		require.Len(t, got.Columns.SpanID, int(want))
	}
	later := l.trace(t, fmt.Sprintf("%s?from_timestamp_sec=%d", firstTrace, at+5))
	require.Equal(t, -2, later.Columns.Parent[0], "the root is not in the period")
	require.Zero(t, later.Columns.Offset[0])
}

func TestTracesAreRefused(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.writeTrace(t, 2, time.Now().Add(-time.Minute), nil)
	other := l.newKey(t)
	for path, want := range map[string]int{
		firstTrace:                                                http.StatusOK,
		firstTrace + "?to_timestamp_sec=1":                        http.StatusNotFound,
		firstTrace + "?from_timestamp_sec=x":                      http.StatusBadRequest,
		firstTrace + "?to_timestamp_sec=":                         http.StatusBadRequest,
		firstTrace + "?from_timestamp_sec=2&to_timestamp_sec=1":   http.StatusBadRequest,
		firstTrace + "?from_timestamp_sec=%zz":                    http.StatusBadRequest,
		"/v2/traces/" + strings.Repeat("0", 32):                   http.StatusNotFound,
		"/v2/traces/" + strings.ToUpper(strings.Repeat("0a", 16)): http.StatusNotFound,
		"/v2/traces/x":                                            http.StatusBadRequest,
		"/v2/traces/%27%20OR%201=1":                               http.StatusBadRequest,
	} {
		r := l.call(t, "GET", path, l.key, "")
		require.Equal(t, want, r.status, path)
		if want != http.StatusOK {
			require.NotEmpty(t, r.message(t))
		}
		if want == http.StatusOK {
			require.Equal(t, http.StatusNotFound, l.call(t, "GET", path, other, "").status, "another environment's")
		}
	}
	require.Equal(t, http.StatusForbidden, l.call(t, "GET", firstTrace, accessToken, "").status)
	// What is past its retention is no part of a trace.
	l.writeTrace(t, 3, time.Now().Add(-l.env.Retention-time.Hour), func(i int, r *store.Record) { r.Span.SpanID = span.ID{7, byte(i)} })
	require.EqualValues(t, 2, l.trace(t, firstTrace).Total)
}

func TestLongTracesAreTruncated(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.writeTrace(t, 20_003, time.Now().Add(-time.Minute), nil)
	got := l.trace(t, firstTrace)
	require.EqualValues(t, 20_003, got.Total)
	require.True(t, got.Truncated)
	require.Len(t, got.Columns.SpanID, 20_000)
	require.Len(t, got.Columns.Verdicts["for"], 20_000)
	require.EqualValues(t, 19_999, got.Columns.Offset[19_999])
}
