// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/statements"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Aggregate returns figures of groups: those of each partition, put together.
func (db *DB) Aggregate(ctx context.Context, env tenant.Environment, a query.Aggregate) ([]query.Group, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	a.From = max(a.From, db.oldest(env))
	var groups []query.Group
	err := db.look(ctx, "aggregate "+subjectName(a.Subject), env.ID, func(q *partitions.Querier, all []partitions.Held) (err error) {
		rows := &gathered{of: a}
		groups, err = a.Answer(func(part query.Aggregate) ([]query.Group, error) {
			g := &aggregation{Aggregate: part, env: env, groups: query.NewGroups(&part), rows: rows, isClosed: db.engine.isClosed}
			if err := g.do(ctx, q, all); err != nil {
				return nil, err
			}
			return g.groups.List(), nil
		})
		return err
	})
	return groups, err
}

func subjectName(s query.Subject) string {
	if s == query.Spans {
		return "spans"
	}
	return string(s)
}

// aggregation is an aggregate without a rollup: what a call of Aggregate asks for, or
// a part of its rollup.
type aggregation struct {
	query.Aggregate
	env    tenant.Environment
	groups *query.Groups
	rows   *gathered
	asked  string // by whom and what, in what is remembered; "" until that is needed
	// isClosed reports whether a partition takes in no more spans.
	isClosed func(*partitions.Partition) bool
}

// gathered are the rows of an aggregate and all parts of its rollup, in a temporary
// table once the first of these needed one.
type gathered struct {
	of   query.Aggregate
	from *statements.Breakdown // nil until then
}

func (a *aggregation) do(ctx context.Context, q *partitions.Querier, all []partitions.Held) error {
	held := slices.Clone(all)
	all = slices.DeleteFunc(all, func(h partitions.Held) bool {
		return h.Spans == 0 || h.Max < a.From || h.Min > a.To || !a.concerns(h)
	})
	switch {
	case a.General():
		return a.general(ctx, q, all, held)
	case statements.IsLatest(&a.Aggregate):
		return a.latest(ctx, q, all)
	case a.Enough > 0:
		return a.count(ctx, q, all)
	}
	all, err := a.recall(q, all, held)
	if err != nil {
		return err
	}
	for _, h := range all {
		if err := q.In(ctx, h.Partition); err != nil {
			return err
		}
		err := a.remember(q, h, held, func(part *aggregation) error { return part.read(ctx, q, h, 0) })
		if err != nil {
			return err
		}
	}
	return nil
}

// concerns reports whether a partition can have what the filters let through.
func (a *aggregation) concerns(h partitions.Held) bool {
	for i := range a.Filters {
		f := &a.Filters[i]
		if f.Field.Kind != query.FieldRecord {
			continue
		}
		switch {
		case f.Field.Name == query.RecordStatus && f.Operator == query.OpEquals && f.Value == string(eval.Deferred):
			if h.Owes() == 0 {
				return false
			}
		case f.Field.Name == query.RecordTime && (f.Operator == query.OpGreaterThan || f.Operator == query.OpGreaterThanOrEqual):
			if from, err := f.Whole(); err == nil && h.LastTime() < from {
				return false
			}
		}
	}
	return true
}

// latest looks where the latest can be, the likeliest place first. Of each place
// only the end is read first.
func (a *aggregation) latest(ctx context.Context, q *partitions.Querier, all []partitions.Held) error {
	const near = time.Minute
	bound := func(h partitions.Held) int64 { return h.Max }
	if a.Figures[0].Of.Name == query.RecordTime {
		bound = func(h partitions.Held) int64 { return h.LastTime() }
	}
	last := make(map[*partitions.Partition]int64, len(all))
	for _, h := range all {
		last[h.Partition] = bound(h)
	}
	slices.SortFunc(all, func(x, y partitions.Held) int { return cmp.Compare(last[y.Partition], last[x.Partition]) })
	found := int64(0)
	for _, h := range all {
		for _, behind := range []int64{max(found, partitions.After(last[h.Partition], -near)), found} {
			if last[h.Partition] <= found {
				return nil
			}
			if err := a.read(ctx, q, h, behind); err != nil {
				return err
			}
			for _, g := range a.groups.List() {
				found = g.Values[0].Whole
			}
			if found > behind {
				break
			}
		}
	}
	return nil
}

// someRows is of how many rows for each that is to be counted it is found out first
// whose they are: an environment often has most of what several have pending.
const someRows = 4

// count counts until it is enough. That is cheap unless others have nearly all of
// what the filters let through.
func (a *aggregation) count(ctx context.Context, q *partitions.Querier, all []partitions.Held) error {
	for counted := int64(0); len(all) > 0 && counted < a.Enough; all = all[1:] {
		limit := someRows * (a.Enough - counted)
		var some, rows int64
		text, args := statements.Some(&a.Aggregate, all[0].Bounds, limit)
		if err := rowOf(ctx, q, all[0].Partition, text, args...).Scan(&some, &rows); err != nil {
			return err
		}
		if rows == limit && counted+some < a.Enough { // it may have more
			if err := a.read(ctx, q, all[0], 0); err != nil {
				return err
			}
		} else if some > 0 {
			a.groups.Merge(query.Group{Keys: []string{}, Values: []query.Value{{Whole: some}}})
		}
		counted = 0
		for _, g := range a.groups.List() {
			counted = g.Values[0].Whole
		}
	}
	return nil
}

// read takes in what one partition has, of an aggregate that is the latest of
// something that which is later than behind.
func (a *aggregation) read(ctx context.Context, q *partitions.Querier, h partitions.Held, behind int64) error {
	if err := q.In(ctx, h.Partition); err != nil {
		return err
	}
	if statements.IsCounted(&a.Aggregate) {
		text, args := statements.Counted(&a.Aggregate, h.Bounds)
		return a.take(ctx, q, text, args)
	}
	text, args := statements.Aggregate(&a.Aggregate, h.Bounds, behind)
	texts := make([]string, len(a.By))
	group := query.Group{Values: make([]query.Value, len(a.Figures))}
	into := []any{&group.Time}
	for i := range texts {
		into = append(into, &texts[i])
	}
	for i := range a.Figures {
		if a.Figures[i].IsReal() {
			into = append(into, &group.Values[i].Real)
		} else {
			into = append(into, &group.Values[i].Whole)
		}
	}
	return q.Each(ctx, text, args, func(rows *sql.Rows) error {
		err := rows.Scan(into...)
		group.Keys = slices.Clone(texts)
		a.groups.Merge(group)
		return err
	})
}
