// SPDX-License-Identifier: Apache-2.0

package backlog

import (
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/completion"
)

// lease are the evaluations of one span that a worker has.
type lease struct {
	at      store.Location
	content uint64
	list    []leased
}

// leased is one of them, as it was when it was leased: deferred.
type leased struct {
	pair
	due, since int64
	until      time.Time // as its holder's clock has it, which no step of the wall clock moves
	cost       float64   // of earlier tries
	reserved   float64   // money reserved
	revision   int64
}

// pair names an evaluation of a span.
type pair = completion.Pair

func pairOf(e *eval.Evaluation) pair { return completion.PairOf(e) }

// find returns a leased evaluation, nil if no other call has it.
func (l *lease) find(p pair) *leased {
	if l == nil {
		return nil
	}
	for i := range l.list {
		if l.list[i].pair == p {
			return &l.list[i]
		}
	}
	return nil
}

// finish ends leases for good; nil pairs are all.
func (b *Backlog) finish(o store.Owner, pairs []pair) {
	if l := b.leases[o]; l != nil {
		b.remove(o, l, func(x leased) bool { return pairs == nil || slices.Contains(pairs, x.pair) })
	}
}

// remove takes evaluations out of a lease and returns them.
func (b *Backlog) remove(o store.Owner, l *lease, which func(leased) bool) []leased {
	var gone []leased
	kept := l.list[:0]
	for _, x := range l.list {
		if which(x) {
			b.unreserve(account{o.Environment, x.Setup}, x.reserved)
			gone = append(gone, x)
			continue
		}
		kept = append(kept, x)
	}
	l.list = kept
	if len(kept) == 0 {
		delete(b.leases, o)
	}
	return gone
}

// giveBack ends leases so that what they were for goes to the next worker.
func (b *Backlog) giveBack(o store.Owner, l *lease, which func(leased) bool) {
	for _, x := range b.remove(o, l, which) {
		b.index.push(store.Due{Location: l.at, At: x.due, Since: x.since})
	}
}

// expire gives back what has run out by now.
func (b *Backlog) expire(now time.Time) {
	if b.soonest.IsZero() || now.Before(b.soonest) {
		return
	}
	b.soonest = time.Time{}
	for o, l := range b.leases {
		b.giveBack(o, l, func(x leased) bool { return !x.until.After(now) })
		for _, x := range l.list {
			b.ends(x.until)
		}
	}
}

// ends hears that a lease runs out then.
func (b *Backlog) ends(at time.Time) {
	if b.soonest.IsZero() || at.Before(b.soonest) {
		b.soonest = at
	}
}

// release ends leases at a time, or at once if that is not after now.
func (b *Backlog) release(list []store.Evaluated, at, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range list {
		o := list[i].Location().Owner()
		l := b.leases[o]
		if l == nil {
			continue
		}
		given := func(x leased) bool {
			return slices.ContainsFunc(list[i].Evaluations, func(v eval.Evaluation) bool { return pairOf(&v) == x.pair })
		}
		if !at.After(now) {
			b.giveBack(o, l, given)
			continue
		}
		for j := range l.list {
			if given(l.list[j]) {
				if at.Before(l.list[j].until) {
					l.list[j].until = at
				}
			}
		}
		b.ends(at)
	}
}
