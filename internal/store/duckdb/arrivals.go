// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
)

// slack is by how much a span that is sent again may start at another time and
// still be recognised after it left the window.
const slack = 10 * time.Minute

// arrivals returns the spans of a group that must be written: of equal ones the
// last, and none that is stored already just as it is.
func (e *engine) arrivals(ctx context.Context, group []*turns.Request) ([]arrival, error) {
	n := 0
	for _, r := range group {
		n += len(r.Records)
	}
	list := make([]arrival, 0, n)
	index := make(map[key]int, n)
	var buffer []byte
	for _, r := range group {
		for i := range r.Records {
			a := arrival{request: r, record: &r.Records[i]}
			a.key = key{
				env:   e.window.number(a.record.Environment.ID),
				trace: a.record.Span.TraceID,
				span:  a.record.Span.SpanID,
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
		if a.old, a.stored = e.window.find(a.key); a.stored {
			continue
		}
		if e.window.passed(a.key.env, a.record.Span.Start) {
			late = append(late, a)
		}
	}
	if err := e.lookUp(ctx, late); err != nil {
		return nil, err
	}
	fresh := list[:0]
	for _, a := range list {
		if !a.stored || a.old.content != a.content {
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
	partitions := e.partitions
	e.mu.RUnlock()
	for _, p := range partitions {
		if err := e.lookUpIn(ctx, p, late); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) lookUpIn(ctx context.Context, p *partition, late []*arrival) error {
	if !p.hold() {
		return nil
	}
	defer p.release()
	wanted := map[tables.Key]*arrival{}
	var traces []int64
	var from, to int64
	for _, a := range late {
		start := a.record.Span.Start
		b, found := p.bound(a.record.Environment.ID)
		if !found || b.spans == 0 || after(start, slack) < b.min || start > after(b.max, slack) {
			continue
		}
		if len(traces) == 0 {
			from, to = start, start
		}
		from, to = min(from, start), max(to, start)
		k := tables.KeyOf(b.code, a.record.Span.TraceID, a.record.Span.SpanID)
		wanted[k] = a
		traces = append(traces, k.Hi)
	}
	if len(traces) == 0 {
		return nil
	}
	return e.alone(ctx, func(q querier) error {
		if err := q.in(ctx, p); err != nil {
			return err
		}
		args := []any{after(from, -slack), after(to, slack), traces}
		return q.each(ctx, lateSQL, args, func(rows *sql.Rows) error {
			var k tables.Key
			var seq, begun, content int64
			if err := rows.Scan(&k.Env, &k.Hi, &k.Lo, &k.ID, &seq, &begun, &content); err != nil {
				return err
			}
			if a, found := wanted[k]; found {
				a.stored = true
				a.old = place{serial: uint32(p.serial), seq: uint32(seq), content: uint64(content)}
			}
			return nil
		})
	})
}

// fillWindow reads the newest rows into the window, of as many partitions as can
// be attached at once, and how late the spans of all others start.
func (e *engine) fillWindow(ctx context.Context) error {
	left := int64(e.window.limit)
	files := e.files.limit
	for _, p := range slices.Backward(e.partitions) {
		read := left > 0 && files > 0 // what is older is looked up
		known := map[int32]uint32{}
		for id, b := range p.envs {
			known[b.code] = e.window.number(id)
			if !read && b.spans > 0 {
				e.window.pass(known[b.code], b.max)
			}
		}
		if !read || p.next == 0 {
			continue
		}
		files--
		first := max(0, p.next-left)
		left -= p.next - first
		if err := e.recall(ctx, p, first, known); err != nil {
			return err
		}
	}
	return nil
}

// recall reads the rows of p from first on into the window.
func (e *engine) recall(ctx context.Context, p *partition, first int64, known map[int32]uint32) error {
	return e.alone(ctx, func(q querier) error {
		if err := q.in(ctx, p); err != nil {
			return err
		}
		err := q.each(ctx, passedSQL, []any{first}, func(rows *sql.Rows) error {
			var code int32
			var latest int64
			err := rows.Scan(&code, &latest)
			e.window.pass(known[code], latest)
			return err
		})
		if err != nil {
			return err
		}
		return q.each(ctx, recentSQL, []any{first}, func(rows *sql.Rows) error {
			var k tables.Key
			var seq, start, content int64
			if err := rows.Scan(&k.Env, &k.Hi, &k.Lo, &k.ID, &seq, &start, &content); err != nil {
				return err
			}
			e.window.put(key{env: known[k.Env], trace: k.TraceID(), span: k.SpanID()}, start,
				place{serial: uint32(p.serial), seq: uint32(seq), content: uint64(content)})
			return nil
		})
	})
}
