// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"math"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// lease are the evaluations of one span that somebody has.
type lease struct {
	spot
	list []leased
}

type leased struct {
	pair
	due, time int64
	until     int64
}

// pair names an evaluation of a span.
type pair struct{ setup, evaluator string }

// pairOf gives the texts as they are stored.
func pairOf(setup, evaluator string) pair {
	return pair{setup: asStored(setup), evaluator: asStored(evaluator)}
}

// asStored gives a text as a table has it.
func asStored(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// leasesOver gives the evaluations whose leases a commit ends, by their spans;
// nil are all.
func leasesOver(list []*settled, arrivals []arrival) map[owner][]pair {
	over := map[owner][]pair{}
	for _, x := range list {
		for i, p := range x.pairs {
			if !isOwedAnew(x.evaluations[i]) { // which leaves alone what is leased
				over[x.owner] = append(over[x.owner], p)
			}
		}
	}
	for i := range arrivals {
		if a := &arrivals[i]; a.stored {
			over[ownerOf(a.record)] = nil
		}
	}
	return over
}

// finish ends leases for good.
func (b *backlog) finish(o owner, pairs []pair) {
	l := b.leases[o]
	if l == nil {
		return
	}
	if pairs == nil {
		delete(b.leases, o)
		return
	}
	b.remove(o, l, func(x leased) bool {
		for _, p := range pairs {
			if x.pair == p {
				return true
			}
		}
		return false
	})
}

// remove takes evaluations out of a lease and gives them.
func (b *backlog) remove(o owner, l *lease, which func(leased) bool) []leased {
	var gone []leased
	kept := l.list[:0]
	for _, x := range l.list {
		if which(x) {
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

// giveBack ends leases so that what they were for is owed to the next.
func (b *backlog) giveBack(o owner, l *lease, which func(leased) bool) {
	for _, x := range b.remove(o, l, which) {
		b.push(l.serial, hint{due: x.due, time: x.time, seq: l.seq})
	}
}

// expire gives back what has run out by now.
func (b *backlog) expire(now int64) {
	if now < b.soonest {
		return
	}
	b.soonest = math.MaxInt64
	for o, l := range b.leases {
		b.giveBack(o, l, func(x leased) bool { return x.until <= now })
		for _, x := range l.list {
			b.soonest = min(b.soonest, x.until)
		}
	}
}

// release gives back what somebody does not want any more.
func (b *backlog) release(owed []store.Evaluated) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, x := range owed {
		o := owner{env: x.Environment, span: x.Span}
		l := b.leases[o]
		if l == nil {
			continue
		}
		b.giveBack(o, l, func(y leased) bool {
			return slices.ContainsFunc(x.Evaluations, func(v eval.Evaluation) bool {
				return pairOf(v.SetupID, v.Evaluator) == y.pair
			})
		})
	}
}
