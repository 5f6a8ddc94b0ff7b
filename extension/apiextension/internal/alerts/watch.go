// SPDX-License-Identifier: Apache-2.0

package alerts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/alert"
	"github.com/touchstone-otel/touchstone/internal/alert/notify"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// lookInterval is the time between two looks for minutes to evaluate, and for
	// notifications to send.
	lookInterval = 10 * time.Second
	// leased is for how long a process has a rule to itself after it evaluated a minute:
	// some minutes, so that the rule stays where it is.
	leased = 3 * time.Minute
	// turn is how long the rules of one environment are evaluated before others come.
	turn = 20 * time.Second
	// atOnce is how many environments have their turn at once.
	atOnce = 4
	// minutesAtOnce is how many minutes one question asks for.
	minutesAtOnce = 60
)

// Watch evaluates rules and sends what comes of them. Any number of processes may work on
// one control store: each rule and each notification is one process's at a time.
type Watch struct {
	Control     store.Documents
	Records     store.Aggregator
	Environment func(tenant.EnvironmentID) (tenant.Environment, bool)
	Sender      *notify.Sender
	Process     string // in leases
	Log         *zap.Logger
	Now         func() time.Time
}

// Run works until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	defer w.Sender.Close()
	var both sync.WaitGroup
	for _, round := range []func(context.Context) error{w.Evaluate, w.Deliver} {
		both.Go(func() {
			tick := time.NewTicker(lookInterval)
			defer tick.Stop()
			for failing := false; ctx.Err() == nil; {
				err := round(ctx)
				if err != nil && !failing && ctx.Err() == nil { // it happens too often to log each
					w.Log.Warn("failed to work on alerts, will retry", zap.Error(err))
				}
				failing = err != nil
				select {
				case <-ctx.Done():
				case <-tick.C:
				}
			}
		})
	}
	both.Wait()
}

// inTurns calls do for each of the environments that values belong to, some at once.
func inTurns[T any](ctx context.Context, all []T, of func(*T) tenant.EnvironmentID, do func(context.Context, tenant.Environment, []T) error, known func(tenant.EnvironmentID) (tenant.Environment, bool)) error {
	byEnv := map[tenant.EnvironmentID][]T{}
	for i := range all {
		id := of(&all[i])
		byEnv[id] = append(byEnv[id], all[i])
	}
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		errs   []error
		places = make(chan struct{}, atOnce)
	)
	for id, list := range byEnv {
		env, found := known(id)
		if !found {
			continue // it was deleted, or is not known yet
		}
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			if err := do(ctx, env, list); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Evaluate evaluates the minutes of all rules that are due.
func (w *Watch) Evaluate(ctx context.Context) error {
	rules, err := store.Alerts(w.Control).Filter(ctx, store.DocumentFilter{})
	if err != nil || len(rules) == 0 {
		return err
	}
	list, err := store.AlertStates(w.Control).Filter(ctx, store.DocumentFilter{})
	if err != nil {
		return err
	}
	states := make(map[string]*alert.State, len(list))
	for i := range list {
		states[list[i].ID] = &list[i]
	}
	next := func(r *alert.Rule) int64 {
		if s := states[r.ID]; s != nil {
			return s.Next
		}
		return 0
	}
	return inTurns(ctx, rules, func(r *alert.Rule) tenant.EnvironmentID { return r.EnvironmentID },
		func(ctx context.Context, env tenant.Environment, rules []alert.Rule) error {
			end := time.Now().Add(turn)
			slices.SortStableFunc(rules, func(a, b alert.Rule) int { return cmp.Compare(next(&a), next(&b)) })
			var errs []error
			for i := range rules {
				if r := &rules[i]; !r.Paused && ctx.Err() == nil && time.Now().Before(end) {
					if err := w.evaluate(ctx, env, r, states[r.ID]); err != nil && !lost(err) {
						errs = append(errs, fmt.Errorf("alert %s: %w", r.ID, err))
					}
				}
			}
			return errors.Join(errs...)
		}, w.Environment)
}

// lost reports whether another process has what was to be written, or it is gone.
func lost(err error) bool { return fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) }

