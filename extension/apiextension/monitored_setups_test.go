// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

type shownCount struct {
	Evaluations int64 `json:"evaluations"`
	Spans       int64 `json:"spans"`
}

type monitoredSetups struct {
	From   int64   `json:"from_timestamp_sec"`
	Step   int64   `json:"step_sec"`
	Times  []int64 `json:"times"`
	Setups []struct {
		ID            string                `json:"id"`
		ExternalID    string                `json:"external_id"`
		Status        string                `json:"status"`
		Paused        bool                  `json:"paused"`
		Spans         int64                 `json:"spans"`
		ByStatus      map[string]shownCount `json:"by_status"`
		Against       int64                 `json:"against"`
		Cost          float64               `json:"cost"`
		LastRun       string                `json:"last_run"`
		Owed          shownCount            `json:"owed"`
		OwedSince     string                `json:"owed_since"`
		SpentToday    float64               `json:"spent_today"`
		MaxCostPerDay float64               `json:"max_cost_per_day"`
		Series        struct {
			Spans []int64   `json:"spans"`
			Cost  []float64 `json:"cost"`
		} `json:"series"`
	} `json:"setups"`
}

func (h *testAPI) monitored(t *testing.T, key string) monitoredSetups {
	t.Helper()
	r := h.call(t, "GET", "/v2/monitoring/setups", key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[monitoredSetups](t, r)
}

// spansOf returns how many spans have an evaluation of a setup that is good, or not.
func (l *library) spansOf(t *testing.T, setup, good string) int {
	t.Helper()
	r := l.call(t, "POST", searchPath, l.key, `{"from_timestamp_sec":0,"filters":[{"id":"touchstone.evaluation.setup_id","operator":"equals","value":"`+setup+
		`"},{"id":"touchstone.evaluation.good","operator":"equals","value":"`+good+`"}]}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	return int(*into[shownRows](t, r).Total)
}

// One answer tells of all setups what the status of each does, and figures of
// evaluations.
func TestAllSetupsAreToldAtOnce(t *testing.T) {
	t.Parallel()
	l := libraryOf(t, newTestAPI(t, noon))
	require.Empty(t, l.monitored(t, l.key).Setups)
	busy := l.create(t, l.key, `{"external_id":"busy","evaluators":["char-count","faithfulness"],"max_cost_per_day":2.5}`)
	l.create(t, l.key, `{"external_id":"idle","evaluators":["char-count"],"paused":true}`)

	begin := l.now().UTC().Truncate(time.Hour).Add(-23 * time.Hour)
	old := begin.Add(-time.Second)
	l.write(t, 8, func(i int, r *store.Record) {
		at := begin.Add(time.Duration(i+1) * time.Hour) // spans 0 to 6 in one step each
		if i == 7 {
			at = old
		}
		r.Span.Start = at.UnixNano()
		ended := at.Add(time.Minute).UnixNano()
		count := eval.Evaluation{SetupID: busy.ID, Evaluator: "char-count", Status: eval.Done, Backend: eval.Deterministic, Time: ended, Outputs: []eval.Output{{Name: "char_count", Value: int64(i)}}}
		judged := eval.Evaluation{SetupID: busy.ID, Evaluator: "faithfulness", Status: eval.Done, Backend: eval.Judge, Time: ended, Usage: eval.Usage{Cost: 0.5}, Outputs: []eval.Output{{Name: "is_faithful", Value: true}}}
		switch i {
		case 2:
			judged.Status, judged.Reason, judged.Backend, judged.Outputs = eval.Failed, "no", "", nil
		case 3, 7:
			judged = eval.Evaluation{SetupID: busy.ID, Evaluator: "faithfulness", Status: eval.Deferred, Reason: eval.ReasonModel, Time: ended, Due: ended}
		case 4:
			judged = eval.Evaluation{SetupID: busy.ID, Evaluator: "faithfulness", Status: eval.Skipped, Reason: eval.ReasonSampledOut, Time: ended}
		case 5:
			judged.Outputs = []eval.Output{{Name: "is_faithful", Value: false}}
		}
		gone := count
		gone.SetupID = "gone"
		r.Evaluations = []eval.Evaluation{count, judged, gone}
	})
	got := l.monitored(t, l.key)
	require.Len(t, got.Times, 24)
	require.EqualValues(t, 3600, got.Step)
	require.Equal(t, []int64{got.From, got.From + 3600}, got.Times[:2])
	first := int(begin.Add(time.Hour).Unix()-got.From) / 3600 // 1, or 0 where an hour has just begun
	require.Contains(t, []int{0, 1}, first)
	require.Len(t, got.Setups, 2, "of setups that are there")

	b, idle := got.Setups[0], got.Setups[1]
	if b.ID != busy.ID {
		b, idle = idle, b
	}
	require.Equal(t, []any{busy.ID, "busy", "pending", false, 2.5}, []any{b.ID, b.ExternalID, b.Status, b.Paused, b.MaxCostPerDay})
	require.EqualValues(t, 7, b.Spans)
	require.Equal(t, map[string]shownCount{"done": {11, 7}, "uncertain": {}, "deferred": {1, 1}, "skipped": {1, 1}, "failed": {1, 1}}, b.ByStatus)
	require.EqualValues(t, 1, b.Against)
	require.Equal(t, 1, l.spansOf(t, busy.ID, "false"), "the number leads to its spans")
	require.Equal(t, 3, l.spansOf(t, busy.ID, "true"))
	require.Zero(t, l.spansOf(t, "gone", "false"), "of an evaluation of another setup")
	require.InDelta(t, 2.5, b.Cost, 1e-9)
	require.Equal(t, shownCount{2, 2}, b.Owed, "also of spans before the period")
	require.Equal(t, old.Add(time.Minute).Format("2006-01-02T15:04:05.000Z"), b.OwedSince)
	require.Equal(t, begin.Add(7*time.Hour+time.Minute).Format("2006-01-02T15:04:05.000Z"), b.LastRun)
	require.Equal(t, []int64{1, 1, 1, 1, 1, 1, 1, 0}, b.Series.Spans[first:first+8])
	require.Equal(t, []float64{0.5, 0.5, 0.5, 0, 0, 0.5, 0.5, 0}, b.Series.Cost[first:first+8])
	status := l.statusOf(t, l.key, "busy")
	require.InDelta(t, status.SpentToday, b.SpentToday, 1e-9)
	require.Equal(t, status.Owed, b.Owed.Evaluations)

	require.Equal(t, []any{"idle", true, int64(0), 0.0, "", "", shownCount{}}, []any{idle.ExternalID, idle.Paused, idle.Spans, idle.SpentToday, idle.LastRun, idle.OwedSince, idle.Owed})
	require.Equal(t, map[string]shownCount{"done": {}, "uncertain": {}, "deferred": {}, "skipped": {}, "failed": {}}, idle.ByStatus)
	require.Equal(t, make([]int64, 24), idle.Series.Spans)

	require.Empty(t, l.monitored(t, l.newKey(t)).Setups, "of another environment")
	require.Equal(t, http.StatusForbidden, l.call(t, "GET", "/v2/monitoring/setups", accessToken, "").status)
}
