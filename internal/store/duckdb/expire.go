// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
)

// Expire returns back the space of spans whose retention ended before now, by
// removing partitions: a file goes when the last of its spans may. Calls that
// read such a partition finish first; no other call waits.
func (db *DB) Expire(ctx context.Context, now time.Time) error {
	// Between two writes, so that none goes to a partition on its way out.
	if err := db.queue.Enter(ctx); err != nil {
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
		e.suspect.Store(true)
	}
	if err != nil {
		return instance.Classify(db.cfg.Dir, "expire spans", err)
	}
	return instance.Classify(db.cfg.Dir, "expire spans", e.drop(ctx, expired))
}

// expired returns the partitions that are past their retention, which nobody can
// use from now on.
func (e *engine) expired(now time.Time) []*partition {
	e.mu.RLock()
	defer e.mu.RUnlock()
	var list []*partition
	for _, p := range e.partitions {
		current := e.current[p.class] == p
		if !p.ended(now) || current && now.Before(p.until()) {
			continue
		}
		if current {
			delete(e.current, p.class)
		}
		p.retire()
		list = append(list, p)
	}
	return list
}

// recount counts anew what is owed where spans may be past their retention.
func (e *engine) recount(ctx context.Context, now time.Time) error {
	e.mu.RLock()
	partitions := e.partitions
	e.mu.RUnlock()
	for _, p := range partitions {
		codes, first := p.aged(now)
		if len(codes) == 0 || p.owes() == 0 || !p.hold() {
			continue
		}
		var owed int64
		err := e.alone(ctx, func(q querier) error {
			if err := q.in(ctx, p); err != nil {
				return err
			}
			return q.conn.QueryRowContext(ctx, unexpiredSQL, codes, first).Scan(&owed)
		})
		p.release()
		if err != nil {
			return err
		}
		p.mu.Lock()
		p.owed = owed
		p.mu.Unlock()
	}
	return nil
}

// aged returns the environments of a partition, by code, and when the first of
// their spans may have started; none if no span is past its retention.
func (p *partition) aged(now time.Time) (codes []int32, first []int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	some := false
	for _, b := range p.envs {
		from := after(now.UnixNano(), -max(b.retention, 0))
		some = some || b.min < from
		codes = append(codes, b.code)
		first = append(first, from)
	}
	if !some {
		return nil, nil
	}
	return codes, first
}

// drop removes retired partitions once they are idle.
func (e *engine) drop(ctx context.Context, list []*partition) error {
	var errs []error
	for _, p := range list {
		select {
		case <-p.idle:
			errs = append(errs, e.remove(ctx, p))
		case <-ctx.Done():
			return errors.Join(append(errs, ctx.Err())...)
		}
	}
	return errors.Join(errs...)
}

func (e *engine) remove(ctx context.Context, p *partition) error {
	if p.isAttached() {
		if err := e.detach(ctx, p); err != nil {
			return err
		}
		e.files.drop(p)
	}
	if err := p.removeFiles(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	// A new list: others may walk the one that was.
	e.partitions = slices.DeleteFunc(slices.Clone(e.partitions), func(x *partition) bool { return x == p })
	return nil
}

// removeFiles removes the partition's file, its summary and its log.
func (p *partition) removeFiles() error {
	for _, path := range []string{p.path + summarySuffix, p.path, p.path + walSuffix} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
