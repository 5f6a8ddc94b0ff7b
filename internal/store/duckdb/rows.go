// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"math"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// spanRow is what identifies a row of spans, and the digest of its content.
type spanRow struct {
	tables.Key
	seq, start, content int64
}

// rowIdentity is what tells spans apart in one partition.
type rowIdentity struct {
	tables.Key
	bucket span.Bucket
}

func (r *spanRow) identity() rowIdentity { return rowIdentity{r.Key, span.BucketOf(r.start)} }

// key returns the key of the row's span.
func (r *spanRow) key() span.Key {
	return span.Key{TraceID: r.TraceID(), SpanID: r.SpanID(), Start: r.start}
}

// lateRows looks for the rows of some spans in one partition.
type lateRows struct {
	traces   []int64
	from, to int64 // of starts
}

// add has the row of a span looked for that starts in a bucket.
func (l *lateRows) add(k tables.Key, b span.Bucket) {
	first, last := b.Bounds()
	l.widen(k, first, last)
}

// addAny has the rows of all spans of these ids looked for.
func (l *lateRows) addAny(k tables.Key) { l.widen(k, math.MinInt64, math.MaxInt64) }

func (l *lateRows) widen(k tables.Key, from, to int64) {
	if len(l.traces) == 0 {
		l.from, l.to = from, to
	}
	l.from, l.to = min(l.from, from), max(l.to, to)
	l.traces = append(l.traces, k.Hi)
}

// each calls f for rows of the partition that may be what is looked for, the latest
// first.
func (l *lateRows) each(ctx context.Context, q *partitions.Querier, p *partitions.Partition, f func(spanRow)) error {
	if len(l.traces) == 0 {
		return nil
	}
	if err := q.In(ctx, p); err != nil {
		return err
	}
	traces := slices.Clone(l.traces) // many spans may be of one
	slices.Sort(traces)
	traces = slices.Compact(traces)
	return q.Each(ctx, lateSQL, []any{l.from, l.to, traces}, func(rows *sql.Rows) error {
		var r spanRow
		err := rows.Scan(&r.Env, &r.Hi, &r.Lo, &r.ID, &r.seq, &r.start, &r.content)
		if err == nil {
			f(r)
		}
		return err
	})
}

// findRows calls f for what each of l finds, for the caller that has the write turn. It
// takes no connection where nothing is looked for, which is so of nearly every
// partition.
func (e *engine) findRows(ctx context.Context, p *partitions.Partition, l *lateRows, f func(spanRow)) error {
	if len(l.traces) == 0 {
		return nil
	}
	return e.files.Alone(ctx, func(q *partitions.Querier) error { return l.each(ctx, q, p, f) })
}
