// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// errMoved says that rows which were found are not there any more: their spans or
// evaluations were replaced between two visits of their partition.
var errMoved = fault.New(fault.Unavailable, "what was found is being replaced: ask again")

// movedTries is how often a query is made again for that.
const movedTries = 3

// look calls f with a connection and the partitions that have something of an
// environment, oldest first. It is the one entrance of all that read for a
// caller: it waits for a place among the readers, and when the engine runs out
// of memory all the same it calls f once more while nobody else reads, and when
// rows moved under its hands once more at once. So f must begin anew each time it is called.
func (db *DB) look(ctx context.Context, doing string, env tenant.EnvironmentID, f func(q *partitions.Querier, all []partitions.Held) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	leave, err := db.readers.Enter(ctx, env)
	if err != nil {
		return err
	}
	err = db.lookOnce(ctx, env, f)
	for tries := 0; errors.Is(err, errMoved) && tries < movedTries; tries++ {
		err = db.lookOnce(ctx, env, f)
	}
	leave()
	if instance.OutOfMemory(err) {
		if leave, err = db.readers.EnterAlone(ctx, turns.ReaderPatience); err != nil {
			return err
		}
		err = db.lookOnce(ctx, env, f)
		leave()
	}
	return instance.Classify(db.cfg.Dir, doing, err)
}

func (db *DB) lookOnce(ctx context.Context, env tenant.EnvironmentID, f func(q *partitions.Querier, all []partitions.Held) error) error {
	e, err := db.running(ctx)
	if err != nil {
		return err
	}
	defer db.mu.RUnlock()
	all := e.use(env)
	defer partitions.ReleaseAll(all)
	err = e.files.Snapshot(ctx, func(q *partitions.Querier) error { return f(q, slices.Clone(all)) })
	if instance.Invalidated(err) {
		e.files.SetSuspect()
	}
	return err
}

// lookAtAll calls f with a connection and all partitions for what concerns no single environment: one
// caller at a time, who needs no place among the readers. Like look it calls f
// once more when the engine runs out of memory.
func (db *DB) lookAtAll(ctx context.Context, doing string, f func(e *engine, q *partitions.Querier, all []*partitions.Partition) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case db.overall <- struct{}{}:
		defer func() { <-db.overall }()
	case <-ctx.Done():
		return ctx.Err()
	}
	err := db.lookAtAllOnce(ctx, f)
	if instance.OutOfMemory(err) {
		leave, alone := db.readers.EnterAlone(ctx, turns.ReaderPatience)
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
	err = e.files.Snapshot(ctx, func(q *partitions.Querier) error { return f(e, q, all) })
	if instance.Invalidated(err) {
		e.files.SetSuspect()
	}
	return err
}
