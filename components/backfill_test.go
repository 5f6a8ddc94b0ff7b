// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// backfillJob is a backfill as the API shows it.
type backfillJob struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Total   int    `json:"total"`
	Seen    int    `json:"seen"`
	Matched int    `json:"matched"`
}

const lastHour = time.Hour

// backfill asks for one of the last hour.
func (h *collector) backfill(t *testing.T, key, externalID string) backfillJob {
	t.Helper()
	return must[backfillJob](t, h, http.MethodPost, "/v2/auto-monitor-setups/"+externalID+"/backfill", key, map[string]any{
		"from_timestamp_sec": time.Now().Add(-lastHour).Unix(), "to_timestamp_sec": time.Now().Unix() + 1,
	})
}

func (h *collector) job(t *testing.T, key, externalID, id string) backfillJob {
	t.Helper()
	return must[backfillJob](t, h, http.MethodGet, "/v2/auto-monitor-setups/"+externalID+"/backfill/"+id, key, nil)
}

func (h *collector) awaitJob(t *testing.T, key, externalID, id string, holds func(backfillJob) bool) (b backfillJob) {
	t.Helper()
	require.Eventually(t, func() bool {
		b = h.job(t, key, externalID, id)
		return holds(b)
	}, patience, 5*time.Millisecond, "%+v", &b)
	return b
}

func completed(b backfillJob) bool { return b.Status == "completed" }

// Spans that were stored before anyone asked for verdicts get them: at once what
// is computed here, by way of the backlog what a judge says.
func TestBackfill(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	h := startJudgedCollector(t, t.TempDir(), j, "receivers::backlog::backfill: {page: 7}")
	key, theirs := h.key(t, "ours"), h.key(t, "theirs")
	const spans = 40
	td := judgedTraces(0, spans)
	for i, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		s.Attributes().PutBool("wanted", i%4 == 0)
	}
	require.NoError(t, h.exportGRPC(t, key, td))
	require.NoError(t, h.exportGRPC(t, theirs, td))
	h.setup(t, key, "m", []string{judged, "char-count"}, []map[string]any{rule("wanted", "true")})
	h.setup(t, theirs, "m", []string{"char-count"}, nil)

	asked := h.backfill(t, key, "m")
	require.Equal(t, "pending", asked.Status)
	job := h.awaitJob(t, key, "m", asked.ID, completed)
	require.Equal(t, backfillJob{ID: asked.ID, Status: "completed", Total: spans, Seen: spans, Matched: spans / 4}, job)
	p := h.awaitDone(t, key, "m", spans/4)
	require.Equal(t, spans/4, p.Evaluators[1].Done)
	for n := range spans {
		want := 0
		if n%4 == 0 {
			want = 2
		}
		require.Len(t, h.records(t, key, n), want)
	}
	require.Len(t, j.asked(), spans/4)
	require.Zero(t, h.progress(t, theirs, "m").Evaluators[0].Done, "no other environment's spans are judged")

	// Once more: what is there stays, and the judge is not asked.
	again := h.backfill(t, key, "m")
	require.Equal(t, spans/4, h.awaitJob(t, key, "m", again.ID, completed).Matched)
	h.awaitDone(t, key, "m", spans/4)
	for _, times := range j.asked() {
		require.Equal(t, 1, times)
	}
	code, _ := h.call(t, http.MethodDelete, "/v2/auto-monitor-setups/m/backfill/"+again.ID, key, nil)
	require.Equal(t, http.StatusConflict, code, "it is over")
}

// A backfill in the middle of which the process is killed goes on where it was.
func TestBackfillSurvivesAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// So small a share that the pause after a page outlasts what the test does
	// in it.
	slow := "receivers::backlog::backfill: {page: 10, share: 0.001}"
	h := newJudgedCollector(t, dir, nil)
	h.settings = append(h.settings, slow)
	h.runBinary(t)
	require.NoError(t, h.AwaitReady(t.Context()))
	key := h.key(t, "ours")
	const spans = 500
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(0, spans)))
	h.setup(t, key, "m", []string{"char-count"}, nil)
	asked := h.backfill(t, key, "m")
	begun := h.awaitJob(t, key, "m", asked.ID, func(b backfillJob) bool { return b.Seen > 0 })
	require.Equal(t, "running", begun.Status)
	require.Equal(t, spans, begun.Total)
	h.Kill()

	h = newJudgedCollector(t, dir, nil)
	h.settings = append(h.settings, "receivers::backlog::backfill: {page: 100, share: 1}")
	h.runBinary(t)
	require.NoError(t, h.AwaitReady(t.Context()))
	job := h.awaitJob(t, key, "m", asked.ID, completed)
	require.Equal(t, spans, job.Seen, "no page is looked at twice")
	require.Equal(t, spans, job.Matched)
	require.Equal(t, spans, h.progress(t, key, "m").Evaluators[0].Done)
}

func TestBackfillIsCancelled(t *testing.T) {
	t.Parallel()
	h := startJudgedCollector(t, t.TempDir(), nil, "receivers::backlog::backfill: {page: 1, share: 0.1}")
	key := h.key(t, "ours")
	const spans = 200
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(0, spans)))
	h.setup(t, key, "m", []string{"char-count"}, nil)
	h.setup(t, key, "next", []string{"word-count"}, []map[string]any{rule("number", "17")})
	asked := h.backfill(t, key, "m")
	h.awaitJob(t, key, "m", asked.ID, func(b backfillJob) bool { return b.Seen >= 2 })
	code, body := h.call(t, http.MethodDelete, "/v2/auto-monitor-setups/m/backfill/"+asked.ID, key, nil)
	require.Equal(t, http.StatusOK, code, "%s", body)
	stopped := h.job(t, key, "m", asked.ID)
	require.Equal(t, "cancelled", stopped.Status)

	// The next one has its turn, and of the first nothing more is done.
	other := h.backfill(t, key, "next")
	h.awaitJob(t, key, "next", other.ID, func(b backfillJob) bool { return b.Seen >= 2 })
	require.Equal(t, stopped, h.job(t, key, "m", asked.ID))
	done := h.progress(t, key, "m").Evaluators[0].Done
	require.Less(t, done, spans)
	require.LessOrEqual(t, done, stopped.Seen+1, "the page that was on its way")

	// Deleting a setup ends its backfills.
	code, _ = h.call(t, http.MethodDelete, "/v2/auto-monitor-setups/next", key, nil)
	require.Equal(t, http.StatusNoContent, code)
	code, _ = h.call(t, http.MethodGet, "/v2/auto-monitor-setups/next/backfill/"+other.ID, key, nil)
	require.Equal(t, http.StatusNotFound, code)
	last := h.backfill(t, key, "m")
	h.awaitJob(t, key, "m", last.ID, func(b backfillJob) bool { return b.Seen >= 1 })
}
