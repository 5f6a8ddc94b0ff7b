// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"slices"
	"time"
)

// DeadAfter is how many spans of its environment a setup sees without a match
// until it is called dead: a rule of it is likely not what its user meant.
const DeadAfter = 1000

// Settled reports that nothing is left to be found out: the monitors were
// made, or could not be.
func (s Status) Settled() bool {
	return s == Completed || s == Partial || s == FailedStatus
}

// moved returns s with a status of its own and evaluators that may be changed.
func (s Setup) moved(now time.Time, to Status) Setup {
	s.Status = to
	s.UpdatedAt = now
	s.Evaluators = slices.Clone(s.Evaluators)
	return s
}

// Changed returns the setup once its user has changed it: pending again, from
// whatever it was, and later than before whatever the clock says. Where selector
// or evaluators are others it is another generation; with other bounds alone it
// is not.
func (s Setup) Changed(now time.Time, others bool) Setup {
	s = s.moved(s.later(now), Pending)
	if others {
		s.Generation++
	}
	for i := range s.Evaluators {
		e := &s.Evaluators[i]
		e.Status, e.ErrorMessage, e.ProcessedAt = Pending, "", time.Time{}
	}
	return s
}

// later returns now, or if the clock says less a time after the last change.
func (s *Setup) later(now time.Time) time.Time {
	if !now.After(s.UpdatedAt) {
		return s.UpdatedAt.Add(time.Millisecond)
	}
	return now
}

// Pausing returns the setup once its user has paused or resumed it. The status stays
// what it is: nothing has to be checked again. Where it is paused, or not, already
// nothing changes.
func (s Setup) Pausing(now time.Time, paused bool) Setup {
	if s.Paused == paused {
		return s
	}
	s = s.moved(s.later(now), s.Status)
	s.Paused = paused
	if paused {
		s.PausedSince, s.ResumedAt = now, time.Time{}
	} else {
		s.ResumedAt = now
	}
	return s
}

// WasPaused reports whether a time lies in the last pause of the setup.
func (s *Setup) WasPaused(at time.Time) bool {
	return !s.PausedSince.IsZero() && !at.Before(s.PausedSince) && (s.Paused || at.Before(s.ResumedAt))
}

// TakenUp returns the setup once a process has begun to check it: in_progress.
// The second result is false when it is past that.
func (s Setup) TakenUp(now time.Time) (Setup, bool) {
	if s.Status != Pending {
		return s, false
	}
	s = s.moved(now, InProgress)
	for i := range s.Evaluators {
		s.Evaluators[i].Status = InProgress
	}
	return s, true
}

// Checked returns the setup once each of its evaluators that are in progress was
// checked: those for which check has a complaint are failed, the others wait
// for spans. A setup none of whose evaluators waits has failed, or is what it
// was before where some completed earlier. The second result is false when the
// setup was not in progress.
func (s Setup) Checked(now time.Time, check func(w *SetupEvaluator) (complaint string)) (Setup, bool) {
	if s.Status != InProgress {
		return s, false
	}
	s = s.moved(now, "")
	for i := range s.Evaluators {
		e := &s.Evaluators[i]
		if e.Status != InProgress {
			continue
		}
		e.ProcessedAt = now
		e.ErrorMessage = check(e)
		e.Status = WaitingForSpans
		if e.ErrorMessage != "" {
			e.Status = FailedStatus
		}
	}
	s.Status = s.outcome()
	return s, true
}

// Counted returns the setup once so many spans more have matched a generation of it:
// as Matched says where they are as many as it waits for by now, else waiting as
// before, with their number. The second result is false when nothing changes: there
// are none, the setup was not waiting, or its generation is another.
func (s Setup) Counted(now time.Time, more Matches) (Setup, bool) {
	if s.Status != WaitingForSpans || more.Spans <= 0 || more.Generation != s.Generation {
		return s, false
	}
	s.Matches = Matches{Generation: s.Generation, Spans: s.MatchedSpans() + more.Spans}
	if s.Matches.Spans < s.MinSpans {
		return s, true
	}
	return s.Matched(now)
}

// Matched returns the setup once a span has matched it: completed, or partial
// when some of its evaluators have failed. The second result is false when the
// setup was not waiting.
func (s Setup) Matched(now time.Time) (Setup, bool) {
	if s.Status != WaitingForSpans {
		return s, false
	}
	s = s.moved(now, "")
	for i := range s.Evaluators {
		e := &s.Evaluators[i]
		if e.Status == WaitingForSpans {
			e.Status, e.ProcessedAt = Completed, now
		}
	}
	s.Status = s.outcome()
	return s, true
}

// Mended returns the setup once a complaint about a failed evaluator has gone,
// say because a judge was configured since: the evaluator and the setup are in
// progress again, to be checked. The second result is false when the setup is
// not checked yet, and when check still complains about all that have failed.
func (s Setup) Mended(now time.Time, check func(w *SetupEvaluator) (complaint string)) (Setup, bool) {
	if s.Status == Pending || s.Status == InProgress {
		return s, false
	}
	mended := s.moved(now, InProgress)
	some := false
	for i := range mended.Evaluators {
		e := &mended.Evaluators[i]
		if e.Status == FailedStatus && check(e) == "" {
			e.Status, e.ErrorMessage = InProgress, ""
			some = true
		}
	}
	if !some {
		return s, false
	}
	return mended, true
}

// outcome is the status of a setup whose evaluators are all checked.
func (s Setup) outcome() Status {
	waiting, completed, failed := false, false, false
	for i := range s.Evaluators {
		switch s.Evaluators[i].Status {
		case FailedStatus:
			failed = true
		case Completed:
			completed = true
		default:
			waiting = true
		}
	}
	switch {
	case waiting:
		return WaitingForSpans
	case completed && failed:
		return Partial
	case completed:
		return Completed
	default:
		return FailedStatus
	}
}
