// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

type shownTable struct {
	Spans      int      `json:"spans"`
	Categories []string `json:"categories"`
	Confusion  [][]int  `json:"confusion"`
	Accuracy   *float64 `json:"accuracy"`
	Kappa      *struct {
		Value float64 `json:"value"`
		Error float64 `json:"standard_error"`
		Low   float64 `json:"low"`
		High  float64 `json:"high"`
	} `json:"kappa"`
}

type shownJudge struct {
	Version string `json:"version"`
	Model   string `json:"model"`
}

type shownAgreement struct {
	A, B struct {
		Metric string `json:"metric"`
		Source string `json:"source"`
		By     string `json:"by"`
		Spans  int    `json:"spans"`
	}
	shownTable
	Groups []struct {
		A    shownJudge `json:"a"`
		B    shownJudge `json:"b"`
		Keys []string   `json:"keys"`
		Rest bool       `json:"rest"`
		shownTable
	} `json:"groups"`
	Differ []struct {
		TraceID   string `json:"trace_id"`
		SpanID    string `json:"span_id"`
		Timestamp int64  `json:"timestamp"`
		SpanName  string `json:"span_name"`
		A         string `json:"a"`
		B         string `json:"b"`
	} `json:"differ"`
	Truncated bool `json:"truncated"`
}

