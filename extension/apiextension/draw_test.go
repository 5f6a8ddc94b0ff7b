// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"math"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

type shownDraw struct {
	Metric string  `json:"metric"`
	Share  float64 `json:"share"`
	Spans  []struct {
		TraceID     string  `json:"trace_id"`
		SpanID      string  `json:"span_id"`
		Timestamp   int64   `json:"timestamp"`
		SpanName    string  `json:"span_name"`
		Value       any     `json:"value"`
		Passes      bool    `json:"passes"`
		Probability float64 `json:"probability"`
		Inclusion   float64 `json:"inclusion_probability"`
		Weight      float64 `json:"weight"`
	} `json:"spans"`
	Looked struct {
		Failures int `json:"failures"`
		Passes   int `json:"passes"`
	} `json:"looked"`
	Next string `json:"next_cursor"`
}

// draw reads all pages of a draw: the names of what was drawn, whether each passes,
// and the sums of weights.
func (l *library) draw(t *testing.T, params url.Values) (drawn map[string]bool, weights, failures, passes float64) {
	t.Helper()
	drawn = map[string]bool{}
	for {
		r := l.call(t, "GET", "/v2/labels/draw?"+params.Encode(), l.key, "")
		require.Equal(t, http.StatusOK, r.status, r.body)
		page := into[shownDraw](t, r)
		for _, s := range page.Spans {
			require.NotContains(t, drawn, s.SpanName, "each once")
			drawn[s.SpanName] = s.Passes
			weights += s.Weight
			require.InDelta(t, 0.5, s.Inclusion, 0)
			require.InDelta(t, 1/s.Probability, s.Weight, 1e-9)
		}
		failures, passes = failures+float64(page.Looked.Failures), passes+float64(page.Looked.Passes)
		if page.Next == "" {
			return drawn, weights, failures, passes
		}
		params.Set("cursor", page.Next)
	}
}

func TestADrawHasAllFailuresAndAShareOfPasses(t *testing.T) {
	t.Parallel()
	const spans, failed = 2500, 100
	l := newLibrary(t)
	l.write(t, spans, func(i int, r *store.Record) {
		r.Span.Start += int64(i) * 1000
		r.Evaluations = []eval.Evaluation{{
			SetupID: "s", Evaluator: "faithfulness", Status: eval.Done, Source: eval.FromTouchstone, Probability: 0.5, Time: 1,
			Outputs: []eval.Output{{Name: "is_faithful", Value: i%(spans/failed) != 0}, {Name: "score", Value: float64(i)}},
		}}
	})
	ask := func(share string) url.Values {
		return url.Values{"metric": {"faithfulness.is_faithful"}, "share": {share}, "limit": {"333"}}
	}
	fifth, weights, failures, passes := l.draw(t, ask("0.2"))
	require.InDelta(t, failed, failures, 0)
	require.InDelta(t, spans-failed, passes, 0)
	n := 0
	for _, p := range fifth {
		if !p {
			n++
		}
	}
	require.Equal(t, failed, n, "all failures")
	deviation := math.Sqrt((spans - failed) * 0.2 * 0.8)
	require.InDelta(t, 0.2*(spans-failed), float64(len(fifth)-failed), 5*deviation)
	require.InDelta(t, spans, weights, 5*5*deviation, "the weights add up to all spans")

	same, _, _, _ := l.draw(t, ask("0.2"))
	require.Equal(t, fifth, same)
	half, _, _, _ := l.draw(t, ask("0.5"))
	for name := range fifth {
		require.Contains(t, half, name)
	}
	other := ask("0.2")
	other.Set("seed", "another")
	others, _, _, _ := l.draw(t, other)
	require.NotEqual(t, fifth, others)
	none, weights, _, _ := l.draw(t, ask("0"))
	require.Len(t, none, failed)
	require.InDelta(t, failed, weights, 0)

	few, _, failures, _ := l.draw(t, url.Values{"metric": {"faithfulness.score"}, "metric_min": {"10"}, "share": {"0"}})
	require.Len(t, few, 10)
	require.InDelta(t, 10, failures, 0)

	// Conditions on spans narrow a draw.
	narrow := ask("1")
	narrow.Set("filters", `[{"id":"span_name","operator":"in","value":["0","25","26"]}]`)
	some, _, failures, passes := l.draw(t, narrow)
	require.Equal(t, map[string]bool{"0": false, "25": false, "26": true}, some)
	require.InDelta(t, 2, failures, 0)
	require.InDelta(t, 1, passes, 0)
	narrow.Del("cursor")
	narrow.Set("q", "-name:25")
	some, _, _, _ = l.draw(t, narrow)
	require.Equal(t, map[string]bool{"0": false, "26": true}, some)

	// What is labelled is left out, where that is asked for.
	r := l.call(t, "POST", labelPath, l.key, `{"name":"correct","value":true,"author":"jane"}`)
	require.Equal(t, http.StatusCreated, r.status, r.body)
	left, _, _, _ := l.draw(t, url.Values{"metric": {"faithfulness.is_faithful"}, "share": {"0"}, "without": {"human:correct"}, "limit": {"500"}})
	require.Len(t, left, failed-1)
	require.NotContains(t, left, "0")
}

func TestDrawsThatAreRefused(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Evaluations = []eval.Evaluation{{SetupID: "s", Evaluator: "x", Status: eval.Done, Time: 1, Outputs: []eval.Output{{Name: "y", Value: 1.0}}}}
	})
	for query, want := range map[string]string{
		"share=0.5":                             "metric is required",
		"metric=x":                              "metric must have the form",
		"metric=x.y":                            "metric: x.y does not say by itself what passes",
		"metric=x.y&share=2":                    "share must be a number from 0 to 1",
		"metric=x.y&limit=0":                    "limit must be a whole number from 1 to 500",
		"metric=x.y&metric_min=x":               "metric_min must be a number",
		"metric=x.y&from_timestamp_sec=":        "from_timestamp_sec must be",
		"metric=x.y&metric_min=1&cursor=forged": "cursor",
		"metric=x.y&metric_min=1&filters=":      "filters must be",
		"metric=x.y&metric_min=1&q=%22":         "q",
	} {
		r := l.callUndocumented(t, "GET", "/v2/labels/draw?"+query, l.key, "")
		require.Equal(t, http.StatusBadRequest, r.status, query)
		require.Contains(t, r.message(t), want)
	}
}
