// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// Write stores records, those of one class of retention in one commit.
func (db *DB) Write(ctx context.Context, records []store.Record) error {
	if len(records) == 0 {
		return ctx.Err()
	}
	return db.submit(ctx, &request{records: records})
}

// WriteMessages stores messages likewise.
func (db *DB) WriteMessages(ctx context.Context, messages []store.Messages) error {
	if len(messages) == 0 {
		return ctx.Err()
	}
	return db.submit(ctx, &request{messages: messages})
}

func (db *DB) submit(ctx context.Context, r *request) error {
	r.done = make(chan error, 1)
	return db.queue.submit(ctx, r, func(group []*request) error {
		return db.commit(context.WithoutCancel(ctx), group)
	})
}

// commit writes what the requests of a group want.
func (db *DB) commit(ctx context.Context, group []*request) error {
	const doing = "write spans"
	if err := db.spacious(); err != nil {
		return err
	}
	e, err := db.running(ctx)
	if err != nil {
		return err
	}
	defer db.mu.RUnlock()
	if err := e.write(ctx, group); err != nil {
		e.suspect.Store(true)
		return classify(db.cfg.Dir, doing, err)
	}
	return nil
}

// spacious refuses writes while the disk is about to be full.
func (db *DB) spacious() error {
	if db.cfg.MinFreeBytes < 0 {
		return nil
	}
	free, err := freeBytes(db.cfg.Dir)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "write spans: the disk of the store does not answer")
	}
	if free < db.cfg.MinFreeBytes {
		return fault.New(fault.Unavailable, "write spans: the disk of the store is full")
	}
	return nil
}

// pause lies between two attempts to open the engine again.
const pause = time.Second

// running gives the engine with db.mu held for reading. If a write went wrong
// before, the engine is opened again first: after a failure DuckDB may refuse
// everything, and what became of the write only the files can tell.
func (db *DB) running(ctx context.Context) (*engine, error) {
	for {
		db.mu.RLock()
		switch {
		case db.closed:
			db.mu.RUnlock()
			return nil, errClosed()
		case db.engine != nil && !db.engine.suspect.Load():
			return db.engine, nil
		}
		db.mu.RUnlock()
		if err := db.reopen(context.WithoutCancel(ctx)); err != nil {
			return nil, err
		}
	}
}

func (db *DB) reopen(ctx context.Context) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed || db.engine != nil && !db.engine.suspect.Load() {
		return nil // somebody was faster
	}
	if time.Since(db.attempt) < pause {
		return fault.New(fault.Unavailable, "the span store is recovering")
	}
	db.attempt = time.Now()
	if db.engine != nil {
		if err := db.engine.close(); err != nil {
			db.cfg.Report("the engine did not close cleanly", err)
		}
		db.engine = nil
	}
	e, err := openEngine(ctx, db.cfg, db.backlog)
	if err != nil {
		db.cfg.Report("the engine could not be opened again", err)
		return fault.Wrap(fault.Unavailable, err, "the span store is recovering")
	}
	db.engine = e
	return nil
}