func (l *library) agreement(t *testing.T, params url.Values) shownAgreement {
	t.Helper()
	r := l.call(t, "GET", "/v2/agreement?"+params.Encode(), l.key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[shownAgreement](t, r)
}

// opinionOf makes the evaluation of an opinion.
func opinionOf(t *testing.T, o opinion.Opinion) eval.Evaluation {
	t.Helper()
	o.Time = time.Now().UnixNano()
	e, err := o.Evaluation()
	require.NoError(t, err)
	return e
}

// A judge and a person on 50 spans, as in the first table of
// https://en.wikipedia.org/wiki/Cohen%27s_kappa, whose kappa is 0.4; and on 10 more
// one of them only.
func judgedAndLabelled(t *testing.T) (*library, string) {
	t.Helper()
	l := newLibrary(t)
	s := l.create(t, l.key, `{"external_id":"m1","evaluators":["char-count"]}`)
	l.write(t, 70, func(i int, r *store.Record) {
		judge := eval.Evaluation{
			SetupID: s.ID, Evaluator: "correct", Status: eval.Done, Source: eval.FromTouchstone, Backend: eval.Judge, Version: "1", Model: "m", Time: 1,
			Outputs: []eval.Output{{Name: "pass", Value: i < 25 || i >= 60}},
		}
		if i%2 == 1 {
			judge.Version = "2"
		}
		person := opinionOf(t, opinion.Opinion{Source: eval.FromHuman, By: "jane", Name: "correct", Outputs: []eval.Output{
			{Name: "value", Value: []string{"no", "yes"}[map[bool]int{true: 1}[i < 20 || i >= 25 && i < 35]]}, {Name: "author", Value: "jane"},
		}})
		switch {
		case i < 50:
			r.Evaluations = []eval.Evaluation{judge, person}
		case i < 60:
			r.Evaluations = []eval.Evaluation{person}
		default:
			r.Evaluations = []eval.Evaluation{judge}
		}
	})
	return l, s.ID
}

func TestAgreementOfAJudgeAndAPerson(t *testing.T) {
	t.Parallel()
	l, setup := judgedAndLabelled(t)
	got := l.agreement(t, url.Values{"a": {"correct.pass"}, "b": {"evaluation.human:correct.value"}, "b_true": {"yes,certainly"}, "limit": {"3"}})
	require.Equal(t, "touchstone", got.A.Source)
	require.Equal(t, "human", got.B.Source)
	require.Equal(t, 60, got.A.Spans)
	require.Equal(t, 60, got.B.Spans)
	require.Equal(t, 50, got.Spans)
	require.Equal(t, []string{"false", "true"}, got.Categories)
	require.Equal(t, [][]int{{15, 10}, {5, 20}}, got.Confusion)
	require.InDelta(t, 0.7, *got.Accuracy, 1e-9)
	require.InDelta(t, 0.4, got.Kappa.Value, 1e-9)
	require.InDelta(t, 0.1510922904766610, got.Kappa.Low, 1e-9)
	require.InDelta(t, 0.6489077095233389, got.Kappa.High, 1e-9)
	require.False(t, got.Truncated)
	require.Len(t, got.Differ, 3)
	for _, d := range got.Differ {
		require.NotEqual(t, d.A, d.B)
	}
	require.Len(t, got.Groups, 2, "two versions of the judge")
	require.Equal(t, 50, got.Groups[0].Spans+got.Groups[1].Spans)
	require.Equal(t, shownJudge{"1", "m"}, got.Groups[0].A)

	same := url.Values{"a": {"correct.pass"}, "a_by": {"m1"}, "b": {"human:correct.value"}, "b_true": {"yes"}, "b_by": {"jane"}}
	require.Equal(t, 50, l.agreement(t, same).Spans)
	same.Set("a_by", setup)
	require.Equal(t, 50, l.agreement(t, same).Spans)
	same.Set("b_by", "joe")
	none := l.agreement(t, same)
	require.Zero(t, none.Spans)
	require.Nil(t, none.Accuracy)
	require.Nil(t, none.Kappa)
	require.Empty(t, none.Confusion)

	own := l.agreement(t, url.Values{"a": {"human:correct.value"}, "b": {"human:correct.author"}})
	require.Equal(t, []string{"jane", "no", "yes"}, own.Categories, "each value is a category")
	other := l.call(t, "GET", "/v2/agreement?a=correct.pass&b=human:correct.value", l.newKey(t), "")
	require.Contains(t, other.body, `"spans":0,"categories":[]`, "another environment's")
}

// A person labels few spans, long before a judge went on to judge many others.
func TestAgreementOnOldSpansOfMany(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	start := time.Now().Add(-time.Hour).UnixNano()
	const all = 24_000
	l.write(t, all, func(i int, r *store.Record) {
		r.Span.SpanID = span.ID{3, byte(i >> 16), byte(i >> 8), byte(i)}
		r.Span.Start = start + int64(i)*1e6
		r.Evaluations = []eval.Evaluation{{
			SetupID: "s", Evaluator: "correct", Status: eval.Done, Source: eval.FromTouchstone, Backend: eval.Judge, Version: "1", Model: "m", Time: 1,
			Outputs: []eval.Output{{Name: "pass", Value: i%2 == 0}},
		}}
		if i < 5 {
			r.Evaluations = append(r.Evaluations, opinionOf(t, opinion.Opinion{Source: eval.FromHuman, By: "jane", Name: "correct", Outputs: []eval.Output{{Name: "value", Value: i%2 == 0 && i > 0}}}))
		}
	})
	for _, params := range []url.Values{
		{"a": {"correct.pass"}, "b": {"human:correct.value"}, "group_by": {"span_name"}},
		{"a": {"human:correct.value"}, "a_by": {"jane"}, "b": {"correct.pass"}, "group_by": {"span_name"}},
	} {
		got := l.agreement(t, params)
		require.Equal(t, 5, got.Spans)
		require.False(t, got.Truncated)
		require.ElementsMatch(t, []int{5, all}, []int{got.A.Spans, got.B.Spans})
		require.InDelta(t, 0.8, *got.Accuracy, 1e-9)
		require.NotNil(t, got.Kappa)
		require.Len(t, got.Differ, 1)
		require.Equal(t, "0", got.Differ[0].SpanName)
		require.Len(t, got.Groups, 5)
		require.False(t, got.Groups[0].Rest)
	}
}

// What two sources say of spans is grouped by the prompt and the model that the spans
// were made with: counted here a second time, span by span.
func TestAgreementByFieldsOfSpans(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	long := strings.Repeat("v", 300) // longer than a group's key is
	attributes := func(i int) (version, model string) {
		switch {
		case i < 60:
			return fmt.Sprintf("v%d", i%3), []string{"small", "large"}[i%2]
		case i < 70:
			return long, "large"
		}
		return "", "large"
	}
	l.write(t, 80, func(i int, r *store.Record) {
		version, model := attributes(i)
		r.Span.ResponseModel = model
		if version != "" {
			r.Span.Attributes = span.NewAttributes([]span.Attribute{{Key: "prompt_version", Value: version}})
		}
		for j, by := range []string{"one", "two"} {
			r.Evaluations = append(r.Evaluations, opinionOf(t, opinion.Opinion{Source: eval.FromSDK, By: by, Name: "n", Outputs: []eval.Output{{Name: "ok", Value: (i*7+j*3)%5 < 3}}}))
		}
	})
	params := url.Values{"a": {"sdk:n.ok"}, "a_by": {"one"}, "b": {"sdk:n.ok"}, "b_by": {"two"}, "group_by": {"prompt_version", "llm.response.model"}}
	got := l.agreement(t, params)
	type table struct{ spans, same int }
	want := map[[2]string]table{}
	for i := range 80 {
		version, model := attributes(i)
		key := [2]string{version[:min(len(version), 256)], model}
		n := want[key]
		n.spans++
		if (i*7%5 < 3) == ((i*7+3)%5 < 3) {
			n.same++
		}
		want[key] = n
	}
	shown := map[[2]string]table{}
	for _, g := range got.Groups {
		require.False(t, g.Rest)
		require.Len(t, g.Keys, 2)
		shown[[2]string(g.Keys)] = table{g.Spans, int(math.Round(*g.Accuracy * float64(g.Spans)))}
	}
	require.Equal(t, want, shown)
	require.Len(t, got.Groups, 8)
	require.GreaterOrEqual(t, got.Groups[0].Spans, got.Groups[7].Spans)

	params["group_by"] = []string{"span_name"} // each span has a name of its own
	got = l.agreement(t, params)
	require.Len(t, got.Groups, 21)
	require.True(t, got.Groups[0].Rest, "what the largest groups leave")
	require.Equal(t, 60, got.Groups[0].Spans)
	require.Empty(t, got.Groups[0].Keys)
	require.Equal(t, 1, got.Groups[20].Spans)
}

func TestAgreementByANumber(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 60, func(i int, r *store.Record) {
		for j, by := range []string{"one", "two"} {
			r.Evaluations = append(r.Evaluations, opinionOf(t, opinion.Opinion{Source: eval.FromSDK, By: by, Name: "a.b c", Model: "m", Outputs: []eval.Output{{Name: "score", Value: float64(i+j) / 60}}}))
		}
	})
	params := url.Values{"a": {"sdk:a.b c.score"}, "a_by": {"one"}, "b": {"sdk:a.b c.score"}, "b_by": {"two"}}
	r := l.call(t, "GET", "/v2/agreement?"+params.Encode(), l.key, "")
	require.Equal(t, http.StatusBadRequest, r.status)
	require.Equal(t, "a has 60 values, more than 50: say with a_min from which number on it is true", r.message(t))
	params.Set("a_min", "0.5")
	params.Set("b_min", "0.5")
	got := l.agreement(t, params)
	require.Equal(t, [][]int{{29, 1}, {0, 30}}, got.Confusion)
	require.Len(t, got.Differ, 1)
	require.Equal(t, "29", got.Differ[0].SpanName)
	require.Equal(t, shownJudge{Model: "m"}, got.Groups[0].B)
}

