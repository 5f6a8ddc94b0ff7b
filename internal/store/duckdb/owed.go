// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"maps"
	"math"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// The pending evaluations of all environments, and to one, each statement explained in its
// file.
var (
	//go:embed sql/due.sql
	dueSQL string
	//go:embed sql/oldest.sql
	oldestSQL string
	//go:embed sql/dueof.sql
	dueOfSQL string
	//go:embed sql/oldestof.sql
	oldestOfSQL string
)

// Owed lists what is deferred: from each partition that owes something what is due
// first, of all that the first, and then whose that is.
func (db *DB) Owed(ctx context.Context, of tenant.EnvironmentID, behind store.Due, limit int) (store.OwedPage, error) {
	var page store.OwedPage
	err := db.lookAtAll(ctx, "list pending evaluations", func(_ *engine, q *partitions.Querier, all []*partitions.Partition) error {
		page = store.OwedPage{}
		l := &listing{of: of, behind: behind, limit: limit}
		for _, p := range all {
			if owed := p.Owes(); owed > 0 {
				page.Evaluations += owed
				l.owing = append(l.owing, p)
			}
		}
		if limit <= 0 {
			page.Environments = environmentsOf(l.owing)
			return nil
		}
		if of != "" {
			l.owing = slices.DeleteFunc(l.owing, func(p *partitions.Partition) bool { b, found := p.BoundsOf(of); return !found || b.Spans == 0 })
		}
		return l.do(ctx, q, &page)
	})
	return page, err
}

// listing is one call of Owed.
type listing struct {
	of     tenant.EnvironmentID // "" for all
	behind store.Due
	limit  int
	owing  []*partitions.Partition
}

func (l *listing) do(ctx context.Context, q *partitions.Querier, page *store.OwedPage) error {
	var list []dueEntry
	full := false
	for _, p := range l.owing {
		part, err := dueEntriesIn(ctx, q, p, l.of, l.behind, l.limit)
		if err != nil {
			return err
		}
		full = full || len(part) == l.limit
		list = append(list, part...)
	}
	slices.SortFunc(list, dueEntry.compare)
	if len(list) > l.limit {
		list, full = list[:l.limit], true
	}
	if len(list) == 0 {
		return nil
	}
	if last := list[len(list)-1]; full {
		page.More = true
		for _, p := range l.owing {
			oldest, err := oldestBehind(ctx, q, p, l.of, store.Due{At: last.due, Ref: last.ref()})
			if err != nil {
				return err
			}
			page.Oldest = earlier(page.Oldest, oldest)
		}
	}
	return l.identify(ctx, q, list, page)
}

// identify finds out whose the entries are. Of spans that are not there any more it
// says nothing, but what comes last tells where to go on.
func (l *listing) identify(ctx context.Context, q *partitions.Querier, list []dueEntry, page *store.OwedPage) error {
	found := map[uint64]store.Location{}
	for _, p := range l.owing {
		var seqs []int64
		for _, h := range list {
			if h.serial == p.Serial {
				seqs = append(seqs, h.seq)
			}
		}
		if len(seqs) == 0 {
			continue
		}
		if err := q.In(ctx, p); err != nil {
			return err
		}
		slices.Sort(seqs)
		owners := p.EnvironmentsByCode()
		err := q.Each(ctx, spotsSQL, []any{seqs[0], seqs[len(seqs)-1], seqs}, func(rows *sql.Rows) error {
			var seq, start int64
			var k tables.Key
			err := rows.Scan(&seq, &start, &k.Env, &k.Hi, &k.Lo, &k.ID)
			at := store.Location{Environment: owners[k.Env].ID}
			at.Span.TraceID, at.Span.SpanID, at.Span.Start = k.TraceID(), k.SpanID(), start
			found[dueEntry{serial: p.Serial, seq: seq}.ref()] = at
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

// dueEntry says that a span of a partition has a pending evaluation that is due then.
type dueEntry struct {
	due  int64
	time int64 // when it was deferred first
	seq  int64

	serial int64
}

// ref tells rows apart, in the order in which entries of one time come.
func (h dueEntry) ref() uint64 { return uint64(h.serial)<<32 | uint64(h.seq) }

func (h dueEntry) compare(o dueEntry) int {
	return cmp.Or(cmp.Compare(h.due, o.due), cmp.Compare(h.ref(), o.ref()))
}

// seqBehind returns the row of the partition behind which rows that are due at
// d.At come behind d.
func seqBehind(p *partitions.Partition, d store.Due) int64 {
	switch serial := int64(d.Ref >> 32); {
	case p.Serial > serial:
		return -1
	case p.Serial < serial:
		return math.MaxInt64
	}
	return int64(d.Ref & math.MaxUint32)
}

// dueEntriesIn reads the first limit entries of the partition behind d, of one environment or
// of all.
func dueEntriesIn(ctx context.Context, q *partitions.Querier, p *partitions.Partition, of tenant.EnvironmentID, d store.Due, limit int) (list []dueEntry, err error) {
	if err := q.In(ctx, p); err != nil {
		return nil, err
	}
	query, args := dueSQL, []any{d.At, seqBehind(p, d), limit}
	if of != "" {
		b, _ := p.BoundsOf(of)
		query, args = dueOfSQL, append(args, b.Code)
	}
	err = q.Each(ctx, query, args, func(rows *sql.Rows) error {
		h := dueEntry{serial: p.Serial}
		err := rows.Scan(&h.due, &h.seq, &h.time)
		list = append(list, h)
		return err
	})
	return list, err
}

// oldestBehind reads when the oldest of what comes behind d was deferred.
func oldestBehind(ctx context.Context, q *partitions.Querier, p *partitions.Partition, of tenant.EnvironmentID, d store.Due) (oldest int64, err error) {
	query, args := oldestSQL, []any{d.At, seqBehind(p, d)}
	if of != "" {
		b, _ := p.BoundsOf(of)
		query, args = oldestOfSQL, append(args, b.Code)
	}
	err = rowOf(ctx, q, p, query, args...).Scan(&oldest)
	return oldest, err
}

// environmentsOf returns the environments that have spans in some partitions.
func environmentsOf(all []*partitions.Partition) []tenant.EnvironmentID {
	seen := map[tenant.EnvironmentID]bool{}
	for _, p := range all {
		for id, b := range p.Environments() {
			seen[id] = seen[id] || b.Spans > 0
		}
	}
	maps.DeleteFunc(seen, func(_ tenant.EnvironmentID, has bool) bool { return !has })
	return slices.Sorted(maps.Keys(seen))
}

// earlier returns the earlier of two times of which either may be 0 for none.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// rowOf asks one partition for one row.
func rowOf(ctx context.Context, q *partitions.Querier, p *partitions.Partition, query string, args ...any) scanner {
	if err := q.In(ctx, p); err != nil {
		return failed{err}
	}
	return q.Conn.QueryRowContext(ctx, query, args...)
}

// scanner is a row, or why there is none.
type scanner interface{ Scan(dest ...any) error }

type failed struct{ error }

// Scan implements scanner.
func (f failed) Scan(...any) error { return f.error }
