// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/reading"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Search implements store.Engine.
func (db *DB) Search(ctx context.Context, env tenant.Environment, q query.Query) (page query.Page, err error) {
	if err := q.Validate(); err != nil {
		return query.Page{}, err
	}
	q.From = max(q.From, db.oldest(env))
	doing := "find spans"
	if q.Subject == query.Outputs {
		doing = "find outputs"
	}
	err = db.look(ctx, doing, env.ID, func(conn *partitions.Querier, all []partitions.Held) (err error) {
		s := reading.NewSearch(env, q, all)
		if err := s.Find(ctx, conn); err != nil {
			return err
		}
		page, err = s.Page(ctx, conn)
		return err
	})
	if err != nil {
		return query.Page{}, err
	}
	return page, nil
}

// Get implements store.Engine. Where no siblings are wanted, only partitions that
// can have one of the spans are opened.
func (db *DB) Get(ctx context.Context, env tenant.Environment, keys []span.Key, siblings int) (found []span.Span, err error) {
	if len(keys) == 0 {
		return nil, ctx.Err()
	}
	wanted := reading.Wanted{Keys: keys, Siblings: siblings, From: db.oldest(env)}
	err = db.look(ctx, "get spans", env.ID, func(q *partitions.Querier, all []partitions.Held) (err error) {
		found, err = reading.Get(ctx, q, env, wanted, all, func(h partitions.Held) bool { return db.engine.mayHaveAny(h, keys) })
		return err
	})
	return found, err
}

// oldest returns when the oldest span started that is within env's retention.
func (db *DB) oldest(env tenant.Environment) int64 {
	return partitions.After(db.cfg.Now().UnixNano(), -max(env.Retention, 0))
}

// mayHaveAny reports whether a partition can have one of some spans, without opening it.
func (e *engine) mayHaveAny(h partitions.Held, keys []span.Key) bool {
	return slices.ContainsFunc(keys, func(k span.Key) bool {
		if k.Start == 0 {
			return e.keys.MayHaveAny(h.Partition, &h.Bounds, k.TraceID, k.SpanID)
		}
		return e.keys.MayHave(h.Partition, &h.Bounds, k.Identity())
	})
}
