// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// owedAtKill is how many evaluations are pending, and inFlight how many may be on
// their way at most: those of all leases that the shipped receiver takes.
const (
	owedAtKill = 300
	inFlight   = 4 * 32
)

// Evaluations that are pending when the process is killed are done once it runs again, and the
// judge is asked again only about what was on its way.
func TestKillKeepsWhatIsOwed(t *testing.T) {
	t.Parallel()
	rounds := soakRounds(1)
	j := startJudge(t)
	dir := t.TempDir()
	var key string
	for round := range rounds {
		h := newJudgedCollector(t, dir, j)
		h.runBinary(t)
		require.NoError(t, h.AwaitReady(t.Context()))
		j.hold(100)
		if round == 0 {
			key = h.key(t, "ours")
			h.setup(t, key, "m", []string{judged}, nil)
		}
		require.NoError(t, h.exportGRPC(t, key, judgedTraces(round*owedAtKill, owedAtKill)))
		j.awaitWaiting(t, 4)
		h.Kill()
		j.goOn()
	}

	h := newJudgedCollector(t, dir, j)
	h.runBinary(t)
	require.NoError(t, h.AwaitReady(t.Context()))
	h.requireDoneOnce(t, j, key, rounds*owedAtKill, rounds)
	require.NoError(t, h.Stop())
}

// requireDoneOnce waits until n spans are judged, and looks at every one: it has
// one evaluation, and the judge saw it once, or once more for each crash if it
// was on its way then.
func (h *collector) requireDoneOnce(t *testing.T, j *judge, key string, n, crashes int) {
	t.Helper()
	h.awaitDone(t, key, "m", n)
	found := h.page(t, key, "limit", "1", "filters", filters(t, map[string]any{"id": "evaluation." + judged + ".pass", "operator": "equals", "value": true}))
	require.EqualValues(t, n, found.Spans.TotalResults)
	asked := j.asked()
	require.Len(t, asked, n)
	extra := 0
	for k := range n {
		list := h.records(t, key, k)
		require.Len(t, list, 1, "span %d", k)
		require.Equal(t, "done", list[0].Status)
		require.LessOrEqual(t, asked[k], 1+crashes, "span %d", k)
		extra += asked[k] - 1
	}
	require.LessOrEqual(t, extra, crashes*inFlight)
}
