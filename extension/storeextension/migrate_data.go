// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/move"
	"github.com/touchstone-otel/touchstone/internal/store/sqlbacklog"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
)

// DataMove says what is moved, and where to: locations of configurations are those of the
// collector's --config.
type DataMove struct {
	// From are locations of the configuration of what is moved, or none; then
	// FromDirectory is the data directory of a configuration that says nothing else of it.
	From          []string
	FromDirectory string
	To            []string
	// Tell gets the progress, Warn what the operator should know.
	Tell func(move.Progress)
	Warn func(message string)
}

// movingQuery is how long a server may work on one query of a move: one goes through all
// messages of an environment.
const movingQuery = 6 * time.Hour

// MigrateData moves all that DuckDB and SQLite keep to ClickHouse and PostgreSQL, or goes on
// with a move that was interrupted. No collector may work on the source meanwhile. The result
// is not nil where both sides were compared, whatever the error says.
func MigrateData(ctx context.Context, d DataMove) (r *move.Result, err error) {
	from, err := d.source(ctx)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	to, err := one(ctx, d.To)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	if !to.Spans.ClickHouse.HasValue() || !to.Control.Postgres.HasValue() {
		return nil, errors.New("target: the configuration must keep spans in ClickHouse and all else in PostgreSQL")
	}
	source, closeSource, err := openSource(ctx, from, d.Warn)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	defer func() { err = errors.Join(err, closeSource()) }()
	target, closeTarget, err := openTarget(ctx, to)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	defer func() { err = errors.Join(err, closeTarget()) }()
	return move.Run(ctx, source, target, time.Now, d.Tell)
}

// source returns the configuration of what is moved, which is there.
func (d DataMove) source(ctx context.Context) (*Config, error) {
	cfg := createDefaultConfig().(*Config)
	if d.FromDirectory != "" {
		cfg.Directory = d.FromDirectory
	} else {
		said, err := one(ctx, d.From)
		if err != nil {
			return nil, err
		}
		cfg = said
	}
	if cfg.Spans.ClickHouse.HasValue() || cfg.Control.Postgres.HasValue() {
		return nil, errors.New("the configuration must keep spans in DuckDB and all else in SQLite")
	}
	for _, path := range []string{controlPath(cfg), filepath.Join(cfg.Directory, spansDirectory)} {
		if _, err := os.Stat(path); err != nil { // opening it would make it
			return nil, fmt.Errorf("%s is not there: it is no data directory of a collector", path)
		}
	}
	return cfg, nil
}

// one returns the extension of this type that a configuration starts, of which there is one.
func one(ctx context.Context, locations []string) (*Config, error) {
	all, err := configurations(ctx, locations)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return nil, errors.New("the configuration starts several stores")
	}
	return all[0].cfg, nil
}

func openSource(ctx context.Context, cfg *Config, warn func(string)) (s move.Source, shut func() error, err error) {
	engine := duckDBConfig(cfg, func(message string, err error) {
		if err != nil {
			message += ": " + err.Error()
		}
		warn(message)
	})
	spans, err := duckdb.OpenKept(ctx, engine)
	if err != nil {
		return move.Source{}, nil, err
	}
	if n := spans.DamagedPartitions(); n > 0 {
		warn(fmt.Sprintf("%d damaged files of spans were moved away: their spans are not migrated", n))
	}
	control, err := openControl(ctx, cfg)
	if err != nil {
		return move.Source{}, nil, errors.Join(err, spans.Close())
	}
	return move.Source{Spans: spans, Control: control.(*sqldb.DB)}, func() error { return errors.Join(control.Close(), spans.Close()) }, nil
}

func openTarget(ctx context.Context, cfg *Config) (t move.Target, shut func() error, err error) {
	cfg.Spans.ClickHouse.Get().Migrate = string(store.MigrateAuto)
	cfg.Spans.ClickHouse.Get().QueryTimeout = movingQuery
	cfg.Control.Postgres.Get().Migrate = string(store.MigrateAuto)
	spans, err := openClickHouse(ctx, cfg.Spans.ClickHouse.Get())
	if err != nil {
		return move.Target{}, nil, err
	}
	opened, err := openControl(ctx, cfg)
	if err != nil {
		return move.Target{}, nil, errors.Join(err, spans.Close())
	}
	control := opened.(*sqldb.DB)
	backlog, err := sqlbacklog.Open(control, spans, time.Now)
	if err != nil {
		return move.Target{}, nil, errors.Join(err, control.Close(), spans.Close())
	}
	return move.Target{Spans: spans.(store.Destination), Control: control, Backlog: backlog}, func() error {
		backlog.Close()
		return errors.Join(control.Close(), spans.Close())
	}, nil
}
