// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/recent"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Delete implements store.Engine: every file that has something of what is to go is
// rewritten without it, see leaveOut.
func (db *DB) Delete(ctx context.Context, env tenant.EnvironmentID, of store.Part) error {
	if !of.Everything && len(of.Spans) == 0 {
		return ctx.Err()
	}
	d := &deletion{
		env: env, everything: of.Everything, spans: make(map[span.Identity]bool, len(of.Spans)), ids: make(map[span.Key]bool, len(of.Spans)), seen: map[int64]bool{},
	}
	for _, k := range of.Spans {
		d.spans[k.Identity()] = true
		d.ids[span.Key{TraceID: k.TraceID, SpanID: k.SpanID}] = true
	}
	return db.leaveOut(ctx, d)
}

// deletion is what is to go of an environment, everything or some spans, and which
// partitions have none of it.
type deletion struct {
	env        tenant.EnvironmentID
	everything bool
	spans      map[span.Identity]bool
	ids        map[span.Key]bool // theirs without a start, by which messages are known
	seen       map[int64]bool    // by serial
}

// in returns what of the deletion is in a partition.
func (d *deletion) in(ctx context.Context, e *engine, p *partitions.Partition) (partitions.Gone, error) {
	b, found := p.BoundsOf(d.env)
	gone := partitions.Gone{Code: b.Code, All: d.everything && found}
	if !found || d.everything {
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
			if d.ids[span.Key{TraceID: k.TraceID(), SpanID: k.SpanID()}] {
				gone.Messages = append(gone.Messages, k)
			}
		})
	})
}

// forget has the window not know the spans any more that a partition had.
func (d *deletion) forget(e *engine, p *partitions.Partition) {
	if d.everything {
		return // it does not know the environment
	}
	d.seen[p.Serial] = true
	number, known := e.window.Known(d.env)
	if !known {
		return
	}
	for id := range d.spans {
		e.window.Remove(recent.Key{Env: number, Span: id}, uint32(p.Serial))
	}
}
