// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Get implements store.Engine: first the keys of the spans of all traces, then the
// rows.
func (db *DB) Get(ctx context.Context, env tenant.Environment, keys []span.Key, siblings int) ([]span.Span, error) {
	leave, err := db.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if len(keys) == 0 {
		return nil, nil
	}
	found, err := rows(ctx, db, "get spans", keyColumns, "SELECT "+names(keyColumns)+" FROM "+spansTable+
		" FINAL PREWHERE "+meant(env.ID, keys, siblings, "start >= "+sqltext.Whole(db.oldest(env))))
	if err != nil {
		return nil, err
	}
	b, err := db.besideOf(ctx, env.ID)
	if err != nil {
		return nil, err
	}
	return db.fetch(ctx, env, chosen(found, keys, max(siblings, 0)), b)
}

// meant returns the condition on the key that a row is one of the spans or, with siblings,
// one of the first of their traces, and what holds besides: who wants few of a trace does
// not read all that it has.
func meant(env tenant.EnvironmentID, keys []span.Key, siblings int, besides string) string {
	of := make([]store.Owner, len(keys))
	traces := make([]span.TraceID, len(keys))
	known := true
	for i, k := range keys {
		known = known && k.Start != 0
		of[i], traces[i] = store.Location{Environment: env, Span: k}.Owner(), k.TraceID
	}
	if siblings <= 0 && known {
		return sqltext.Among(of) + " WHERE " + besides
	}
	slices.SortFunc(traces, func(a, b span.TraceID) int { return bytes.Compare(a[:], b[:]) })
	there := "env = " + sqltext.Literal(string(env)) + " AND " + sqltext.InTraces(slices.Compact(traces))
	if siblings <= 0 {
		return there + " AND " + sqltext.HasID(keys) + " WHERE " + besides
	}
	return there + " WHERE " + besides + " QUALIFY " + sqltext.HasID(keys) + " OR row_number() OVER (PARTITION BY trace, " + sqltext.HasID(keys) + " ORDER BY start, id) <= " + strconv.Itoa(siblings)
}

// chosen returns which of the spans of traces are asked for: those that the keys
// mean, and the first others of their traces; trace by trace in the order of the
// keys, and by start.
func chosen(found []*spanRow, keys []span.Key, siblings int) (list []store.Owner) {
	slices.SortFunc(found, func(a, b *spanRow) int {
		return cmp.Or(cmp.Compare(a.span.Start, b.span.Start), bytes.Compare(a.id[:], b.id[:]))
	})
	traces := map[span.TraceID][]*spanRow{}
	for _, r := range found {
		traces[r.trace] = append(traces[r.trace], r)
	}
	wanted := map[*spanRow]bool{}
	var order []span.TraceID
	spans := map[span.TraceID]map[span.ID][]*spanRow{}
	for trace, all := range traces {
		spans[trace] = map[span.ID][]*spanRow{}
		for _, r := range all {
			spans[trace][r.id] = append(spans[trace][r.id], r)
		}
	}
	for _, k := range keys {
		for _, r := range spans[k.TraceID][k.SpanID] {
			if k.Means(r.key()) {
				wanted[r] = true
				order = append(order, r.trace)
			}
		}
	}
	taken := map[span.TraceID]bool{}
	for _, trace := range order {
		if taken[trace] {
			continue
		}
		taken[trace] = true
		left := siblings
		for _, r := range traces[trace] {
			if !wanted[r] {
				if left--; left < 0 {
					continue
				}
			}
			list = append(list, r.owner())
		}
	}
	return list
}
