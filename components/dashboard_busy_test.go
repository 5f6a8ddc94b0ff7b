// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

// busyCollector is a collector that has had everything to do that metrics tell of:
// spans taken and refused, verdicts at once and later, a judge that answers and
// then does not, evaluations that no caller wants any more, and a backfill.
func busyCollector(t *testing.T) *collector {
	t.Helper()
	var down atomic.Bool
	judge := modeltest.NewServer(t, func(w http.ResponseWriter, r *http.Request, got modeltest.Request) {
		if down.Load() {
			modeltest.Status(http.StatusInternalServerError, "down")(w, r, got)
			return
		}
		modeltest.JSON(map[string]any{"reason": "It asked.", "verdict": "yes"})(w, r, got)
	})
	b := startBackend(t)
	h := newCollector(t, t.TempDir())
	h.Env["BACKEND_ENDPOINT"] = b.url
	h.Env["TOUCHSTONE_JUDGE_URL"] = judge.URL()
	h.Env["TOUCHSTONE_JUDGE_MODEL"] = "priced"
	const judges = "yaml:extensions::models::judges::"
	h.runBinary(t, "--config", "../docs/configs/results.yaml", "--config", "../docs/configs/verdict-sampling.yaml",
		"--config", "yaml:processors::monitor::verdict_metrics: {setups: [local]}",
		"--config", "yaml:extensions::models::prices::priced: {prompt: 1000, completion: 1000}",
		"--config", judges+"default::limits: {break_after: 1, break_for: 1s, attempts: 1}",
		"--config", judges+"other: {http: {endpoint: '"+judge.URL()+"'}, model: unpriced, evaluators: [intent-change]}",
	)
	require.NoError(t, h.AwaitReady(t.Context()))

	key := h.key(t, "ours")
	require.Error(t, h.exportGRPC(t, "no key", someTraces(1, 1)))
	refused, _, _ := h.postOTLP(t, "/v1/traces", key, "application/json", "", []byte("{"))
	require.Equal(t, http.StatusBadRequest, refused)
	h.setup(t, key, "local", []string{"char-count", "pii-detector", "perplexity"}, nil)
	h.setup(t, key, "judged", []string{"action-advancement"}, nil)
	h.setup(t, key, "unwanted", []string{"action-advancement"}, []map[string]any{rule("kind", "unwanted")})
	require.NoError(t, h.exportGRPC(t, key, someTraces(2, 3)))
	require.Eventually(t, func() bool { return len(judge.Requests()) > 0 }, patience, 10*time.Millisecond)
	h.call(t, http.MethodPost, "/v2/evaluators/intent-change/execute", key, map[string]any{"input": map[string]any{ // without a price
		"prompts": `["Book a table.", "For two."]`, "completions": `["For how many?", "Done."]`,
	}})

	down.Store(true)
	owed := someTraces(3, 2)
	for _, s := range owed.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		s.Attributes().PutStr("kind", "unwanted")
		s.Attributes().PutStr("gen_ai.completion.0.content", "This was never asked before.") // the judge's answers are kept
	}
	require.NoError(t, h.exportGRPC(t, key, owed))
	code, body := h.call(t, http.MethodDelete, "/v2/auto-monitor-setups/unwanted", key, nil)
	require.Equal(t, http.StatusNoContent, code, "%s", body)
	code, body = h.call(t, http.MethodPost, "/v2/auto-monitor-setups/local/backfill", key, map[string]any{
		"from_timestamp_sec": time.Now().Add(-time.Hour).Unix(), "to_timestamp_sec": time.Now().Add(time.Hour).Unix(),
	})
	require.Equal(t, http.StatusAccepted, code, "%s", body)
	return h
}
