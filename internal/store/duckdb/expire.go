// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/aside"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
)

//go:embed sql/unexpired.sql
var unexpiredSQL string

// Expire frees the space of spans whose retention ended before now, by
// removing partitions: a file goes when the last of its spans may. Calls that
// read such a partition finish first; no other call waits.
func (db *DB) Expire(ctx context.Context, now time.Time) error {
	// Between two writes, so that none goes to a partition on its way out.
	if err := db.enter(ctx); err != nil {
		return err
	}
	e, err := db.running(ctx)
	if err != nil {
		db.queue.Leave()
		return err
	}
	defer db.mu.RUnlock()
	expired := e.expired(now)
	err = e.recount(ctx, now)
	db.queue.Leave()
	if instance.Invalidated(err) {
		e.files.SetSuspect()
	}
	if err != nil {
		return instance.Classify(db.cfg.Dir, "expire spans", err)
	}
	err = errors.Join(e.drop(ctx, expired), aside.Expire(db.cfg.Dir, now))
	return instance.Classify(db.cfg.Dir, "expire spans", err)
}

// expired returns the partitions that are past their retention, which no caller can
// use from now on.
func (e *engine) expired(now time.Time) []*partitions.Partition {
	e.mu.RLock()
	defer e.mu.RUnlock()
	var list []*partitions.Partition
	for _, p := range e.partitions {
		current := e.current[p.Class] == p
		if !p.Ended(now) || current && now.Before(p.Until()) {
			continue
		}
		if current {
			delete(e.current, p.Class)
		}
		e.retire(p)
		list = append(list, p)
	}
	return list
}

// retire ends all use of a partition from now on, and forgets what is known of its
// spans, for the caller that has the write turn.
func (e *engine) retire(p *partitions.Partition) {
	p.Retire()
	e.keys.Remove(p)
	e.window.End(uint32(p.Serial))
}

// recount counts the pending evaluations again where spans may be past their retention.
func (e *engine) recount(ctx context.Context, now time.Time) error {
	e.mu.RLock()
	all := e.partitions
	e.mu.RUnlock()
	for _, p := range all {
		codes, first := p.Aged(now)
		if len(codes) == 0 || p.Owes() == 0 || !p.Hold() {
			continue
		}
		var owed int64
		err := e.files.Alone(ctx, func(q *partitions.Querier) error {
			if err := q.In(ctx, p); err != nil {
				return err
			}
			return q.Conn.QueryRowContext(ctx, unexpiredSQL, codes, first).Scan(&owed)
		})
		p.Release()
		if err != nil {
			return err
		}
		p.SetOwed(owed)
	}
	return nil
}

// drop removes retired partitions once they are idle.
func (e *engine) drop(ctx context.Context, list []*partitions.Partition) error {
	var errs []error
	for _, p := range list {
		select {
		case <-p.Unused():
			errs = append(errs, e.remove(ctx, p))
		case <-ctx.Done():
			return errors.Join(append(errs, ctx.Err())...)
		}
	}
	return errors.Join(errs...)
}

func (e *engine) remove(ctx context.Context, p *partitions.Partition) error {
	if err := e.files.Remove(ctx, p); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	// A new list: others may walk the one that was.
	e.partitions = slices.DeleteFunc(slices.Clone(e.partitions), func(x *partitions.Partition) bool { return x == p })
	return nil
}
