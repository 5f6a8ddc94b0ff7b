// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
)

func await(t *testing.T, live *store.Live, name string, want monitor.Status) (s monitor.Setup) {
	t.Helper()
	require.Eventually(t, func() bool {
		var err error
		s, err = live.Setup(t.Context(), env, name)
		require.NoError(t, err)
		return s.Status == want
	}, 10*time.Second, time.Millisecond, "%s never became %s", name, want)
	return s
}

func TestStatusFollowsTheSpans(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	wish(t, live, "one", []string{"char-count"}, exists("gen_ai.system"))
	wish(t, live, "two", []string{"char-count"}, exists("absent"))
	await(t, live, "one", monitor.WaitingForSpans)
	_, err := p.processTraces(t.Context(), stamped(1))
	require.NoError(t, err)
	done := await(t, live, "one", monitor.Completed)
	require.Equal(t, monitor.Completed, done.Evaluators[0].Status)
	require.False(t, done.Evaluators[0].ProcessedAt.IsZero())
	await(t, live, "two", monitor.WaitingForSpans)
}

// A span that matches before the keeper got to the setup counts.
func TestMatchDuringPendingIsNotLost(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		wish(t, live, name, []string{"char-count"})
		td, err := p.processTraces(t.Context(), stamped(1))
		require.NoError(t, err)
		require.NotEmpty(t, monitor.Carried(spanAt(td, 0).Attributes()))
		await(t, live, name, monitor.Completed)
	}
}

func TestMatchOfAnEarlierWishDoesNotCount(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	s := wish(t, live, "one", []string{"char-count"})
	k := newKeeper(live, evaluators.Catalog(), zap.NewNop())
	k.matched(&s)
	s.Selector = monitor.Selector{exists("absent")}
	s.Generation++
	_, err := live.ReplaceSetup(t.Context(), s)
	require.NoError(t, err)
	require.True(t, k.keep(t.Context()))
	got, err := live.Setup(t.Context(), env, "one")
	require.NoError(t, err)
	require.Equal(t, monitor.WaitingForSpans, got.Status)
}

func TestEvaluatorsOfAnotherVersionFail(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	wish(t, live, "some", []string{"char-count", "gone-by"})
	wish(t, live, "all", []string{"gone-by"})
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	failed := await(t, live, "all", monitor.FailedStatus)
	require.Contains(t, failed.Evaluators[0].ErrorMessage, "gone-by")
	await(t, live, "some", monitor.WaitingForSpans)
	_, err := p.processTraces(t.Context(), stamped(1))
	require.NoError(t, err)
	await(t, live, "some", monitor.Partial)
}

// Keepers of several processes race; each step is taken once.
func TestRacingKeepers(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	for range 4 {
		startProcessor(t, live, evaluators.Catalog(), defaults())
	}
	p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
	wish(t, live, "one", []string{"char-count"})
	await(t, live, "one", monitor.WaitingForSpans)
	_, err := p.processTraces(t.Context(), stamped(1))
	require.NoError(t, err)
	done := await(t, live, "one", monitor.Completed)
	require.EqualValues(t, 4, done.Revision, "pending, in_progress, waiting_for_spans, completed")
}

func TestHitsOfDeletedSetupsAreForgotten(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	s := wish(t, live, "one", []string{"char-count"})
	k := newKeeper(live, &eval.Catalog{}, zap.NewNop())
	k.matched(&s)
	require.NoError(t, live.DeleteSetup(t.Context(), env, "one"))
	require.True(t, k.keep(t.Context()))
	require.Empty(t, k.noted())
}
