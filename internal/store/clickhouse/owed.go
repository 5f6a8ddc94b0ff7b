// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// deferred returns the condition that a row, which meets another condition on its key, may
// have something deferred: what was completed since is among them.
func deferred(where string) string {
	key := "SELECT env, bucket, trace, id FROM "
	return where + " AND (env, bucket, trace, id) IN (" + key + spansTable + " WHERE " + where + " AND has(" + arrayPrefix + "status, 'deferred') UNION ALL " +
		key + lateTable + " WHERE " + where + " AND status = 'deferred')"
}

// Owed implements store.Engine.
func (db *DB) Owed(ctx context.Context, of tenant.EnvironmentID, behind store.Due, limit int) (store.OwedPage, error) {
	leave, err := db.enter(ctx)
	if err != nil {
		return store.OwedPage{}, err
	}
	defer leave()
	var page store.OwedPage
	where := sqltext.Always
	if of != "" && limit > 0 {
		where = "env = " + sqltext.Literal(string(of))
	}
	where = deferred(where)
	s := source{where: where + " AND expires >= " + sqltext.Whole(db.cfg.Now().UnixNano()), lateWhere: where, beside: beside{late: true}}
	s.withEvaluations()
	at, since, status := s.evaluation("due"), s.evaluation("time"), s.evaluation("status")
	ref := "xxHash64(env, bucket, trace, id, " + s.evaluation("setup") + ", " + s.evaluation("evaluator") + ")"
	owes := " FROM " + s.from() + " ARRAY JOIN evs AS e WHERE " + status + " = '" + string(eval.Deferred) + "'"
	if limit <= 0 {
		err = db.each(ctx, "count pending evaluations", "SELECT env, toInt64(count())"+owes+" GROUP BY env ORDER BY env", func(scan func(into ...any) error) error {
			var env string
			var n int64
			err := scan(&env, &n)
			page.Evaluations += n
			page.Environments = append(page.Environments, tenant.EnvironmentID(env))
			return err
		})
		return page, err
	}
	owes += " AND (" + at + ", " + ref + ") > (" + sqltext.Whole(behind.At) + ", toUInt64(" + strconv.FormatUint(behind.Ref, 10) + "))"
	columns := slices.Concat(headColumns(func(r *dueRow) *head { return &r.head })[:4], []column[dueRow]{
		field("start", "Int64", func(r *dueRow) *int64 { return &r.Span.Start }),
		field(at, "Int64", func(r *dueRow) *int64 { return &r.At }),
		field(since, "Int64", func(r *dueRow) *int64 { return &r.Since }),
		field(ref, "UInt64", func(r *dueRow) *uint64 { return &r.Ref }),
	})
	list, err := rows(ctx, db, "list pending evaluations", columns, "SELECT "+names(columns)+owes+" ORDER BY "+at+", "+ref+" LIMIT "+strconv.Itoa(limit))
	if err != nil {
		return store.OwedPage{}, err
	}
	for _, r := range list {
		r.Environment, r.Span = r.env, span.Key{TraceID: r.trace, SpanID: r.id, Start: r.Span.Start}
		page.List = append(page.List, r.Due)
	}
	if len(list) < limit {
		return page, nil
	}
	page.More, page.Last = true, page.List[limit-1]
	rest := " AND (" + at + ", " + ref + ") > (" + sqltext.Whole(page.Last.At) + ", toUInt64(" + strconv.FormatUint(page.Last.Ref, 10) + "))"
	page.Oldest, err = db.number(ctx, "find the oldest pending evaluation", "SELECT min("+since+")"+owes+rest)
	return page, err
}

// dueRow is an entry as it is selected.
type dueRow struct {
	head
	store.Due
}
