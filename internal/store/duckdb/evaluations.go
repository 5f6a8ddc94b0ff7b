// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
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
			return r.do(ctx, q, all)
		})
	} else {
		err = db.lookAtAll(ctx, doing, func(_ *engine, q *partitions.Querier, all []*partitions.Partition) error {
			return r.do(ctx, q, all)
		})
	}
	return r.list(), err
}

// evaluationsRead is one call of Evaluations.
type evaluationsRead struct {
	at     []store.Location
	from   int64
	which  store.Revisions
	clock  int64
	wanted map[owner][]int // places in at of what is not found yet
	found  []*store.Evaluated
}

// do reads what partitions have of spans that are within their retention, the
// newest first.
func (r *evaluationsRead) do(ctx context.Context, q *partitions.Querier, all []*partitions.Partition) error {
	r.found = make([]*store.Evaluated, len(r.at))
	r.wanted = map[owner][]int{}
	for i := range r.at {
		o := ownerOf(r.at[i])
		r.wanted[o] = append(r.wanted[o], i)
	}
	for _, p := range slices.Backward(all) {
		if err := r.read(ctx, q, p); err != nil {
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
	for _, x := range r.found {
		if x != nil && !seen[x] {
			seen[x] = true
			list = append(list, *x)
		}
	}
	return list
}

// read takes what one partition has out of what is wanted.
func (r *evaluationsRead) read(ctx context.Context, q *partitions.Querier, p *partitions.Partition) error {
	var keys []span.Key
	for o, places := range r.wanted {
		k := r.at[places[0]].Span
		if b, ok := p.BoundsOf(o.env); ok && b.MayHave(k.Start) {
			keys = append(keys, k)
		}
	}
	owners := p.EnvironmentsByCode()
	bySeq := map[int64]*store.Evaluated{}
	var seqs []int64
	err := rowsOf(ctx, q, p, keys, func(row spanRow) {
		env := owners[row.Env]
		o := owner{env: env.ID, trace: row.TraceID(), span: row.SpanID()}
		places := r.wanted[o]
		if len(places) == 0 || row.start < max(r.from, partitions.After(r.clock, -max(env.Retention, 0))) {
			return
		}
		delete(r.wanted, o)
		x := &store.Evaluated{Environment: o.env, Span: o.key(row.start), Content: uint64(row.content)}
		for _, i := range places {
			r.found[i] = x
		}
		bySeq[row.seq] = x
		seqs = append(seqs, row.seq)
	})
	if err != nil {
		return err
	}
	add := func(seq int64, v eval.Evaluation) { bySeq[seq].Evaluations = append(bySeq[seq].Evaluations, v) }
	if err := tables.ReadEvaluations(ctx, q.Conn, seqs, add); err != nil || r.which != store.AllRevisions {
		return err
	}
	if err := tables.ReadPredecessors(ctx, q.Conn, seqs, add); err != nil {
		return err
	}
	for _, x := range bySeq {
		slices.SortStableFunc(x.Evaluations, func(a, b eval.Evaluation) int {
			return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Revision, b.Revision))
		})
	}
	return nil
}

// spanRow is what identifies a row of spans, and the digest of its content.
type spanRow struct {
	tables.Key
	seq, start, content int64
}

// rowsOf calls f for the rows of spans in the traces of keys, the latest first,
// that can be theirs by when they start.
func rowsOf(ctx context.Context, q *partitions.Querier, p *partitions.Partition, keys []span.Key, f func(spanRow)) error {
	if len(keys) == 0 {
		return nil
	}
	from, to := int64(math.MaxInt64), int64(math.MinInt64)
	traces := make([]int64, len(keys))
	for i, k := range keys {
		traces[i] = tables.Signed(k.TraceID[:8])
		if k.Start == 0 {
			from, to = math.MinInt64, math.MaxInt64
			continue
		}
		from, to = min(from, partitions.After(k.Start, -partitions.Slack)), max(to, partitions.After(k.Start, partitions.Slack))
	}
	if err := q.In(ctx, p); err != nil {
		return err
	}
	return q.Each(ctx, lateSQL, []any{from, to, traces}, func(rows *sql.Rows) error {
		var r spanRow
		err := rows.Scan(&r.Env, &r.Hi, &r.Lo, &r.ID, &r.seq, &r.start, &r.content)
		if err == nil {
			f(r)
		}
		return err
	})
}
