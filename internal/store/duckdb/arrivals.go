// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	_ "embed"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/recent"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
	"github.com/touchstone-otel/touchstone/internal/tenant"
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
			a.key = recent.Key{Env: e.window.Number(a.record.Environment.ID), Span: a.record.Span.Key().Identity()}
			a.content, buffer = store.Digest(buffer, &a.record.Span)
			if j, twice := index[a.key]; twice {
				list[j] = a
				continue
			}
			index[a.key] = len(list)
			list = append(list, a)
		}
	}
	var unknown []*arrival
	for i := range list {
		a := &list[i]
		if a.old, a.stored = e.window.Find(a.key); !a.stored {
			unknown = append(unknown, a)
		}
	}
	if err := e.lookUp(ctx, unknown); err != nil {
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

// period is a bucket of an environment.
type period struct {
	env    tenant.EnvironmentID
	number uint32 // the window's, of the environment
	bucket span.Bucket
}

// lookUp finds the rows of spans that are not in the window, if they are stored.
// Files are read only for spans that the filters of partitions do not rule out.
func (e *engine) lookUp(ctx context.Context, unknown []*arrival) error {
	if len(unknown) == 0 {
		return nil
	}
	byPeriod := map[period][]*arrival{}
	for _, a := range unknown {
		at := period{env: a.record.Environment.ID, number: a.key.Env, bucket: a.key.Span.Bucket}
		byPeriod[at] = append(byPeriod[at], a)
	}
	e.mu.RLock()
	all := e.partitions
	e.mu.RUnlock()
	for _, p := range all {
		if err := e.lookUpIn(ctx, p, byPeriod); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) lookUpIn(ctx context.Context, p *partitions.Partition, byPeriod map[period][]*arrival) error {
	if !p.Hold() {
		return nil
	}
	defer p.Release()
	wanted := map[rowIdentity]*arrival{}
	l := &lateRows{}
	for at, list := range byPeriod {
		b, found := p.BoundsOf(at.env)
		if !found || !b.Has(at.bucket) || !e.window.Misses(uint32(p.Serial), at.number, at.bucket) {
			continue
		}
		filter, err := e.keys.Of(ctx, p)
		if err != nil {
			return err
		}
		for _, a := range list {
			if !filter.MayHave(b.Code, a.key.Span) {
				continue
			}
			k := tables.KeyOf(b.Code, a.key.Span.TraceID, a.key.Span.SpanID)
			wanted[rowIdentity{k, at.bucket}] = a
			l.add(k, at.bucket)
		}
	}
	return e.findRows(ctx, p, l, func(r spanRow) {
		if a, found := wanted[r.identity()]; found {
			a.stored = true
			a.old = recent.Place{Serial: uint32(p.Serial), Seq: uint32(r.seq), Content: uint64(r.content)}
		}
	})
}

// fillWindow reads the newest rows into half of the window, of as many partitions as can
// be attached at once.
func (e *engine) fillWindow(ctx context.Context) error {
	left := int64(max(1, e.window.Limit/2))
	files := e.cfg.AttachedFiles
	for _, p := range slices.Backward(e.partitions) {
		if left <= 0 || files <= 0 {
			return nil // what is older is looked up
		}
		k := p.Facts()
		known := map[int32]uint32{}
		for id, b := range k.Environments {
			known[b.Code] = e.window.Number(id)
		}
		e.window.Begin(uint32(p.Serial))
		if k.Next == 0 {
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
			var start int64
			err := rows.Scan(&code, &start)
			e.window.Pass(uint32(p.Serial), known[code], span.BucketOf(start))
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
			id := span.Identity{TraceID: k.TraceID(), SpanID: k.SpanID(), Bucket: span.BucketOf(start)}
			e.window.Put(recent.Key{Env: known[k.Env], Span: id}, recent.Place{Serial: uint32(p.Serial), Seq: uint32(seq), Content: uint64(content)})
			return nil
		})
	})
}
