// SPDX-License-Identifier: Apache-2.0

// Package sqlbacklog keeps the pending work in PostgreSQL, so that any number
// of processes work on the pending evaluations of one span store.
//
// The engine's rows are written first and those of the queue after; what the queue
// says may be out of date, and only what the engine answers is leased. So either may
// be repeated, and what a crash kept from the queue is put there by Sweep.
//
// See docs/adr/0040-gateways-and-workers-on-shared-servers.md.
package sqlbacklog

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/completion"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Engine is what a backlog works on, under the contract of store.Engine.
type Engine interface {
	store.Aggregator
	Write(ctx context.Context, b store.Batch) (store.Written, error)
	Evaluations(ctx context.Context, at []store.Location, from int64, which store.Revisions) ([]store.Evaluated, error)
	Owed(ctx context.Context, of tenant.EnvironmentID, behind store.Due, limit int) (store.OwedPage, error)
	Expire(ctx context.Context, now time.Time) error
	Delete(ctx context.Context, env tenant.EnvironmentID, of store.Part) error
}

// Backlog implements store.Backlog for one of the processes.
type Backlog struct {
	db     *sqldb.DB
	engine Engine
	now    func() time.Time
	closed atomic.Bool
	added  completion.Added
	others others

	mu      sync.Mutex
	last    tenant.EnvironmentID // that was served
	dropped map[tenant.EnvironmentID]bool
}

var _ store.Backlog = (*Backlog)(nil)

// Open returns the backlog of what the engine has, in a database that stays the
// caller's to close, by the clock now.
func Open(db *sqldb.DB, engine Engine, now func() time.Time) (*Backlog, error) {
	if !db.Shared() {
		return nil, errors.New("a backlog that processes share needs PostgreSQL")
	}
	return &Backlog{db: db, engine: engine, now: now, added: completion.NewAdded(), dropped: map[tenant.EnvironmentID]bool{}}, nil
}

// Close ends the backlog: every later call is Unavailable.
func (b *Backlog) Close() {
	b.closed.Store(true)
	b.others.end()
}

// begin returns the error of a call that cannot begin.
func (b *Backlog) begin(ctx context.Context) error {
	if b.closed.Load() {
		return fault.New(fault.Unavailable, "the span store is closed")
	}
	return ctx.Err()
}

// transact runs do in one transaction. How full a queue is changes faster than what
// PostgreSQL knows of it, so that queries use its indexes whatever that says.
func (b *Backlog) transact(ctx context.Context, doing string, do func(ctx context.Context, tx *sql.Tx) error) error {
	return b.db.Transact(ctx, doing, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_bitmapscan = off; SET LOCAL lock_timeout = '25s'`)
		if err != nil {
			return err
		}
		return do(ctx, tx)
	})
}

// Added implements store.Backlog.
func (b *Backlog) Added() <-chan struct{} { return b.added }

// Stats implements store.Backlog.
func (b *Backlog) Stats(ctx context.Context) (s store.BacklogStats, err error) {
	if err := b.begin(ctx); err != nil {
		return store.BacklogStats{}, err
	}
	err = b.db.Transact(ctx, "count pending evaluations", func(ctx context.Context, tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT count(*), count(*) FILTER (WHERE ready > $1::bigint AND ready > due), coalesce(min(since) FILTER (WHERE due <= $1::bigint), 0) FROM owed`,
			b.now().UnixNano()).Scan(&s.Evaluations, &s.Leased, &s.OldestOwed)
	})
	return s, err
}

// Expire gives back the space of what is past its retention.
func (b *Backlog) Expire(ctx context.Context, now time.Time) error {
	if err := b.engine.Expire(ctx, now); err != nil {
		return err
	}
	return b.db.Transact(ctx, "expire pending evaluations", func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM owed WHERE expires < $1::bigint", now.UnixNano())
		return err
	})
}

// Delete deletes a part of an environment from the engine, and its pending evaluations.
func (b *Backlog) Delete(ctx context.Context, env tenant.EnvironmentID, of store.Part) error {
	if of.Everything {
		if err := b.drop(ctx, env); err != nil {
			return err
		}
		return b.engine.Delete(ctx, env, of)
	}
	if err := b.engine.Delete(ctx, env, of); err != nil {
		return err
	}
	gone := make([]name, len(of.Spans))
	for i, k := range of.Spans {
		gone[i].Owner = store.Location{Environment: env, Span: k}.Owner()
	}
	return b.transact(ctx, "delete pending evaluations", func(ctx context.Context, tx *sql.Tx) error {
		return about(ctx, tx, `DELETE FROM owed AS o USING `+named+` WHERE `+isOwner, gone)
	})
}

// drop ends all work for an environment, for good: no worker leases its pending evaluations from
// then on, and what this process writes of it is passed over. What another has
// under way then goes with the next call.
func (b *Backlog) drop(ctx context.Context, env tenant.EnvironmentID) error {
	if err := b.begin(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	b.dropped[env] = true
	b.mu.Unlock()
	return b.db.Transact(ctx, "drop pending evaluations", func(ctx context.Context, tx *sql.Tx) error {
		for _, statement := range []string{
			"DELETE FROM spent WHERE environment_id = $1", "DELETE FROM prices WHERE environment_id = $1", "DELETE FROM owed WHERE environment_id = $1",
		} {
			if _, err := tx.ExecContext(ctx, statement, string(env)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *Backlog) isDropped(env tenant.EnvironmentID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped[env]
}
