// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Config is what config.yaml says of the extension.
type Config struct {
	// Directory holds all data that no server holds. It is made if it is not there,
	// and belongs to one process at a time. Default: ./data.
	Directory string `mapstructure:"directory"`

	// BackupDirectory is where backups are made, each a directory that is named
	// after it. Default: backups in Directory; one on another disk survives the loss
	// of this one.
	BackupDirectory string `mapstructure:"backup_directory"`

	// Spans is about the engine that keeps spans and evaluations. Default: DuckDB.
	Spans SpansConfig `mapstructure:"spans"`

	// Control is about the engine that keeps organizations, keys, setups and
	// evaluators of users. Default: SQLite.
	Control ControlConfig `mapstructure:"control"`

	// ExpireInterval is the time between two rounds in which the space of spans
	// past their retention is given back. Such spans are invisible before that.
	// Default: 10m.
	ExpireInterval time.Duration `mapstructure:"expire_interval"`

	// RefreshInterval is the time between two looks at whether another process
	// wrote to the control store: how long its setups may stay unknown here, and
	// keys that it revoked work. Default: 500ms.
	RefreshInterval time.Duration `mapstructure:"refresh_interval"`

	// Queries bound what callers of the API ask of the span engine.
	Queries QueriesConfig `mapstructure:"queries"`

	// Quotas are what an environment may take where its own quota does not say
	// anything. Default: no bound.
	Quotas QuotasConfig `mapstructure:"quotas"`

	_ struct{}
}

// QueriesConfig bounds what callers of the API ask of the span engine, each
// environment for itself. How much a query reads is estimated before it runs.
type QueriesConfig struct {
	// Timeout is how long one query may take, waiting apart. Default: 20s.
	Timeout time.Duration `mapstructure:"timeout"`

	// SearchTime is how long one search for spans in the order of their start looks
	// through texts, waiting included; then it answers what it has found, with a cursor
	// that goes on. Default: 10s.
	SearchTime time.Duration `mapstructure:"search_time"`

	// MaxSpans is how many spans one query may look at. Default: 0, no bound.
	MaxSpans int64 `mapstructure:"max_spans"`

	// MaxMiB is how many MiB one query may read. Default: 65536; 0 is no bound.
	MaxMiB int64 `mapstructure:"max_mib"`

	// ExpensiveMiB is from how many MiB on a query is expensive. Default: 256; 0
	// is never.
	ExpensiveMiB int64 `mapstructure:"expensive_mib"`

	// MiBPerSecond is how many MiB a second the queries of one environment read that
	// are not expensive, while another environment asks or sends; who would read more
	// waits. Default: 512; 0 is no bound.
	MiBPerSecond int64 `mapstructure:"mib_per_second"`

	// AtOnce is how many queries of one environment run that are not expensive; of
	// expensive ones one does. Default: 2.
	AtOnce int `mapstructure:"at_once"`

	// ExpensiveAtOnce is how many expensive queries of all environments run.
	// Default: 1.
	ExpensiveAtOnce int `mapstructure:"expensive_at_once"`

	// Waiting is how many queries of one environment wait for others of it.
	// Default: 32.
	Waiting int `mapstructure:"waiting"`

	// Wait is how long a query waits for others. Default: 10s.
	Wait time.Duration `mapstructure:"wait"`

	_ struct{}
}

func (c *QueriesConfig) limits() queries.Limits {
	return queries.Limits{
		Timeout: c.Timeout, Search: c.SearchTime, Spans: c.MaxSpans, Bytes: c.MaxMiB * mib, Expensive: c.ExpensiveMiB * mib,
		PerSecond: c.MiBPerSecond * mib, AtOnce: c.AtOnce, ExpensiveAtOnce: c.ExpensiveAtOnce, Waiting: c.Waiting, Wait: c.Wait,
	}
}

// QuotasConfig is what one environment may take; 0 is no bound.
type QuotasConfig struct {
	// SpansPerSecond is how many spans, log records and data points it may send.
	// Default: 0.
	SpansPerSecond int64 `mapstructure:"spans_per_second"`

	// BytesPerSecond is how many bytes of telemetry, unpacked. Default: 0.
	BytesPerSecond int64 `mapstructure:"bytes_per_second"`

	// ConcurrentQueries is how many requests to the API it may have under way.
	// Default: 16.
	ConcurrentQueries int64 `mapstructure:"concurrent_queries"`

	// StoredBytes is how much it may have stored, on disk. Default: 0.
	StoredBytes int64 `mapstructure:"stored_bytes"`

	// OwedEvaluations is how many of its evaluations may wait. Default: 0.
	OwedEvaluations int64 `mapstructure:"owed_evaluations"`

	// DollarsPerDay is what models may cost from 00:00 UTC on. Default: 0.
	DollarsPerDay float64 `mapstructure:"dollars_per_day"`

	_ struct{}
}

