// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Evaluations returns the evaluations of spans, in the order they were made. Where
// all starts are known, as the backlog knows them, it is cheap and needs no place
// among the readers.
func (db *DB) Evaluations(ctx context.Context, at []store.Location, from int64, which store.Revisions) ([]store.Evaluated, error) {
	if len(at) == 0 {
		return nil, ctx.Err()
	}
	const doing = "read evaluations"
	r := &evaluationsRead{at: at, from: from, which: which, clock: db.cfg.Now().UnixNano()}
	var err error
	if slices.ContainsFunc(at, func(l store.Location) bool { return l.Span.Start == 0 }) {
		err = db.look(ctx, doing, at[0].Environment, func(q *partitions.Querier, list []partitions.Held) error {
			all := make([]*partitions.Partition, len(list))
			for i := range list {
				all[i] = list[i].Partition
			}
			return r.do(ctx, db.engine.keys, q, all)
		})
	} else {
		err = db.lookAtAll(ctx, doing, func(e *engine, q *partitions.Querier, all []*partitions.Partition) error {
			return r.do(ctx, e.keys, q, all)
		})
	}
	return r.list(), err
}

// evaluationsRead is one call of Evaluations.
type evaluationsRead struct {
	at    []store.Location
	from  int64
	which store.Revisions
	clock int64
	// wanted are the places in at of what is not found yet, and any those of keys
	// without a start, by what they say of the span.
	wanted map[store.Owner][]int
	any    map[store.Owner][]int
	seen   map[store.Owner]bool
	found  [][]*store.Evaluated // by place
}

// do reads what partitions have of spans that are within their retention, the
// newest first. Partitions that can have none, by their keys, are not opened.
func (r *evaluationsRead) do(ctx context.Context, keys *partitions.Keys, q *partitions.Querier, all []*partitions.Partition) error {
	r.found = make([][]*store.Evaluated, len(r.at))
	r.wanted, r.any, r.seen = map[store.Owner][]int{}, map[store.Owner][]int{}, map[store.Owner]bool{}
	for i := range r.at {
		o := r.at[i].Owner()
		if r.at[i].Span.Start == 0 {
			r.any[o] = append(r.any[o], i)
		} else {
			r.wanted[o] = append(r.wanted[o], i)
		}
	}
	for _, p := range slices.Backward(all) {
		if err := r.read(ctx, keys, q, p); err != nil {
			return err
		}
	}
	return nil
}

// list returns what was found, in the order in which it was asked for, each span
// once.
func (r *evaluationsRead) list() []store.Evaluated {
	var list []store.Evaluated
	seen := map[*store.Evaluated]bool{}
	for _, all := range r.found {
		slices.SortFunc(all, func(a, b *store.Evaluated) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
		for _, x := range all {
			if !seen[x] {
				seen[x] = true
				list = append(list, *x)
			}
		}
	}
	return list
}

// read takes what one partition has out of what is wanted.
func (r *evaluationsRead) read(ctx context.Context, keys *partitions.Keys, q *partitions.Querier, p *partitions.Partition) error {
	l := &lateRows{}
	for o := range r.wanted {
		if b, ok := p.BoundsOf(o.Environment); ok && keys.MayHave(p, &b, o.Span) {
			l.add(tables.KeyOf(b.Code, o.Span.TraceID, o.Span.SpanID), o.Span.Bucket)
		}
	}
	for o := range r.any {
		if b, ok := p.BoundsOf(o.Environment); ok && keys.MayHaveAny(p, &b, o.Span.TraceID, o.Span.SpanID) {
			l.addAny(tables.KeyOf(b.Code, o.Span.TraceID, o.Span.SpanID))
		}
	}
	environments := p.EnvironmentsByCode()
	bySeq := map[int64]*store.Evaluated{}
	var seqs []int64
	err := l.each(ctx, q, p, func(row spanRow) {
		env := environments[row.Env]
		if row.start < max(r.from, partitions.After(r.clock, -max(env.Retention, 0))) {
			return
		}
		places := r.places(env.ID, row.key())
		if len(places) == 0 {
			return
		}
		x := &store.Evaluated{Environment: env.ID, Span: row.key(), Content: uint64(row.content)}
		for _, i := range places {
			r.found[i] = append(r.found[i], x)
		}
		bySeq[row.seq] = x
		seqs = append(seqs, row.seq)
	})
	if err != nil || len(seqs) == 0 {
		return err
	}
	add := func(seq int64, v eval.Evaluation) { bySeq[seq].Evaluations = append(bySeq[seq].Evaluations, v) }
	if err := tables.ReadEvaluations(ctx, q.Conn, q.Recall(), seqs, add); err != nil || r.which != store.AllRevisions {
		return err
	}
	if err := tables.ReadPredecessors(ctx, q.Conn, q.Recall(), seqs, add); err != nil {
		return err
	}
	for _, x := range bySeq {
		slices.SortStableFunc(x.Evaluations, func(a, b eval.Evaluation) int {
			return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Revision, b.Revision))
		})
	}
	return nil
}

// places returns who asked for a span that is found now, for the first time: of one
// that is just being replaced the older row comes later. Older partitions are not
// asked for it any more.
func (r *evaluationsRead) places(env tenant.EnvironmentID, k span.Key) []int {
	o := store.Owner{Environment: env, Span: k.Identity()}
	places := r.wanted[o]
	ids := o
	ids.Span.Bucket = 0 // as of a key without a start
	places = append(slices.Clip(places), r.any[ids]...)
	if len(places) == 0 || r.seen[o] {
		return nil
	}
	r.seen[o] = true
	delete(r.wanted, o)
	return places
}
