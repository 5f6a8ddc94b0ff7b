// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// firstExplained is the path of what explains the first span of a library.
const firstExplained = "/v2/warehouse/spans/01000000000000000000000000000000/0200000000000000/explain"

func (l *library) explain(t *testing.T, query string) explainAnswer {
	t.Helper()
	r := l.call(t, "GET", firstExplained+query, l.key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[explainAnswer](t, r)
}

// When a setup was made is known to the millisecond, and what came within it was not judged
// any more.
func TestWhatCameInTheMillisecondOfASetupCameBefore(t *testing.T) {
	t.Parallel()
	for late, before := range map[time.Duration]bool{time.Millisecond - 1: true, time.Millisecond: false} {
		l := newLibrary(t)
		s := l.create(t, l.key, `{"external_id":"m","evaluators":["char-count"]}`)
		made, err := time.Parse(time.RFC3339, s.CreatedAt)
		require.NoError(t, err)
		l.write(t, 1, func(_ int, r *store.Record) { r.Span.Start = made.Add(late).UnixNano() })
		require.Equal(t, before, l.explain(t, "").Setups[0].MadeAfterSpan, late)
	}
}

// Every state of an evaluation is explained with what its record does not have.
func TestEvaluatorsAreExplainedByTheirRecords(t *testing.T) {
	t.Parallel()
	l := libraryOf(t, newTestAPI(t, noon))
	s := l.create(t, l.key, `{"external_id":"m","evaluators":["char-count","word-count","faithfulness","answer-relevancy","pii-detector","tone-detection","json-validator","perplexity"],
		"evaluator_configs":{"tone-detection":{"sample_rate":0.25}},"max_cost_per_day":2.5}`)
	now := l.now().Truncate(time.Millisecond)
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Span.Start = now.Add(time.Minute).UnixNano()
		for _, e := range []eval.Evaluation{
			{Evaluator: "char-count", Status: eval.Done, Outputs: []eval.Output{{Name: "char_count", Value: int64(3)}}, Backend: eval.Deterministic},
			{Evaluator: "word-count", Status: eval.Failed, Reason: strings.Repeat("é", 900), Attempts: 1},
			{Evaluator: "faithfulness", Status: eval.Deferred, Reason: "judge: answered 429", Attempts: 2, Due: now.Add(time.Hour).UnixNano(), Usage: eval.Usage{Cost: 0.5}},
			{Evaluator: "answer-relevancy", Status: eval.Deferred, Reason: eval.ReasonTrace, Due: now.Add(time.Hour).UnixNano()},
			{Evaluator: "pii-detector", Status: eval.Skipped, Reason: eval.ReasonMissingInput},
			{Evaluator: "tone-detection", Status: eval.Skipped, Reason: eval.ReasonSampledOut},
			{Evaluator: "json-validator", Status: eval.Skipped, Reason: eval.ReasonOwnTraffic},
		} {
			e.SetupID, e.Time = s.ID, now.UnixNano()
			gone := e
			gone.SetupID = "gone"
			r.Evaluations = append(r.Evaluations, e, gone)
		}
	})
	got := l.explain(t, "")
	require.Equal(t, "1 of 1 auto monitor setups match the span.", got.Sentence)
	require.Equal(t, "0", got.SpanName)
	require.Len(t, got.Setups, 2)
	m := got.Setups[0]
	require.True(t, m.Matched)
	require.False(t, m.MadeAfterSpan)
	require.Equal(t, "matches every span", m.Sentence)
	for i, want := range []struct{ state, reason, sentence string }{
		{"done", "", "judged at " + rest.Time(now) + " (deterministic)"},
		{"failed", strings.Repeat("é", 500), "failed after 1 try: é"},
		{"deferred", "judge: answered 429", ": 2 tries, the last time: judge: answered 429; due at " + rest.Time(now.Add(time.Hour)) + "; of $2.50 a day $2.0000 are left today"},
		{"deferred", "trace", "other spans of the trace have the input"},
		{"skipped", "missing_input", "missing input: text was looked for in span output, where there is nothing"},
		{"skipped", "sampled_out", "sampled out: the trace's place is 0."},
		{"skipped", "own_traffic", "never judged"},
		{"none", "not_recorded", "a backfill judges it"},
	} {
		e := m.Evaluators[i]
		require.Equal(t, want.state, e.Status, i)
		require.Equal(t, want.reason, e.Reason, i)
		require.Contains(t, e.Sentence, want.sentence)
	}
	require.InDelta(t, 2, *m.Evaluators[2].Owed.LeftToday, 1e-9)
	require.Equal(t, 2, m.Evaluators[2].Owed.Attempts)
	require.InDelta(t, 0.25, m.Evaluators[5].Sample["rate"], 0)
	require.Equal(t, map[string]string{"source": "span", "key": "output"}, m.Evaluators[4].Missing[0].Where)

	gone := got.Setups[1]
	require.True(t, gone.Deleted)
	require.Equal(t, "gone", gone.SetupID)
	require.Len(t, gone.Evaluators, 7)
	require.Contains(t, gone.Sentence, "deleted since")
	require.Len(t, l.explain(t, "?setup="+s.ID).Setups, 1)

	// Once its rules are others, the setup does not match, and still says that it
	// judged.
	r := l.call(t, "PUT", setupsPath+"/m", l.key, `{"selector":[{"key":"a","source":"span_attributes","operator":"exists"}],"evaluators":["char-count","sql-validator"]}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	m = l.explain(t, "?setup=m").Setups[0]
	require.False(t, m.Matched)
	require.Contains(t, m.Sentence, "does not match any more, and judged the span when it came: rule 1 wants")
	require.Equal(t, "done", m.Evaluators[0].Status)
	require.Equal(t, "not_matched", m.Evaluators[1].Reason)
	r = l.call(t, "PUT", setupsPath+"/m", l.key, `{"selector":[]}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.Equal(t, "changed_after_span", l.explain(t, "?setup=m").Setups[0].Evaluators[1].Reason)
}

