// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"

	"github.com/touchstone-otel/touchstone/internal/store/clickhouse"
)

// SpansConfig names one engine; without any it is DuckDB.
type SpansConfig struct {
	// DuckDB is the engine within this process.
	DuckDB configoptional.Optional[DuckDBConfig] `mapstructure:"duckdb"`

	// ClickHouse is a server that several processes share.
	ClickHouse configoptional.Optional[ClickHouseConfig] `mapstructure:"clickhouse"`

	_ struct{}
}

// DuckDBConfig is about DuckDB.
type DuckDBConfig struct {
	// MemoryLimitMiB bounds the memory of the engine, in MiB. Default: 192.
	MemoryLimitMiB int64 `mapstructure:"memory_limit_mib"`

	// Threads is how many threads work on one query. More answer a single large
	// query sooner on a machine that has nothing else to do, and make ingest about
	// a quarter more expensive. Default: 1.
	Threads int `mapstructure:"threads"`

	// CheckpointMiB is the size of a write-ahead log, in MiB, at which it is
	// worked into its file: larger takes more memory and a little less disk, stalls
	// writes for longer, and takes longer to recover after a crash. Default: 32.
	CheckpointMiB int64 `mapstructure:"checkpoint_mib"`

	// AttachedFiles is the largest number of files of spans that accept no more
	// spans and are open at once. Files that accept spans do not count. Default: 16.
	AttachedFiles int `mapstructure:"attached_files"`

	// MinFreeMiB is the free disk space, in MiB, below which spans are refused
	// until there is more. Default: 256; 0 refuses only when the disk is full.
	MinFreeMiB int64 `mapstructure:"min_free_mib"`

	_ struct{}
}

// ClickHouseConfig is about ClickHouse, 26.3 or newer.
type ClickHouseConfig struct {
	// DSN is the address of the server with a database that is there, which nothing
	// shows again. Required.
	DSN configopaque.String `mapstructure:"dsn"`

	// MaxConnections bounds the connections of this process. Default: 16.
	MaxConnections int `mapstructure:"max_connections"`

	// Inserts says who puts together what is stored at once: process, each for
	// itself, or server, for many processes. Default: process.
	Inserts string `mapstructure:"inserts"`

	// Durability says what stored spans survive: process, the end of the server's
	// process, disk, a loss of power too, or quorum, the loss of a server of a cluster.
	// Default: process.
	Durability string `mapstructure:"durability"`

	// Cluster is the name by which the servers know one another that share the spans.
	// Default: none, one server has all of them.
	Cluster string `mapstructure:"cluster"`

	// Migrate says what a start does about the schema of the database: auto brings it to
	// that of the release, check refuses another one, off does not look. Default: auto.
	Migrate string `mapstructure:"migrate"`

	// MinFreeMiB is the free space of the server's disk, in MiB, below which it refuses
	// spans; 0 is what the server says. Default: 256.
	MinFreeMiB int64 `mapstructure:"min_free_mib"`

	// QueryTimeout is how long the server works on one query. Default: 1m.
	QueryTimeout time.Duration `mapstructure:"query_timeout"`

	// QueryMemoryMiB bounds the memory of the server for one query, in MiB.
	// Default: 0, what the server says.
	QueryMemoryMiB int64 `mapstructure:"query_memory_mib"`

	// QueryThreads bounds the threads of the server for one query. Default: 0, what
	// the server says.
	QueryThreads int `mapstructure:"query_threads"`

	_ struct{}
}

// What "inserts" and "durability" may be.
const (
	byProcess, byServer = "process", "server"
	ofProcess, ofDisk   = "process", "disk"
	ofQuorum            = "quorum"
)

// duckDB returns what is said of DuckDB, nil if it is not the engine.
func (c *SpansConfig) duckDB() *DuckDBConfig {
	if c.ClickHouse.HasValue() {
		return nil
	}
	said := c.DuckDB // which may be the default, and stays so
	return said.GetOrInsertDefault()
}

// engine returns the name of the engine.
func (c *SpansConfig) engine() string {
	if c.ClickHouse.HasValue() {
		return "clickhouse"
	}
	return "duckdb"
}

// problems names everything that is wrong.
func (c *SpansConfig) problems() (errs []error) {
	if d := c.DuckDB.Get(); d != nil {
		errs = within([]bound{
			{"spans::duckdb::memory_limit_mib", d.MemoryLimitMiB, 128},
			{"spans::duckdb::threads", int64(d.Threads), 1},
			{"spans::duckdb::checkpoint_mib", d.CheckpointMiB, 1},
			{"spans::duckdb::attached_files", int64(d.AttachedFiles), 12},
			{"spans::duckdb::min_free_mib", d.MinFreeMiB, 0},
		})
	}
	h := c.ClickHouse.Get()
	if h == nil {
		return errs
	}
	if c.DuckDB.HasValue() {
		errs = append(errs, errors.New(`"spans::duckdb" and "spans::clickhouse" exclude each other`))
	}
	errs = append(errs, connection("spans::clickhouse", h.DSN, clickhouse.CheckDSN, h.MaxConnections, h.Migrate)...)
	if h.Inserts != byProcess && h.Inserts != byServer {
		errs = append(errs, fmt.Errorf(`"spans::clickhouse::inserts" must be %s or %s`, byProcess, byServer))
	}
	switch {
	case !slices.Contains([]string{ofProcess, ofDisk, ofQuorum}, h.Durability):
		errs = append(errs, fmt.Errorf(`"spans::clickhouse::durability" must be %s, %s or %s`, ofProcess, ofDisk, ofQuorum))
	case h.Durability == ofQuorum && h.Cluster == "":
		errs = append(errs, fmt.Errorf(`"spans::clickhouse::durability" is %s for a cluster alone: name it in "spans::clickhouse::cluster"`, ofQuorum))
	}
	if h.Cluster != "" {
		if err := clickhouse.CheckCluster(h.Cluster); err != nil {
			errs = append(errs, fmt.Errorf(`"spans::clickhouse::cluster": %w`, err))
		}
	}
	if h.QueryTimeout < time.Second {
		errs = append(errs, errors.New(`"spans::clickhouse::query_timeout" must be at least 1s`))
	}
	return append(errs, within([]bound{
		{"spans::clickhouse::min_free_mib", h.MinFreeMiB, 0},
		{"spans::clickhouse::query_memory_mib", h.QueryMemoryMiB, 0},
		{"spans::clickhouse::query_threads", int64(h.QueryThreads), 0},
	})...)
}
