// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	_ "embed"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/recent"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
)

// The statements, each explained in its file.
var (
	//go:embed sql/late.sql
	lateSQL string
	//go:embed sql/passed.sql
	passedSQL string
	//go:embed sql/recent.sql
	recentSQL string
)

// arrivals returns the spans of a group that must be written: of equal ones the
// last, and none that is stored already just as it is.
func (e *engine) arrivals(ctx context.Context, group []*turns.Request) ([]arrival, error) {
	n := 0
	for _, r := range group {
		n += len(r.Records)
	}
	list := make([]arrival, 0, n)
	index := make(map[recent.Key]int, n)
	var buffer []byte
	for _, r := range group {
		for i := range r.Records {
			a := arrival{request: r, record: &r.Records[i]}
			a.key = recent.Key{
				Env:   e.window.Number(a.record.Environment.ID),
				Trace: a.record.Span.TraceID,
				Span:  a.record.Span.SpanID,
			}
			a.content, buffer = store.Digest(buffer, &a.record.Span)
			if j, twice := index[a.key]; twice {
				list[j] = a
				continue
			}
			index[a.key] = len(list)
			list = append(list, a)
		}
	}
	var late []*arrival
	for i := range list {
		a := &list[i]
		if a.old, a.stored = e.window.Find(a.key); a.stored {
			continue
		}
		if e.window.Passed(a.key.Env, a.record.Span.Start) {
			late = append(late, a)
		}
	}
	if err := e.lookUp(ctx, late); err != nil {
		return nil, err
	}
	fresh := list[:0]
	for _, a := range list {
		if !a.stored || a.old.Content != a.content {
			fresh = append(fresh, a)
		}
	}
	return fresh, nil
}

// lookUp finds the rows of spans that may be stored but are not in the window.
func (e *engine) lookUp(ctx context.Context, late []*arrival) error {
	if len(late) == 0 {
		return nil
	}
	e.mu.RLock()
	all := e.partitions
	e.mu.RUnlock()
	for _, p := range all {
		if err := e.lookUpIn(ctx, p, late); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) lookUpIn(ctx context.Context, p *partitions.Partition, late []*arrival) error {
	if !p.Hold() {
		return nil
	}
	defer p.Release()
	wanted := map[tables.Key]*arrival{}
	var traces []int64
	var from, to int64
	for _, a := range late {
		start := a.record.Span.Start
		b, found := p.BoundsOf(a.record.Environment.ID)
		if !found || b.Spans == 0 || partitions.After(start, partitions.Slack) < b.Min || start > partitions.After(b.Max, partitions.Slack) {
			continue
		}
		if len(traces) == 0 {
			from, to = start, start
		}
		from, to = min(from, start), max(to, start)
		k := tables.KeyOf(b.Code, a.record.Span.TraceID, a.record.Span.SpanID)
		wanted[k] = a
		traces = append(traces, k.Hi)
	}
	if len(traces) == 0 {
		return nil
	}
	return e.files.Alone(ctx, func(q *partitions.Querier) error {
		if err := q.In(ctx, p); err != nil {
			return err
		}
		args := []any{partitions.After(from, -partitions.Slack), partitions.After(to, partitions.Slack), traces}
		return q.Each(ctx, lateSQL, args, func(rows *sql.Rows) error {
			var k tables.Key
			var seq, begun, content int64
			if err := rows.Scan(&k.Env, &k.Hi, &k.Lo, &k.ID, &seq, &begun, &content); err != nil {
				return err
			}
			if a, found := wanted[k]; found {
				a.stored = true
				a.old = recent.Place{Serial: uint32(p.Serial), Seq: uint32(seq), Content: uint64(content)}
			}
			return nil
		})
	})
}

// fillWindow reads the newest rows into the window, of as many partitions as can
// be attached at once, and how late the spans of all others start.
func (e *engine) fillWindow(ctx context.Context) error {
	left := int64(e.window.Limit)
	files := e.cfg.AttachedFiles
	for _, p := range slices.Backward(e.partitions) {
		read := left > 0 && files > 0 // what is older is looked up
		known := map[int32]uint32{}
		k := p.Facts()
		for id, b := range k.Environments {
			known[b.Code] = e.window.Number(id)
			if !read && b.Spans > 0 {
				e.window.Pass(known[b.Code], b.Max)
			}
		}
		if !read || k.Next == 0 {
			continue
		}
		files--
		first := max(0, k.Next-left)
		left -= k.Next - first
		if err := e.recall(ctx, p, first, known); err != nil {
			return err
		}
	}
	return nil
}

// recall reads the rows of p from first on into the window.
func (e *engine) recall(ctx context.Context, p *partitions.Partition, first int64, known map[int32]uint32) error {
	return e.files.Alone(ctx, func(q *partitions.Querier) error {
		if err := q.In(ctx, p); err != nil {
			return err
		}
		err := q.Each(ctx, passedSQL, []any{first}, func(rows *sql.Rows) error {
			var code int32
			var latest int64
			err := rows.Scan(&code, &latest)
			e.window.Pass(known[code], latest)
			return err
		})
		if err != nil {
			return err
		}
		return q.Each(ctx, recentSQL, []any{first}, func(rows *sql.Rows) error {
			var k tables.Key
			var seq, start, content int64
			if err := rows.Scan(&k.Env, &k.Hi, &k.Lo, &k.ID, &seq, &start, &content); err != nil {
				return err
			}
			e.window.Put(recent.Key{Env: known[k.Env], Trace: k.TraceID(), Span: k.SpanID()}, start,
				recent.Place{Serial: uint32(p.Serial), Seq: uint32(seq), Content: uint64(content)})
			return nil
		})
	})
}