// A pending evaluation has a place in the queue of its environment, and its money is
// that of the setup and of the environment.
func TestWhatIsOwedIsExplained(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t, noon)
	org, keys := h.newOrganization(t, "prd")
	h.operator(t, "PATCH", org+"/environments/prd", `{"quota":{"dollars_per_day":1.5}}`, http.StatusOK)
	k, err := h.live.Key(t.Context(), tenant.DigestOf(keys[0]))
	require.NoError(t, err)
	l := &library{testAPI: h, key: keys[0], env: k.Environment}
	s := l.create(t, l.key, `{"external_id":"m","evaluators":["faithfulness","answer-relevancy"],"max_cost_per_day":2.5}`)
	now := h.now()
	l.write(t, 5, func(i int, r *store.Record) {
		e := eval.Evaluation{SetupID: "others", Evaluator: "tone-detection", Status: eval.Deferred, Reason: eval.ReasonModel, Time: now.Add(time.Duration(i-3) * time.Second).UnixNano()}
		e.Due, e.Usage.Cost = e.Time, 0.25
		r.Evaluations = []eval.Evaluation{e}
		if i == 0 {
			mine := e
			mine.SetupID, mine.Evaluator, mine.Time, mine.Due = s.ID, "faithfulness", now.UnixNano(), now.UnixNano()
			r.Evaluations = append(r.Evaluations, mine)
		}
	})
	owed := l.explain(t, "?setup=m").Setups[0].Evaluators[0]
	require.EqualValues(t, 4, owed.Owed.Place)
	require.Contains(t, owed.Sentence, "; the environment has 3 pending from before")
	require.InDelta(t, 2.5, owed.Owed.MaxCostPerDay, 0)
	require.InDelta(t, 1.5, owed.Owed.DollarsPerDay, 0)
	require.InDelta(t, 0, *owed.Owed.LeftToday, 1e-9, "six evaluations have cost a quarter of a dollar each")
	require.Contains(t, owed.Sentence, "of $2.50 a day $2.2500 are left today; of the environment's $1.50 a day $0.0000 are left today")
}

