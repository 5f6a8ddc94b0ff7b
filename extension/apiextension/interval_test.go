// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

type shownInterval struct {
	Value, Low, High *float64
	Traces           int64    `json:"traces"`
	Effective        float64  `json:"effective_traces"`
	Coverage         *float64 `json:"coverage"`
	SettledUntil     string   `json:"settled_until"`
}

// 100 traces have two results each, which are alike, and of which 10 % fail in one service and
// half in the other. One more result is pending.
func TestIntervalsOfFailingResults(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 201, func(i int, r *store.Record) {
		trace := i / 2
		r.Span.TraceID, r.Span.Service = span.TraceID{9, byte(trace)}, []string{"shop", "bot"}[trace%2]
		e := eval.Evaluation{SetupID: "s", Evaluator: "pii-detector", Status: eval.Done, Backend: eval.Embedded, Source: eval.FromTouchstone, Time: r.Span.Start}
		failing := trace%20 == 0 || trace%4 == 1
		e.Outputs = []eval.Output{{Name: "has_pii", Value: failing}}
		if i == 200 {
			e.Status, e.Outputs, e.Reason, e.Due, r.Span.Start = eval.Deferred, nil, eval.ReasonModel, r.Span.Start, r.Span.Start+int64(time.Second)
		}
		r.Evaluations = []eval.Evaluation{e}
	})
	ask := func(members string) (got struct {
		Interval *shownInterval `json:"interval"`
		Groups   []struct {
			Keys     []string       `json:"keys"`
			Interval *shownInterval `json:"interval"`
		} `json:"groups"`
	},
	) {
		t.Helper()
		r := l.call(t, "POST", ofMetrics, l.key, `{"from_timestamp_sec":`+l.from+`,"measures":["count"]`+members+`}`)
		require.Equal(t, http.StatusOK, r.status, r.body)
		require.NoError(t, json.Unmarshal([]byte(r.body), &got))
		return got
	}
	got := ask(`,"interval":true,"group_by":["service_name"],"evaluator":"pii-detector"`)
	require.NotNil(t, got.Interval)
	require.InDelta(t, 0.3, *got.Interval.Value, 1e-9)
	require.EqualValues(t, 100, got.Interval.Traces)
	require.InDelta(t, 100, got.Interval.Effective, 1e-9)
	require.Less(t, *got.Interval.Low, 0.25)
	require.Greater(t, *got.Interval.High, 0.35)
	require.InDelta(t, 200.0/201, *got.Interval.Coverage, 1e-9)
	require.NotEmpty(t, got.Interval.SettledUntil)
	require.Len(t, got.Groups, 2)
	for _, g := range got.Groups {
		require.InDelta(t, map[string]float64{"shop": 0.1, "bot": 0.5}[g.Keys[0]], *g.Interval.Value, 1e-9, fmt.Sprint(g.Keys))
		require.EqualValues(t, 50, g.Interval.Traces)
	}
	require.Nil(t, ask("").Interval, "it is not asked for")
	none := ask(`,"interval":true,"evaluator":"unknown"`)
	require.Nil(t, none.Interval.Value)
	require.Zero(t, none.Interval.Traces)
}
