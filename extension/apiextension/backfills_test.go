// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const backfillPath = setupsPath + "/m%2F1/backfill"

func (h *testAPI) backfill(t *testing.T, key, body string) backfillAnswer {
	t.Helper()
	r := h.call(t, "POST", backfillPath, key, body)
	require.Equal(t, http.StatusAccepted, r.status, r.body)
	b := into[backfillAnswer](t, r)
	require.Equal(t, setupsPath+"/"+b.SetupID+"/backfill/"+b.ID, r.header.Get("Location"))
	return b
}

func TestBackfillLives(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	s := h.create(t, key, `{"external_id":"m/1","evaluators":["char-count"]}`)
	require.JSONEq(t, `[]`, h.call(t, "GET", backfillPath, key, "").body)

	b := h.backfill(t, key, `{"from_timestamp_sec":1772905218,"to_timestamp_sec":1772905300}`)
	require.NotEmpty(t, b.ID)
	require.Equal(t, s.ID, b.SetupID)
	require.Equal(t, "m/1", b.ExternalID)
	require.EqualValues(t, 1772905218, b.From)
	require.EqualValues(t, 1772905300, b.To)
	require.Equal(t, monitor.BackfillPending, b.Status)
	require.Zero(t, b.Total+b.Seen+b.Matched)
	require.Equal(t, b.CreatedAt, b.UpdatedAt)

	stored, err := store.Backfills(h.live).Get(t.Context(), tenant.EnvironmentID(s.EnvProjectID), b.ID)
	require.NoError(t, err)
	require.Equal(t, int64(1772905218e9), stored.From)
	require.Equal(t, int64(1772905300e9), stored.To)
	stored.Status, stored.Total, stored.Seen, stored.Matched, stored.UpdatedAt = monitor.BackfillRunning, 10, 7, 3, time.Now()
	_, err = store.Backfills(h.live).Replace(t.Context(), stored)
	require.NoError(t, err)

	one := setupsPath + "/" + s.ID + "/backfill/" + b.ID
	r := h.call(t, "GET", one, key, "")
	require.Equal(t, http.StatusOK, r.status)
	b = into[backfillAnswer](t, r)
	require.Equal(t, monitor.BackfillRunning, b.Status)
	require.Equal(t, []int64{10, 7, 3}, []int64{b.Total, b.Seen, b.Matched})
	require.Equal(t, []backfillAnswer{b}, into[[]backfillAnswer](t, h.call(t, "GET", backfillPath, key, "")))

	r = h.call(t, "DELETE", one, key, "")
	require.Equal(t, http.StatusOK, r.status)
	require.Equal(t, monitor.BackfillCancelled, into[backfillAnswer](t, r).Status)
	require.EqualValues(t, 7, into[backfillAnswer](t, r).Seen)
	r = h.call(t, "DELETE", one, key, "")
	require.Equal(t, http.StatusConflict, r.status)
	require.Equal(t, "the backfill is over: it is cancelled", r.message(t))
}

func TestBackfillEndsNowIfNothingElseIsSaid(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	h.create(t, key, `{"external_id":"m/1","evaluators":["char-count"]}`)
	before := time.Now().Unix()
	b := h.backfill(t, key, `{"from_timestamp_sec":0,"to_timestamp_sec":null}`)
	require.GreaterOrEqual(t, b.To, before)
	require.LessOrEqual(t, b.To, time.Now().Unix()+1)
}

