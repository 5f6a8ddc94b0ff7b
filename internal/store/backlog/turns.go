// SPDX-License-Identifier: Apache-2.0

package backlog

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// fewestDue is how many entries an environment's index keeps at least, however
	// many environments there are.
	fewestDue = 64
	// openLoads is how many environments are read when a backlog is opened, and
	// leaseLoads how often a call of Lease that has something reads on in vain: with
	// very many environments the rest is read by later calls.
	openLoads  = 32
	leaseLoads = 32
)

// turns has an index of what is due for each environment that has pending evaluations,
// and has them take turns. Together they hold a bounded number of entries, of
// which each environment has its share: what one has pending does not push out what
// another is.
type turns struct {
	kept  int // entries of all indexes, about
	envs  map[tenant.EnvironmentID]*dueIndex
	order []*dueIndex // whose turn is next comes first
}

func newTurns(kept int) turns { return turns{kept: kept, envs: map[tenant.EnvironmentID]*dueIndex{}} }

// of returns the index of an environment. One that is new has nothing unread.
func (t *turns) of(env tenant.EnvironmentID) *dueIndex {
	x := t.envs[env]
	if x == nil {
		fresh := newDueIndex(0)
		x = &fresh
		x.env, x.rest = env, false
		t.envs[env] = x
		t.order = append(t.order, x)
		t.divide()
	}
	return x
}

// divide lets indexes keep their share and no more, but for such as are being read.
func (t *turns) divide() {
	for _, x := range t.order {
		if x.limit = t.share(); len(x.entries) > 2*x.limit && !x.loading {
			x.spill()
		}
	}
}

// share returns how many entries each index keeps.
func (t *turns) share() int {
	return max(t.kept/max(len(t.envs), 1), min(t.kept, fewestDue))
}

// push takes in an entry.
func (t *turns) push(d store.Due) {
	x := t.of(d.Environment)
	x.limit = t.share()
	x.push(d)
}

// remove forgets an environment.
func (t *turns) remove(env tenant.EnvironmentID) {
	delete(t.envs, env)
	t.order = slices.DeleteFunc(t.order, func(x *dueIndex) bool { return x.env == env })
}

// next takes the entry that is due by now of the environment whose turn it is, which
// then comes last; or returns an index that must be read to know. With skip such
// are passed over, and some environments always.
func (t *turns) next(now int64, skip bool, but []tenant.EnvironmentID) (d store.Due, unread *dueIndex, there bool) {
	for range len(t.order) {
		x := t.order[0]
		d, isUnread, some := x.first()
		switch {
		case !some && !x.loading:
			t.remove(x.env)
			continue
		case slices.Contains(but, x.env):
			t.order = append(t.order[1:], x)
			continue
		case some && d.At <= now && isUnread && !skip:
			return store.Due{}, x, true
		}
		t.order = append(t.order[1:], x)
		if some && d.At <= now && !isUnread {
			x.pop()
			return d, nil, true
		}
	}
	return store.Due{}, nil, false
}

// waiting returns when the oldest was deferred of what is due by now; 0 if nothing
// is.
func (t *turns) waiting(now int64) int64 {
	var oldest int64
	for _, x := range t.order {
		oldest = earlier(oldest, x.waiting(now))
	}
	return oldest
}

// load learns which environments have pending evaluations, and reads the first of it.
func (b *Backlog) load(ctx context.Context) error {
	all, err := b.engine.Owed(ctx, "", store.Due{}, 0)
	if err != nil {
		return err
	}
	b.mu.Lock()
	for _, env := range all.Environments {
		b.index.of(env).rest = true
	}
	first := slices.Clone(b.index.order[:min(len(b.index.order), openLoads)])
	b.mu.Unlock()
	for _, x := range first {
		if err := b.read(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// read reads the next entries of an environment from the engine.
func (b *Backlog) read(ctx context.Context, x *dueIndex) error {
	b.mu.Lock()
	x.loading = true
	x.limit = b.index.share()
	mark, limit := x.mark, x.limit
	b.mu.Unlock()
	page, err := b.engine.Owed(ctx, x.env, mark, limit)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		x.takeIncoming()
		return err
	}
	x.loaded(&page)
	return nil
}
