// SPDX-License-Identifier: Apache-2.0

package reading

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

//go:embed sql/traces.sql
var tracesSQL string

// Wanted are spans that are asked for by their keys.
type Wanted struct {
	Keys     []span.Key
	Siblings int   // how many others of their traces at most
	From     int64 // spans that started before are not found, Unix nanoseconds
}

// Get returns spans by their keys, and the first of their siblings: one scan of
// each partition for all their traces, then the rows themselves. all are the partitions
// that have anything of env; of those without siblings to find, only the ones are
// opened that mayHave lets through.
func Get(ctx context.Context, q *partitions.Querier, env tenant.Environment, w Wanted, all []partitions.Held, mayHave func(partitions.Held) bool) ([]span.Span, error) {
	g := newGet(w.Keys, max(w.Siblings, 0))
	for _, h := range all {
		if h.Spans == 0 || h.Max < w.From || w.Siblings <= 0 && !mayHave(h) {
			continue
		}
		if err := g.read(ctx, q, h, w.From); err != nil {
			return nil, err
		}
	}
	s := &Search{env: env, all: all, apart: HaveMessages(all), hits: g.hits()}
	err := s.fetch(ctx, q)
	return s.page.Spans, err
}

// get is one call of Get.
type get struct {
	siblings int
	order    []span.TraceID // as they are first asked for
	traces   map[span.TraceID]*wantedTrace
	ids      []int64 // of the spans, as rows have them
}

// wantedTrace is what is asked for and found of one trace.
type wantedTrace struct {
	wanted map[span.ID][]span.Key
	found  []placedHit
}

func newGet(keys []span.Key, siblings int) *get {
	g := &get{siblings: siblings, traces: map[span.TraceID]*wantedTrace{}}
	for _, k := range keys {
		t := g.traces[k.TraceID]
		if t == nil {
			t = &wantedTrace{wanted: map[span.ID][]span.Key{}}
			g.traces[k.TraceID] = t
			g.order = append(g.order, k.TraceID)
		}
		if t.wanted[k.SpanID] == nil {
			g.ids = append(g.ids, tables.Signed(k.SpanID[:]))
		}
		t.wanted[k.SpanID] = append(t.wanted[k.SpanID], k)
	}
	return g
}

// read finds what one partition has.
func (g *get) read(ctx context.Context, q *partitions.Querier, h partitions.Held, from int64) error {
	if err := q.In(ctx, h.Partition); err != nil {
		return err
	}
	traces := make([]int64, len(g.order))
	for i, id := range g.order {
		traces[i] = tables.Signed(id[:8])
	}
	return q.Each(ctx, tracesSQL, []any{h.Code, from, traces, g.ids, g.siblings}, func(rows *sql.Rows) error {
		var k tables.Key
		x := placedHit{partition: h.Partition}
		err := rows.Scan(&k.Hi, &k.Lo, &k.ID, &x.Start, &x.Seq)
		x.TraceID, x.SpanID, x.Bucket = k.TraceID(), k.SpanID(), span.BucketOf(x.Start)
		if t := g.traces[x.TraceID]; t != nil {
			t.found = append(t.found, x)
		}
		return err
	})
}

// hits returns what the answer consists of, trace by trace.
func (g *get) hits() []placedHit {
	var list []placedHit
	for _, id := range g.order {
		list = append(list, g.traces[id].hits(g.siblings)...)
	}
	return list
}

// wants reports whether a hit of the trace was asked for.
func (t *wantedTrace) wants(h placedHit) bool {
	at := span.Key{TraceID: h.TraceID, SpanID: h.SpanID, Start: h.Start}
	return slices.ContainsFunc(t.wanted[h.SpanID], func(k span.Key) bool { return k.Means(at) })
}

func (t *wantedTrace) hits(siblings int) []placedHit {
	// Of a span that is just being replaced the newer row counts.
	slices.SortFunc(t.found, func(a, b placedHit) int {
		return cmp.Or(slices.Compare(a.SpanID[:], b.SpanID[:]), cmp.Compare(b.partition.Serial, a.partition.Serial))
	})
	t.found = slices.CompactFunc(t.found, func(a, b placedHit) bool { return a.SpanID == b.SpanID && a.Bucket == b.Bucket })
	if !slices.ContainsFunc(t.found, t.wants) {
		return nil
	}
	slices.SortFunc(t.found, func(a, b placedHit) int {
		return query.Order{By: query.SortTimestamp}.Compare(&a.Position, &b.Position)
	})
	return slices.DeleteFunc(t.found, func(h placedHit) bool {
		if t.wants(h) {
			return false
		}
		siblings--
		return siblings < 0
	})
}
