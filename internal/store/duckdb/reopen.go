// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/pace"
)

// pause lies between two attempts to open the engine again.
const pause = time.Second

// running returns the engine, with db.mu held for reading. If a write went wrong
// before, the engine is opened again first: after a failure DuckDB may refuse
// everything, and what became of the write only the files can tell. A caller who
// comes within the pause after such an attempt waits for its end.
func (db *DB) running(ctx context.Context) (*engine, error) {
	for waited := false; ; waited = true {
		db.mu.RLock()
		attempt := db.attempt
		switch {
		case db.closed:
			db.mu.RUnlock()
			return nil, fault.New(fault.Unavailable, "the span store is closed")
		case db.engine != nil && !db.engine.files.IsSuspect():
			return db.engine, nil
		}
		db.mu.RUnlock()
		if left := pause - time.Since(attempt); left > 0 {
			if waited {
				return nil, fault.New(fault.Unavailable, "the span store is recovering")
			}
			if err := pace.Sleep(ctx, left); err != nil {
				return nil, err
			}
		}
		if err := db.reopen(context.WithoutCancel(ctx)); err != nil {
			return nil, err
		}
	}
}

// reopen closes a suspect engine and opens it again, unless another call did,
// or tried so within the pause.
func (db *DB) reopen(ctx context.Context) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed || db.engine != nil && !db.engine.files.IsSuspect() || time.Since(db.attempt) < pause {
		return nil
	}
	db.attempt = time.Now()
	old := db.engine
	if old != nil {
		if err := old.close(); err != nil {
			db.cfg.Report("the engine did not close cleanly", err)
		}
		db.engine = nil
	}
	e, err := reopenSound(ctx, db.cfg, old)
	if err != nil {
		db.cfg.Report("the engine could not be opened again", err)
		return fault.Wrap(fault.Unavailable, err, "the span store is recovering")
	}
	db.engine = e
	return nil
}