func TestAgreementThatIsRefused(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	for query, want := range map[string]string{
		"b=x.y":                          "a is required",
		"a=x.y":                          "b is required",
		"a=x&b=x.y":                      "a must have the form",
		"a=x.y&b=human:n":                "b must have the form",
		"a=x.y&b=x.y&a_min=high":         "a_min must be a number",
		"a=x.y&b=x.y&b_min=1&b_true=yes": "b_min and b_true exclude each other",
		"a=x.y&b=x.y&group_by=a&group_by=b&group_by=c":        "group_by must name at most 2 fields",
		"a=x.y&b=x.y&group_by=":                               "group_by must be 1 to 4096 bytes long",
		"a=x.y&b=x.y&group_by=duration":                       "group_by must be a field that is a text",
		"a=x.y&b=x.y&group_by=evaluation.x":                   "group_by must have the form",
		"a=x.y&b=x.y&limit=1001":                              "limit must be a whole number from 0 to 1000",
		"a=x.y&b=x.y&from_timestamp_sec=x":                    "from_timestamp_sec must be",
		"a=x.y&b=x.y&from_timestamp_sec=2&to_timestamp_sec=1": "from_timestamp_sec must not be after",
	} {
		r := l.callUndocumented(t, "GET", "/v2/agreement?"+query, l.key, "")
		require.Equal(t, http.StatusBadRequest, r.status, query)
		require.Contains(t, r.message(t), want)
	}
	r := l.call(t, "GET", fmt.Sprintf("/v2/agreement?a=x.y&b=x.y&a_by=%s", "nobody"), l.key, "")
	require.Equal(t, http.StatusNotFound, r.status)
}