// Places are counted up to a thousand before one.
func TestPlacesFarBehindAreNotCounted(t *testing.T) {
	t.Parallel()
	for before, sentence := range map[int]string{
		999:  "; the environment has 999 pending from before",
		1000: "; the environment has 1000 or more pending from before",
		1001: "; the environment has 1000 or more pending from before",
	} {
		l := newLibrary(t)
		s := l.create(t, l.key, `{"external_id":"m","evaluators":["faithfulness"]}`)
		now := time.Now()
		l.write(t, before, func(i int, r *store.Record) {
			e := eval.Evaluation{SetupID: "others", Evaluator: "faithfulness", Status: eval.Deferred, Reason: eval.ReasonModel, Time: now.Add(-time.Hour).UnixNano()}
			r.Evaluations = []eval.Evaluation{e}
			if i == 0 {
				e.SetupID, e.Time = s.ID, now.UnixNano()
				r.Evaluations = append(r.Evaluations, e)
			}
		})
		owed := l.explain(t, "?setup=m").Setups[0].Evaluators[0]
		require.EqualValues(t, min(before, 1000)+1, owed.Owed.Place)
		require.True(t, strings.HasSuffix(owed.Sentence, sentence), owed.Sentence)
	}
}

func TestExplanationsAreRefusedOrBounded(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 1, func(_ int, r *store.Record) {
		r.Span.Attributes = span.NewAttributes([]span.Attribute{{Key: "long", Value: strings.Repeat("x", 1<<20)}})
	})
	require.Equal(t, "The environment has no auto monitor setups.", l.explain(t, "").Sentence)
	require.Empty(t, l.explain(t, "").Setups)
	for path, want := range map[string]int{
		firstExplained + "?setup=none":                                             http.StatusNotFound,
		strings.Replace(firstExplained, "0200000000000000", "0200000000000009", 1): http.StatusNotFound,
		strings.Replace(firstExplained, "0200000000000000", "02", 1):               http.StatusBadRequest,
		strings.Replace(firstExplained, "0100", "zz00", 1):                         http.StatusBadRequest,
		firstExplained + "?setup=%zz":                                              http.StatusBadRequest,
	} {
		r := l.call(t, "GET", path, l.key, "")
		require.Equal(t, want, r.status, path)
		require.NotEmpty(t, r.message(t))
	}
	r := l.call(t, "GET", firstExplained, l.newKey(t), "")
	require.Equal(t, http.StatusNotFound, r.status, "another environment's")

	var items []string
	for i := range 210 {
		items = append(items, fmt.Sprintf(`{"external_id":"m%03d","evaluators":["char-count"],"selector":[{"key":"long","source":"span_attributes","operator":"contains","value":"y"}]}`, i))
	}
	for len(items) > 0 {
		n := min(len(items), 50)
		r := l.call(t, "POST", setupsPath+"/bulk", l.key, `{"setups":[`+strings.Join(items[:n], ",")+`]}`)
		require.Less(t, r.status, 300, r.body)
		items = items[n:]
	}
	got := l.explain(t, "")
	require.Len(t, got.Setups, 200)
	require.True(t, got.Truncated)
	require.Contains(t, got.Sentence, "0 of the first 200 auto monitor setups match the span; there are 210.")
	require.True(t, got.Setups[0].Rules[0].Truncated)
	require.Len(t, got.Setups[0].Rules[0].Actual, 200)
	require.Equal(t, "m209", l.explain(t, "?setup=m209").Setups[0].ExternalID)
}
