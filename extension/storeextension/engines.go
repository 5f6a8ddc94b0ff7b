// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
)

// report is told of what an engine does without a caller.
type report func(message string, err error)

// openSpans opens a span store in the data directory.
type openSpans func(ctx context.Context, cfg *Config, tell report) (store.Engine, error)

const mib = 1 << 20

// What the data directory has, and a backup of it.
const (
	spansDirectory = "spans"
	controlFile    = "control.db"
)

func openDuckDB(ctx context.Context, cfg *Config, tell report) (store.Engine, error) {
	minFree := cfg.Spans.MinFreeMiB * mib
	if minFree == 0 {
		minFree = -1 // to the engine 0 is its default
	}
	db, err := duckdb.Open(ctx, duckdb.Config{
		Dir:             filepath.Join(cfg.Directory, spansDirectory),
		MemoryLimit:     cfg.Spans.MemoryLimitMiB * mib,
		Threads:         cfg.Spans.Threads,
		CheckpointBytes: cfg.Spans.CheckpointMiB * mib,
		AttachedFiles:   cfg.Spans.AttachedFiles,
		MinFreeBytes:    minFree,
		Report:          tell,
	})
	if err != nil {
		return nil, err // not a nil *duckdb.DB in an interface
	}
	return db, nil
}

func openControl(ctx context.Context, cfg *Config) (store.Control, error) {
	if p := cfg.Control.Postgres.Get(); p != nil {
		db, err := sqldb.OpenPostgres(ctx, sqldb.Postgres{DSN: string(p.DSN), MaxConnections: p.MaxConnections})
		if err != nil {
			return nil, err
		}
		return db, nil
	}
	path := filepath.Join(cfg.Directory, controlFile)
	if s := cfg.Control.SQLite.Get(); s != nil && s.Path != "" {
		path = s.Path
	}
	if err := refuseEmptied(cfg, path); err != nil {
		return nil, err
	}
	db, err := sqldb.Open(ctx, sqldb.Config{Path: path})
	if err != nil {
		return nil, err
	}
	return db, nil
}

// refuseEmptied refuses to begin anew in a control store that was emptied: without
// it nobody owns the spans that there are. While a new one is made there are none.
func refuseEmptied(cfg *Config, path string) error {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > 0 {
		return nil //nolint:nilerr // opening it says what is wrong
	}
	if n, err := duckdb.CountPartitions(filepath.Join(cfg.Directory, spansDirectory)); err != nil || n == 0 {
		return err
	}
	return fmt.Errorf("control store %q is empty, but there are spans: restore it from a backup, or remove it to begin without organizations, keys and setups", path)
}
