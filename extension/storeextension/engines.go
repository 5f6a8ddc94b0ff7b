// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/backlog"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/sqlbacklog"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
)

// report receives what an engine does without a caller.
type report func(message string, err error)

// openSpans opens a span store in the data directory.
type openSpans func(ctx context.Context, cfg *Config, tell report) (store.Engine, error)

const mib = 1 << 20

// What the data directory has, and a backup of it.
const (
	spansDirectory = "spans"
	controlFile    = "control.db"
)

func openEngine(ctx context.Context, cfg *Config, tell report) (store.Engine, error) {
	if cfg.Spans.ClickHouse.HasValue() {
		return openClickHouse(ctx, cfg.Spans.ClickHouse.Get())
	}
	return openDuckDB(ctx, cfg, tell)
}

func openClickHouse(ctx context.Context, cfg *ClickHouseConfig) (store.Engine, error) {
	db, err := clickhouse.Open(ctx, clickhouse.Config{
		DSN:            string(cfg.DSN),
		MaxConnections: cfg.MaxConnections,
		Now:            time.Now,
		Grouped:        cfg.Inserts == byServer,
		Synced:         cfg.Durability == ofDisk,
		Cluster:        cfg.Cluster,
		Quorum:         cfg.Durability == ofQuorum,
		MinFreeBytes:   cfg.MinFreeMiB * mib,
		MaxTime:        cfg.QueryTimeout,
		MaxMemory:      cfg.QueryMemoryMiB * mib,
		MaxThreads:     cfg.QueryThreads,
		Migration:      store.Migration(cfg.Migrate),
	})
	if err != nil {
		return nil, fmt.Errorf("open span store in ClickHouse: %w", err)
	}
	return db, nil
}

// duckDBConfig returns what is said of DuckDB as the engine takes it.
func duckDBConfig(cfg *Config, tell report) duckdb.Config {
	said := cfg.Spans.duckDB()
	minFree := said.MinFreeMiB * mib
	if minFree == 0 {
		minFree = -1 // to the engine 0 is its default
	}
	return duckdb.Config{
		Dir:             filepath.Join(cfg.Directory, spansDirectory),
		MemoryLimit:     said.MemoryLimitMiB * mib,
		Threads:         said.Threads,
		CheckpointBytes: said.CheckpointMiB * mib,
		AttachedFiles:   said.AttachedFiles,
		MinFreeBytes:    minFree,
		Report:          tell,
	}
}

func openDuckDB(ctx context.Context, cfg *Config, tell report) (store.Engine, error) {
	db, err := duckdb.Open(ctx, duckDBConfig(cfg, tell))
	if err != nil {
		return nil, err // not a nil *duckdb.DB in an interface
	}
	return db, nil
}

func openControl(ctx context.Context, cfg *Config) (store.Control, error) {
	if p := cfg.Control.Postgres.Get(); p != nil {
		db, err := sqldb.OpenPostgres(ctx, sqldb.Postgres{DSN: string(p.DSN), MaxConnections: p.MaxConnections, Migration: store.Migration(p.Migrate)})
		if err != nil {
			return nil, err
		}
		return db, nil
	}
	path := controlPath(cfg)
	used, err := controlled(cfg, path)
	if err != nil {
		return nil, err
	}
	db, err := sqldb.Open(ctx, sqldb.Config{Path: path, Used: used})
	if errors.Is(err, sqldb.ErrEmpty) {
		return nil, emptied(path)
	}
	if err != nil {
		return nil, err
	}
	return db, nil
}

// controlled reports whether a control store is there to which spans belong. It refuses
// one that was emptied, and one that is missing unless the configuration allows it: without
// it no one owns the spans that there are. While a new one is made there are none.
func controlled(cfg *Config, path string) (bool, error) {
	st, err := os.Stat(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if cfg.Spans.duckDB() == nil || err != nil && !missing || err == nil && !st.Mode().IsRegular() {
		return false, nil // opening it says what is wrong
	}
	n, err := duckdb.CountPartitions(filepath.Join(cfg.Directory, spansDirectory))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // as before the first start, where a command made the control store
	}
	switch {
	case err != nil || n == 0:
	case missing && !cfg.Control.mayBeMissing():
		err = fmt.Errorf("control store %q is missing, but there are spans: restore it from a backup, or %s", path, beginWithout)
	case !missing && st.Size() == 0:
		err = emptied(path)
	}
	return n > 0 && !missing, err
}

// beginWithout says how to start with spans but without their control store.
const beginWithout = `set "control::sqlite::allow_missing" to true to begin without organizations, keys and setups`

func emptied(path string) error {
	return fmt.Errorf("control store %q is empty, but there are spans: restore it from a backup, or remove it and %s", path, beginWithout)
}

// recorded is a backlog that hears of what is written to its engine.
type recorded interface {
	store.Backlog
	Over(engine store.Engine) store.Engine
}

// openBacklog opens the backlog of an engine: where processes share both stores, one
// that they share.
func openBacklog(ctx context.Context, cfg *Config, engine store.Engine, control store.Control) (recorded, error) {
	if db, ok := control.(*sqldb.DB); ok && db.Shared() && cfg.Spans.ClickHouse.HasValue() {
		b, err := sqlbacklog.Open(db, engine, time.Now)
		if err != nil {
			return nil, err
		}
		return b, nil
	}
	b, err := backlog.Open(ctx, engine, time.Now)
	if err != nil {
		return nil, err
	}
	return b, nil
}
