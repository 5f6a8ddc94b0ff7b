// SPDX-License-Identifier: Apache-2.0

package backlog

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Lease implements store.Backlog.
func (b *Backlog) Lease(ctx context.Context, now, until time.Time, limit int, but ...tenant.EnvironmentID) ([]store.Evaluated, error) {
	if err := b.begin(ctx); err != nil {
		return nil, err
	}
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l := &leasing{backlog: b, at: now, now: now.UnixNano(), until: until, limit: limit, but: but, seen: map[store.Owner]bool{}}
	if err := l.do(ctx); err != nil {
		b.release(l.list, time.Time{}, now)
		return nil, err
	}
	return l.list, nil
}

// Release implements store.Backlog.
func (b *Backlog) Release(ctx context.Context, leased []store.Evaluated, at time.Time) error {
	if err := b.begin(ctx); err != nil {
		return err
	}
	b.release(leased, at, b.now())
	return nil
}

// Renew implements store.Backlog.
func (b *Backlog) Renew(ctx context.Context, leased []store.Evaluated, held, until time.Time) error {
	if err := b.begin(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range leased {
		l := b.leases[leased[i].Location().Owner()]
		for j := range leased[i].Evaluations {
			if x := l.find(pairOf(&leased[i].Evaluations[j])); x != nil && x.until.Equal(held) {
				x.until = until
			}
		}
	}
	b.ends(until)
	return nil
}

// leasing is one call of Lease, while it has the turn.
type leasing struct {
	backlog   *Backlog
	at, until time.Time // when it began and leases run out, by the clock of the caller that leases
	now       int64     // at on the wall, by which evaluations are due
	limit     int
	but       []tenant.EnvironmentID // of which nothing is leased

	vain  int // how often the engine was read and nothing more was due
	seen  map[store.Owner]bool
	aside []store.Due // what changed meanwhile, for later
	list  []store.Evaluated
}

func (l *leasing) do(ctx context.Context) error {
	l.backlog.mu.Lock()
	l.backlog.expire(l.at)
	l.backlog.touched = map[store.Owner]bool{}
	l.backlog.mu.Unlock()
	defer func() {
		l.backlog.mu.Lock()
		defer l.backlog.mu.Unlock()
		l.backlog.touched = nil
		l.pushAll(l.aside)
	}()
	for len(l.list) < l.limit {
		entries, unread := l.pick()
		if len(entries) > 0 {
			if err := l.follow(ctx, entries); err != nil {
				l.backlog.mu.Lock()
				l.pushAll(entries)
				l.backlog.mu.Unlock()
				return err
			}
		}
		switch {
		case unread != nil:
			if err := l.read(ctx, unread); err != nil {
				return err
			}
		case len(entries) == 0:
			return nil
		}
	}
	return nil
}

func (l *leasing) pushAll(list []store.Due) {
	for _, d := range list {
		l.backlog.index.push(d)
	}
}

// pick takes the entries of what is due first, of the environments in turn and each
// span once, up to the first environment that must be read to know.
func (l *leasing) pick() (list []store.Due, unread *dueIndex) {
	l.backlog.mu.Lock()
	defer l.backlog.mu.Unlock()
	for len(list) < l.limit-len(l.list) {
		enough := l.vain >= leaseLoads && len(l.list)+len(list) > 0
		d, unread, there := l.backlog.index.next(l.now, enough, l.but)
		if !there || unread != nil {
			return list, unread
		}
		switch o := d.Owner(); {
		case l.backlog.dropped[o.Environment]:
		case !l.seen[o]:
			l.seen[o] = true
			list = append(list, d)
		case l.backlog.touched[o]: // it may be of what changed since
			l.aside = append(l.aside, d)
		}
	}
	return list, nil
}

// read reads what is pending next in an environment.
func (l *leasing) read(ctx context.Context, x *dueIndex) error {
	if err := l.backlog.read(ctx, x); err != nil {
		return err
	}
	l.backlog.mu.Lock()
	defer l.backlog.mu.Unlock()
	if d, _, there := x.first(); !there || d.At > l.now {
		l.vain++
	}
	return nil
}

// follow reads what the entries lead to, and leases what is there.
func (l *leasing) follow(ctx context.Context, list []store.Due) error {
	at := make([]store.Location, len(list))
	for i := range list {
		at[i] = list[i].Location
	}
	read, err := l.backlog.engine.Evaluations(ctx, at, math.MinInt64, store.Latest)
	if err != nil {
		return err
	}
	found := make(map[store.Owner]*store.Evaluated, len(read))
	for i := range read {
		found[read[i].Location().Owner()] = &read[i]
	}
	l.backlog.mu.Lock()
	defer l.backlog.mu.Unlock()
	for _, d := range list {
		if x := found[d.Owner()]; x != nil {
			l.grant(d, x)
		}
	}
	return nil
}

// grant leases what is due and no worker has.
func (l *leasing) grant(d store.Due, x *store.Evaluated) {
	o := d.Owner()
	if l.backlog.dropped[o.Environment] {
		return
	}
	if l.backlog.busy[o] || l.backlog.touched[o] {
		l.aside = append(l.aside, d)
		return
	}
	held := l.backlog.leases[o]
	if held != nil && held.content != x.Content { // of a span that was replaced
		l.backlog.finish(o, nil)
		held = nil
	}
	free := slices.DeleteFunc(x.Evaluations, func(v eval.Evaluation) bool {
		return v.Status != eval.Deferred || v.Due > l.now || held.find(pairOf(&v)) != nil
	})
	if len(free) == 0 {
		return
	}
	slices.SortStableFunc(free, func(a, b eval.Evaluation) int { return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.Time, b.Time)) })
	if first := &free[0]; first.Due > d.At { // the entry was out of date: others may be due before
		l.backlog.index.push(store.Due{Location: x.Location(), At: first.Due, Since: first.Time})
		delete(l.seen, o)
		return
	}
	if held == nil {
		held = &lease{at: x.Location(), content: x.Content}
		l.backlog.leases[o] = held
	}
	for i := range free {
		v := &free[i]
		held.list = append(held.list, leased{pair: pairOf(v), due: v.Due, since: v.Time, until: l.until, cost: v.Usage.Cost, revision: v.Revision})
	}
	l.backlog.ends(l.until)
	x.Evaluations = free
	l.list = append(l.list, *x)
}

// touch tells who is leasing just now that what he reads of a span may be from
// before a change.
func (b *Backlog) touch(o store.Owner) {
	if b.touched != nil {
		b.touched[o] = true
	}
}
