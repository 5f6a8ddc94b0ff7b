// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A setup that was changed judges old spans again only where that is asked for, by a
// backfill, and only what it computes without a model; what was said before stays
// to be seen.
func TestRevisionsOfAChangedSetup(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	h := startJudgedCollector(t, t.TempDir(), j)
	key := h.key(t, "ours")
	body := func(regex string) map[string]any {
		return map[string]any{"external_id": "m", "evaluators": []any{
			judged, map[string]any{"slug": "regex-validator", "config": map[string]any{"regex": regex}},
		}}
	}
	must[map[string]any](t, h, http.MethodPost, "/v2/auto-monitor-setups", key, body("far"))
	const spans = 3
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(0, spans)))
	h.awaitDone(t, key, "m", spans)

	for revision, change := range []struct {
		regex string
		valid bool
	}{{"far", true}, {"near", false}, {"far", true}} {
		must[map[string]any](t, h, http.MethodPut, "/v2/auto-monitor-setups/m", key, body(change.regex))
		job := h.awaitJob(t, key, "m", h.backfill(t, key, "m").ID, completed)
		require.Equal(t, spans, job.Matched)
		p := h.awaitDone(t, key, "m", spans)
		require.Equal(t, spans, p.Evaluators[1].Done, "the latest counts, once")
		for n := range spans {
			records := h.records(t, key, n)
			require.Len(t, records, 2)
			for _, r := range records {
				if r.Evaluator == judged {
					require.Equal(t, 1, r.Revision, "no one asked for it again")
					continue
				}
				require.Equal(t, revision+1, r.Revision)
				require.Equal(t, map[string]any{"is_valid_regex": change.valid}, r.Outputs)
			}
		}
		found := h.page(t, key, "filters", filters(t, map[string]any{
			"id": "evaluation.regex-validator.is_valid_regex", "operator": "equals", "value": change.valid,
		}))
		require.EqualValues(t, spans, found.Spans.TotalResults)
	}
	for n, times := range j.asked() {
		require.Equal(t, 1, times, "span %d", n)
	}
	var valid []any
	for _, r := range h.records(t, key, 0, "?revisions=all") {
		if r.Evaluator != judged {
			require.Equal(t, len(valid)+1, r.Revision)
			valid = append(valid, r.Outputs["is_valid_regex"])
		}
	}
	require.Equal(t, []any{true, false, true}, valid, "the oldest first")
}
