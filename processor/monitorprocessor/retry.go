// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"errors"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/pace"
)

// attempt is what came of one evaluation that was tried.
type attempt struct {
	result eval.Result
	err    error
	start  time.Time
	took   time.Duration
	// unable says that the evaluator cannot judge anything here, whatever the
	// span is.
	unable bool
}

// end is when it ended, by the clock that has no leaps.
func (a *attempt) end() time.Time { return a.start.Add(a.took) }

// record writes what came of a deferred evaluation into it.
func (c *RetryConfig) record(e *eval.Evaluation, a *attempt) {
	e.Attempts++
	e.Usage = e.Usage.Add(a.result.Usage)
	e.Duration = int64(a.took)
	switch {
	case a.err == nil:
		done(e, a)
	case errors.Is(a.err, eval.ErrMissingInput):
		end(e, a, eval.Skipped, eval.ReasonMissingInput)
	case c.again(a, e.Attempts):
		e.Reason, e.Due = reason(a.err), a.end().Add(c.wait(e.Attempts)).UnixNano()
	default:
		end(e, a, eval.Failed, reason(a.err))
	}
}

// done writes a verdict into an evaluation.
func done(e *eval.Evaluation, a *attempt) {
	end(e, a, eval.Done, "")
	e.Grounds = a.result.Grounds
	if a.result.Uncertain {
		e.Status = eval.Uncertain
		if e.Grounds.Reason == eval.ReasonLanguage {
			e.Reason, e.Grounds.Reason = e.Grounds.Reason, ""
		}
	}
	e.Outputs, e.Backend, e.Version, e.Truncated = a.result.Outputs, a.result.Backend, a.result.Version, a.result.Truncated
	e.Model, e.Cached = a.result.Model, a.result.Cached
}

// end ends an evaluation.
func end(e *eval.Evaluation, a *attempt, s eval.Status, reason string) {
	e.Status, e.Reason, e.Time, e.Due, e.Backend = s, reason, a.end().UnixNano(), 0, ""
}

// again reports whether an evaluation that failed is to be tried again: for as
// long as it takes when a model is away or was taken out of the configuration, a
// few times when what it says cannot be used, and not at all when the span or
// the setup is to blame, such as a span that only a judge could judge where
// there is none.
func (c *RetryConfig) again(a *attempt, attempts int) bool {
	switch fault.KindOf(a.err) {
	case fault.Invalid, fault.TooLarge:
		return false
	case fault.NotConfigured:
		return a.unable
	case fault.Unavailable:
		return true
	default:
		return attempts < c.MaxAttempts
	}
}

// wait returns how long to wait after so many attempts: twice as long each time,
// and somewhat less than that by chance, so that not all come back at once.
func (c *RetryConfig) wait(attempts int) time.Duration {
	return pace.Spread(pace.Doubled(c.InitialInterval, c.MaxInterval, attempts))
}

// maxReason is how many bytes of a reason are kept.
const maxReason = 512

// reason says what went wrong in words for the owner of the span. Messages of
// faults are such words, whatever their kind; other errors are not.
func reason(err error) string {
	text := fault.Message(err)
	var f *fault.Error
	if errors.As(err, &f) {
		text = f.Message
	}
	if len(text) > maxReason {
		text = text[:maxReason]
	}
	return strings.ToValidUTF8(text, "")
}

// reasonLabel is what metrics call the reason of an evaluation.
func reasonLabel(e *eval.Evaluation, err error) string {
	switch e.Reason {
	case "", eval.ReasonMissingInput, eval.ReasonSampledOut, eval.ReasonDeleted, eval.ReasonOwnTraffic, eval.ReasonLanguage,
		eval.ReasonModel, eval.ReasonOverBudget, eval.ReasonTrace, eval.ReasonCost:
		return e.Reason
	}
	return string(fault.KindOf(err))
}
