// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// What a backfill matched has been seen, though it started before the setup.
func TestStatusHasSeenWhatMatched(t *testing.T) {
	t.Parallel()
	s := &monitor.Setup{Evaluators: []monitor.SetupEvaluator{{Slug: "a"}, {Slug: "b"}}}
	got := showStatus(s, 2, []store.EvaluationCount{{Evaluator: "a", Status: eval.Done, Count: 5}, {Evaluator: "c", Status: eval.Done, Count: 9}})
	require.EqualValues(t, 5, got.Seen)
	require.EqualValues(t, 5, got.Evaluators[0].Seen)
	require.EqualValues(t, 2, got.Evaluators[1].Seen)
	require.EqualValues(t, 5, got.Matched, "who left the setup is not counted")
}

// Waiting is no error, whatever the setup waits for; the status has the last of several errors.
func TestStatusTellsTheLastError(t *testing.T) {
	t.Parallel()
	s := &monitor.Setup{Evaluators: []monitor.SetupEvaluator{{Slug: "a"}}}
	tally := func(status eval.Status, last int64, reason string) store.EvaluationCount {
		return store.EvaluationCount{Evaluator: "a", Status: status, Count: 1, Last: last, LastError: reason}
	}
	for _, x := range []struct {
		counts []store.EvaluationCount
		want   string
	}{
		{[]store.EvaluationCount{tally(eval.Deferred, 9, eval.ReasonModel)}, ""},
		{[]store.EvaluationCount{tally(eval.Deferred, 9, eval.ReasonOverBudget)}, ""},
		{[]store.EvaluationCount{tally(eval.Deferred, 9, eval.ReasonTrace)}, ""},
		{[]store.EvaluationCount{tally(eval.Deferred, 9, eval.ReasonCost), tally(eval.Failed, 8, "broken")}, "broken"},
		{[]store.EvaluationCount{tally(eval.Deferred, 9, "out of reach"), tally(eval.Failed, 8, "broken")}, "out of reach"},
		{[]store.EvaluationCount{tally(eval.Deferred, 7, "out of reach"), tally(eval.Failed, 8, "broken")}, "broken"},
	} {
		require.Equal(t, x.want, showStatus(s, 0, x.counts).Evaluators[0].LastError)
	}
}
