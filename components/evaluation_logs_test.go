// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

// records are the log records that arrived so far, by the evaluation they tell.
func (b *backend) records() map[string]plog.LogRecord {
	arrived := map[string]plog.LogRecord{}
	for _, ld := range b.logs.AllLogs() {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, r := range sl.LogRecords().All() {
					name, _ := r.Attributes().Get("gen_ai.evaluation.name")
					arrived[name.AsString()] = r
				}
			}
		}
	}
	return arrived
}

func TestVerdictsGoOutAsLogRecords(t *testing.T) {
	t.Parallel()
	b := startBackend(t)
	h := startExample(t, "results.yaml", b, nil)
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{"pii-detector", "tone-detection", "char-count-ratio", "perplexity"}, nil)
	td := answers(personal)
	firstSpan(td).Attributes().PutStr("gen_ai.response.id", "chatcmpl-1")
	require.NoError(t, h.exportGRPC(t, key, td))
	require.Eventually(t, func() bool { return len(b.records()) >= 4 }, patience, 10*time.Millisecond)

	arrived := b.records()
	pii := arrived["pii-detector.has_pii"]
	require.Equal(t, "gen_ai.evaluation.result", pii.EventName())
	require.Equal(t, firstSpan(answers(personal)).TraceID(), pii.TraceID())
	require.Equal(t, firstSpan(answers(personal)).SpanID(), pii.SpanID())
	require.WithinDuration(t, time.Now(), pii.Timestamp().AsTime(), patience)
	told := pii.Attributes().AsRaw()
	require.InEpsilon(t, 1.0, told["gen_ai.evaluation.score.value"], 0)
	require.Equal(t, "fail", told["gen_ai.evaluation.score.label"])
	require.Equal(t, "chatcmpl-1", told["gen_ai.response.id"])
	require.Equal(t, "deterministic", told["touchstone.evaluation.backend"])
	require.NotContains(t, told, "gen_ai.evaluation.explanation")
	require.Contains(t, arrived["tone-detection.tone"].Attributes().AsRaw(), "gen_ai.evaluation.score.label")
	require.Contains(t, arrived["tone-detection.score"].Attributes().AsRaw(), "gen_ai.evaluation.score.value")
	require.NotContains(t, arrived, "perplexity.perplexity_score", "it lacks its input: skipped")

	require.NotContains(t, b.said(t), "touchstone.environment.id")
	require.NotContains(t, b.said(t), "jane.doe")
}

// A verdict of a model goes out when it is there, for the span that went by
// long before.
func TestDeferredVerdictsGoOutAsLogRecords(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	judge := modeltest.NewServer(t, modeltest.Hold(gate, modeltest.JSON(map[string]any{"reason": "It gave the distance.", "verdict": "yes"})))
	b := startBackend(t)
	h := startExample(t, "results.yaml", b, map[string]string{"TOUCHSTONE_JUDGE_URL": judge.URL(), "TOUCHSTONE_JUDGE_MODEL": "judge"})
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{"action-advancement", "char-count"}, nil)
	td := someTraces(1, 1)
	require.NoError(t, h.exportGRPC(t, key, td))
	require.Eventually(t, func() bool { return len(b.records()) == 1 && len(judge.Requests()) == 1 }, patience, 10*time.Millisecond)
	require.Contains(t, b.records(), "char-count.char_count")

	close(gate)
	require.Eventually(t, func() bool { return len(b.records()) == 2 }, patience, 10*time.Millisecond)
	late := b.records()["action-advancement.pass"]
	require.Equal(t, firstSpan(td).TraceID(), late.TraceID())
	require.Equal(t, firstSpan(td).SpanID(), late.SpanID())
	require.Equal(t, "pass", late.Attributes().AsRaw()["gen_ai.evaluation.score.label"])
	require.Equal(t, "judge", late.Attributes().AsRaw()["touchstone.evaluation.backend"])
	require.NotEmpty(t, late.Attributes().AsRaw()["touchstone.evaluation.version"])
	require.NoError(t, h.Stop())
	require.Equal(t, 2, b.logs.LogRecordCount(), "each evaluation once")
	for _, secret := range []string{"touchstone.setups", "touchstone.deferred", "touchstone.environment.id", "It gave the distance."} {
		require.NotContains(t, b.said(t), secret)
	}
}

// said is everything that arrived as log records.
func (b *backend) said(t *testing.T) string {
	t.Helper()
	m := plog.JSONMarshaler{}
	all := ""
	for _, ld := range b.logs.AllLogs() {
		text, err := m.MarshalLogs(ld)
		require.NoError(t, err)
		all += string(text)
	}
	return all
}
