// SPDX-License-Identifier: Apache-2.0

// Package alerts serves alerts, evaluates them each minute, and sends their notifications.
package alerts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/alert"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
)

const (
	// maxFiltered is how many alerts with filters an environment may have: each reads the spans of
	// a minute by itself.
	maxFiltered = 20
	// changeTries is how often a change is made again that another came before.
	changeTries = 10
)

// API serves alerts.
type API struct{ *Watch }

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	return []rest.Route{
		CreateAlert.Route(a.create).Audited("alert.create"),
		ListAlerts.Route(a.list),
		GetAlert.Route(a.get),
		PutAlert.Route(a.put).Audited("alert.update"),
		DeleteAlert.Route(a.remove).Audited("alert.delete"),
		TestAlert.Route(a.test).Audited("alert.test"),
		AlertHistory.Route(a.history),
		SilenceAlert.Route(a.silence).Audited("alert.silence"),
		UnsilenceAlert.Route(a.unsilence).Audited("alert.unsilence"),
	}
}

func (a *API) rules() store.Collection[alert.Rule] { return store.Alerts(a.Control) }

func (a *API) create(c *rest.Call, want *AlertRequest) (*Alert, error) {
	r, err := want.rule(nil)
	if err != nil {
		return nil, err
	}
	r.ID, r.EnvironmentID, r.Generation, r.CreatedAt = uuid.NewString(), c.Env().ID, 1, rest.Moment(a.Now())
	r.UpdatedAt = r.CreatedAt
	if err := a.bounded(c.Context(), &r); err != nil {
		return nil, err
	}
	if err := a.rules().Create(c.Context(), r); err != nil {
		return nil, err
	}
	c.Made(r.ID)
	shown := show(&r, nil)
	return &shown, nil
}

// bounded refuses one alert too many that has filters.
func (a *API) bounded(ctx context.Context, r *alert.Rule) error {
	filtered := func(r *alert.Rule) bool { return len(r.Filters) > 0 || r.Line != "" }
	if !filtered(r) {
		return nil
	}
	list, err := a.rules().List(ctx, r.EnvironmentID)
	if err != nil {
		return err
	}
	n := 0
	for i := range list {
		if list[i].ID != r.ID && filtered(&list[i]) {
			n++
		}
	}
	if n >= maxFiltered {
		return invalid("an environment may have at most %d alerts with filters or q", maxFiltered)
	}
	return nil
}

func (a *API) list(c *rest.Call, _ *rest.None) (*[]Alert, error) {
	list, err := a.rules().List(c.Context(), c.Env().ID)
	if err != nil {
		return nil, err
	}
	states, err := store.AlertStates(a.Control).List(c.Context(), c.Env().ID)
	if err != nil {
		return nil, err
	}
	shown := make([]Alert, len(list))
	for i := range list {
		var known *alert.State
		if at := slices.IndexFunc(states, func(s alert.State) bool { return s.ID == list[i].ID }); at >= 0 {
			known = &states[at]
		}
		shown[i] = show(&list[i], known)
	}
	return &shown, nil
}

func (a *API) get(c *rest.Call, in *GetAlertInput) (*Alert, error) {
	r, err := a.rules().Get(c.Context(), c.Env().ID, in.Name)
	if err != nil {
		return nil, err
	}
	return a.shown(c.Context(), &r)
}

// shown returns a rule with its state.
func (a *API) shown(ctx context.Context, r *alert.Rule) (*Alert, error) {
	s, err := a.state(ctx, r)
	if err != nil {
		return nil, err
	}
	shown := show(r, s)
	return &shown, nil
}

// state returns the state of a rule, nil where it has none yet.
func (a *API) state(ctx context.Context, r *alert.Rule) (*alert.State, error) {
	s, err := store.AlertStates(a.Control).Get(ctx, r.EnvironmentID, r.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil //nolint:nilnil // as documented
	case err != nil:
		return nil, err
	}
	return &s, nil
}

// errSame says that a change would change nothing.
var errSame = errors.New("there is no change")

