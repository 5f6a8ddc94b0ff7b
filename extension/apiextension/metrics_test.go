// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

const metricsPath = "/v2/metrics"

// shownMetrics is a page of metrics as a client reads it.
type shownMetrics struct {
	Metrics struct {
		Data []struct {
			Name           string       `json:"metric_name"`
			OrganizationID string       `json:"organization_id"`
			Points         []shownPoint `json:"points"`
		} `json:"data"`
		TotalPoints  int    `json:"total_points"`
		TotalResults int64  `json:"total_results"`
		NextCursor   string `json:"next_cursor"`
	} `json:"metrics"`
}

type shownPoint struct {
	Numeric   *float64          `json:"numeric_value"`
	Bool      *bool             `json:"bool_value"`
	Enum      *string           `json:"enum_value"`
	EventTime int64             `json:"event_time"`
	Labels    map[string]string `json:"labels"`
}

// names returns the metrics of a page, each with how many points it has.
func (m shownMetrics) names() map[string]int {
	names := map[string]int{}
	for _, d := range m.Metrics.Data {
		names[d.Name] += len(d.Points)
	}
	return names
}

// newMeasured is a library of six spans, a second apart, each with a word count;
// the even ones with a tone, the odd ones with relevancy by a judge.
func newMeasured(t *testing.T) (*library, time.Time) {
	t.Helper()
	l := newLibrary(t)
	start := time.Now().Add(-time.Minute).Truncate(time.Millisecond)
	l.write(t, 6, func(i int, r *store.Record) {
		s := &r.Span
		s.Start = start.Add(time.Duration(i) * time.Second).UnixNano()
		s.Service, s.Vendor, s.ResponseModel, s.Workflow, s.Entity = "shop", "openai", "gpt-"+strconv.Itoa(i%3), "w", "agent-"+strconv.Itoa(i%2)
		s.Attributes = span.NewAttributes([]span.Attribute{{Key: "user", Value: "u" + strconv.Itoa(i/3)}, {Key: "llm.vendor", Value: "openai"}})
		s.Resource = span.NewAttributes([]span.Attribute{{Key: "service.name", Value: "shop"}})
		ended := start.UnixNano() + int64(i)*1e6
		r.Evaluations = []eval.Evaluation{{
			SetupID: "s1", Evaluator: "word-count", Status: eval.Done, Backend: eval.Deterministic,
			Outputs: []eval.Output{{Name: "word_count", Value: int64(10 * i)}}, Time: ended,
		}}
		if i%2 == 0 {
			r.Evaluations = append(r.Evaluations, eval.Evaluation{
				SetupID: "s2", Evaluator: "tone-detection", Status: eval.Done, Backend: eval.Embedded, Time: ended,
				Outputs: []eval.Output{{Name: "score", Value: float64(i) / 8}, {Name: "tone", Value: []string{"joy", "anger", "joy"}[i/2]}},
			})
			return
		}
		r.Evaluations = append(r.Evaluations, eval.Evaluation{
			SetupID: "s2", Evaluator: "answer-relevancy", Status: eval.Done, Backend: eval.Judge, Time: ended,
			Outputs: []eval.Output{{Name: "is_relevant", Value: i == 3}},
		}, eval.Evaluation{SetupID: "s2", Evaluator: "faithfulness", Status: eval.Failed, Reason: "x", Time: ended})
	})
	return l, start
}

