// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"container/heap"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Lease gives spans with what is owed on them and due. Nothing is read when
// nothing is due.
func (db *DB) Lease(ctx context.Context, now, until time.Time, limit int) ([]store.Owed, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e, err := db.running(ctx)
	if err != nil {
		return nil, err
	}
	defer db.mu.RUnlock()
	if err := db.backlog.enter(ctx); err != nil {
		return nil, err
	}
	defer db.backlog.leave()
	l := &leasing{
		engine: e, backlog: db.backlog,
		now: now.UnixNano(), until: until.UnixNano(), limit: limit,
		seen: map[spot]bool{},
	}
	err = l.do(ctx)
	if invalidated(err) {
		e.suspect.Store(true)
	}
	if err != nil {
		l.undo()
		return nil, classify(db.cfg.Dir, "lease evaluations", err)
	}
	return l.owed, nil
}

// Release ends leases early.
func (db *DB) Release(ctx context.Context, owed []store.Owed) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := db.running(ctx); err != nil {
		return err
	}
	defer db.mu.RUnlock()
	db.backlog.release(owed)
	return nil
}

// leasing is one call of Lease, while it has the turn.
type leasing struct {
	engine     *engine
	backlog    *backlog
	now, until int64
	limit      int

	seen  map[spot]bool
	aside []picked // what a commit is about, for later
	owed  []store.Owed
}

// picked is a hint that is followed.
type picked struct {
	hint
	serial int64
}

func (l *leasing) do(ctx context.Context) error {
	b := l.backlog
	b.mu.Lock()
	b.expire(l.now)
	b.touched = map[owner]bool{}
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.touched = nil
		for _, p := range l.aside {
			b.push(p.serial, p.hint)
		}
	}()
	for len(l.owed) < l.limit {
		list, load := l.pick()
		switch {
		case len(list) > 0:
			if err := l.follow(ctx, list); err != nil {
				b.mu.Lock()
				for _, p := range list {
					b.push(p.serial, p.hint)
				}
				b.mu.Unlock()
				return err
			}
		case load != nil:
			lend := func(f func(querier) error) error { return l.engine.snapshot(ctx, f) }
			if err := l.engine.loadPile(ctx, l.engine.find(load.serial), load, lend); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// undo gives back what a failed call has leased.
func (l *leasing) undo() { l.backlog.release(l.owed) }

// pick takes the hints of what is due first, or names the pile that must be
// read to know.
func (l *leasing) pick() (list []picked, load *pile) {
	l.backlog.mu.Lock()
	defer l.backlog.mu.Unlock()
	for len(list) < l.limit-len(l.owed) {
		var best *pile
		var first hint
		var unread bool
		for _, p := range l.backlog.piles {
			h, u, there := p.first()
			if !there || h.due > l.now {
				continue
			}
			if best == nil || cmp.Or(h.compare(first), cmp.Compare(p.serial, best.serial)) < 0 {
				best, first, unread = p, h, u
			}
		}
		if best == nil {
			return list, nil
		}
		if unread {
			return list, best
		}
		heap.Pop(&best.hints)
		at := spot{serial: best.serial, seq: first.seq}
		p := picked{hint: first, serial: best.serial}
		switch {
		case !l.seen[at]:
			l.seen[at] = true
			list = append(list, p)
		case len(l.backlog.touched) > 0: // it may be of a commit since
			l.aside = append(l.aside, p)
		}
	}
	return list, nil
}

// candidate is a span as its rows show it.
type candidate struct {
	owner
	evaluations []eval.Evaluation
}

// follow reads what the hints lead to, and leases what is there.
func (l *leasing) follow(ctx context.Context, list []picked) error {
	bySerial := map[int64][]int64{}
	for _, p := range list {
		bySerial[p.serial] = append(bySerial[p.serial], p.seq)
	}
	// Until the end of the transaction, which uses them all.
	var partitions []*partition
	for serial := range bySerial {
		if p := l.engine.find(serial); p != nil && p.hold() {
			defer p.release()
			partitions = append(partitions, p)
		}
	}
	found := map[spot]*candidate{}
	err := l.engine.snapshot(ctx, func(q querier) error {
		for _, p := range partitions {
			if err := l.read(ctx, q, p, bySerial[p.serial], found); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	l.backlog.mu.Lock()
	defer l.backlog.mu.Unlock()
	for _, p := range list {
		at := spot{serial: p.serial, seq: p.seq}
		if c := found[at]; c != nil {
			l.grant(at, p, c)
		}
	}
	return nil
}

// read finds the spans at seqs of a partition that are within their retention,
// with what they are owed by now.
func (l *leasing) read(ctx context.Context, q querier, p *partition, seqs []int64, found map[spot]*candidate) error {
	if err := q.in(ctx, p); err != nil {
		return err
	}
	slices.Sort(seqs)
	owners := p.owners()
	clock := l.engine.cfg.Now().UnixNano()
	err := q.each(ctx, spotsSQL, []any{seqs[0], seqs[len(seqs)-1], seqs}, func(rows *sql.Rows) error {
		var seq, start int64
		var k rowKey
		err := rows.Scan(&seq, &start, &k.env, &k.hi, &k.lo, &k.id)
		o, known := owners[k.env]
		if known && start >= after(clock, -max(o.retention, 0)) {
			c := &candidate{owner: owner{env: o.id}}
			c.span.TraceID, c.span.SpanID = k.traceID(), k.spanID()
			found[spot{serial: p.serial, seq: seq}] = c
		}
		return err
	})
	if err != nil {
		return err
	}
	return q.each(ctx, "SELECT "+verdictColumns+" "+owedSQL, []any{seqs[0], seqs[len(seqs)-1], seqs, l.now}, func(rows *sql.Rows) error {
		seq, v, err := scanVerdict(rows)
		if c := found[spot{serial: p.serial, seq: seq}]; c != nil {
			c.evaluations = append(c.evaluations, v)
		}
		return err
	})
}

// grant leases what nobody has.
func (l *leasing) grant(at spot, p picked, c *candidate) {
	b := l.backlog
	if b.moving[c.owner] > 0 || b.touched[c.owner] {
		l.aside = append(l.aside, p)
		return
	}
	x := b.leases[c.owner]
	free := slices.DeleteFunc(c.evaluations, func(v eval.Evaluation) bool {
		return x != nil && slices.ContainsFunc(x.list, func(y leased) bool { return y.pair == pair{v.SetupID, v.Evaluator} })
	})
	if len(free) == 0 {
		return
	}
	if first := free[0]; first.Due > p.due { // the hint was out of date: others may be due before
		b.push(p.serial, hint{due: first.Due, time: first.Time, seq: p.seq})
		delete(l.seen, at)
		return
	}
	if x == nil {
		x = &lease{spot: at}
		b.leases[c.owner] = x
	}
	for _, v := range free {
		x.list = append(x.list, leased{pair: pair{v.SetupID, v.Evaluator}, due: v.Due, time: v.Time, until: l.until})
	}
	b.soonest = min(b.soonest, l.until)
	l.owed = append(l.owed, store.Owed{Environment: c.env, Span: c.span, Evaluations: free})
}

// known is what a partition knows of an environment by its code.
type known struct {
	id        tenant.EnvironmentID
	retention time.Duration
}

// owners gives the environments by their codes.
func (p *partition) owners() map[int32]known {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make(map[int32]known, len(p.envs))
	for id, b := range p.envs {
		list[b.code] = known{id: id, retention: b.retention}
	}
	return list
}
