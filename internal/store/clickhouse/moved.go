// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var _ store.Destination = (*DB)(nil)

// Empty implements store.Destination.
func (db *DB) Empty(ctx context.Context) (bool, error) {
	leave, err := db.enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	for _, t := range tables {
		n, err := db.number(ctx, "look for rows", "SELECT toInt64(1) FROM "+t.name+" LIMIT 1")
		if err != nil || n > 0 {
			return false, err
		}
	}
	return true, nil
}

// PutSpans implements store.Destination. The versions of the rows are those of the source,
// which are below all that are given here: a row that a writer stored since counts, and one
// that is stored again is the same.
func (db *DB) PutSpans(ctx context.Context, list []store.Kept, at int64) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	var spans []*spanRow
	var late, predecessors []*lateRow
	for i := range list {
		x := &list[i]
		if x.Expires() < at {
			continue
		}
		r := &spanRow{span: x.Span, version: x.Version}
		r.head = headOf(x.Environment, x.Span.TraceID, x.Span.SpanID, x.Span.Start, time.Unix(0, at))
		r.digest = x.Content
		row := func(v eval.Evaluation) *lateRow { return &lateRow{head: r.head, rank: x.Version, evaluation: v} }
		for _, v := range x.Evaluations {
			if hasPredecessor(x, &v) { // what takes the place of another is one that came later
				late = append(late, row(v))
				continue
			}
			r.evaluations = append(r.evaluations, v)
		}
		for _, v := range x.Predecessors {
			predecessors = append(predecessors, row(v))
		}
		spans = append(spans, r)
	}
	if err := insert(ctx, db, intoPredecessors, predecessors); err != nil {
		return err
	}
	if err := insert(ctx, db, intoLate, late); err != nil {
		return err
	}
	return insert(ctx, db, intoSpans, spans)
}

func hasPredecessor(x *store.Kept, v *eval.Evaluation) bool {
	return slices.ContainsFunc(x.Predecessors, func(p eval.Evaluation) bool { return p.SetupID == v.SetupID && p.Evaluator == v.Evaluator })
}

// PutMessages implements store.Destination.
func (db *DB) PutMessages(ctx context.Context, list []store.KeptMessages, at int64) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	var rows []*messageRow
	for i := range list {
		if m := &list[i]; m.Expires() >= at {
			rows = append(rows, messageRows(headOfMessages(m, at), &m.Messages)...)
		}
	}
	return insert(ctx, db, intoMessages, rows)
}

func headOfMessages(m *store.KeptMessages, at int64) head {
	return headOf(m.Environment, m.TraceID, m.SpanID, max(m.Time, m.Arrived), time.Unix(0, at))
}

// EndOf implements store.Destination.
func (db *DB) EndOf(m *store.KeptMessages, at int64) int64 {
	return int64(headOfMessages(m, at).Gone) * int64(time.Second)
}

// Bounds of what is given at once: rows, and bytes of text, but for one row.
const (
	mostStored  = 10_000
	storedBytes = 4 << 20
)

// StoredSpans implements store.Destination, in the order of the key.
func (db *DB) StoredSpans(ctx context.Context, env tenant.Environment, at int64, f func([]store.Kept) error) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	where := "env = " + sqltext.Literal(string(env.ID)) + " AND expires >= " + sqltext.Whole(at)
	behind := ""
	for {
		found, err := rows(ctx, db, "list spans", hitColumns, "SELECT "+names(hitColumns)+" FROM "+spansTable+" FINAL WHERE "+where+behind+
			" ORDER BY bucket, trace, id LIMIT "+strconv.Itoa(mostStored))
		if err != nil || len(found) == 0 {
			return err
		}
		last := found[len(found)-1]
		bucket := sqltext.Whole(last.bucket)
		behind = " AND bucket >= " + bucket + " AND (bucket, trace, id) > (" + bucket + ", " + sqltext.Fixed(last.trace[:]) + ", " + sqltext.Fixed(last.id[:]) + ")"
		for len(found) > 0 {
			n, used := 0, int64(0)
			for n < len(found) && (n == 0 || used+found[n].textBytes <= storedBytes) {
				used += found[n].textBytes
				n++
			}
			list, err := db.kept(ctx, env, found[:n])
			if err != nil {
				return err
			}
			if err := f(list); err != nil {
				return err
			}
			found = found[n:]
		}
	}
}

// kept reads spans as they are stored.
func (db *DB) kept(ctx context.Context, env tenant.Environment, of []*spanRow) ([]store.Kept, error) {
	owners := make([]store.Owner, len(of))
	for i, r := range of {
		r.env = env.ID
		owners[i] = r.owner()
	}
	found, err := db.readSpans(ctx, spanColumns, owners)
	if err != nil {
		return nil, err
	}
	if err := db.addLate(ctx, found, store.AllRevisions); err != nil {
		return nil, err
	}
	list := make([]store.Kept, len(found))
	for i, r := range found {
		s := r.span
		s.TraceID, s.SpanID = r.trace, r.id
		kept := env
		kept.Retention = time.Duration(r.Expires - s.Start)
		list[i] = store.Kept{Record: store.Record{Environment: kept, Span: s}, Content: r.digest, Version: r.version}
		list[i].Evaluations, list[i].Predecessors = divided(r.evaluations)
	}
	return list, nil
}

// divided returns which of all revisions of a span's evaluations count, and which do not.
func divided(all []eval.Evaluation) (counting, before []eval.Evaluation) {
	type of struct{ setup, evaluator string }
	latest := map[of]int64{}
	for i := range all {
		id := of{all[i].SetupID, all[i].Evaluator}
		latest[id] = max(latest[id], all[i].Revision)
	}
	for _, v := range all {
		if v.Revision == latest[of{v.SetupID, v.Evaluator}] {
			counting = append(counting, v)
			continue
		}
		before = append(before, v)
	}
	return counting, before
}

// storedMessageColumns are what StoredMessages reads: the column of values has their digests.
var storedMessageColumns = slices.Concat(headColumns(func(r *storedMessage) *head { return &r.head })[2:4], []column[storedMessage]{
	field("side", "UInt8", func(r *storedMessage) *uint8 { return &r.side }),
	text("key", func(r *storedMessage) *string { return &r.key }),
	field("xxHash64(value)", "UInt64", func(r *storedMessage) *uint64 { return &r.value }),
	field("time", "UInt64", func(r *storedMessage) *uint64 { return &r.time }),
})

// storedMessage is a row of messages without its text.
type storedMessage struct {
	head
	side  uint8
	key   string
	value uint64
	time  uint64
}

// StoredMessages implements store.Destination. Messages are kept until the end of the period of
// their partition.
func (db *DB) StoredMessages(ctx context.Context, env tenant.EnvironmentID, at int64, f func(store.StoredMessage) error) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	d := newReader(storedMessageColumns)
	return db.each(ctx, "read messages", "SELECT "+names(storedMessageColumns)+" FROM "+messagesTable+" FINAL WHERE env = "+sqltext.Literal(string(env))+
		" AND gone * 1000000000 >= "+sqltext.Whole(at), func(scan func(into ...any) error) error {
		m, err := d.read(scan)
		if err != nil {
			return err
		}
		return f(store.StoredMessage{
			Location:   store.Location{Environment: env, Span: span.Key{TraceID: m.trace, SpanID: m.id}},
			Completion: m.side == sideCompletions, Key: m.key, Value: m.value, Time: int64(m.time ^ 1<<63),
		})
	})
}
