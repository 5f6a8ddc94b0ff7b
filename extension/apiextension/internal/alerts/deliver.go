// SPDX-License-Identifier: Apache-2.0

package alerts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/alert"
	"github.com/touchstone-otel/touchstone/internal/alert/notify"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// sending is for how long a process has a notification to itself: longer than one attempt at
// all targets takes.
const sending = time.Minute

// Deliver sends the notifications that are due. One that is sent while the process ends is
// sent again by the next: receivers know it by its id.
func (w *Watch) Deliver(ctx context.Context) error {
	open, err := store.Notifications(w.Control).Filter(ctx, store.DocumentFilter{Open: true})
	if err != nil {
		return err
	}
	now := w.Now()
	due := slices.DeleteFunc(open, func(n alert.Notification) bool {
		return n.Owner != w.Process && now.Before(n.LeasedUntil) || len(dueOf(&n, now)) == 0
	})
	return inTurns(ctx, due, func(n *alert.Notification) tenant.EnvironmentID { return n.EnvironmentID },
		func(ctx context.Context, env tenant.Environment, list []alert.Notification) error {
			end := time.Now().Add(turn)
			var errs []error
			for _, n := range list {
				if ctx.Err() != nil || time.Now().After(end) {
					break
				}
				if err := w.deliver(ctx, env, n); err != nil && !lost(err) {
					errs = append(errs, fmt.Errorf("notification %s: %w", n.ID, err))
				}
			}
			return errors.Join(errs...)
		}, w.Environment)
}

// dueOf returns which deliveries are due.
func dueOf(n *alert.Notification, now time.Time) (list []int) {
	for i := range n.Deliveries {
		if d := &n.Deliveries[i]; d.Open() && !d.NextAttempt.After(now) {
			list = append(list, i)
		}
	}
	return list
}

// deliver makes one attempt at each target of a notification that is due.
func (w *Watch) deliver(ctx context.Context, env tenant.Environment, n alert.Notification) error {
	rule, err := store.Alerts(w.Control).Get(ctx, env.ID, n.RuleID)
	if err != nil {
		return err
	}
	notes := store.Notifications(w.Control)
	n.Owner, n.LeasedUntil = w.Process, w.Now().Add(sending).UTC()
	if n, err = notes.Replace(ctx, n); err != nil {
		return err
	}
	w.attempt(ctx, env, &rule, &n)
	n.Owner, n.LeasedUntil = "", time.Time{}
	_, err = notes.Replace(context.WithoutCancel(ctx), n) // what is sent had better be known
	return err
}

// attempt makes an attempt at all targets that are due, at once.
func (w *Watch) attempt(ctx context.Context, env tenant.Environment, rule *alert.Rule, n *alert.Notification) {
	now := w.Now()
	message := &notify.Message{Notification: n, Rule: rule, Environment: env.Slug, Now: now}
	var wg sync.WaitGroup
	made := slices.Clone(n.Deliveries)
	for _, i := range dueOf(n, now) {
		at := slices.IndexFunc(rule.Targets, func(t alert.Target) bool { return t.Name == n.Deliveries[i].Target })
		if at < 0 {
			made[i].NextAttempt, made[i].Error = time.Time{}, "the alert has no such target any more"
			continue
		}
		wg.Go(func() { made[i] = w.Sender.Attempt(ctx, message, &rule.Targets[at], n.Deliveries[i]) })
	}
	wg.Wait()
	if ctx.Err() != nil { // whatever failed, the target may not be at fault
		for i := range made {
			if made[i].SentAt.IsZero() {
				made[i] = n.Deliveries[i]
			}
		}
	}
	n.Deliveries = made
}

// errNoTargets refuses a test of an alert that sends nothing.
var errNoTargets = fault.New(fault.Invalid, "the alert has no targets")