// evaluate evaluates the minutes of a rule that are due, if no other process has the rule.
func (w *Watch) evaluate(ctx context.Context, env tenant.Environment, r *alert.Rule, s *alert.State) error {
	now := w.Now()
	before := now.Unix()/60 - r.Delay
	states := store.AlertStates(w.Control)
	switch {
	case s == nil:
		first := alert.NewState(r, before)
		first.Owner, first.LeasedUntil, first.CreatedAt = w.Process, now.Add(leased), now
		return states.Create(ctx, first)
	case s.Owner != w.Process && now.Before(s.LeasedUntil):
		return nil
	}
	if err := w.store(ctx, r, s.Outbox); err != nil {
		return err
	}
	if s.Generation != r.Generation {
		first := alert.NewState(r, before)
		first.Revision, first.Owner, first.LeasedUntil = s.Revision, w.Process, now.Add(leased)
		_, err := states.Replace(ctx, first)
		return err
	}
	minute := now.Unix() / 60
	if s.Next >= before || s.Tried == minute && s.Next >= before-minutesAtOnce { // once a minute, unless it is far behind
		return nil
	}
	s.Outbox, s.Tried = nil, minute
	failed := w.advance(ctx, env, r, s, before)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.Error = ""
	if failed != nil {
		s.Error = fault.Message(failed)
	}
	s.Owner, s.LeasedUntil, s.Took = w.Process, now.Add(leased), int64(w.Now().Sub(now))
	stored, err := states.Replace(ctx, *s)
	if err != nil {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, w.store(ctx, r, stored.Outbox))
}

// advance takes in what the store has of the minutes before one.
func (w *Watch) advance(ctx context.Context, env tenant.Environment, r *alert.Rule, s *alert.State, before int64) error {
	q, err := newQuestion(r)
	if err != nil {
		return err
	}
	now := w.Now()
	from := max(s.Next, before-alert.MaxBehind)
	if q.read != nil {
		before = min(before, from+minutesAtOnce)
	}
	list, err := q.ask(ctx, w.Records, env, from, before, now)
	if err != nil {
		return err
	}
	s.Advance(r, list, settled(r, list, before, now.Unix()/60))
	return nil
}

// store stores notifications by themselves, to be sent. One that is there already, since it was
// stored before, stays as it is.
func (w *Watch) store(ctx context.Context, r *alert.Rule, list []alert.Notification) error {
	notes := store.Notifications(w.Control)
	now := w.Now().UTC()
	for _, n := range list {
		n.CreatedAt = now
		if !n.Silenced {
			for _, t := range r.Targets {
				n.Deliveries = append(n.Deliveries, alert.Delivery{Target: t.Name, NextAttempt: now})
			}
		}
		if err := notes.Create(ctx, n); err != nil && !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	return w.forget(ctx, r)
}

const (
	// keptNotifications is how many notifications of a rule are kept, and keptFor how long.
	keptNotifications = 200
	keptFor           = 30 * 24 * time.Hour
)

// forget deletes old notifications of a rule.
func (w *Watch) forget(ctx context.Context, r *alert.Rule) error {
	notes := store.Notifications(w.Control)
	list, err := notes.Filter(ctx, store.DocumentFilter{Environment: r.EnvironmentID, Parent: r.ID})
	if err != nil {
		return err
	}
	for i := range list {
		n := &list[i]
		if n.Open() || i >= len(list)-keptNotifications && w.Now().Sub(n.CreatedAt) < keptFor {
			continue
		}
		if err := notes.Delete(ctx, n.EnvironmentID, n.ID); err != nil && !lost(err) {
			return err
		}
	}
	return nil
}
