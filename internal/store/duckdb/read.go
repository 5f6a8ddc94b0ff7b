// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/reading"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// movedTries is how often a query is made again whose rows moved, or that was disturbed.
const movedTries = 3

// look calls f with a connection and the partitions that have something of an
// environment, oldest first. It is the one entrance of all that read for a
// caller: it waits for a place among the readers, and when the engine runs out
// of memory all the same it calls f once more while there is no other reader, and when
// rows moved under its hands or the engine is to be opened again once more at once. So f
// must begin again each time it is called.
func (db *DB) look(ctx context.Context, doing string, env tenant.EnvironmentID, f func(q *partitions.Querier, all []partitions.Held) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := db.flush(ctx); err != nil {
		return err
	}
	leave, err := db.readers.Enter(ctx, env)
	if err != nil {
		return err
	}
	err = db.lookOnce(ctx, env, f)
	for tries := 0; (errors.Is(err, reading.ErrMoved) || isDisturbed(err)) && tries < movedTries; tries++ {
		err = db.lookOnce(ctx, env, f)
	}
	leave()
	if instance.OutOfMemory(err) {
		if leave, err = db.enterAlone(ctx, db.readers.Patience.Reader); err != nil {
			return err
		}
		err = db.lookOnce(ctx, env, f)
		leave()
	}
	return instance.Classify(db.cfg.Dir, doing, err)
}

// enterAlone waits until there is no reader, for memory that a call lacked, and closes the files
// that are not in use.
func (db *DB) enterAlone(ctx context.Context, patience time.Duration) (leave func(), err error) {
	leave, err = db.readers.EnterAlone(ctx, patience)
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.engine != nil && !db.engine.files.IsSuspect() {
		if err := db.engine.files.ShutIdle(time.Now().Add(time.Hour)); err != nil {
			db.cfg.Report("memory was short, and unused files could not be closed", err)
		}
	}
	return leave, err
}

func (db *DB) lookOnce(ctx context.Context, env tenant.EnvironmentID, f func(q *partitions.Querier, all []partitions.Held) error) error {
	e, err := db.running(ctx)
	if err != nil {
		return err
	}
	defer db.mu.RUnlock()
	all := e.use(env)
	defer partitions.ReleaseAll(all)
	return e.snapshot(ctx, func(q *partitions.Querier) error { return f(q, slices.Clone(all)) })
}

// disturbed is the error of a query during which something else went wrong with the engine:
// a file that the query was to use may not be attached any more. Once the engine is opened
// again it can be made again.
type disturbed struct{ error }

// Unwrap returns the error of the engine.
func (d disturbed) Unwrap() error { return d.error }

func isDisturbed(err error) bool { return errors.As(err, &disturbed{}) }

// snapshot calls f with a connection on which each partition is seen in a transaction of its
// own. The engine is suspect after an error that says that it refuses all work. An error
// that is neither that nor a damage is disturbed where the engine is suspect all the same.
func (e *engine) snapshot(ctx context.Context, f func(q *partitions.Querier) error) error {
	err := e.files.Snapshot(ctx, f)
	switch {
	case instance.Invalidated(err):
		e.files.SetSuspect()
	case err != nil && ctx.Err() == nil && e.files.IsSuspect() && !instance.IsDamage(err) && len(instance.Damages(err)) == 0:
		return disturbed{err}
	}
	return err
}

// lookAtAll calls f with a connection and all partitions for what concerns no single environment: one
// caller at a time, who needs no place among the readers. Like look it calls f
// once more when the engine runs out of memory, and when it is to be opened again.
func (db *DB) lookAtAll(ctx context.Context, doing string, f func(e *engine, q *partitions.Querier, all []*partitions.Partition) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := db.flush(ctx); err != nil {
		return err
	}
	select {
	case db.overall <- struct{}{}:
		defer func() { <-db.overall }()
	case <-ctx.Done():
		return ctx.Err()
	}
	err := db.lookAtAllOnce(ctx, f)
	if isDisturbed(err) {
		err = db.lookAtAllOnce(ctx, f)
	}
	if instance.OutOfMemory(err) {
		leave, alone := db.enterAlone(ctx, db.readers.Patience.Reader)
		if alone != nil {
			return alone
		}
		err = db.lookAtAllOnce(ctx, f)
		leave()
	}
	return instance.Classify(db.cfg.Dir, doing, err)
}

func (db *DB) lookAtAllOnce(ctx context.Context, f func(e *engine, q *partitions.Querier, all []*partitions.Partition) error) error {
	e, err := db.running(ctx)
	if err != nil {
		return err
	}
	defer db.mu.RUnlock()
	all := e.holdAll()
	defer func() { // only now does the transaction not use them any more
		for _, p := range all {
			p.Release()
		}
	}()
	return e.snapshot(ctx, func(q *partitions.Querier) error { return f(e, q, all) })
}

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
