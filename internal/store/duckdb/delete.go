// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/recent"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Delete removes spans with all that is stored of them: every file that has
// something of them is written anew without it, as Drop does.
func (db *DB) Delete(ctx context.Context, env tenant.EnvironmentID, spans []span.Key) error {
	if len(spans) == 0 {
		return ctx.Err()
	}
	d := &deletion{spans: make(map[span.Identity]bool, len(spans)), ids: make(map[spanIDs]bool, len(spans)), seen: map[int64]bool{}}
	for _, k := range spans {
		d.spans[k.Identity()] = true
		d.ids[spanIDs{k.TraceID, k.SpanID}] = true
	}
	return db.leaveOut(ctx, "delete spans", env, d)
}

// deletion is what is to go of an environment, and which partitions have none of it.
type deletion struct {
	spans map[span.Identity]bool
	ids   map[spanIDs]bool // theirs, by which messages are known
	seen  map[int64]bool   // by serial
}

type spanIDs struct {
	trace span.TraceID
	span  span.ID
}

// beginSpans looks into the next partition that may have something to be deleted.
// If it does, it keeps the partition until it is released. It has the turn to write.
func (d *dropping) beginSpans(ctx context.Context) error {
	e := d.engine
	p := d.unseen()
	if p == nil {
		return nil
	}
	if !p.Hold() { // on its way out
		d.spans.seen[p.Serial], d.done = true, true
		return nil
	}
	gone, err := d.spans.in(ctx, e, d.env, p)
	if err != nil || len(gone.Seqs)+len(gone.Messages) == 0 {
		p.Release()
		d.spans.seen[p.Serial], d.done = true, true
		return err
	}
	d.gone = gone
	d.take(p)
	return nil
}

// unseen returns a partition that is yet to be looked into, nil if there is none.
func (d *dropping) unseen() *partitions.Partition {
	e := d.engine
	e.mu.RLock()
	defer e.mu.RUnlock()
	for _, p := range e.partitions {
		if _, found := p.BoundsOf(d.env); found && !d.spans.seen[p.Serial] {
			return p
		}
	}
	return nil
}

// in returns what of the deletion is in a partition.
func (d *deletion) in(ctx context.Context, e *engine, env tenant.EnvironmentID, p *partitions.Partition) (partitions.Gone, error) {
	b, found := p.BoundsOf(env)
	gone := partitions.Gone{Code: b.Code}
	if !found {
		return gone, nil
	}
	filter, err := e.keys.Of(ctx, p)
	if err != nil {
		return gone, err
	}
	l := &lateRows{}
	for id := range d.spans {
		if b.Has(id.Bucket) && filter.MayHave(b.Code, id) {
			l.add(tables.KeyOf(b.Code, id.TraceID, id.SpanID), id.Bucket)
		}
	}
	err = e.findRows(ctx, p, l, func(r spanRow) {
		if r.Env == b.Code && d.spans[span.Identity{TraceID: r.TraceID(), SpanID: r.SpanID(), Bucket: span.BucketOf(r.start)}] {
			gone.Seqs = append(gone.Seqs, r.seq)
		}
	})
	if err != nil || b.Messages == 0 {
		return gone, err
	}
	return gone, e.files.Alone(ctx, func(q *partitions.Querier) error {
		if err := q.In(ctx, p); err != nil {
			return err
		}
		return tables.ReadMessageKeys(ctx, q.Conn, b.Code, func(k tables.Key) {
			if d.ids[spanIDs{k.TraceID(), k.SpanID()}] {
				gone.Messages = append(gone.Messages, k)
			}
		})
	})
}

// forget has the window not know the spans any more that a partition had.
func (d *deletion) forget(e *engine, env tenant.EnvironmentID, p *partitions.Partition) {
	d.seen[p.Serial] = true
	number, known := e.window.Known(env)
	if !known {
		return
	}
	for id := range d.spans {
		e.window.Remove(recent.Key{Env: number, Span: id}, uint32(p.Serial))
	}
}
