// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
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

func openDuckDB(ctx context.Context, cfg *Config, tell report) (store.Engine, error) {
	minFree := cfg.Spans.MinFreeMiB * mib
	if minFree == 0 {
		minFree = -1 // to the engine 0 is its default
	}
	db, err := duckdb.Open(ctx, duckdb.Config{
		Dir:             filepath.Join(cfg.Directory, "spans"),
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
	db, err := sqldb.Open(ctx, sqldb.Config{Path: filepath.Join(cfg.Directory, "control.db")})
	if err != nil {
		return nil, err
	}
	return db, nil
}
