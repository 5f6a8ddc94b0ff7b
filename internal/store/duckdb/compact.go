// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
)

// closedShare is how much smaller than that of a partition that takes in spans
// the log of a closed one may grow: there are many of those.
const closedShare = 8

// noteLog remembers a partition whose log has grown so far that it is to be
// worked into its file. That is not done by commits themselves: a commit whose
// checkpoint fails is reported as failed although it is durable, and its callers
// would wait for both.
func (e *engine) noteLog(p *partitions.Partition) {
	limit := e.cfg.CheckpointBytes
	if e.current[p.Class] != p {
		limit /= closedShare
	}
	if p.LogSize() >= limit {
		e.grown[p] = true
	}
}

// compact works the logs that have grown into their files. Where another call
// is at it, the next commit looks again.
func (e *engine) compact(ctx context.Context) error {
	var errs []error
	for p := range e.grown {
		if !p.Hold() {
			delete(e.grown, p)
			continue
		}
		p.Dictionaries.Forget()
		err := e.files.Checkpoint(p)
		p.Release()
		if err != nil && !instance.Busy(err) {
			errs = append(errs, err)
			continue
		}
		delete(e.grown, p)
		if err == nil {
			errs = append(errs, e.files.Reattach(ctx, p))
		}
	}
	return errors.Join(errs...)
}

// relieve works the logs of the partitions that take in spans into their files, whatever
// their size, after the engine was opened again if it must be. Where that fails, what
// comes next says so.
func (db *DB) relieve(ctx context.Context) {
	e, err := db.running(ctx)
	if err != nil {
		return
	}
	for _, p := range e.current {
		if p.LogSize() > 0 {
			e.grown[p] = true
		}
	}
	db.mu.RUnlock()
	if err := db.compactOnce(ctx); err != nil {
		db.cfg.Report("memory was short, and a log could not be worked into its file", err)
	}
}

// endTurn ends the turn to write. If a log has grown, it is worked into its file
// first, while who wrote has the answer already.
func (db *DB) endTurn(ctx context.Context) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.closed || db.engine == nil || len(db.engine.grown) == 0 {
		db.queue.Leave()
		return
	}
	db.upkeep.Go(func() {
		defer db.queue.Leave()
		if err := db.flushNow(ctx); err != nil { // who looks meanwhile would wait for the turn
			db.cfg.Report("what is in the journal cannot be committed yet; it is tried again", err)
		}
		db.compact(ctx)
	})
}

// compact does what engine.compact does, a second time and alone if memory was
// too short.
func (db *DB) compact(ctx context.Context) {
	err := db.compactOnce(ctx)
	if instance.OutOfMemory(err) {
		if leave, alone := db.enterAlone(ctx, db.readers.Patience.Writer); alone == nil {
			defer leave()
			err = db.compactOnce(ctx)
		}
	}
	if err != nil {
		db.cfg.Report("a log could not be worked into its file; it will be after a later write", err)
	}
}

func (db *DB) compactOnce(ctx context.Context) error {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.closed || db.engine == nil || db.engine.files.IsSuspect() {
		return nil
	}
	err := db.engine.compact(ctx)
	if err != nil && !instance.OutOfMemory(err) {
		db.engine.doubt(err)
		db.engine.files.SetSuspect()
	}
	return err
}
