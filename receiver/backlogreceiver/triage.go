// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// triage separates the evaluations of one lease that are to be judged from those
// that are not: whose setup or evaluator is gone, whose deadline is over, or whose
// setup or environment has spent its money for the day.
type triage struct {
	receiver  *backlogReceiver
	now       time.Time
	refreshed bool              // memory has followed the control store
	waiting   []store.Evaluated // for money that is reserved for others

	completed map[string]int // by reason
}

func newTriage(r *backlogReceiver, now time.Time) *triage {
	return &triage{
		receiver: r, now: now, completed: map[string]int{},
	}
}

// run completes what is not to be judged and returns the rest. After an error all
// of it may be leased again.
func (s *triage) run(ctx context.Context, owed []store.Evaluated) ([]item, error) {
	items := make([]item, 0, len(owed))
	var made []store.Evaluated
	for i := range owed {
		env, known, err := s.environment(ctx, owed[i].Environment)
		if err != nil {
			return nil, err
		}
		if !known { // the organization is gone; its lease runs out
			continue
		}
		kept, over, err := s.split(ctx, env, owed[i])
		if err != nil {
			return nil, err
		}
		if len(kept.Evaluations) > 0 {
			items = append(items, kept)
		}
		if len(over) > 0 {
			made = append(made, store.Evaluated{Environment: env.ID, Span: owed[i].Span, Content: owed[i].Content, Evaluations: over})
		}
	}
	if len(made) > 0 {
		if err := s.receiver.backlog.Complete(ctx, made); err != nil {
			return nil, err
		}
	}
	if len(s.waiting) > 0 {
		if err := s.receiver.backlog.Release(ctx, s.waiting, s.now.Add(waitingPause)); err != nil {
			return nil, err
		}
	}
	for reason, n := range s.completed {
		s.receiver.metrics.countCompleted(ctx, reason, n)
	}
	return items, nil
}

// split separates the evaluations of one span into those to be judged and those
// that end or wait without it.
func (s *triage) split(ctx context.Context, env tenant.Environment, owed store.Evaluated) (kept item, over []eval.Evaluation, err error) {
	kept = item{Evaluated: store.Evaluated{Environment: owed.Environment, Span: owed.Span, Content: owed.Content}, environment: env}
	for _, e := range owed.Evaluations {
		setup, err := s.setup(ctx, env.ID, &e)
		if err != nil {
			return kept, nil, err
		}
		reason := completedDeleted
		if setup != nil {
			if reason, err = s.reason(ctx, env, owed.Location(), setup, &e); err != nil {
				return kept, nil, err
			}
		}
		if reason == "" {
			kept.Evaluations = append(kept.Evaluations, e)
			kept.add(setup)
			continue
		}
		if reason == waiting {
			wait := owed
			wait.Evaluations = []eval.Evaluation{e}
			s.waiting = append(s.waiting, wait)
			continue
		}
		s.completed[reason]++
		over = append(over, s.end(e, setup, reason))
	}
	return kept, over, nil
}

// reason returns why an evaluation of a setup is not to be made now, "" if it is.
func (s *triage) reason(ctx context.Context, env tenant.Environment, at store.Location, setup *monitor.Setup, e *eval.Evaluation) (string, error) {
	if setup.Deadline > 0 && s.now.Sub(time.Unix(0, e.Time)) >= setup.Deadline {
		return completedDeadline, nil
	}
	if e.Reason == eval.ReasonOverBudget { // which asks no model
		return "", nil
	}
	if s.receiver.usage.MaySpend(ctx, env) != nil {
		return completedCost, nil
	}
	if setup.MaxCostPerDay <= 0 {
		return "", nil
	}
	reserved, err := s.receiver.backlog.Reserve(ctx, store.Budget{
		Environment: at.Environment, Setup: setup.ID, Since: store.Midnight(s.now), Limit: setup.MaxCostPerDay,
	}, at, e.Evaluator)
	switch reserved {
	case store.Spent:
		return completedCost, err
	case store.Taken:
		return waiting, err
	case store.Granted:
	}
	return "", err
}

// waiting says that the money for an evaluation is reserved for others, which may
// leave some of it. The evaluation stays pending, for a pause.
const (
	waiting      = "waiting"
	waitingPause = time.Second
)

// end returns the evaluation as it ends, or waits, for this reason.
func (s *triage) end(e eval.Evaluation, setup *monitor.Setup, reason string) eval.Evaluation {
	switch reason {
	case completedCost:
		e.Reason, e.Due = eval.ReasonCost, store.Midnight(s.now).AddDate(0, 0, 1).UnixNano()
		return e
	case completedDeadline:
		e.Status, e.Reason = eval.Failed, overdue(setup.Deadline, e.Reason)
	default:
		e.Status, e.Reason = eval.Skipped, eval.ReasonDeleted
	}
	e.Time, e.Due = s.now.UnixNano(), 0
	return e
}

// overdue returns a text that names the deadline and what kept the evaluation from being made.
func overdue(deadline time.Duration, last string) string {
	text := "the deadline of " + deadline.String() + " is over"
	switch last {
	case "", eval.ReasonModel, eval.ReasonOverBudget, eval.ReasonTrace:
		return text
	case eval.ReasonCost:
		return text + "; the money of the day was spent"
	}
	return text + "; last error: " + last
}

// setup returns the setup of an evaluation, nil if that or its evaluator is gone.
func (s *triage) setup(ctx context.Context, env tenant.EnvironmentID, e *eval.Evaluation) (*monitor.Setup, error) {
	if found := setupOf(s.receiver.live.Setups(env), e); found != nil {
		return found, nil
	}
	if err := s.refresh(ctx); err != nil {
		return nil, err
	}
	return setupOf(s.receiver.live.Setups(env), e), nil
}

// environment returns the environment with this id.
func (s *triage) environment(ctx context.Context, id tenant.EnvironmentID) (env tenant.Environment, known bool, err error) {
	if env, known = s.receiver.live.Environment(id); known {
		return env, true, nil
	}
	if err := s.refresh(ctx); err != nil {
		return env, false, err
	}
	env, known = s.receiver.live.Environment(id)
	return env, known, nil
}

// refresh has memory follow the control store, since what memory does not know
// another process may just have made.
func (s *triage) refresh(ctx context.Context) error {
	if s.refreshed {
		return nil
	}
	if err := s.receiver.live.Refresh(ctx); err != nil {
		return err
	}
	s.refreshed = true
	return nil
}

// setupOf returns the setup that still asks for the evaluation, nil if there is
// none.
func setupOf(setups []monitor.Setup, e *eval.Evaluation) *monitor.Setup {
	for i := range setups {
		if setups[i].ID != e.SetupID {
			continue
		}
		for j := range setups[i].Evaluators {
			if setups[i].Evaluators[j].Slug == e.Evaluator {
				return &setups[i]
			}
		}
	}
	return nil
}
