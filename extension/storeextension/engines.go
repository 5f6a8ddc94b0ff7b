// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"fmt"
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
		MaxTime:        cfg.QueryTimeout,
		MaxMemory:      cfg.QueryMemoryMiB * mib,
		MaxThreads:     cfg.QueryThreads,
	})
	if err != nil {
		return nil, fmt.Errorf("open span store in ClickHouse: %w", err)
	}
	return db, nil
}

func openDuckDB(ctx context.Context, cfg *Config, tell report) (store.Engine, error) {
	said := cfg.Spans.duckDB()
	minFree := said.MinFreeMiB * mib
	if minFree == 0 {
		minFree = -1 // to the engine 0 is its default
	}
	db, err := duckdb.Open(ctx, duckdb.Config{
		Dir:             filepath.Join(cfg.Directory, spansDirectory),
		MemoryLimit:     said.MemoryLimitMiB * mib,
		Threads:         said.Threads,
		CheckpointBytes: said.CheckpointMiB * mib,
		AttachedFiles:   said.AttachedFiles,
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
	path := controlPath(cfg)
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
	if cfg.Spans.duckDB() == nil || err != nil || !st.Mode().IsRegular() || st.Size() > 0 {
		return nil //nolint:nilerr // opening it says what is wrong
	}
	if n, err := duckdb.CountPartitions(filepath.Join(cfg.Directory, spansDirectory)); err != nil || n == 0 {
		return err
	}
	return fmt.Errorf("control store %q is empty, but there are spans: restore it from a backup, or remove it to begin without organizations, keys and setups", path)
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
