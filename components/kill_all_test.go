// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// owedARound is how many spans a round sends that a judge is asked about.
const owedARound = 60

// The process is killed while all that it does is under way at once: spans come and are
// judged here, a judge is asked, backfills look at what is stored, backups are made, and
// rounds of expiry look for files that may go. No span is lost or there twice, and no
// evaluation.
func TestKillWithEverythingUnderWay(t *testing.T) {
	t.Parallel()
	rounds := soakRounds(1)
	j := startJudge(t)
	dir := t.TempDir()
	start := func(backfill string) *collector {
		h := newJudgedCollector(t, dir, j)
		h.settings = append(h.settings, "extensions::store::expire_interval: 1s", "receivers::backlog::backfill: "+backfill)
		h.runBinary(t)
		require.NoError(t, h.AwaitReady(t.Context()))
		return h
	}
	var load killLoad
	var ours, asked, brief string
	same := someTraces(7, 10) // made once: in another ten minutes they would start as others
	for round := range rounds {
		h := start("{page: 50, share: 0.5}") // so that there is always one under way
		load.takeBackups(t, h)
		j.hold(owedARound / 2)
		switch round {
		case 0:
			ours, asked = h.key(t, "ours"), h.key(t, "asked")
			brief = must[struct {
				Environments []struct {
					Key string `json:"api_key"`
				}
			}](t, h, http.MethodPost, "/v2/organizations", accessToken, map[string]any{"org_name": "brief", "retention_hours": 1}).Environments[0].Key
			h.setup(t, ours, "m", []string{"char-count"}, nil)
			h.setup(t, asked, "m", []string{judged}, nil)
		case 1:
			h.setup(t, ours, "late", []string{"word-count"}, nil)
		}
		if round > 0 {
			// While as many wait as may, this one is refused.
			_, _ = h.call(t, http.MethodPost, "/v2/auto-monitor-setups/late/backfill", ours, map[string]any{"from_timestamp_sec": time.Now().Add(-time.Hour).Unix()})
		}
		require.NoError(t, h.exportGRPC(t, brief, same))
		require.NoError(t, h.exportGRPC(t, asked, judgedTraces(round*owedARound, owedARound)))
		load.during(t, h, ours, 40, func() {
			j.awaitWaiting(t, 1)
			h.Kill()
		})
		j.goOn()
	}

	h := start("{page: 1000, share: 1}") // each round has left one behind, which looks at all spans
	h.requireDoneOnce(t, j, asked, rounds*owedARound, rounds)
	if rounds > 1 {
		// As many as may wait are asked for already: one of them is done first.
		var last backfillJob
		require.Eventually(t, func() bool {
			code, answer := h.call(t, http.MethodPost, "/v2/auto-monitor-setups/late/backfill", ours, map[string]any{
				"from_timestamp_sec": time.Now().Add(-lastHour).Unix(), "to_timestamp_sec": time.Now().Unix() + 1,
			})
			if code == http.StatusConflict {
				return false
			}
			require.NoError(t, json.Unmarshal(answer, &last))
			return true
		}, patience, 100*time.Millisecond)
		// Those that were asked for before have their turn first.
		require.Eventually(t, func() bool { return completed(h.job(t, ours, "late", last.ID)) }, patience, 100*time.Millisecond)
	}
	seen := map[string]int{}
	for _, s := range h.spans(t, ours) {
		seen[s.SpanID]++
		require.Equal(t, "17", s.SpanAttributes["evaluation.char-count.char_count"])
		if rounds > 1 {
			require.NotEmpty(t, s.SpanAttributes["evaluation.word-count.word_count"], s.SpanID)
		}
	}
	for id, n := range seen {
		require.Equal(t, 1, n, "span %s", id)
	}
	for _, id := range load.acked() {
		require.Equal(t, 1, seen[id], "span %s", id)
	}
	require.Equal(t, len(seen), h.awaitDone(t, ours, "m", len(seen)).Evaluators[0].Done)
	if rounds > 1 {
		h.awaitDone(t, ours, "late", len(seen))
	}
	require.EqualValues(t, 10, h.page(t, brief).Spans.TotalResults)
	require.NoError(t, h.Stop())
}
