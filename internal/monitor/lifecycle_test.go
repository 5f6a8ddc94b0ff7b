// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func pending(slugs ...string) Setup {
	s := Setup{ID: "1", Status: Pending}
	for _, slug := range slugs {
		s.Evaluators = append(s.Evaluators, SetupEvaluator{Slug: slug, Status: Pending})
	}
	return s
}

func fine(string) string { return "" }

func TestSetupWalksToCompleted(t *testing.T) {
	t.Parallel()
	s := pending("a", "b")
	taken, moved := s.TakenUp(now)
	require.True(t, moved)
	require.Equal(t, InProgress, taken.Status)
	require.Equal(t, Pending, s.Evaluators[0].Status, "the old value stays as it was")

	ready, moved := taken.Checked(now, fine)
	require.True(t, moved)
	require.Equal(t, WaitingForSpans, ready.Status)
	require.Equal(t, WaitingForSpans, ready.Evaluators[1].Status)

	done, moved := ready.Matched(now)
	require.True(t, moved)
	require.Equal(t, Completed, done.Status)
	require.Equal(t, Completed, done.Evaluators[0].Status)
	require.Equal(t, now, done.UpdatedAt)
	require.True(t, done.Status.Settled())
}

func TestSetupEndsPartialOrFailed(t *testing.T) {
	t.Parallel()
	onlyA := func(slug string) string {
		if slug == "a" {
			return ""
		}
		return slug + " cannot run"
	}
	taken, _ := pending("a", "b").TakenUp(now)
	ready, _ := taken.Checked(now, onlyA)
	require.Equal(t, WaitingForSpans, ready.Status)
	require.Equal(t, FailedStatus, ready.Evaluators[1].Status)
	require.Equal(t, "b cannot run", ready.Evaluators[1].ErrorMessage)
	done, _ := ready.Matched(now)
	require.Equal(t, Partial, done.Status)
	require.Equal(t, Completed, done.Evaluators[0].Status)
	require.Equal(t, FailedStatus, done.Evaluators[1].Status)

	taken, _ = pending("b", "c").TakenUp(now)
	failed, _ := taken.Checked(now, onlyA)
	require.Equal(t, FailedStatus, failed.Status)
	require.True(t, failed.Status.Settled())
}

func TestNoStepIsSkipped(t *testing.T) {
	t.Parallel()
	for _, status := range []Status{Pending, InProgress, WaitingForSpans, Completed, Partial, FailedStatus} {
		s := Setup{Status: status}
		_, taken := s.TakenUp(now)
		_, checked := s.Checked(now, fine)
		_, matched := s.Matched(now)
		require.Equal(t, status == Pending, taken)
		require.Equal(t, status == InProgress, checked)
		require.Equal(t, status == WaitingForSpans, matched)
	}
}
