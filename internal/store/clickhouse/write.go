// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"slices"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// owner is a span that rows belong to.
type owner struct {
	env  tenant.EnvironmentID
	span span.Identity
}

func ownerOf(env tenant.EnvironmentID, k span.Key) owner { return owner{env: env, span: k.Identity()} }

func (h *head) owner() owner {
	return owner{env: h.env, span: span.Identity{TraceID: h.trace, SpanID: h.id, Bucket: span.Bucket(h.bucket)}}
}

// commit writes what several callers asked for: spans and messages first, what was
// said of stored spans last.
func (db *DB) commit(ctx context.Context, group []*request) error {
	heads, err := db.heads(ctx, group)
	if err != nil {
		return err
	}
	if err := insert(ctx, db, spansTable, spanColumns, db.newSpans(group, heads)); err != nil {
		return err
	}
	if err := insert(ctx, db, messagesTable, messageColumns, db.newMessages(group)); err != nil {
		return err
	}
	return db.writeEvaluations(ctx, group, heads)
}

// heads returns the stored rows of the spans that are written or said something of,
// as far as that is told by keyColumns, and the evaluations that came with them.
func (db *DB) heads(ctx context.Context, group []*request) (map[owner]*spanRow, error) {
	var all []owner
	for _, r := range group {
		for i := range r.batch.Records {
			all = append(all, ownerOf(r.batch.Records[i].Environment.ID, r.batch.Records[i].Span.Key()))
		}
		for i := range r.batch.Evaluations {
			all = append(all, ownerOf(r.batch.Evaluations[i].Environment, r.batch.Evaluations[i].Span))
		}
	}
	list, err := rows(ctx, db, "look for spans", headOfColumns, "SELECT "+names(headOfColumns)+" FROM "+spansTable+" FINAL WHERE "+among(all))
	heads := make(map[owner]*spanRow, len(list))
	for _, h := range list {
		heads[h.owner()] = h
	}
	return heads, err
}

// headOfColumns are what of a stored span writers look at.
var headOfColumns = slices.Concat(keyColumns, []column[spanRow]{arrayOf("setup"), arrayOf("evaluator"), arrayOf("revision")})

func arrayOf(name string) column[spanRow] {
	i := slices.IndexFunc(evaluationColumns, func(c evaluationColumn) bool { return c.name == name })
	return evaluationColumns[i].array
}

// newSpans returns the rows of the spans that are not stored yet as they are, and
// notes in the heads what is stored from now on.
func (db *DB) newSpans(group []*request, heads map[owner]*spanRow) []*spanRow {
	now := db.cfg.Now()
	places := map[owner]int{} // in the list
	var list []*spanRow
	var buffer []byte
	for _, r := range group {
		for i := range r.batch.Records {
			x := &r.batch.Records[i]
			row := &spanRow{span: x.Span, evaluations: x.Evaluations}
			row.head = headOf(x.Environment, x.Span.TraceID, x.Span.SpanID, x.Span.Start, now)
			if row.expires < now.UnixNano() {
				continue // nobody would see it
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
				r.written.Replaced = append(r.written.Replaced, store.Location{Environment: of.env, Span: x.Span.Key()})
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
	return list
}

// headOf returns what the row of a span begins with.
func headOf(env tenant.Environment, trace span.TraceID, id span.ID, start int64, now time.Time) head {
	return head{env: env.ID, bucket: bucketOf(start), trace: trace, id: id, period: periodOf(start, env.Retention, now)}
}

// newMessages returns the rows of messages. Those that say they happened long ago, or
// not when, are kept as long as those of now: their span may come yet, and the times
// of a client make no partitions.
func (db *DB) newMessages(group []*request) (list []*messageRow) {
	now := db.cfg.Now()
	for _, r := range group {
		for i := range r.batch.Messages {
			m := &r.batch.Messages[i]
			for side, attributes := range [...]span.Attributes{sidePrompts: m.Prompts, sideCompletions: m.Completions} {
				for _, a := range attributes {
					list = append(list, &messageRow{
						head: headOf(m.Environment, m.TraceID, m.SpanID, max(m.Time, now.UnixNano()), now), side: uint8(side),
						key: a.Key, value: a.Value, time: uint64(m.Time) ^ 1<<63, // in the order of the times
					})
				}
			}
		}
	}
	return list
}

// tries are how often an insert is sent: one that failed may have arrived, and
// sending the same rows again changes nothing.
const tries = 3

// insert writes rows into a table.
func insert[R any](ctx context.Context, db *DB, table string, columns []column[R], list []*R) error {
	if len(list) == 0 {
		return nil
	}
	ctx = driver.Context(ctx, driver.WithColumnNamesAndTypes(types(columns)))
	for try := 1; ; try++ {
		begun := time.Now()
		err := send(ctx, db, table, columns, list)
		db.inserts.note(len(list), begun, err)
		if err == nil || try == tries || fault.KindOf(err) != fault.Unavailable {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(try) * 200 * time.Millisecond):
		}
	}
}

// send sends rows once.
func send[R any](ctx context.Context, db *DB, table string, columns []column[R], list []*R) error {
	batch, err := db.conn.PrepareBatch(ctx, "INSERT INTO "+table+" ("+names(columns)+")")
	if err != nil {
		return db.fault("store rows", err)
	}
	values := make([]any, len(columns))
	for _, r := range list {
		for i := range columns {
			values[i] = columns[i].value(r)
		}
		if err := batch.Append(values...); err != nil {
			return db.fault("store rows", err)
		}
	}
	if err := batch.Send(); err != nil {
		return db.fault("store rows", err)
	}
	return nil
}
