// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"math"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var _ store.Backlog = (*DB)(nil)

// pileHints is how many hints a partition keeps at least, if it owes as much;
// it may have twice as many.
const pileHints = 8192

// backlog knows what is owed and who has it. It outlives the engine: leases are
// kept when that is opened again.
type backlog struct {
	turn chan struct{} // of leasing: one caller at a time

	mu      sync.Mutex
	limit   int             // hints per pile
	piles   map[int64]*pile // by serial of the partition
	leases  map[owner]*lease
	soonest int64 // no lease runs out before
	// moving are spans about which a commit is under way; while somebody leases,
	// touched are those about which one began or ended since.
	moving  map[owner]int
	touched map[owner]bool
}

// owner is a span that evaluations belong to.
type owner struct {
	env  tenant.EnvironmentID
	span span.Key
}

func ownerOf(r *store.Record) owner {
	return owner{env: r.Environment.ID, span: span.Key{TraceID: r.Span.TraceID, SpanID: r.Span.SpanID}}
}

// spot is where a span's row is.
type spot struct{ serial, seq int64 }

func newBacklog() *backlog {
	return &backlog{
		turn:    make(chan struct{}, 1),
		limit:   pileHints,
		piles:   map[int64]*pile{},
		leases:  map[owner]*lease{},
		soonest: math.MaxInt64,
		moving:  map[owner]int{},
	}
}

// enter waits for the turn to lease.
func (b *backlog) enter(ctx context.Context) error {
	select {
	case b.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *backlog) leave() { <-b.turn }

// reset forgets all but the leases, before an engine reads its partitions.
func (b *backlog) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.piles)
	clear(b.moving)
}

// open makes the pile of a partition.
func (b *backlog) open(serial, owed int64) *pile {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := &pile{serial: serial, owed: owed, limit: b.limit, rest: owed > 0, mark: hint{due: math.MinInt64, seq: -1}}
	b.piles[serial] = p
	return p
}

// drop forgets a partition and everything in it.
func (b *backlog) drop(serial int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.piles, serial)
	for o, l := range b.leases {
		if l.serial == serial {
			delete(b.leases, o)
		}
	}
}

// owes gives how much a partition owes.
func (b *backlog) owes(serial int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.piles[serial]; p != nil {
		return p.owed
	}
	return 0
}

// count corrects how much a partition owes.
func (b *backlog) count(serial, owed int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.piles[serial]; p != nil {
		p.owed = owed
	}
}

// push remembers a hint.
func (b *backlog) push(serial int64, h hint) {
	if p := b.piles[serial]; p != nil {
		p.push(h)
	}
}

// begin announces a commit: nobody can lease what it is about until end, and
// who is leasing just now leaves it alone.
func (b *backlog) begin(over map[owner][]pair) {
	if len(over) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for o := range over {
		b.moving[o]++
		b.touch(o)
	}
}

// touch tells who is leasing just now that what he reads of a span may be from
// before a commit.
func (b *backlog) touch(o owner) {
	if b.touched != nil {
		b.touched[o] = true
	}
}

// end ends the leases that are over, if the commit worked.
func (b *backlog) end(over map[owner][]pair, committed bool) {
	if len(over) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for o, pairs := range over {
		if b.moving[o]--; b.moving[o] <= 0 {
			delete(b.moving, o)
		}
		b.touch(o)
		if committed {
			b.finish(o, pairs)
		}
	}
}

// add makes known what a partition owes more, or less, and what of it changed.
func (b *backlog) add(serial, owed int64, hints []hint) {
	if owed == 0 && len(hints) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.piles[serial]
	if p == nil {
		return
	}
	p.owed += owed
	for _, h := range hints {
		p.push(h)
	}
}

// spotOf gives where a span is that is leased.
func (b *backlog) spotOf(o owner) (spot, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.leases[o]; l != nil {
		return l.spot, true
	}
	return spot{}, false
}

// Owing tells what is owed, from memory. Until Expire is called it may count
// what belongs to spans past their retention.
func (db *DB) Owing() store.Owing {
	b, now := db.backlog, db.cfg.Now().UnixNano()
	b.mu.Lock()
	defer b.mu.Unlock()
	var o store.Owing
	for _, p := range b.piles {
		o.Evaluations += p.owed
		o.OldestOwed = earlier(o.OldestOwed, p.waiting(now))
	}
	for _, l := range b.leases {
		for _, x := range l.list {
			if x.until > now {
				o.Leased++
			}
			o.OldestOwed = earlier(o.OldestOwed, x.time)
		}
	}
	return o
}
