// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"fmt"
	"strings"
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

func fine(*SetupEvaluator) string { return "" }

func onlyA(w *SetupEvaluator) string {
	if w.Slug == "a" {
		return ""
	}
	return w.Slug + " cannot run"
}

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

// Every status with every step: where a step leads, or that it is refused and
// changes nothing.
func TestEveryStepFromEveryStatus(t *testing.T) {
	t.Parallel()
	later := now.Add(time.Minute)
	steps := map[string]func(s Setup) (Setup, bool){
		"TakenUp": func(s Setup) (Setup, bool) { return s.TakenUp(later) },
		"Checked": func(s Setup) (Setup, bool) { return s.Checked(later, onlyA) },
		"Matched": func(s Setup) (Setup, bool) { return s.Matched(later) },
		"Mended":  func(s Setup) (Setup, bool) { return s.Mended(later, onlyA) },
		"Changed": func(s Setup) (Setup, bool) { return s.Changed(later, true), true },
	}
	for _, c := range []struct {
		from       Status
		evaluators string // the status of a and that of b
		to         map[string]string
	}{
		{Pending, "pending pending", map[string]string{
			"TakenUp": "in_progress: in_progress in_progress",
		}},
		{InProgress, "in_progress in_progress", map[string]string{
			"Checked": "waiting_for_spans: waiting_for_spans failed",
		}},
		{InProgress, "completed in_progress", map[string]string{
			"Checked": "partial: completed failed",
		}},
		{InProgress, "failed in_progress", map[string]string{
			"Checked": "failed: failed failed",
		}},
		{InProgress, "in_progress completed", map[string]string{
			"Checked": "waiting_for_spans: waiting_for_spans completed",
		}},
		{WaitingForSpans, "waiting_for_spans failed", map[string]string{
			"Matched": "partial: completed failed",
		}},
		{WaitingForSpans, "waiting_for_spans completed", map[string]string{
			"Matched": "completed: completed completed",
		}},
		{WaitingForSpans, "failed waiting_for_spans", map[string]string{
			"Matched": "partial: failed completed",
			"Mended":  "in_progress: in_progress waiting_for_spans",
		}},
		{Completed, "completed completed", nil},
		{Partial, "completed failed", nil},
		{Partial, "failed completed", map[string]string{
			"Mended": "in_progress: in_progress completed",
		}},
		{FailedStatus, "failed failed", map[string]string{
			"Mended": "in_progress: in_progress failed",
		}},
	} {
		for name, step := range steps {
			before := Setup{ID: "1", Status: c.from, Generation: 3, UpdatedAt: now}
			for i, status := range strings.Fields(c.evaluators) {
				e := SetupEvaluator{Slug: string(rune('a' + i)), Status: Status(status)}
				if e.Status == FailedStatus {
					e.ErrorMessage, e.ProcessedAt = "was wrong", now
				}
				before.Evaluators = append(before.Evaluators, e)
			}
			kept := before.Changed(now, true) // a copy
			copy(kept.Evaluators, before.Evaluators)

			after, moved := step(before)
			require.Equal(t, kept.Evaluators, before.Evaluators, "%s changed what it was given", name)
			want := c.to[name]
			if name == "Changed" {
				want = "pending: pending pending"
			}
			require.Equal(t, want != "", moved, "%s from %s (%s)", name, c.from, c.evaluators)
			if !moved {
				require.Equal(t, before, after)
				continue
			}
			require.Equal(t, want, fmt.Sprintf("%s: %s %s", after.Status, after.Evaluators[0].Status, after.Evaluators[1].Status), name)
			require.Equal(t, later, after.UpdatedAt)
			for _, e := range after.Evaluators {
				require.Equal(t, e.Status == FailedStatus, e.ErrorMessage != "", "%s: only what failed has a message", name)
			}
			wantGeneration := int64(3)
			if name == "Changed" {
				wantGeneration++
				require.True(t, after.Evaluators[1].ProcessedAt.IsZero())
			}
			require.Equal(t, wantGeneration, after.Generation)
		}
	}
}

func TestChangeIsLaterWhateverTheClockSays(t *testing.T) {
	t.Parallel()
	s := pending("a")
	s.UpdatedAt = now
	for _, clock := range []time.Time{now, now.Add(-time.Hour)} {
		changed := s.Changed(clock, false)
		require.True(t, changed.UpdatedAt.After(s.UpdatedAt))
		require.Equal(t, s.Generation, changed.Generation, "other bounds make no other generation")
	}
}

// A judge was configured: the evaluator that failed for want of one goes on,
// and what was completed stays so.
func TestMendedSetupIsCompletedInTheEnd(t *testing.T) {
	t.Parallel()
	taken, _ := pending("a", "b").TakenUp(now)
	ready, _ := taken.Checked(now, onlyA)
	partial, _ := ready.Matched(now)
	require.Equal(t, Partial, partial.Status)

	mended, moved := partial.Mended(now, fine)
	require.True(t, moved)
	require.Equal(t, Completed, mended.Evaluators[0].Status)
	waiting, _ := mended.Checked(now, fine)
	require.Equal(t, WaitingForSpans, waiting.Status)
	done, _ := waiting.Matched(now)
	require.Equal(t, Completed, done.Status)
	require.Empty(t, done.Evaluators[1].ErrorMessage)
}

func TestMatchesAddUpWithinAGeneration(t *testing.T) {
	t.Parallel()
	s := pending("a")
	s.Generation, s.MinSpans = 2, 3
	_, moved := s.Counted(now, Matches{2, 1})
	require.False(t, moved, "it is not checked yet")
	s, _ = s.TakenUp(now)
	s, _ = s.Checked(now, fine)
	for _, none := range []Matches{{}, {2, 0}, {1, 5}, {3, 5}} {
		_, moved = s.Counted(now, none)
		require.False(t, moved, none)
	}
	s.Matches = Matches{1, 2} // of an earlier wish
	s, moved = s.Counted(now.Add(time.Second), Matches{2, 2})
	require.True(t, moved)
	require.Equal(t, WaitingForSpans, s.Status)
	require.Equal(t, now, s.UpdatedAt, "it did not change")
	s, moved = s.Counted(now, Matches{2, 1})
	require.True(t, moved)
	require.Equal(t, Completed, s.Status)
	require.Equal(t, Matches{2, 3}, s.Matches)
}
