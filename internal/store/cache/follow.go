// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Refresh makes memory follow what changed in any process. Where nothing
// did it costs one small query. After an error memory is at most behind, and the
// next Refresh begins where this one did.
func (c *Cache) Refresh(ctx context.Context) error {
	c.following.Lock()
	defer c.following.Unlock()
	// The number is read before what it numbers: what changes in between is read
	// twice, and nothing is missed.
	changes, err := c.control.Changes(ctx, c.number)
	if err != nil {
		return err
	}
	if changes.All {
		err = c.readAll(ctx)
	} else {
		err = c.read(ctx, changes.List)
	}
	if err != nil {
		return err
	}
	c.number = changes.Number
	return nil
}

// readAll makes memory what the control store has.
func (c *Cache) readAll(ctx context.Context) error {
	keys, err := c.control.Keys(ctx)
	if err != nil {
		return err
	}
	all, err := store.Setups(c.control).Filter(ctx, store.DocumentFilter{})
	if err != nil {
		return err
	}
	stored := make(map[tenant.EnvironmentID][]monitor.Setup)
	for env := range *c.environments.Load() {
		stored[env] = nil // but for those that follow
	}
	for i := range all {
		env := all[i].EnvironmentID
		stored[env] = append(stored[env], all[i])
	}
	c.learn(keys, nil, maps.Keys(stored))
	for env, setups := range stored {
		c.publish(env, setups)
	}
	return nil
}

// read makes memory hold what changed.
func (c *Cache) read(ctx context.Context, changes []store.Change) error {
	var fresh []tenant.EnvironmentID
	var ids []string
	changed := make(map[tenant.EnvironmentID][]string)
	for _, x := range changes {
		if x.ID == "" {
			fresh = append(fresh, x.Environment)
			continue
		}
		ids = append(ids, x.ID)
		changed[x.Environment] = append(changed[x.Environment], x.ID)
	}
	var keys []tenant.Key
	var list []monitor.Setup
	var err error
	if len(fresh) > 0 {
		if keys, err = c.control.Keys(ctx, fresh...); err != nil {
			return err
		}
	}
	if len(ids) > 0 {
		if list, err = store.Setups(c.control).Filter(ctx, store.DocumentFilter{IDs: ids}); err != nil {
			return err
		}
	}
	if len(fresh) > 0 {
		c.learn(keys, fresh, maps.Keys(changed))
	} else {
		c.add(nil, nil, maps.Keys(changed))
	}
	for env, ids := range changed {
		stored := make(map[string]monitor.Setup)
		for i := range list {
			if list[i].EnvironmentID == env {
				stored[list[i].ID] = list[i]
			}
		}
		c.publish(env, merged(c.Setups(env), ids, stored))
	}
	return nil
}

// learn makes these the keys of some environments, of all where none is named,
// and notes environments that are new.
func (c *Cache) learn(keys []tenant.Key, of []tenant.EnvironmentID, environments iter.Seq[tenant.EnvironmentID]) {
	for i := range keys {
		keys[i].Environment.Quota = keys[i].Environment.Quota.Or(c.quota)
	}
	stored := make(map[tenant.Digest]bool, len(keys))
	about := make(map[tenant.EnvironmentID]tenant.Environment)
	for _, id := range of {
		about[id] = tenant.Environment{} // one without keys is not known any more
	}
	if of == nil {
		for id := range *c.environments.Load() {
			about[id] = tenant.Environment{}
		}
	}
	for i := range keys {
		stored[keys[i].Digest] = true
		about[keys[i].Environment.ID] = keys[i].Environment
	}
	c.add(about, keys, environments)
	c.keys.Range(func(digest, v any) bool {
		_, concerned := about[v.(*knownKey).Environment.ID]
		if concerned && !stored[digest.(tenant.Digest)] {
			c.keys.Delete(digest)
		}
		return true
	})
}

// add notes what environments are, keys, and environments of which setups are
// known alone.
func (c *Cache) add(about map[tenant.EnvironmentID]tenant.Environment, keys []tenant.Key, environments iter.Seq[tenant.EnvironmentID]) {
	next, own := *c.environments.Load(), false
	put := func(id tenant.EnvironmentID, about tenant.Environment) {
		if !own {
			clone := make(map[tenant.EnvironmentID]*environment, len(next)+len(keys))
			maps.Copy(clone, next)
			next, own = clone, true
		}
		e := &environment{about: about}
		e.setups.Store(new([]monitor.Setup))
		if was, ok := next[id]; ok {
			e.setups.Store(was.setups.Load())
		}
		next[id] = e
	}
	for id, now := range about {
		if e, ok := next[id]; !ok || e.about != now {
			put(id, now)
		}
	}
	for id := range environments {
		if _, ok := next[id]; !ok {
			put(id, tenant.Environment{})
		}
	}
	c.environments.Store(&next)
	for i := range keys {
		was, ok := c.known(keys[i].Digest)
		if ok && was.Key == keys[i] {
			continue
		}
		k := &knownKey{Key: keys[i]}
		if ok {
			k.used.Store(was.used.Load())
			k.noted.Store(was.noted.Load())
		}
		c.keys.Store(k.Digest, k)
	}
}

// publish makes these the setups of an environment, unless they are already.
func (c *Cache) publish(env tenant.EnvironmentID, setups []monitor.Setup) {
	if same(setups, c.Setups(env)) {
		return
	}
	(*c.environments.Load())[env].setups.Store(&setups)
	c.version.Add(1)
}

// same reports whether both lists hold the same setups in the same revisions.
func same(a, b []monitor.Setup) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].SameRevision(&b[i]) {
			return false
		}
	}
	return true
}

// merged returns setups of one environment once those with the ids in changed
// are what stored has of them: at their places by age, or gone.
func merged(setups []monitor.Setup, changed []string, stored map[string]monitor.Setup) []monitor.Setup {
	next := slices.Clone(setups)
	for _, id := range changed {
		at := index(next, id)
		now, there := stored[id]
		switch {
		case there && at >= 0:
			next[at] = now
		case there:
			next = append(next, now)
		case at >= 0:
			next = slices.Delete(next, at, at+1)
		}
	}
	for i := 1; i < len(next); i++ {
		if next[i].CreatedAt.Before(next[i-1].CreatedAt) {
			slices.SortStableFunc(next, func(a, b monitor.Setup) int { return a.CreatedAt.Compare(b.CreatedAt) })
			break
		}
	}
	return next
}

func index(setups []monitor.Setup, id string) int {
	for i := range setups {
		if setups[i].ID == id {
			return i
		}
	}
	return -1
}