func (l *library) metrics(t *testing.T, more string) shownMetrics {
	t.Helper()
	r := l.call(t, "POST", metricsPath, l.key, `{"from_timestamp_sec":`+l.from+more+`}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[shownMetrics](t, r)
}

func TestMetricsAreVerdictsWithTheirLabels(t *testing.T) {
	t.Parallel()
	l, start := newMeasured(t)
	got := l.metrics(t, "")
	require.Equal(t, map[string]int{"word-count.word_count": 6, "tone-detection.score": 3, "tone-detection.tone": 3, "answer-relevancy.is_relevant": 3}, got.names())
	require.Equal(t, 15, got.Metrics.TotalPoints)
	require.EqualValues(t, 15, got.Metrics.TotalResults)
	require.Empty(t, got.Metrics.NextCursor)
	for _, d := range got.Metrics.Data {
		require.Equal(t, l.env.OrganizationID, d.OrganizationID)
	}

	got = l.metrics(t, `,"metric_name":"word count"`)
	require.Len(t, got.Metrics.Data, 1)
	p := got.Metrics.Data[0].Points[4]
	require.InDelta(t, 40, *p.Numeric, 0)
	require.Nil(t, p.Bool)
	require.Nil(t, p.Enum)
	require.Equal(t, start.Add(4*time.Second).UnixMilli(), p.EventTime)
	require.Equal(t, map[string]string{
		"agent_name": "agent-0", "entity_type": "span", "env_project_id": string(l.env.ID), "environment": "prd", "evaluator_name": "word-count",
		"insert_time": strconv.FormatInt(start.UnixMilli()+4, 10), "metric_source": "word_count", "metric_type": "numeric", "model": "gpt-1", "org_id": l.env.OrganizationID,
		"run_id": "s1", "service_name": "shop", "span_id": "0200040000000000", "span_name": "4", "trace_id": "01010000000000000000000000000000",
		"unit": "words", "vendor": "openai", "workflow_name": "w",
	}, p.Labels)

	got = l.metrics(t, `,"metric_source":"llm_as_a_judge"`)
	p = got.Metrics.Data[0].Points[1]
	require.True(t, *p.Bool)
	require.Nil(t, p.Numeric)
	require.Equal(t, "boolean", p.Labels["metric_type"])
	require.Equal(t, "llm_as_a_judge", p.Labels["metric_source"])
	require.Empty(t, p.Labels["unit"])
	require.False(t, *got.Metrics.Data[0].Points[0].Bool, "false is a value")

	got = l.metrics(t, `,"metric_name":"tone-detection.tone"`)
	require.Equal(t, "joy", *got.Metrics.Data[0].Points[0].Enum)
	require.Equal(t, "enum", got.Metrics.Data[0].Points[0].Labels["metric_type"])
	got = l.metrics(t, `,"metric_name":"Tone_Detection.Score"`)
	require.InDelta(t, 0, *got.Metrics.Data[0].Points[0].Numeric, 0, "0 is a value")
}

func TestMetricsOfEnvironments(t *testing.T) {
	t.Parallel()
	l, _ := newMeasured(t)
	require.Len(t, l.metrics(t, `,"environments":["dev","prd"]`).Metrics.Data, 4)
	require.Len(t, l.metrics(t, `,"environments":[]`).Metrics.Data, 4)
	require.Len(t, l.metrics(t, `,"environments":null`).Metrics.Data, 4)
	empty := `{"metrics":{"data":[],"total_points":0,"total_results":0,"next_cursor":""}}`
	r := l.call(t, "POST", metricsPath, l.key, `{"from_timestamp_sec":1,"environments":["PRD","production"]}`)
	require.JSONEq(t, empty, r.body)
	r = l.call(t, "GET", metricsPath+"?from_timestamp_sec=1&environments=dev", l.key, "")
	require.JSONEq(t, empty, r.body)
	r = l.call(t, "GET", metricsPath+"?from_timestamp_sec=1&environments=dev&environments=prd", l.key, "")
	require.Len(t, into[shownMetrics](t, r).Metrics.Data, 4)
	stranger := l.newKey(t)
	for _, body := range []string{`{"from_timestamp_sec":1}`, `{"from_timestamp_sec":1,"filters":[{"field":"labels.org_id","operator":"not_exists"}],"logical_operator":"OR"}`, `{"from_timestamp_sec":1,"environments":["prd"]}`} {
		require.JSONEq(t, empty, l.call(t, "POST", metricsPath, stranger, body).body)
	}
}

func TestMetricsOfCustomEvaluators(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	made := l.define(t, l.key, qualityJudge)
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Evaluations = []eval.Evaluation{{
			SetupID: "s", Evaluator: made.Slug, Status: eval.Done, Backend: eval.Judge, Time: r.Span.Start,
			Outputs: []eval.Output{{Name: "reason", Value: "so"}, {Name: "label", Value: "good"}, {Name: "pass", Value: true}},
		}, {
			SetupID: "s", Evaluator: "dropped-by-a-release", Status: eval.Done, Backend: eval.Embedded, Time: r.Span.Start,
			Outputs: []eval.Output{{Name: "score", Value: 1.5}},
		}}
	})
	require.Len(t, l.metrics(t, `,"metric_name":"Quality Judge"`).Metrics.Data, 3)
	require.Equal(t, map[string]int{"quality-judge.pass": 1}, l.metrics(t, `,"metric_name":"quality_judge.PASS"`).names())
	require.Equal(t, map[string]int{"dropped-by-a-release.score": 1}, l.metrics(t, `,"metric_name":"dropped by a release","metric_source":"dropped_by_a_release"`).names())
	require.Empty(t, l.metrics(t, `,"metric_source":"quality_judge"`).Metrics.Data, "a judge is its source")
}

func TestMetricsAreReadByAURLToo(t *testing.T) {
	t.Parallel()
	l, _ := newMeasured(t)
	get := func(params url.Values) shownMetrics {
		t.Helper()
		params.Set("from_timestamp_sec", l.from)
		r := l.call(t, "GET", metricsPath+"?"+params.Encode(), l.key, "")
		require.Equal(t, http.StatusOK, r.status, r.body)
		return into[shownMetrics](t, r)
	}
	params := url.Values{
		"metric_name": {"word-count"}, "metric_source": {"word_count"}, "sort_by": {"numeric_value"}, "sort_order": {"DESC"}, "limit": {"2"}, "cursor": {"0"},
		"logical_operator": {"AND"}, "filters": {`[{"field":"numeric_value","operator":"less_than","value":50}]`},
		"to_timestamp_sec": {strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10)}, "environments": {"prd"},
	}
	first := get(params)
	require.InDelta(t, 40, *first.Metrics.Data[0].Points[0].Numeric, 0)
	require.EqualValues(t, 5, first.Metrics.TotalResults)
	params.Set("cursor", first.Metrics.NextCursor)
	second := get(params)
	require.InDelta(t, 20, *second.Metrics.Data[0].Points[0].Numeric, 0)
	require.Len(t, get(url.Values{"metric_name": {""}, "cursor": {""}, "limit": {"3"}, "unknown": {"a", "b"}}).names(), 3)
}

func TestHighWaterMark(t *testing.T) {
	t.Parallel()
	l, start := newMeasured(t)
	r := l.call(t, "GET", "/v2/metrics_hwm", l.key, "")
	require.JSONEq(t, fmt.Sprintf(`{"high_water_mark":%d}`, start.UnixMilli()+5), r.body)
	require.JSONEq(t, `{"high_water_mark":0}`, l.call(t, "GET", "/v2/metrics_hwm", l.newKey(t), "").body)
}
