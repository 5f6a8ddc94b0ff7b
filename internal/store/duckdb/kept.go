// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	_ "embed"
	"math"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var _ store.Source = (*DB)(nil)

// keptSQL is explained in its file.
//
//go:embed sql/kept.sql
var keptSQL string

// Bounds of what is given at once: rows, and bytes of text, but for one row.
const (
	mostKept  = 10_000
	keptBytes = 4 << 20
)

// OpenKept opens the store in cfg.Dir for the caller that takes out all that it keeps: it makes no
// indexes meanwhile.
func OpenKept(ctx context.Context, cfg Config) (*DB, error) {
	cfg.indexRows = math.MaxInt64
	return Open(ctx, cfg)
}

// CountKept implements store.Source, from memory.
func (db *DB) CountKept(ctx context.Context) (spans, messages int64, err error) {
	if err := db.flush(ctx); err != nil {
		return 0, 0, err
	}
	e, err := db.running(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer db.mu.RUnlock()
	e.mu.RLock()
	defer e.mu.RUnlock()
	for _, p := range e.partitions {
		for _, b := range p.Environments() {
			spans, messages = spans+b.Spans, messages+b.Messages
		}
	}
	return spans, messages, nil
}

// KeptSpans implements store.Source: partition by partition, row by row.
func (db *DB) KeptSpans(ctx context.Context, behind store.Place, f func(list []store.Kept, last store.Place) error) error {
	return db.takeOut(ctx, behind, func(ctx context.Context, q *partitions.Querier, p *partitions.Partition, at store.Place) (func() error, store.Place, error) {
		list, last, err := keptIn(ctx, q, p, at.Row)
		next := store.Place{Partition: p.Serial, Row: last}
		return func() error { return f(list, next) }, next, err
	})
}

// KeptMessages implements store.Source. The number of a row of messages may change when
// files are closed, so that the rest is behind whole partitions only.
func (db *DB) KeptMessages(ctx context.Context, behind store.Place, f func(list []store.KeptMessages, last store.Place) error) error {
	behind.Row = math.MaxInt64
	done := store.Place{Partition: behind.Partition}
	return db.takeOut(ctx, behind, func(ctx context.Context, q *partitions.Querier, p *partitions.Partition, at store.Place) (func() error, store.Place, error) {
		list, last, err := messagesIn(ctx, q, p, at.Row)
		if at.Row < 0 {
			done.Partition = p.Serial - 1
		}
		behind := done
		return func() error { return f(list, behind) }, store.Place{Partition: p.Serial, Row: last}, err
	})
}

// take reads what comes behind a place in the partition that it is in, and returns what hands
// that over and where it ends, the very place if there is no more in the partition.
type take func(ctx context.Context, q *partitions.Querier, p *partitions.Partition, at store.Place) (hand func() error, last store.Place, err error)

// takeOut calls read for what lies behind a place until there is no more. What it read is
// handed over while no partition is held.
func (db *DB) takeOut(ctx context.Context, behind store.Place, read take) error {
	for {
		var hand func() error
		var at store.Place
		err := db.lookAtAll(ctx, "read all that is kept", func(_ *engine, q *partitions.Querier, all []*partitions.Partition) (err error) {
			hand, at, err = takeNext(ctx, q, all, behind, read)
			return err
		})
		if err != nil || hand == nil {
			return err
		}
		behind = at
		if err := hand(); err != nil {
			return err
		}
	}
}

// takeNext reads what lies next behind a place in all partitions, which are in the order of
// their serials. It returns what read does, and nothing to hand over if there is no more.
func takeNext(
	ctx context.Context, q *partitions.Querier, all []*partitions.Partition, behind store.Place, read take,
) (hand func() error, at store.Place, err error) {
	at = behind
	for _, p := range all {
		if p.Serial < at.Partition {
			continue
		}
		if p.Serial > at.Partition {
			at = store.Place{Partition: p.Serial, Row: -1}
		}
		if at.Row == math.MaxInt64 {
			continue
		}
		if err := q.In(ctx, p); err != nil {
			return nil, at, err
		}
		next, last, err := read(ctx, q, p, at)
		if err != nil {
			return nil, at, err
		}
		if last != at {
			return next, last, nil
		}
	}
	return nil, at, nil
}

// keptIn returns the spans behind a row of the partition that q is in, and the last row.
func keptIn(ctx context.Context, q *partitions.Querier, p *partitions.Partition, row int64) ([]store.Kept, int64, error) {
	var seqs []int64
	used := int64(0)
	err := q.Each(ctx, keptSQL, []any{row, mostKept}, func(rows *sql.Rows) error {
		var seq, bytes int64
		err := rows.Scan(&seq, &bytes)
		if used += bytes; err == nil && (used <= keptBytes || len(seqs) == 0) {
			seqs = append(seqs, seq)
		}
		return err
	})
	if err != nil || len(seqs) == 0 {
		return nil, row, err
	}
	found, err := tables.ReadKept(ctx, q.Conn, q.Recall(), seqs)
	if err != nil {
		return nil, row, err
	}
	environments := p.EnvironmentsByCode()
	list := make([]store.Kept, len(found))
	places := make(map[int64]int, len(found))
	for i, r := range found {
		places[r.Seq] = i
		env := environments[r.Code()]
		list[i] = store.Kept{
			Record:  store.Record{Environment: tenant.Environment{ID: env.ID, Retention: env.Retention}, Span: r.Assemble("")},
			Content: r.Content(), Version: uint64(p.Serial)<<32 | uint64(r.Seq)&math.MaxUint32,
		}
	}
	err = tables.ReadEvaluations(ctx, q.Conn, q.Recall(), seqs, func(seq int64, v eval.Evaluation) {
		x := &list[places[seq]]
		x.Evaluations = append(x.Evaluations, v)
	})
	if err != nil {
		return nil, row, err
	}
	err = tables.ReadPredecessors(ctx, q.Conn, q.Recall(), seqs, func(seq int64, v eval.Evaluation) {
		x := &list[places[seq]]
		x.Predecessors = append(x.Predecessors, v)
	})
	return list, seqs[len(seqs)-1], err
}

// messagesIn returns the messages behind a row of the partition that q is in, and the last row.
func messagesIn(ctx context.Context, q *partitions.Querier, p *partitions.Partition, row int64) ([]store.KeptMessages, int64, error) {
	environments := p.EnvironmentsByCode()
	var list []store.KeptMessages
	last, err := tables.ReadMessagesBehind(ctx, q.Conn, row, mostKept, keptBytes, func(k tables.Key, m tables.MessagesRow) {
		env := environments[k.Env]
		list = append(list, store.KeptMessages{Arrived: p.Until().UnixNano(), Messages: store.Messages{
			Environment: tenant.Environment{ID: env.ID, Retention: env.Retention},
			TraceID:     k.TraceID(), SpanID: k.SpanID(), Time: m.Happened, Prompts: m.Prompts, Completions: m.Completions,
		}})
	})
	return list, last, err
}
