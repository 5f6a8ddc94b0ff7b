// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Setups gives all setups as they are now. The pointer is another one if and
// only if a setup changed, so what was compiled from a Snapshot may be kept
// for as long as it is the current one.
func (l *Live) Setups() *Snapshot { return l.setups.Load() }

// CreateSetup is that of the role Setups.
func (l *Live) CreateSetup(ctx context.Context, s monitor.Setup) error {
	return l.writeSetup(ctx, s.EnvironmentID, func(ctx context.Context) error {
		if err := l.control.CreateSetup(ctx, s); err != nil {
			return err
		}
		setups := l.Setups().Of(s.EnvironmentID)
		if indexOf(setups, s.ID) >= 0 || taken(setups, &s) { // by one that is gone
			return l.reload(ctx, s.EnvironmentID)
		}
		stored := settled(s)
		stored.Revision = 1
		l.publishSetups(s.EnvironmentID, inserted(setups, stored))
		return nil
	})
}

// ReplaceSetup is that of the role Setups.
func (l *Live) ReplaceSetup(ctx context.Context, s monitor.Setup) (stored monitor.Setup, err error) {
	err = l.writeSetup(ctx, s.EnvironmentID, func(ctx context.Context) error {
		if stored, err = l.control.ReplaceSetup(ctx, s); err != nil {
			return err
		}
		next := slices.Clone(l.Setups().Of(s.EnvironmentID))
		at := indexOf(next, s.ID)
		if at < 0 || taken(next, &s) {
			return l.reload(ctx, s.EnvironmentID)
		}
		next[at] = settled(stored)
		l.publishSetups(s.EnvironmentID, next)
		return nil
	})
	if err != nil {
		return monitor.Setup{}, err
	}
	return stored, nil
}

// DeleteSetup is that of the role Setups.
func (l *Live) DeleteSetup(ctx context.Context, env tenant.EnvironmentID, name string) error {
	return l.writeSetup(ctx, env, func(ctx context.Context) error {
		if err := l.control.DeleteSetup(ctx, env, name); err != nil {
			return err
		}
		setups := l.Setups().Of(env)
		at := named(setups, name)
		if at < 0 {
			return l.reload(ctx, env)
		}
		if _, err := l.control.Setup(ctx, env, setups[at].ID); !fault.Is(err, fault.NotFound) {
			return l.reload(ctx, env) // by that name went another one
		}
		l.publishSetups(env, slices.Delete(slices.Clone(setups), at, at+1))
		return nil
	})
}

// Setup is that of the role Setups.
func (l *Live) Setup(ctx context.Context, env tenant.EnvironmentID, name string) (monitor.Setup, error) {
	setups, err := l.sure(ctx, env)
	if err != nil {
		return monitor.Setup{}, err
	}
	at := named(setups, name)
	if at < 0 {
		return monitor.Setup{}, fault.New(fault.NotFound, "auto monitor setup not found")
	}
	return settled(setups[at]), nil
}

// ListSetups is that of the role Setups.
func (l *Live) ListSetups(ctx context.Context, env tenant.EnvironmentID, f SetupFilter) ([]monitor.Setup, error) {
	setups, err := l.sure(ctx, env)
	if err != nil {
		return nil, err
	}
	list := make([]monitor.Setup, 0, len(setups))
	for i := range setups {
		if f.matches(&setups[i]) {
			list = append(list, settled(setups[i]))
		}
	}
	return list, nil
}

func (f SetupFilter) matches(s *monitor.Setup) bool {
	return (f.Status == "" || f.Status == s.Status) &&
		(f.ExternalID == "" || f.ExternalID == s.ExternalID) &&
		(f.EntityType == "" || f.EntityType == s.EntityType)
}

// sure gives the environment's setups, of which there is no doubt.
func (l *Live) sure(ctx context.Context, env tenant.EnvironmentID) ([]monitor.Setup, error) {
	if l.doubts.any.Load() {
		about := environment(env)
		defer l.doubts.turn(about)()
		if err := l.doubts.settle(ctx, about); err != nil {
			return nil, err
		}
	}
	return l.Setups().Of(env), nil
}

func environment(id tenant.EnvironmentID) subject { return subject{"environment", string(id)} }

// writeSetup does one write to an environment's setups. Where it is refused
// because the setups are not what the caller took them for, memory may be
// behind, and follows before the caller looks again.
func (l *Live) writeSetup(ctx context.Context, env tenant.EnvironmentID, do func(context.Context) error) error {
	about := environment(env)
	reload := func(ctx context.Context) error { return l.reload(ctx, env) }
	return l.write(ctx, about, func(ctx context.Context) error {
		err := do(ctx)
		if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
			l.doubts.raise(ctx, about, reload)
		}
		return err
	}, reload)
}

// reload makes memory hold what the control store has of the environment. The
// caller has the environment's turn.
func (l *Live) reload(ctx context.Context, env tenant.EnvironmentID) error {
	stored, err := l.control.ListSetups(ctx, env, SetupFilter{})
	if err != nil {
		return err
	}
	if !same(stored, l.Setups().Of(env)) {
		l.publishSetups(env, stored)
	}
	return nil
}

func (l *Live) publishSetups(env tenant.EnvironmentID, setups []monitor.Setup) {
	l.publishing.Lock()
	defer l.publishing.Unlock()
	l.setups.Store(l.setups.Load().with(env, setups))
}
