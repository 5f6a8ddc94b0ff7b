// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"slices"
	"time"
)

// Settled reports that nothing is left to be found out: the monitors were
// made, or could not be.
func (s Status) Settled() bool {
	return s == Completed || s == Partial || s == FailedStatus
}

// TakenUp gives the setup once a process has begun to check it: in_progress.
// The second result is false when it is past that.
func (s Setup) TakenUp(now time.Time) (Setup, bool) {
	if s.Status != Pending {
		return s, false
	}
	s.Status = InProgress
	s.UpdatedAt = now
	s.Evaluators = slices.Clone(s.Evaluators)
	for i := range s.Evaluators {
		s.Evaluators[i].Status = InProgress
	}
	return s, true
}

// Checked gives the setup once each evaluator was checked: those for which
// check has a complaint are failed, the others wait for spans. A setup whose
// evaluators all failed has failed. The second result is false when the setup
// was not in progress.
func (s Setup) Checked(now time.Time, check func(slug string) (complaint string)) (Setup, bool) {
	if s.Status != InProgress {
		return s, false
	}
	s.Status = FailedStatus
	s.UpdatedAt = now
	s.Evaluators = slices.Clone(s.Evaluators)
	for i := range s.Evaluators {
		e := &s.Evaluators[i]
		e.ProcessedAt = now
		e.ErrorMessage = check(e.Slug)
		if e.ErrorMessage != "" {
			e.Status = FailedStatus
			continue
		}
		e.Status = WaitingForSpans
		s.Status = WaitingForSpans
	}
	return s, true
}

// Matched gives the setup once a span has matched it: completed, or partial
// when some of its evaluators have failed. The second result is false when the
// setup was not waiting.
func (s Setup) Matched(now time.Time) (Setup, bool) {
	if s.Status != WaitingForSpans {
		return s, false
	}
	s.Status = Completed
	s.UpdatedAt = now
	s.Evaluators = slices.Clone(s.Evaluators)
	for i := range s.Evaluators {
		e := &s.Evaluators[i]
		if e.Status == FailedStatus {
			s.Status = Partial
			continue
		}
		e.Status = Completed
		e.ProcessedAt = now
	}
	return s, true
}
