// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"maps"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Refresh makes memory follow what other processes wrote, and what this one
// wrote without a clear answer. Where nobody else wrote it costs one small
// query. Environments of which nothing changed keep their setups as they are,
// the slice included.
func (l *Live) Refresh(ctx context.Context) error {
	if err := l.doubts.settleAll(ctx); err != nil {
		return err
	}
	others, unseen, err := l.news(ctx)
	if err != nil || !unseen {
		return err
	}
	if err := l.follow(ctx); err != nil {
		return err
	}
	l.ledger.learn(others)
	return nil
}

// news says whether other processes may have changed what memory does not hold
// yet, and how many changes they made, at least.
func (l *Live) news(ctx context.Context) (others int64, unseen bool, err error) {
	for range 3 { // own writes that end meanwhile blur the answer
		own := l.ledger.certain()
		sum, err := l.control.Changes(ctx)
		if err != nil {
			return 0, false, err
		}
		least, most, known := l.ledger.others(sum, own)
		if most == known {
			return known, false, nil
		}
		others = least
		if least > known {
			break
		}
	}
	return others, true, nil
}

// follow compares memory with all that the control store has.
func (l *Live) follow(ctx context.Context) error {
	keys, err := l.control.Keys(ctx)
	if err != nil {
		return err
	}
	l.learnKeys(keys)
	all, err := l.control.AllSetups(ctx)
	if err != nil {
		return err
	}
	for _, env := range differing(perEnvironment(all), l.Setups()) {
		if err := l.reloadInTurn(ctx, env); err != nil {
			return err
		}
	}
	return nil
}

// reloadInTurn asks again: since all setups were read, memory may have learned
// of a later write.
func (l *Live) reloadInTurn(ctx context.Context, env tenant.EnvironmentID) error {
	about := environment(env)
	defer l.doubts.turn(about)()
	return l.reload(ctx, env)
}

func perEnvironment(all []monitor.Setup) map[tenant.EnvironmentID][]monitor.Setup {
	environments := make(map[tenant.EnvironmentID][]monitor.Setup)
	for _, s := range all {
		environments[s.EnvironmentID] = append(environments[s.EnvironmentID], s)
	}
	return environments
}

// differing gives the environments whose setups are not the same in both.
func differing(stored map[tenant.EnvironmentID][]monitor.Setup, known *Snapshot) []tenant.EnvironmentID {
	var environments []tenant.EnvironmentID
	for env, setups := range stored {
		if !same(setups, known.Of(env)) {
			environments = append(environments, env)
		}
	}
	for env := range known.environments.all() {
		if _, ok := stored[env]; !ok {
			environments = append(environments, env)
		}
	}
	return environments
}

// load fills an empty memory.
func (l *Live) load(ctx context.Context) error {
	sum, err := l.control.Changes(ctx)
	if err != nil {
		return err
	}
	keys, err := l.control.Keys(ctx)
	if err != nil {
		return err
	}
	all, err := l.control.AllSetups(ctx)
	if err != nil {
		return err
	}
	l.ledger.learn(sum)
	l.keys.Store(noCredentials().with(keys))
	l.setups.Store(&Snapshot{newTable[tenant.EnvironmentID, []monitor.Setup]().with(maps.All(perEnvironment(all)))})
	return nil
}
