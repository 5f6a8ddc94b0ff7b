// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

type figuresPart struct {
	Total  map[string]*float64   `json:"total"`
	Series map[string][]*float64 `json:"series"`
}

type shownFigures struct {
	figuresPart
	Step   int64   `json:"step_sec"`
	Times  []int64 `json:"times"`
	Groups []struct {
		figuresPart
		Keys []string `json:"keys"`
	} `json:"groups"`
	Other *figuresPart `json:"other"`
	Count int          `json:"group_count"`
	Bins  []struct {
		From, To float64
		Count    int64
	} `json:"bins"`
}

// figures sends an aggregation whose body has these members besides the period.
func (l *library) figures(t *testing.T, path, members string) shownFigures {
	t.Helper()
	r := l.call(t, "POST", path, l.key, `{"from_timestamp_sec":`+l.from+members+`}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[shownFigures](t, r)
}

const (
	ofSpans       = "/v2/warehouse/spans/aggregate"
	ofMetrics     = "/v2/metrics/aggregate"
	ofEvaluations = "/v2/evaluations/aggregate"
)

// judgedTraffic writes 100 spans of four models, of which each tenth failed and each
// fifth has personal data, with verdicts of every status.
func judgedTraffic(t *testing.T) *library {
	t.Helper()
	l := newLibrary(t)
	l.write(t, 100, func(i int, r *store.Record) {
		r.Span.RequestModel = "m" + strconv.Itoa(i%4)
		r.Span.Service = []string{"shop", "bot"}[i%2]
		r.Span.Duration = int64(i+1) * 1e6
		r.Span.TotalTokens = int64(i)
		if i%7 == 0 {
			r.Span.TotalTokens = span.NoTokens
		}
		if i%10 == 0 {
			r.Span.StatusCode = "STATUS_CODE_ERROR"
		}
		done := func(slug, output string, value any) eval.Evaluation {
			return eval.Evaluation{
				SetupID: "s", Evaluator: slug, Status: eval.Done, Backend: eval.Embedded, Outputs: []eval.Output{{Name: output, Value: value}},
				Time: r.Span.Start, Usage: eval.Usage{Cost: 0.25}, Duration: int64(i),
			}
		}
		r.Evaluations = []eval.Evaluation{
			done("pii-detector", "has_pii", i%5 == 0), done("char-count", "char_count", int64(i)), done("tone-detection", "tone", []string{"calm", "angry", "sad"}[i%3]),
		}
		if i%2 == 0 {
			r.Evaluations = append(r.Evaluations, eval.Evaluation{SetupID: "s", Evaluator: "faithfulness", Status: eval.Skipped, Reason: eval.ReasonMissingInput, Time: r.Span.Start})
		} else {
			r.Evaluations = append(r.Evaluations, eval.Evaluation{SetupID: "s", Evaluator: "faithfulness", Status: eval.Deferred, Reason: eval.ReasonModel, Time: r.Span.Start, Due: r.Span.Start})
		}
	})
	return l
}

func TestFiguresOfSpans(t *testing.T) {
	t.Parallel()
	l := judgedTraffic(t)
	all := l.figures(t, ofSpans, `,"measures":["count","errors","against","duration_p50","duration_p95","duration_max","duration_avg","total_tokens"]`)
	require.Equal(t, map[string]*float64{
		"count": new(100.0), "errors": new(10.0), "against": new(20.0), "duration_p50": new(50e6), "duration_p95": new(95e6), "duration_max": new(100e6),
		"duration_avg": new(50.5e6), "total_tokens": new(float64(4950 - 735)),
	}, all.Total)
	require.Empty(t, all.Times)
	require.Empty(t, all.Groups)

	stepped := l.figures(t, ofSpans, `,"to_timestamp_sec":`+l.from+`,"step_sec":60,"measures":["count","duration_p50"]`)
	require.Len(t, stepped.Times, 1)
	require.Equal(t, []*float64{new(0.0)}, stepped.Series["count"])
	require.Equal(t, []*float64{nil}, stepped.Series["duration_p50"])
	stepped = l.figures(t, ofSpans, `,"step_sec":60,"measures":["count"]`)
	sum := 0.0
	for _, n := range stepped.Series["count"] {
		sum += *n
	}
	require.InDelta(t, 100, sum, 0)
	require.Len(t, stepped.Series["count"], len(stepped.Times))
	require.Zero(t, stepped.Times[0]%60)

	grouped := l.figures(t, ofSpans, `,"group_by":["llm.request.model","service_name"],"top":2,"step_sec":60,"measures":["count","duration_p50"],
		"filters":[{"id":"llm.request.model","operator":"not_equals","value":"m3"},{"id":"duration","operator":"less_than_or_equal","value":50}]`)
	require.Equal(t, 3, grouped.Count)
	require.Equal(t, []string{"m0", "shop"}, grouped.Groups[0].Keys)
	require.Equal(t, map[string]*float64{"count": new(13.0), "duration_p50": new(25e6)}, grouped.Groups[0].Total)
	require.Equal(t, map[string]*float64{"count": new(12.0), "duration_p50": new(23e6)}, grouped.Other.Total)
	require.Len(t, grouped.Other.Series["count"], len(grouped.Times))
	require.InDelta(t, 38, *grouped.Total["count"], 0)
	require.Nil(t, grouped.Series)

	// Only of the caller's environment.
	other := l.call(t, "POST", ofSpans, l.newKey(t), `{"from_timestamp_sec":0,"group_by":["service_name"],"measures":["count","duration_max"]}`)
	require.JSONEq(t, `{"step_sec":0,"times":[],"total":{"count":0,"duration_max":null},"groups":[],"group_count":0}`, other.body)
	require.Equal(t, http.StatusForbidden, l.call(t, "POST", ofSpans, accessToken, `{"from_timestamp_sec":0,"measures":["count"]}`).status)
}

// Figures of groups by steps are the same whether they are read at once or, as quantiles
// demand, one after the other.
func TestFiguresThatAreReadAtOnce(t *testing.T) {
	t.Parallel()
	l := judgedTraffic(t)
	const plain = `"count","errors","duration_sum","duration_min","duration_max","total_tokens"`
	for _, top := range []string{"1", "2", "3", "4", "5"} {
		for _, rest := range []string{`"step_sec":15,`, ``} {
			asked := `,` + rest + `"group_by":["llm.request.model","service_name"],"top":` + top + `,"filters":[{"id":"duration","operator":"less_than","value":95}],"measures":[` + plain
			once, apart := l.figures(t, ofSpans, asked+`]`), l.figures(t, ofSpans, asked+`,"duration_p50"]`)
			require.Equal(t, 4, once.Count)
			list := []*figuresPart{&apart.figuresPart}
			for i := range apart.Groups {
				list = append(list, &apart.Groups[i].figuresPart)
			}
			if apart.Other != nil {
				list = append(list, apart.Other)
			}
			for _, p := range list {
				delete(p.Total, "duration_p50")
				delete(p.Series, "duration_p50")
			}
			require.Equal(t, apart, once, "%s %s", top, rest)
		}
	}
	// Spans of several groups count once in the rest.
	spans := l.figures(t, ofEvaluations, `,"step_sec":60,"group_by":["evaluator"],"top":2,"measures":["count","spans"]`)
	require.InDelta(t, 200, *spans.Other.Total["count"], 0)
	require.InDelta(t, 100, *spans.Other.Total["spans"], 0)
	require.InDelta(t, 100, *spans.Total["spans"], 0)
}

func TestFiguresOfVerdicts(t *testing.T) {
	t.Parallel()
	l := judgedTraffic(t)
	pii := l.figures(t, ofMetrics, `,"evaluator":"pii-detector","output":"has_pii","group_by":["service_name"],"measures":["count","true","share_true","avg"]`)
	require.Equal(t, map[string]*float64{"count": new(100.0), "true": new(20.0), "share_true": new(0.2), "avg": nil}, pii.Total)
	require.Equal(t, []string{"bot"}, pii.Groups[0].Keys)
	require.InDelta(t, 0.2, *pii.Groups[1].Total["share_true"], 0)

	count := l.figures(t, ofMetrics, `,"evaluator":"char-count","bins":10,"measures":["avg","min","max","sum","p50","p90"]`)
	require.Equal(t, map[string]*float64{"avg": new(49.5), "min": new(0.0), "max": new(99.0), "sum": new(4950.0), "p50": new(49.0), "p90": new(89.0)}, count.Total)
	require.Len(t, count.Bins, 10)
	for _, b := range count.Bins {
		require.EqualValues(t, 10, b.Count, "%v", b)
	}
	tones := l.figures(t, ofMetrics, `,"evaluator":"tone-detection","group_by":["value"],"top":1,"measures":["count"],"filters":[{"id":"evaluation.pii-detector.has_pii","operator":"equals","value":true}]`)
	require.Equal(t, []string{"calm"}, tones.Groups[0].Keys)
	require.InDelta(t, 7, *tones.Groups[0].Total["count"], 0)
	require.InDelta(t, 13, *tones.Other.Total["count"], 0)
	metrics := l.figures(t, ofMetrics, `,"group_by":["evaluator","output"],"measures":["count"]`)
	require.Equal(t, 3, metrics.Count)
	bad := l.figures(t, ofMetrics, `,"group_by":["setup_id"],"top":1000,"measures":["count","against"]`)
	require.Equal(t, []string{"s"}, bad.Groups[0].Keys)
	require.Equal(t, map[string]*float64{"count": new(300.0), "against": new(20.0)}, bad.Groups[0].Total)
	none := l.figures(t, ofMetrics, `,"evaluator":"nobody","bins":3,"measures":["avg"]`)
	require.Equal(t, map[string]*float64{"avg": nil}, none.Total)
	require.Empty(t, none.Bins)
}

// Texts, booleans of which either is good, and outputs of unknown evaluators,
// which speak neither for nor against.
func TestFiguresOfWhatSpeaksAgainst(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 8, func(i int, r *store.Record) {
		done := func(slug, output string, value any) eval.Evaluation {
			return eval.Evaluation{SetupID: "s", Evaluator: slug, Status: eval.Done, Outputs: []eval.Output{{Name: output, Value: value}}, Time: r.Span.Start}
		}
		r.Evaluations = []eval.Evaluation{
			done("agent-tool-error-detector", "tool_selection", "incorrect"),
			done("agent-tool-selection-quality", "tool_selection", []string{"correct", "incorrect"}[i%2]),
			done("json-validator", "is_valid_json", i%4 == 0),
			done("nobody", "has_pii", true),
		}
	})
	spans := l.figures(t, ofSpans, `,"measures":["count","against"]`)
	require.Equal(t, map[string]*float64{"count": new(8.0), "against": new(6.0)}, spans.Total)
	verdicts := l.figures(t, ofMetrics, `,"group_by":["evaluator"],"measures":["against"]`)
	got := map[string]float64{}
	for _, g := range verdicts.Groups {
		got[g.Keys[0]] = *g.Total["against"]
	}
	require.Equal(t, map[string]float64{"agent-tool-error-detector": 0, "agent-tool-selection-quality": 4, "json-validator": 6, "nobody": 0}, got)
}

func TestFiguresOfEvaluations(t *testing.T) {
	t.Parallel()
	l := judgedTraffic(t)
	got := l.figures(t, ofEvaluations, `,"evaluator":"faithfulness","group_by":["status","reason"],"measures":["count"]`)
	require.Equal(t, 2, got.Count)
	require.Equal(t, []string{"deferred", "model"}, got.Groups[0].Keys)
	require.Equal(t, []string{"skipped", "missing_input"}, got.Groups[1].Keys)
	cost := l.figures(t, ofEvaluations, `,"status":"done","setup_id":"s","group_by":["evaluator"],"measures":["count","cost","duration_p50"],"filters":[{"id":"service_name","operator":"equals","value":"bot"}]`)
	require.Equal(t, map[string]*float64{"count": new(150.0), "cost": new(37.5), "duration_p50": new(49.0)}, cost.Total)
	require.Equal(t, 3, cost.Count)
	spans := l.figures(t, ofEvaluations, `,"group_by":["status"],"top":1000,"measures":["spans","count"]`)
	require.Equal(t, map[string]*float64{"spans": new(100.0), "count": new(400.0)}, spans.Total)
	require.Equal(t, map[string]*float64{"spans": new(100.0), "count": new(300.0)}, spans.Groups[0].Total)
	good := l.figures(t, ofEvaluations, `,"group_by":["good"],"measures":["count"]`)
	said := map[string]float64{}
	for _, g := range good.Groups {
		said[g.Keys[0]] = *g.Total["count"]
	}
	require.Equal(t, map[string]float64{"": 300, "true": 80, "false": 20}, said)
	for members, message := range map[string]string{
		`,"measures":["spans","duration_p50"]`:                                               "measures must not have both spans and percentiles",
		`,"measures":["count"],"step_sec":3600,"to_timestamp_sec":` + l.from + `,"top":1001`: "top must",
	} {
		r := l.call(t, "POST", ofEvaluations, l.key, `{"from_timestamp_sec":`+l.from+members+`}`)
		require.Equal(t, http.StatusBadRequest, r.status, r.body)
		require.Contains(t, r.message(t), message)
	}
	r := l.call(t, "POST", ofEvaluations, l.key, `{"from_timestamp_sec":0,"to_timestamp_sec":3600,"step_sec":10,"top":100,"measures":["count"]}`)
	require.Equal(t, "top must be at most 55 with so many steps", r.message(t))
	require.Zero(t, l.figures(t, ofEvaluations, `,"reason":"x","group_by":["status"],"measures":["count"]`).Count)
}

// Spans are found by what became of their evaluations, and as many as figures tell.
func TestSpansByEvaluationsOfAnyStatus(t *testing.T) {
	t.Parallel()
	l := judgedTraffic(t)
	for filters, want := range map[string]int64{
		`{"id":"touchstone.evaluation.status","operator":"equals","value":"deferred"}`:                                                                       50,
		`{"id":"touchstone.evaluation.faithfulness.status","operator":"equals","value":"skipped"}`:                                                           50,
		`{"id":"touchstone.evaluation.pii-detector.status","operator":"not_equals","value":"done"}`:                                                          0,
		`{"id":"touchstone.evaluation.reason","operator":"in","value":["missing_input","x"]}`:                                                                50,
		`{"id":"touchstone.evaluation.backend","operator":"equals","value":"judge"}`:                                                                         0,
		`{"id":"touchstone.evaluation.setup_id","operator":"exists"}`:                                                                                        100,
		`{"id":"touchstone.evaluation.tone-detection.reason","operator":"exists"}`:                                                                           0,
		`{"id":"touchstone.evaluation.faithfulness.status","operator":"equals","value":"deferred"},{"id":"service_name","operator":"equals","value":"shop"}`: 0,
	} {
		rows := l.rows(t, `,"filters":[`+filters+`]`)
		require.Equal(t, want, *rows.Total, filters)
		got := l.figures(t, ofSpans, `,"measures":["count"],"filters":[`+filters+`]`)
		require.InDelta(t, want, *got.Total["count"], 0, filters)
	}
	for _, id := range []string{"touchstone.evaluation.", "touchstone.evaluation.x", "touchstone.evaluation..status", "touchstone.evaluation.a.b"} {
		r := l.call(t, "POST", ofSpans, l.key, `{"from_timestamp_sec":0,"measures":["count"],"filters":[{"id":"`+id+`","operator":"exists"}]}`)
		require.Equal(t, http.StatusBadRequest, r.status, id)
		require.Contains(t, r.message(t), "filters[0].id must have the form touchstone.evaluation.")
	}
}

// The ends of a period may be the first and the last times that there are.
func TestStepsEndWithTime(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for _, ends := range [][2]int64{
		{9_223_372_000, math.MaxInt64}, {9_223_372_036, 9_223_372_036}, {math.MinInt64, -9_223_372_000}, {-9_223_372_036, -9_223_372_036}, {math.MinInt64, 0},
	} {
		r := l.call(t, "POST", ofSpans, l.key, fmt.Sprintf(`{"from_timestamp_sec":%d,"to_timestamp_sec":%d,"step_sec":31622400,"measures":["count"]}`, ends[0], ends[1]))
		require.Equal(t, http.StatusOK, r.status, r.body)
		got := into[shownFigures](t, r)
		require.NotEmpty(t, got.Times, ends)
		require.LessOrEqual(t, len(got.Times), 400)
		require.IsIncreasing(t, append(got.Times, math.MaxInt64))
		require.Len(t, got.Series["count"], len(got.Times))
	}
}

func TestFiguresAreRefused(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for members, start := range map[string]string{
		``:                       "measures is required",
		`,"measures":[]`:         "measures must",
		`,"measures":["median"]`: "measures[0] must be one of",
		`,"measures":["count"],"step_sec":1,"to_timestamp_sec":99999999999`:                  "step_sec is too small for this period: at most 400 steps are answered, which takes ",
		`,"measures":["count"],"step_sec":-1`:                                                "step_sec must",
		`,"measures":["count"],"top":1001`:                                                   "top must",
		`,"measures":["count"],"group_by":["a","b","c"]`:                                     "group_by must",
		`,"measures":["count"],"group_by":["duration"]`:                                      "group_by[0] must be a field that is a text, or an attribute",
		`,"measures":["count"],"group_by":["a","resource_attributes"]`:                       "group_by[1] must name an attribute",
		`,"measures":["count"],"filters":[{"id":"a","operator":"is"}]`:                       "filters[0].operator must be one of",
		`,"measures":["count"],"filters":[{"id":"a","operator":"greater_than","value":"x"}]`: "filters[0].value must be a finite number",
	} {
		for _, path := range []string{ofSpans, ofMetrics, ofEvaluations} {
			r := l.call(t, "POST", path, l.key, `{"from_timestamp_sec":`+l.from+members+`}`)
			require.Equal(t, http.StatusBadRequest, r.status, "%s %s", members, r.body)
			require.Truef(t, strings.HasPrefix(r.message(t), start), "%s: %s", members, r.body)
		}
	}
	r := l.call(t, "POST", ofSpans, l.key, `{"from_timestamp_sec":0,"step_sec":60,"measures":["count"]}`)
	require.Equal(t, http.StatusBadRequest, r.status, r.body)
}
