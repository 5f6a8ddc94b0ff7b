// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/periods"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func (h *head) owner() store.Owner {
	return store.Owner{Environment: h.env, Span: span.Identity{TraceID: h.trace, SpanID: h.id, Bucket: span.Bucket(h.bucket)}}
}

// commit writes what several callers asked for: spans and messages first, what was
// said of stored spans last.
func (db *DB) commit(ctx context.Context, group []*request) error {
	heads, err := db.heads(ctx, group)
	if err != nil {
		return err
	}
	if err := insert(ctx, db, intoSpans, db.newSpans(group, heads)); err != nil {
		return err
	}
	if err := insert(ctx, db, intoMessages, db.newMessages(group)); err != nil {
		return err
	}
	return db.writeEvaluations(ctx, group, heads)
}

// heads returns the stored rows of the spans that are written or said something of,
// as far as keyColumns say so, and the evaluations that came with them.
func (db *DB) heads(ctx context.Context, group []*request) (map[store.Owner]*spanRow, error) {
	var all []store.Owner
	for _, r := range group {
		for i := range r.batch.Records {
			all = append(all, r.batch.Records[i].Owner())
		}
		for i := range r.batch.Evaluations {
			all = append(all, r.batch.Evaluations[i].Location().Owner())
		}
	}
	heads, known, err := db.headsBy(ctx, "", all)
	if err == nil && !known {
		heads, _, err = db.headsBy(ctx, " FINAL", all)
	}
	return heads, err
}

// headsBy returns which of the versions of rows count, of those that are found with FINAL
// or without. The latter is not known where two contents have the same number. There are
// next to none of spans that are new, whose keys alone are looked at: by their traces first, which is
// the fastest. The index of traces is left out: of thousands of them it takes some to be in
// every granule.
func (db *DB) headsBy(ctx context.Context, final string, all []store.Owner) (heads map[store.Owner]*spanRow, known bool, err error) {
	traces := make([]span.TraceID, 0, len(all))
	for i := range all {
		traces = append(traces, all[i].Span.TraceID)
	}
	slices.SortFunc(traces, func(a, b span.TraceID) int { return bytes.Compare(a[:], b[:]) })
	list, err := rows(ctx, db, "look for spans", headOfColumns, "SELECT "+names(headOfColumns)+" FROM "+spansTable+final+
		" PREWHERE "+sqltext.InTraces(slices.Compact(traces))+" AND "+sqltext.Among(all)+" SETTINGS use_skip_indexes = 0")
	heads, known = make(map[store.Owner]*spanRow, len(list)), true
	for _, h := range list {
		of := h.owner()
		switch old := heads[of]; {
		case old == nil || old.version < h.version:
			heads[of] = h
		case old.version == h.version && old.digest != h.digest:
			known = false
		}
	}
	return heads, known, err
}

// headOfColumns are what of a stored span writers look at.
var headOfColumns = slices.Concat(keyColumns, []column[spanRow]{arrayOf("setup"), arrayOf("evaluator"), arrayOf("revision")})

func arrayOf(name string) column[spanRow] {
	i := slices.IndexFunc(evaluationColumns, func(c evaluationColumn) bool { return c.name == name })
	return evaluationColumns[i].array
}

// newSpans returns the rows of the spans that are not stored yet as they are, and
// notes in the heads what is stored from now on.
func (db *DB) newSpans(group []*request, heads map[store.Owner]*spanRow) []*spanRow {
	now := db.cfg.Now()
	places := map[store.Owner]int{} // in the list
	var list []*spanRow
	var buffer []byte
	for _, r := range group {
		for i := range r.batch.Records {
			x := &r.batch.Records[i]
			row := &spanRow{span: x.Span, evaluations: x.Evaluations}
			row.head = headOf(x.Environment, x.Span.TraceID, x.Span.SpanID, x.Span.Start, now)
			if row.Expires < now.UnixNano() {
				continue // no one would see it
			}
			row.digest, buffer = store.Digest(buffer, &x.Span)
			of := row.owner()
			old, least := heads[of], uint64(0)
			place, pending := places[of]
			switch {
			case old == nil:
			case old.digest == row.digest:
				continue
			default:
				least = old.version
				r.written.Replaced = append(r.written.Replaced, store.Location{Environment: of.Environment, Span: x.Span.Key()})
			}
			row.version = db.version(least)
			heads[of] = row
			if pending {
				list[place] = row
				continue
			}
			places[of] = len(list)
			list = append(list, row)
		}
	}
	slices.SortFunc(list, inOrderOfKey) // the server need not put them in order then
	return list
}

// inOrderOfKey compares rows of spans by the key of their table.
func inOrderOfKey(a, b *spanRow) int {
	if a.bucket != b.bucket || a.env != b.env {
		return cmp.Or(cmp.Compare(a.env, b.env), cmp.Compare(a.bucket, b.bucket))
	}
	return cmp.Or(bytes.Compare(a.trace[:], b.trace[:]), bytes.Compare(a.id[:], b.id[:]))
}

// headOf returns what the row of a span begins with.
func headOf(env tenant.Environment, trace span.TraceID, id span.ID, start int64, now time.Time) head {
	return head{env: env.ID, bucket: periods.BucketOf(start), trace: trace, id: id, Period: periods.Of(start, env.Retention, now)}
}

// newMessages returns the rows of messages. Those that say they happened long ago, or
// not when, are kept as long as those of now: their span may come yet, and the times
// of a client make no partitions.
func (db *DB) newMessages(group []*request) (list []*messageRow) {
	now := db.cfg.Now()
	for _, r := range group {
		for i := range r.batch.Messages {
			m := &r.batch.Messages[i]
			list = append(list, messageRows(headOf(m.Environment, m.TraceID, m.SpanID, max(m.Time, now.UnixNano()), now), m)...)
		}
	}
	return list
}

// messageRows returns a row for each prompt and completion.
func messageRows(h head, m *store.Messages) (list []*messageRow) {
	for side, attributes := range [...]span.Attributes{sidePrompts: m.Prompts, sideCompletions: m.Completions} {
		for _, a := range attributes {
			list = append(list, &messageRow{
				head: h, side: uint8(side), key: a.Key, value: a.Value, time: uint64(m.Time) ^ 1<<63, // in the order of the times
			})
		}
	}
	return list
}
