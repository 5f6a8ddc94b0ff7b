// SPDX-License-Identifier: Apache-2.0

package sqlbacklog

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/completion"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// name names one pending evaluation.
type name struct {
	store.Owner
	completion.Pair
}

// row is one pending evaluation.
type row struct {
	name
	start, due, since, expires int64
	content                    uint64
	misses                     int
}

func (r *row) location() store.Location {
	return store.Location{Environment: r.Environment, Span: span.Key{TraceID: r.Span.TraceID, SpanID: r.Span.SpanID, Start: r.start}}
}

// longest is how long a span is kept at most whose retention is unknown.
const longest = 720 * time.Hour

// rowOf returns the row of an evaluation that is deferred.
func rowOf(at store.Location, content uint64, kept time.Duration, v *eval.Evaluation) row {
	return row{
		name:  name{Owner: at.Owner(), Pair: completion.PairOf(v)},
		start: at.Span.Start, content: content, due: v.Due, since: v.Time, expires: saturated(at.Span.Start, int64(kept)),
	}
}

// saturated returns a sum, or the latest time where that is later: clients say when a
// span began.
func saturated(start, kept int64) int64 {
	if start > math.MaxInt64-kept {
		return math.MaxInt64
	}
	return start + kept
}

// columns are names as parameters of a query, a list for each column.
type columns struct {
	environments                      []string
	traces, spans, setups, evaluators [][]byte
	buckets                           []int32
}

// columnsOf returns the columns of names, in an order in which everybody locks them.
func columnsOf(names []name) (c columns) {
	slices.SortFunc(names, compareNames)
	for i := range names {
		n := &names[i]
		c.environments = append(c.environments, string(n.Environment))
		c.traces = append(c.traces, bytes.Clone(n.Span.TraceID[:]))
		c.spans = append(c.spans, bytes.Clone(n.Span.SpanID[:]))
		c.buckets = append(c.buckets, int32(n.Span.Bucket))
		c.setups = append(c.setups, []byte(n.Setup))
		c.evaluators = append(c.evaluators, []byte(n.Evaluator))
	}
	return c
}

func compareNames(a, b name) int {
	return cmp.Or(
		cmp.Compare(a.Environment, b.Environment), bytes.Compare(a.Span.TraceID[:], b.Span.TraceID[:]), bytes.Compare(a.Span.SpanID[:], b.Span.SpanID[:]),
		cmp.Compare(a.Span.Bucket, b.Span.Bucket), cmp.Compare(a.Setup, b.Setup), cmp.Compare(a.Evaluator, b.Evaluator),
	)
}

// named is the list of names as a table, of the first six parameters.
const named = `unnest($1::text[], $2::bytea[], $3::bytea[], $4::int[], $5::bytea[], $6::bytea[]) AS n (environment_id, trace_id, span_id, bucket, setup, evaluator)`

// isNamed says that a row is a named one, and isOwner that its span is.
const (
	isOwner = `o.environment_id = n.environment_id AND o.trace_id = n.trace_id AND o.span_id = n.span_id AND o.bucket = n.bucket`
	isNamed = isOwner + ` AND o.setup = n.setup AND o.evaluator = n.evaluator`
)

// about runs a statement about names.
func about(ctx context.Context, tx *sql.Tx, statement string, names []name, more ...any) error {
	if len(names) == 0 {
		return nil
	}
	c := columnsOf(names)
	_, err := tx.ExecContext(ctx, statement, append([]any{c.environments, c.traces, c.spans, c.buckets, c.setups, c.evaluators}, more...)...)
	return err
}

// owe puts rows into the queue. One of the same content that is there already stays
// as it is, unless it is to be put off.
func owe(ctx context.Context, tx *sql.Tx, rows []row, putOff bool) error {
	byName := make(map[name]row, len(rows)) // the last of a name counts
	names := make([]name, 0, len(rows))
	for _, r := range rows {
		if _, there := byName[r.name]; !there {
			names = append(names, r.name)
		}
		byName[r.name] = r
	}
	slices.SortFunc(names, compareNames)
	var starts, contents, dues, sinces, expires []int64
	for _, n := range names {
		r := byName[n]
		starts, contents = append(starts, r.start), append(contents, int64(r.content))
		dues, sinces, expires = append(dues, r.due), append(sinces, r.since), append(expires, r.expires)
	}
	return about(ctx, tx, `
		INSERT INTO owed AS o (environment_id, trace_id, span_id, bucket, setup, evaluator, start, content, ready, due, since, expires)
		SELECT n.environment_id, n.trace_id, n.span_id, n.bucket, n.setup, n.evaluator, n.start, n.content, n.due, n.due, n.since, n.expires
		FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::int[], $5::bytea[], $6::bytea[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])
		AS n (environment_id, trace_id, span_id, bucket, setup, evaluator, start, content, due, since, expires)
		ON CONFLICT (environment_id, trace_id, span_id, bucket, setup, evaluator) DO UPDATE
		SET start = excluded.start, content = excluded.content, ready = excluded.ready, due = excluded.due, since = excluded.since, misses = 0, reserved = 0,
		    expires = CASE WHEN $12::boolean THEN o.expires ELSE excluded.expires END
		WHERE $12::boolean OR o.content <> excluded.content AND excluded.content <> 0`,
		names, starts, contents, dues, sinces, expires, putOff)
}

// takeOut takes rows out of the queue.
func takeOut(ctx context.Context, tx *sql.Tx, names []name) error {
	return about(ctx, tx, `DELETE FROM owed AS o USING `+named+` WHERE `+isNamed, names)
}

// scanned reads rows.
func scanned(rows *sql.Rows, queried error) (list []row, err error) {
	if queried != nil {
		return nil, queried
	}
	defer rows.Close() //nolint:errcheck // Err says it
	for rows.Next() {
		var r row
		var env string
		var trace, id, setup, evaluator []byte
		var bucket int32
		var content int64
		if err := rows.Scan(&env, &trace, &id, &bucket, &setup, &evaluator, &r.start, &content, &r.due, &r.since, &r.expires, &r.misses); err != nil {
			return nil, err
		}
		r.Environment, r.content = tenant.EnvironmentID(env), uint64(content)
		copy(r.Span.TraceID[:], trace)
		copy(r.Span.SpanID[:], id)
		r.Span.Bucket, r.Setup, r.Evaluator = span.Bucket(bucket), string(setup), string(evaluator)
		list = append(list, r)
	}
	return list, rows.Err()
}

// shown are the columns that scanned reads.
const shown = `o.environment_id, o.trace_id, o.span_id, o.bucket, o.setup, o.evaluator, o.start, o.content, o.due, o.since, o.expires, o.misses`
