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
	"github.com/touchstone-otel/touchstone/internal/store"
)

const evaluationsPath = "/v2/evaluations/search"

type shownEvaluations struct {
	Evaluations []struct {
		shownVerdict
		TraceID    string    `json:"trace_id"`
		SpanID     string    `json:"span_id"`
		StartNS    string    `json:"start_ns"`
		SpanName   string    `json:"span_name"`
		SpanType   string    `json:"span_type"`
		Service    string    `json:"service"`
		Model      string    `json:"model"`
		ExternalID string    `json:"external_id"`
		Source     string    `json:"source"`
		Attempts   int       `json:"attempts"`
		Revision   int64     `json:"revision"`
		Time       time.Time `json:"time"`
		Due        string    `json:"due"`
	} `json:"evaluations"`
	Next string `json:"next_cursor"`
}

// searched sends a search whose body has these members besides the period.
func (l *library) searched(t *testing.T, members string) shownEvaluations {
	t.Helper()
	r := l.call(t, "POST", evaluationsPath, l.key, `{"from_timestamp_sec":`+l.from+members+`}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[shownEvaluations](t, r)
}

// places returns the span, the setup and the evaluator of each.
func (s *shownEvaluations) places() (list []string) {
	for _, e := range s.Evaluations {
		list = append(list, e.SpanName+" "+e.SetupID+" "+e.Evaluator)
	}
	return list
}

// judgedSpans writes spans 0 to n-1, each younger than the one before, with evaluations
// by two setups: all by s1, and of each third, which fails, by s2.
func judgedSpans(t *testing.T, n int) *library {
	t.Helper()
	l := newLibrary(t)
	begin := time.Now().Add(-30 * time.Minute).Truncate(time.Second).UnixNano()
	l.write(t, n, func(i int, r *store.Record) {
		r.Span.Start = begin + int64(i)*1e9
		r.Span.Service, r.Span.RequestModel = []string{"shop", "bot"}[i%2], "m"
		made := []eval.Evaluation{
			{SetupID: "s1", Evaluator: "pii-detector", Status: eval.Done, Backend: eval.Embedded, Outputs: []eval.Output{{Name: "has_pii", Value: i%2 == 0}}, Duration: 5000},
			{SetupID: "s1", Evaluator: "char-count", Status: eval.Done, Backend: eval.Deterministic, Outputs: []eval.Output{{Name: "char_count", Value: int64(i)}}},
			{SetupID: "s1", Evaluator: "faithfulness", Status: eval.Deferred, Reason: eval.ReasonModel, Due: begin},
		}
		if i%3 == 0 {
			made = append(made, eval.Evaluation{SetupID: "s2", Evaluator: "faithfulness", Status: eval.Failed, Reason: "the judge's answer is no JSON", Usage: eval.Usage{Cost: 0.5}, Attempts: 3})
		}
		for j := range made {
			made[j].Time = r.Span.Start + int64(time.Minute)
		}
		r.Evaluations = made
	})
	return l
}

func TestEvaluationsAreFound(t *testing.T) {
	t.Parallel()
	l := judgedSpans(t, 6)
	require.Equal(t, []string{
		"5 s1 char-count", "5 s1 faithfulness", "5 s1 pii-detector", "4 s1 char-count", "4 s1 faithfulness", "4 s1 pii-detector",
		"3 s1 char-count", "3 s1 faithfulness", "3 s1 pii-detector", "3 s2 faithfulness",
	}, func() []string { s := l.searched(t, `,"limit":10`); return s.places() }())
	middle := time.Unix(0, l.searched(t, `,"limit":1`).Evaluations[0].Time.UnixNano()).Unix() - 2 // of span 3
	for members, want := range map[string]int{
		``:                            20,
		`,"setup_id":"s2"`:            2,
		`,"setup_id":"none"`:          0,
		`,"evaluator":"faithfulness"`: 8,
		`,"evaluator":"faithfulness","setup_id":"s2","status":"failed","reason":"the judge's answer is no JSON"`: 2,
		`,"setup_id":"s1","status":"failed"`:             0,
		`,"setup_id":"s1","reason":"model"`:              6,
		`,"status":"done"`:                               12,
		`,"status":"skipped"`:                            0,
		`,"backend":"embedded"`:                          6,
		`,"backend":"embedded","evaluator":"char-count"`: 0,
		`,"setup_id":"","evaluator":"","cursor":""`:      20,
		`,"filters":[{"id":"service_name","operator":"equals","value":"bot"}],"status":"done"`:                             6,
		`,"filters":[{"id":"evaluation.pii-detector.has_pii","operator":"equals","value":true}],"setup_id":"s2"`:           1,
		fmt.Sprintf(`,"ended_from_timestamp_sec":%d,"evaluator":"char-count"`, middle):                                     3,
		fmt.Sprintf(`,"ended_to_timestamp_sec":"%d","evaluator":"char-count"`, middle):                                     4,
		fmt.Sprintf(`,"ended_from_timestamp_sec":%d,"ended_to_timestamp_sec":%d,"evaluator":"char-count"`, middle, middle): 1,
		fmt.Sprintf(`,"to_timestamp_sec":%d`, middle-60):                                                                   14,
		fmt.Sprintf(`,"to_timestamp_sec":%s`, l.from):                                                                      0,
	} {
		found := l.searched(t, members)
		require.Len(t, found.Evaluations, want, members)
		require.Empty(t, found.Next, members)
	}

	failed := l.searched(t, `,"setup_id":"s2","limit":1`)
	require.NotEmpty(t, failed.Next)
	e := failed.Evaluations[0]
	require.Equal(t, []any{"3", "bot", "m", "failed", "the judge's answer is no JSON", 0.5, int64(1)}, []any{e.SpanName, e.Service, e.Model, e.Status, e.Reason, e.Cost, e.Revision})
	done := l.searched(t, `,"evaluator":"pii-detector","limit":2`).Evaluations
	require.Equal(t, []any{true, false, "5000", map[string]any{"has_pii": false}}, []any{*done[0].Good, *done[1].Good, done[0].Duration, done[0].Outputs})
	require.NotEmpty(t, l.searched(t, `,"status":"deferred"`).Evaluations[0].Due)
	// The record of the span says the same.
	require.Contains(t, l.call(t, "GET", spansPath+"/"+e.TraceID+"/"+e.SpanID+"/evaluations", l.key, "").body, "the judge's answer is no JSON")
}

// Pages of any size are the parts of one list, also where one ends within a span.
func TestPagesOfEvaluationsFollowOneAnother(t *testing.T) {
	t.Parallel()
	l := judgedSpans(t, 7)
	for _, members := range []string{``, `,"status":"done"`, `,"evaluator":"faithfulness"`, `,"setup_id":"s2"`} {
		all := l.searched(t, members+`,"limit":1000`)
		require.NotEmpty(t, all.Evaluations)
		for _, limit := range []int{1, 2, 3, 5, len(all.Evaluations) - 1, len(all.Evaluations), len(all.Evaluations) + 1} {
			var got []string
			for cursor := ""; ; {
				page := l.searched(t, fmt.Sprintf(`%s,"limit":%d,"cursor":%q`, members, limit, cursor))
				require.LessOrEqual(t, len(page.Evaluations), limit)
				require.NotEmpty(t, page.Evaluations)
				got = append(got, page.places()...)
				if cursor = page.Next; cursor == "" {
					break
				}
			}
			require.Equal(t, all.places(), got, "%s, pages of %d", members, limit)
		}
	}
}

// What comes between two pages is neither shown twice nor in the place of others.
func TestPagesOfEvaluationsWhileOthersCome(t *testing.T) {
	t.Parallel()
	l := judgedSpans(t, 4)
	want := l.searched(t, `,"limit":1000`)
	first := l.searched(t, `,"limit":5`) // within span 2
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Span.SpanID = [8]byte{9}
		r.Evaluations = []eval.Evaluation{{SetupID: "s1", Evaluator: "char-count", Status: eval.Done, Backend: eval.Deterministic, Time: r.Span.Start}}
	})
	second := l.searched(t, `,"limit":1000,"cursor":"`+first.Next+`"`)
	require.Equal(t, want.places(), append(first.places(), second.places()...))
	require.Empty(t, second.Next)
}

func TestEvaluationsOfOthersAreNotFound(t *testing.T) {
	t.Parallel()
	l := judgedSpans(t, 3)
	other := l.newKey(t)
	body := `{"from_timestamp_sec":` + l.from + `,"status":"done","limit":2`
	require.JSONEq(t, `{"evaluations":[],"next_cursor":""}`, l.call(t, "POST", evaluationsPath, other, body+`}`).body)
	next := l.searched(t, `,"status":"done","limit":2`).Next
	for key, with := range map[string]string{
		other: body + `,"cursor":"` + next + `"}`,
		l.key: strings.Replace(body, "done", "failed", 1) + `,"cursor":"` + next + `"}`,
	} {
		r := l.call(t, "POST", evaluationsPath, key, with)
		require.Equal(t, http.StatusBadRequest, r.status, r.body)
		require.Contains(t, r.message(t), "cursor is not one that this query returned")
	}
	require.Equal(t, http.StatusForbidden, l.call(t, "POST", evaluationsPath, accessToken, body+`}`).status)
}

func TestSearchesOfEvaluationsAreRefused(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for members, want := range map[string]string{
		`"status":"done"`: "from_timestamp_sec is required",
		`"from_timestamp_sec":2,"to_timestamp_sec":1`:                                    "from_timestamp_sec must not be after to_timestamp_sec",
		`"from_timestamp_sec":1,"ended_from_timestamp_sec":"x"`:                          "ended_from_timestamp_sec must be a whole number of seconds",
		`"from_timestamp_sec":1,"ended_from_timestamp_sec":2,"ended_to_timestamp_sec":1`: "ended_from_timestamp_sec must not be after ended_to_timestamp_sec",
		`"from_timestamp_sec":1,"status":"ready"`:                                        "status must be one of",
		`"from_timestamp_sec":1,"backend":"gpt"`:                                         "backend must be one of",
		`"from_timestamp_sec":1,"limit":0`:                                               "limit must be a whole number from 1 to 1000",
		`"from_timestamp_sec":1,"limit":1001`:                                            "limit must be a whole number from 1 to 1000",
		`"from_timestamp_sec":1,"cursor":"AAAA"`:                                         "cursor is not one",
		`"from_timestamp_sec":1,"reason":` + strconv.Quote(strings.Repeat("x", 4097)):    "reason must be",
		`"from_timestamp_sec":1,"filters":[{"id":"x"}]`:                                  "filters[0].operator is required",
	} {
		r := l.call(t, "POST", evaluationsPath, l.key, "{"+members+"}")
		require.Equal(t, http.StatusBadRequest, r.status, members)
		require.Contains(t, r.message(t), want, members)
	}
}
