// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/aside"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
)

// A damaged file is moved away as it is, with its companion files, and the engine
// is opened without it: what DuckDB found may have made it refuse all work, and a
// log must not be worked into such a file. That is so at the start and while it
// runs; then the call that met the damage is refused once. Where it is not certain
// which file it was, all that were in use are read before one is moved away.

// openSound opens the engine after it has moved away what is known to be damaged, and
// everything else that turns out to be.
func openSound(ctx context.Context, cfg Config, known []*instance.Damage) (*engine, error) {
	for {
		if err := setAside(cfg, known); err != nil {
			return nil, err
		}
		e, err := openEngine(ctx, cfg)
		if err == nil {
			return e, nil
		}
		if known = instance.Damages(err); len(known) == 0 {
			return nil, err
		}
	}
}

// setAside moves files away, and reports it.
func setAside(cfg Config, list []*instance.Damage) error {
	for _, d := range list {
		to, err := aside.Move(cfg.Dir, d.Path)
		if err != nil {
			return fault.Wrap(fault.Unavailable, errors.Join(err, d), "%s is damaged and cannot be moved to %s", d.Path, filepath.Join(cfg.Dir, "damaged"))
		}
		cfg.Report("the damaged file "+d.Path+" was moved to "+to+": its spans are missing from answers, all others are there", d.Cause)
	}
	return nil
}

// reopenSound opens the engine again after one that met damage, or another failure.
func reopenSound(ctx context.Context, cfg Config, old *engine) (*engine, error) {
	var known []*instance.Damage
	if old != nil {
		known, cfg.doubted = old.files.Found()
	}
	return openSound(ctx, cfg, known)
}

// examine reads all of the files of which one may be damaged.
func (e *engine) examine(ctx context.Context) error {
	for _, p := range e.partitions {
		if !slices.Contains(e.cfg.doubted, p.Path) {
			continue
		}
		if err := e.files.Alone(ctx, func(q *partitions.Querier) error { return q.Examine(ctx, p) }); err != nil {
			return err
		}
	}
	return nil
}

// doubt notes that a write met damage in any of the files that are attached.
func (e *engine) doubt(err error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	e.files.Doubt(err, e.partitions)
}

// DamagedPartitions returns how many files were moved away because they are damaged,
// and are still there.
func (db *DB) DamagedPartitions() int {
	list, err := aside.List(db.cfg.Dir)
	if err != nil {
		return 0
	}
	return len(list)
}

// CountPartitions returns how many files of spans there are in the directory of a
// store, and changes nothing.
func CountPartitions(dir string) (int, error) { return partitions.CountFiles(dir) }
