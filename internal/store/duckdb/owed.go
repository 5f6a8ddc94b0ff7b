// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/store"
)

// Owed lists what is deferred: from each partition that owes something what is due
// first, of all that the first, and then whose that is.
func (db *DB) Owed(ctx context.Context, behind store.Due, limit int) (store.OwedPage, error) {
	var page store.OwedPage
	err := db.lookAtAll(ctx, "list owed evaluations", func(_ *engine, q querier, partitions []*partition) error {
		page = store.OwedPage{}
		l := &listing{behind: behind, limit: limit}
		for _, p := range partitions {
			if owed := p.owes(); owed > 0 {
				page.Evaluations += owed
				l.owing = append(l.owing, p)
			}
		}
		if limit <= 0 {
			return nil
		}
		return l.do(ctx, q, &page)
	})
	return page, err
}

// listing is one call of Owed.
type listing struct {
	behind store.Due
	limit  int
	owing  []*partition
}

func (l *listing) do(ctx context.Context, q querier, page *store.OwedPage) error {
	var list []hint
	full := false
	for _, p := range l.owing {
		part, err := p.hints(ctx, q, l.behind, l.limit)
		if err != nil {
			return err
		}
		full = full || len(part) == l.limit
		list = append(list, part...)
	}
	slices.SortFunc(list, hint.compare)
	if len(list) > l.limit {
		list, full = list[:l.limit], true
	}
	if len(list) == 0 {
		return nil
	}
	if last := list[len(list)-1]; full {
		page.More = true
		for _, p := range l.owing {
			oldest, err := p.oldestBehind(ctx, q, store.Due{At: last.due, Ref: last.ref()})
			if err != nil {
				return err
			}
			page.Oldest = earlier(page.Oldest, oldest)
		}
	}
	return l.identify(ctx, q, list, page)
}

// identify finds out whose the hints are. Of spans that are not there any more it
// says nothing, but what comes last tells where to go on.
func (l *listing) identify(ctx context.Context, q querier, list []hint, page *store.OwedPage) error {
	found := map[uint64]store.Location{}
	for _, p := range l.owing {
		var seqs []int64
		for _, h := range list {
			if h.serial == p.serial {
				seqs = append(seqs, h.seq)
			}
		}
		if len(seqs) == 0 {
			continue
		}
		if err := q.in(ctx, p); err != nil {
			return err
		}
		slices.Sort(seqs)
		owners := p.owners()
		err := q.each(ctx, spotsSQL, []any{seqs[0], seqs[len(seqs)-1], seqs}, func(rows *sql.Rows) error {
			var seq, start int64
			var k rowKey
			err := rows.Scan(&seq, &start, &k.env, &k.hi, &k.lo, &k.id)
			at := store.Location{Environment: owners[k.env].id}
			at.Span.TraceID, at.Span.SpanID, at.Span.Start = k.traceID(), k.spanID(), start
			found[hint{serial: p.serial, seq: seq}.ref()] = at
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, h := range list {
		d := store.Due{At: h.due, Ref: h.ref(), Since: h.time}
		page.Last = d
		if at, known := found[d.Ref]; known && at.Environment != "" {
			d.Location = at
			page.List = append(page.List, d)
		}
	}
	return nil
}

// hint says that a span of a partition is owed an evaluation that is due then.
type hint struct {
	due  int64
	time int64 // when it was deferred first
	seq  int64

	serial int64
}

// ref tells rows apart, in the order in which hints of one time come.
func (h hint) ref() uint64 { return uint64(h.serial)<<32 | uint64(h.seq) }

func (h hint) compare(o hint) int {
	return cmp.Or(cmp.Compare(h.due, o.due), cmp.Compare(h.ref(), o.ref()))
}

// seqBehind gives the row of the partition behind which rows that are due at
// d.At come behind d.
func (p *partition) seqBehind(d store.Due) int64 {
	switch serial := int64(d.Ref >> 32); {
	case p.serial > serial:
		return -1
	case p.serial < serial:
		return math.MaxInt64
	}
	return int64(d.Ref & math.MaxUint32)
}

// hints reads the first limit hints of the partition behind d.
func (p *partition) hints(ctx context.Context, q querier, d store.Due, limit int) (list []hint, err error) {
	if err := q.in(ctx, p); err != nil {
		return nil, err
	}
	err = q.each(ctx, hintsSQL, []any{d.At, p.seqBehind(d), limit}, func(rows *sql.Rows) error {
		h := hint{serial: p.serial}
		err := rows.Scan(&h.due, &h.seq, &h.time)
		list = append(list, h)
		return err
	})
	return list, err
}

// oldestBehind reads when the oldest of what comes behind d was deferred.
func (p *partition) oldestBehind(ctx context.Context, q querier, d store.Due) (oldest int64, err error) {
	err = q.row(ctx, p, oldestSQL, d.At, p.seqBehind(d)).Scan(&oldest)
	return oldest, err
}

// earlier gives the earlier of two times of which either may be 0 for none.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// row asks one partition for one row.
func (q querier) row(ctx context.Context, p *partition, query string, args ...any) scanner {
	if err := q.in(ctx, p); err != nil {
		return failed{err}
	}
	return q.conn.QueryRowContext(ctx, query, args...)
}

// scanner is a row, or why there is none.
type scanner interface{ Scan(dest ...any) error }

type failed struct{ error }

// Scan implements scanner.
func (f failed) Scan(...any) error { return f.error }