func TestBackfillIsRefusedNamingTheField(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	h.create(t, key, `{"external_id":"m/1","evaluators":["char-count"]}`)
	for body, want := range map[string]string{
		`{}`:                                               "from_timestamp_sec is required",
		`{"from_timestamp_sec":null}`:                      "from_timestamp_sec is required",
		`{"from_timestamp_sec":1.5}`:                       "from_timestamp_sec must be a whole number",
		`{"from_timestamp_sec":"x"}`:                       "from_timestamp_sec must be",
		`{"from_timestamp_sec":[]}`:                        "from_timestamp_sec must be",
		`{"from_timestamp_sec":1e300}`:                     "from_timestamp_sec must be",
		`{"from_timestamp_sec":1,"to_timestamp_sec":true}`: "to_timestamp_sec must be",
		`{"from_timestamp_sec":2,"to_timestamp_sec":1}`:    "from_timestamp_sec must not be after to_timestamp_sec",
		`[]`: "request body must be a JSON object",
	} {
		r := h.call(t, "POST", backfillPath, key, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Contains(t, r.message(t), want)
	}
	require.JSONEq(t, `[]`, h.call(t, "GET", backfillPath, key, "").body)
	extreme := h.backfill(t, key, `{"from_timestamp_sec":-9223372036854775808,"to_timestamp_sec":9223372036854775807}`)
	require.Less(t, extreme.From, extreme.To)
}

// The process that runs a backfill may have other models than the one that takes the order.
func TestBackfillSaysWhatIsToJudge(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t, func(p *parts) {
		p.models, p.cfg.Models = &everywhere{judges{judge: noJudge{}}}, component.MustNewID("models")
	})
	key := h.newKey(t)
	s := h.create(t, key, `{"external_id":"m/1","evaluators":["char-count","answer-relevancy",{"slug":"faithfulness","backend":"embedded"}]}`)
	b := h.backfill(t, key, `{"from_timestamp_sec":1772905218,"to_timestamp_sec":1772905300}`)
	stored, err := store.Backfills(h.live).Get(t.Context(), tenant.EnvironmentID(s.EnvProjectID), b.ID)
	require.NoError(t, err)
	require.Equal(t, map[string]eval.Backend{
		"char-count": eval.Deterministic, "answer-relevancy": eval.Judge, "faithfulness": eval.Embedded,
	}, stored.Decided)
}

func TestBackfillsOfASetupAreBounded(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	h.create(t, key, `{"external_id":"m/1","evaluators":["char-count"]}`)
	first := h.backfill(t, key, `{"from_timestamp_sec":1}`)
	for i := range store.MaxOpenBackfills - 1 {
		h.backfill(t, key, `{"from_timestamp_sec":`+strconv.Itoa(i)+`}`)
	}
	r := h.call(t, "POST", backfillPath, key, `{"from_timestamp_sec":1}`)
	require.Equal(t, http.StatusConflict, r.status)
	require.Contains(t, r.message(t), "5 backfills under way")
	require.Equal(t, http.StatusOK, h.call(t, "DELETE", backfillPath+"/"+first.ID, key, "").status)
	h.backfill(t, key, `{"from_timestamp_sec":1}`)
	require.Len(t, into[[]backfillAnswer](t, h.call(t, "GET", backfillPath, key, "")), store.MaxOpenBackfills+1)
}

func TestBackfillsOfOthersAreNotThere(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	ours, theirs := h.newKey(t), h.newKey(t)
	s := h.create(t, ours, `{"external_id":"m/1","evaluators":["char-count"]}`)
	other := h.create(t, ours, `{"external_id":"other","evaluators":["char-count"]}`)
	b := h.backfill(t, ours, `{"from_timestamp_sec":1}`)
	for _, x := range []struct{ method, path, key, message string }{
		{"POST", setupsPath + "/" + s.ID + "/backfill", theirs, "auto monitor setup not found"},
		{"GET", setupsPath + "/" + s.ID + "/backfill", theirs, "auto monitor setup not found"},
		{"GET", setupsPath + "/" + s.ID + "/backfill/" + b.ID, theirs, "auto monitor setup not found"},
		{"DELETE", setupsPath + "/" + s.ID + "/backfill/" + b.ID, theirs, "auto monitor setup not found"},
		{"GET", setupsPath + "/nobody/backfill/" + b.ID, ours, "auto monitor setup not found"},
		{"GET", setupsPath + "/" + other.ID + "/backfill/" + b.ID, ours, "backfill not found"},
		{"DELETE", setupsPath + "/" + other.ID + "/backfill/" + b.ID, ours, "backfill not found"},
		{"DELETE", backfillPath + "/%00'%20OR%201=1", ours, "backfill not found"},
	} {
		body := ""
		if x.method == "POST" {
			body = `{"from_timestamp_sec":1}`
		}
		r := h.call(t, x.method, x.path, x.key, body)
		require.Equal(t, http.StatusNotFound, r.status, x.path)
		require.Equal(t, x.message, r.message(t))
	}
	require.Equal(t, http.StatusNoContent, h.call(t, "DELETE", setupsPath+"/"+s.ID, ours, "").status)
	require.Equal(t, http.StatusNotFound, h.call(t, "GET", setupsPath+"/"+s.ID+"/backfill/"+b.ID, ours, "").status)
}