// change has change say what becomes of the alert of a name, and returns it.
func (a *API) change(c *rest.Call, name string, change func(*alert.Rule) error) (*Alert, error) {
	for try := 1; ; try++ {
		r, err := a.rules().Get(c.Context(), c.Env().ID, name)
		if err != nil {
			return nil, err
		}
		if err := change(&r); errors.Is(err, errSame) {
			return a.shown(c.Context(), &r)
		} else if err != nil {
			return nil, err
		}
		r.UpdatedAt = rest.Moment(a.Now())
		stored, err := a.rules().Replace(c.Context(), r)
		if err == nil {
			return a.shown(c.Context(), &stored)
		}
		if !fault.Is(err, fault.Conflict) || try == changeTries {
			return nil, err
		}
	}
}

func (a *API) put(c *rest.Call, in *PutAlertInput) (*Alert, error) {
	return a.change(c, in.Name, func(r *alert.Rule) error {
		next, err := in.Body.rule(r.Targets)
		if err != nil {
			return err
		}
		next.ID, next.EnvironmentID, next.Revision, next.CreatedAt = r.ID, r.EnvironmentID, r.Revision, r.CreatedAt
		next.SilencedUntil, next.SilenceReason, next.Generation = r.SilencedUntil, r.SilenceReason, r.Generation
		if !watchAlike(*r, next) {
			next.Generation++
		}
		next.UpdatedAt = r.UpdatedAt
		if alike(*r, next) {
			return errSame
		}
		*r = next
		return a.bounded(c.Context(), r)
	})
}

// watchAlike reports whether what two rules watch, and when they fire, is the same.
func watchAlike(a, b alert.Rule) bool {
	for _, r := range []*alert.Rule{&a, &b} {
		r.Name, r.Targets, r.UpdatedAt = "", nil, time.Time{}
	}
	return alike(a, b)
}

// alike reports whether two rules are stored as the same text.
func alike(a, b alert.Rule) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func (a *API) remove(c *rest.Call, in *GetAlertInput) (*rest.None, error) {
	return nil, a.rules().Delete(c.Context(), c.Env().ID, in.Name)
}

func (a *API) history(c *rest.Call, in *GetAlertInput) (*[]AlertNotification, error) {
	r, err := a.rules().Get(c.Context(), c.Env().ID, in.Name)
	if err != nil {
		return nil, err
	}
	list, err := store.Notifications(a.Control).Filter(c.Context(), store.DocumentFilter{Environment: c.Env().ID, Parent: r.ID})
	if err != nil {
		return nil, err
	}
	shown := make([]AlertNotification, 0, len(list))
	for i := range slices.Backward(list) {
		shown = append(shown, showNotification(&list[i]))
	}
	return &shown, nil
}

// test sends a message to all targets of an alert, once.
func (a *API) test(c *rest.Call, in *GetAlertInput) (*AlertTest, error) {
	r, err := a.rules().Get(c.Context(), c.Env().ID, in.Name)
	if err != nil {
		return nil, err
	}
	if len(r.Targets) == 0 {
		return nil, errNoTargets
	}
	s, err := a.state(c.Context(), &r)
	if err != nil {
		return nil, err
	}
	now := a.Now().UTC()
	n := alert.Notification{ID: "test-" + uuid.NewString(), EnvironmentID: r.EnvironmentID, RuleID: r.ID, At: now, Test: true}
	if s != nil && s.Generation == r.Generation {
		for i := range s.Groups {
			n.Changes = append(n.Changes, s.Groups[i].Shown(&r, s.Next-1))
		}
	}
	for _, t := range r.Targets {
		n.Deliveries = append(n.Deliveries, alert.Delivery{Target: t.Name, NextAttempt: now})
	}
	a.attempt(c.Context(), c.Env(), &r, &n)
	for i := range n.Deliveries {
		n.Deliveries[i].NextAttempt = time.Time{} // once
	}
	return &AlertTest{Deliveries: showDeliveries(&n)}, nil
}

func (a *API) silence(c *rest.Call, in *SilenceAlertInput) (*Alert, error) {
	return a.change(c, in.Name, func(r *alert.Rule) error {
		r.SilencedUntil, r.SilenceReason = rest.Moment(a.Now().Add(time.Duration(in.Body.Seconds)*time.Second)), in.Body.Reason
		return nil
	})
}

func (a *API) unsilence(c *rest.Call, in *GetAlertInput) (*Alert, error) {
	return a.change(c, in.Name, func(r *alert.Rule) error {
		r.SilencedUntil, r.SilenceReason = time.Time{}, ""
		return nil
	})
}
