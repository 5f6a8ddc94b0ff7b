// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

var labelPath = strings.TrimSuffix(firstSpan, "/evaluations") + "/labels"

type shownLabel struct {
	TraceID   string `json:"trace_id"`
	SpanID    string `json:"span_id"`
	Name      string `json:"name"`
	Value     any    `json:"value"`
	Author    string `json:"author"`
	Comment   string `json:"comment"`
	Time      string `json:"time"`
	Evaluator string `json:"evaluator"`
	Revision  int64  `json:"revision"`
}

func (l *library) label(t *testing.T, body string) shownLabel {
	t.Helper()
	r := l.call(t, "POST", labelPath, l.key, body)
	require.Equal(t, http.StatusCreated, r.status, r.body)
	return into[shownLabel](t, r)
}

func TestLabelsOfPeople(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 2, func(_ int, r *store.Record) {
		r.Evaluations = []eval.Evaluation{{SetupID: "s", Evaluator: "correct", Status: eval.Done, Source: eval.FromTouchstone, Outputs: []eval.Output{{Name: "value", Value: "ours"}}}}
	})
	made := l.label(t, `{"name":"correct","value":true,"author":"jane@example.com","comment":"It is <right>."}`)
	require.Equal(t, "human:correct", made.Evaluator)
	require.Equal(t, int64(1), made.Revision)
	require.Equal(t, true, made.Value)
	require.Equal(t, "It is <right>.", made.Comment)
	require.Equal(t, made, l.label(t, `{"name":"correct","value":true,"author":"jane@example.com","comment":"It is <right>."}`), "said again")
	require.Equal(t, int64(2), l.label(t, `{"name":"correct","value":false,"author":"jane@example.com","corrects":1}`).Revision)
	require.Equal(t, int64(1), l.label(t, `{"name":"correct","value":0.25,"author":"joe"}`).Revision, "another person")

	// Shown next to ours, as results of another source.
	var sources []string
	for _, e := range l.evaluationsOf(t, l.key, firstSpan) {
		sources = append(sources, e.Source+" "+e.SetupID+" "+e.Evaluator)
	}
	require.Equal(t, []string{"touchstone s correct", "human human:jane@example.com human:correct", "human human:joe human:correct"}, sources)
	require.Len(t, l.evaluationsOf(t, l.key, firstSpan+"?revisions=all"), 4, "a predecessor is kept")
	page := l.page(t, url.Values{"filters": {`[{"id":"evaluation.human:correct.author","operator":"equals","value":"joe"}]`}})
	require.Len(t, page.Spans.Data, 1)
	require.Equal(t, "ours", page.Spans.Data[0].Attributes["evaluation.correct.value"])
	require.Equal(t, "0.25", page.Spans.Data[0].Attributes["evaluation.human:correct.value"], "the latest counts")
	require.Len(t, l.page(t, url.Values{"filters": {`[{"id":"evaluation.correct.value","operator":"equals","value":"ours"}]`}}).Spans.Data, 2)

	// Aggregated as ours.
	r := l.call(t, "POST", "/v2/metrics", l.key, `{"from_timestamp_sec":`+l.from+`,"metric_name":"human:correct.value"}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.Contains(t, r.body, `"total_results":2`)
	require.Contains(t, r.body, `"metric_source":"human"`)
	for body, total := range map[string]string{
		`"metric_source":"human"`: "4", `"filters":[{"field":"metric_source","operator":"not_equals","value":"human"}]`: "2",
		`"filters":[{"field":"metric_source","operator":"in","values":["sdk","correct"]}]`: "2",
	} {
		r = l.call(t, "POST", "/v2/metrics", l.key, `{"from_timestamp_sec":`+l.from+`,`+body+`}`)
		require.Equal(t, http.StatusOK, r.status, r.body)
		require.Contains(t, r.body, `"total_results":`+total, body)
	}

	// Explained as what it is: no setup's, and no reason to take one for deleted.
	r = l.call(t, "GET", strings.TrimSuffix(labelPath, "labels")+"explain", l.key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.NotContains(t, r.body, "human:jane")
	require.Contains(t, r.body, `{"source":"human","name":"correct","by":"joe","status":"done","sentence":"given at `)
	require.Contains(t, r.body, `"setup_id":"s"`)
}

func TestLabelsThatAreRefused(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 1, nil)
	for body, want := range map[string]string{
		`{"value":true,"author":"a"}`:                                                        "name is required",
		`{"name":"n","author":"a"}`:                                                          "value is required",
		`{"name":"n","value":true}`:                                                          "author is required",
		`{"name":"n","value":[1],"author":"a"}`:                                              "value must be",
		`{"name":"n","value":1,"author":"a","corrects":0}`:                                   "corrects must be",
		`{"name":"` + strings.Repeat("n", 201) + `","value":1,"author":"a"}`:                 "name must be at most 200 characters",
		`{"name":"` + strings.Repeat("é", 150) + `","value":1,"author":"a"}`:                 "name must be at most 200 bytes",
		`{"name":"n","value":1,"author":"` + strings.Repeat("n", 201) + `"}`:                 "author must be at most 200 characters",
		`{"name":"n","value":1,"author":"a","comment":"` + strings.Repeat("n", 10001) + `"}`: "comment must be at most 10000 characters",
	} {
		r := l.call(t, "POST", labelPath, l.key, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Contains(t, r.message(t), want)
	}
	const label = `{"name":"n","value":1,"author":"a","source":"touchstone","setup_id":"s","environment":"other"}`
	r := l.callUndocumented(t, "POST", labelPath, l.key, label) // members without a meaning change nothing
	require.Equal(t, http.StatusCreated, r.status, r.body)
	require.Equal(t, "human", l.evaluationsOf(t, l.key, firstSpan)[0].Source)

	r = l.call(t, "POST", labelPath, l.key, `{"name":"n","value":2,"author":"a","corrects":7}`)
	require.Equal(t, http.StatusConflict, r.status, r.body)
	require.Equal(t, http.StatusNotFound, l.call(t, "POST", labelPath, l.newKey(t), `{"name":"n","value":2,"author":"a"}`).status, "another tenant's span")
	require.Equal(t, http.StatusBadRequest, l.call(t, "POST", strings.Replace(labelPath, "01000", "zz000", 1), l.key, label).status)
	r = l.call(t, "POST", labelPath, l.key, `{"name":"n","value":1,"author":"a","comment":"`+strings.Repeat("n", 5<<20)+`"}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, r.status)
}