func (c *QuotasConfig) quota() tenant.Quota {
	return tenant.Quota{
		SpansPerSecond: c.SpansPerSecond, BytesPerSecond: c.BytesPerSecond, ConcurrentQueries: c.ConcurrentQueries,
		StoredBytes: c.StoredBytes, OwedEvaluations: c.OwedEvaluations, DollarsPerDay: c.DollarsPerDay,
	}
}

// local reports whether anything is kept in the directory.
func (c *Config) local() bool {
	return c.Spans.DuckDB.HasValue() || !c.Spans.ClickHouse.HasValue() || !c.Control.Postgres.HasValue() && c.Control.path() == ""
}

func (c *Config) backupDirectory() string {
	if c.BackupDirectory != "" {
		return c.BackupDirectory
	}
	return filepath.Join(c.Directory, "backups")
}

// maxMiB keeps byte counts within an int64, generously.
const maxMiB = 1 << 30

// maxDollars is more than a day of any model costs.
const maxDollars = 1e9

// minRefresh keeps the asking from being felt.
const minRefresh = 100 * time.Millisecond

// bound says of a setting how small it may be.
type bound struct {
	key        string
	value, min int64
}

// within names the settings that are not within their bounds.
func within(list []bound) (errs []error) {
	for _, b := range list {
		if b.value < b.min || b.value > maxMiB {
			errs = append(errs, fmt.Errorf("%q must be from %d to %d", b.key, b.min, maxMiB))
		}
	}
	return errs
}

// Validate names everything that is wrong.
func (c *Config) Validate() error {
	var errs []error
	if c.Directory == "" && c.local() {
		errs = append(errs, errors.New(`"directory" is required`))
	}
	spans := filepath.Join(c.Directory, spansDirectory)
	if inside, err := filepath.Rel(spans, c.backupDirectory()); err == nil && filepath.IsLocal(inside) {
		errs = append(errs, fmt.Errorf(`"backup_directory" must not be in %s`, spans))
	}
	errs = append(errs, c.Spans.problems()...)
	errs = append(errs, within([]bound{
		{"queries::max_spans", c.Queries.MaxSpans, 0},
		{"queries::max_mib", c.Queries.MaxMiB, 0},
		{"queries::expensive_mib", c.Queries.ExpensiveMiB, 0},
		{"queries::mib_per_second", c.Queries.MiBPerSecond, 0},
		{"queries::at_once", int64(c.Queries.AtOnce), 1},
		{"queries::expensive_at_once", int64(c.Queries.ExpensiveAtOnce), 1},
		{"queries::waiting", int64(c.Queries.Waiting), 1},
		{"quotas::spans_per_second", c.Quotas.SpansPerSecond, 0},
		{"quotas::bytes_per_second", c.Quotas.BytesPerSecond, 0},
		{"quotas::concurrent_queries", c.Quotas.ConcurrentQueries, 0},
		{"quotas::stored_bytes", c.Quotas.StoredBytes >> 20, 0},
		{"quotas::owed_evaluations", c.Quotas.OwedEvaluations, 0},
	})...)
	if !(c.Quotas.DollarsPerDay >= 0 && c.Quotas.DollarsPerDay <= maxDollars) {
		errs = append(errs, fmt.Errorf(`"quotas::dollars_per_day" must be from 0 to %.0f`, maxDollars))
	}
	if c.Queries.Timeout <= 0 {
		errs = append(errs, errors.New(`"queries::timeout" must be positive`))
	}
	if c.Queries.SearchTime <= 0 {
		errs = append(errs, errors.New(`"queries::search_time" must be positive`))
	}
	if c.Queries.Wait <= 0 {
		errs = append(errs, errors.New(`"queries::wait" must be positive`))
	}
	errs = append(errs, c.Control.problems()...)
	if c.ExpireInterval < time.Second {
		errs = append(errs, errors.New(`"expire_interval" must be at least 1s`))
	}
	if c.RefreshInterval < minRefresh {
		errs = append(errs, fmt.Errorf(`"refresh_interval" must be at least %s`, minRefresh))
	}
	return errors.Join(errs...)
}
