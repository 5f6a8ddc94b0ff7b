// SPDX-License-Identifier: Apache-2.0

// Package clickhouse stores spans in ClickHouse: the same engine as DuckDB's to all
// above it, for any number of processes.
//
// See docs/adr/0035-clickhouse-tables.md.
package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/faults"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/totals"
)

// Config says which server the spans are in.
type Config struct {
	// DSN is the address of the server and the name of a database that is there:
	// http://user:password@host:8123/database, https:// or clickhouse:// alike.
	DSN string
	// MaxConnections bounds the connections of this process; 0 is 16.
	MaxConnections int
	// Migration is what is done about the schema of the database.
	Migration store.Migration
	// Now tells the time.
	Now func() time.Time
	// MaxTime is how long a query may take, MaxMemory how many bytes and MaxThreads
	// how many threads of the server; 0 is what the server says.
	MaxTime    time.Duration
	MaxMemory  int64
	MaxThreads int
	// MinFreeBytes is the free space of the server's disk below which it refuses to store
	// rows; 0 is as the server says. A server that comes to the end of its disk within a
	// statement may keep rows that it cannot read, and fail every query that finds them.
	MinFreeBytes int64
	// Grouped leaves it to the server to put inserts of several processes together,
	// which are answered when it has stored them.
	Grouped bool
	// Synced has the server store rows on disk before it answers, so that they survive
	// a loss of power and not only of its process.
	Synced bool
	// Cluster is the name of the servers that share the rows, as they know it; "" is one
	// server alone.
	Cluster string
	// Quorum has a cluster answer when the majority of the replicas of a shard have the
	// rows, so that they survive the loss of a server.
	Quorum bool

	// keepExpired leaves what expired to Expire alone: the clock of tests is not
	// that of the server.
	keepExpired bool
	// alone makes the tables of a cluster on one server, without replicas: the engine of
	// tests knows no other.
	alone bool
}

// DB is a store of spans in ClickHouse. Its methods may be called concurrently,
// under the contract of store.Engine.
type DB struct {
	cfg      Config
	conn     driver.Conn
	database string
	commits
	inserts    inserts
	firstPages firstPages
	totals     totals.Memory
	// partsDenied is that the user may not see which parts there are.
	partsDenied atomic.Bool

	life   sync.RWMutex // held for reading by what is under way
	closed bool
}

var _ store.Engine = (*DB)(nil)

// Open opens the store, on a database that has the schema of this release then, unless
// checks are off.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	options, err := parseDSN(cfg.DSN)
	if err != nil {
		return nil, err
	}
	if cfg.Cluster != "" {
		if err := CheckCluster(cfg.Cluster); err != nil {
			return nil, err
		}
	}
	maps.Copy(options.Settings, settings(&cfg))
	maps.Copy(options.Settings, cfg.shared())
	options.MaxOpenConns = cmp.Or(cfg.MaxConnections, 16)
	options.MaxIdleConns = (options.MaxOpenConns + 1) / 2
	options.Compression = compression(options)
	conn, err := driver.Open(options)
	if err != nil {
		return nil, errDSN // which has a value that the driver does not take
	}
	db := &DB{cfg: cfg, conn: conn, database: cmp.Or(options.Auth.Database, "default")}
	db.arrived = make(chan struct{}, 1)
	db.until, db.end = context.WithCancel(context.Background())
	if err := db.start(ctx); err != nil {
		db.end()
		return nil, errors.Join(err, conn.Close())
	}
	return db, nil
}

var errDSN = fault.New(fault.Invalid, "the DSN of ClickHouse is none: it has the form http://user:password@host:8123/database")

// schemes are those of DSNs: the HTTP interface, and the native protocol.
var schemes = []string{"http", "https", "clickhouse", "tcp"}

// parseDSN reads a DSN. No error says anything of it.
func parseDSN(dsn string) (*driver.Options, error) {
	scheme, _, found := strings.Cut(dsn, "://")
	if !found || !slices.Contains(schemes, scheme) {
		return nil, errDSN
	}
	if scheme == "https" && !strings.Contains(dsn, "secure=") { // which the driver asks for
		separator := "?"
		if strings.Contains(dsn, separator) {
			separator = "&"
		}
		dsn += separator + "secure=true"
	}
	options, err := driver.ParseDSN(dsn)
	if err != nil {
		return nil, errDSN
	}
	return options, nil
}

// compression returns how what is sent to the server and back is compressed: as the DSN says
// or, where it says nothing, by LZ4, but not to this machine, where to compress takes longer
// than to send.
func compression(options *driver.Options) *driver.Compression {
	switch {
	case options.Compression != nil:
		return options.Compression
	case slices.ContainsFunc(options.Addr, elsewhere):
		return &driver.Compression{Method: driver.CompressionLZ4}
	}
	return &driver.Compression{Method: driver.CompressionNone}
}

// elsewhere reports whether the host of an address may be another machine.
func elsewhere(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback())
}

// CheckDSN reports what is wrong with a DSN, without any of it.
func CheckDSN(dsn string) error {
	_, err := parseDSN(dsn)
	return err
}

func (db *DB) start(ctx context.Context) error {
	v, err := db.conn.ServerVersion()
	if err != nil {
		return faults.Refusal(err)
	}
	if err := faults.CheckVersion(v.Version.Major, v.Version.Minor); err != nil {
		return err
	}
	switch db.cfg.Migration {
	case store.MigrateOff:
		return nil
	case store.MigrateCheck:
		return db.check(ctx)
	}
	return db.migrate(ctx)
}

// Ping asks the server whether it is there.
func (db *DB) Ping(ctx context.Context) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := db.conn.Ping(ctx); err != nil {
		return faults.Of("look whether it is there", err)
	}
	return nil
}

// groupedFor and groupedBytes bound what the server puts together.
const (
	groupedFor   = 200 * time.Millisecond
	groupedBytes = 64 << 20
)

// oneMoment is the setting by which a statement that reads a table twice reads the same parts.
const oneMoment = "enable_shared_storage_snapshot_in_query"

// settings are those that the store relies on, whatever the server's are.
func settings(cfg *Config) driver.Settings {
	s := driver.Settings{
		"async_insert":                                0,
		"precise_float_parsing":                       1, // as Go parses
		"join_use_nulls":                              0,
		"transform_null_in":                           0,
		"max_query_size":                              64 << 20,
		"max_ast_elements":                            2_000_000,
		"max_expanded_ast_elements":                   4_000_000,
		"max_parser_depth":                            10_000,
		"use_skip_indexes_if_final":                   1,
		"use_skip_indexes_if_final_exact_mode":        1, // another version of a row may be where the index does not look
		"query_plan_direct_read_from_text_index":      0, // it fails where a part from before the index is read
		oneMoment:                                     1,
		"optimize_on_insert":                          0, // rows of a commit have a key once, and FINAL puts them together with others
		"mutations_sync":                              2,
		"insert_null_as_default":                      0,
		"max_partitions_per_insert_block":             100,
		"do_not_merge_across_partitions_select_final": 0, // a span may be in two after its retention was changed
	}
	if cfg.Grouped {
		s["async_insert"], s["wait_for_async_insert"] = 1, 1
		s["async_insert_busy_timeout_max_ms"], s["async_insert_max_data_size"] = groupedFor.Milliseconds(), groupedBytes
	}
	if cfg.MinFreeBytes > 0 {
		s["min_free_disk_bytes_to_perform_insert"] = cfg.MinFreeBytes
	}
	if cfg.MaxTime > 0 {
		s["max_execution_time"] = int(max(cfg.MaxTime/time.Second, 1))
	}
	if cfg.MaxMemory > 0 {
		s["max_memory_usage"] = cfg.MaxMemory
	}
	if cfg.MaxThreads > 0 {
		s["max_threads"] = cfg.MaxThreads
	}
	return s
}

// enter begins a call, which ends with the function that it returns.
func (db *DB) enter(ctx context.Context) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	db.life.RLock()
	if db.closed {
		db.life.RUnlock()
		return nil, fault.New(fault.Unavailable, "the span store is closed")
	}
	return db.life.RUnlock, nil
}

// Close implements store.Engine.
func (db *DB) Close() error {
	defer db.end()
	defer time.AfterFunc(closeTime, db.end).Stop()
	db.life.Lock()
	defer db.life.Unlock()
	if db.closed {
		return nil
	}
	db.closed = true
	return db.conn.Close()
}

// moreThanAsked is by how much the client lets the server work for longer than its caller
// waits, whatever its settings say.
const moreThanAsked = 5 * time.Second

// limited returns a context in which the server works on a query for MaxTime at most. The
// client would have it work until ctx ends, which cancels it all the same.
func (cfg *Config) limited(ctx context.Context) context.Context {
	if end, ends := ctx.Deadline(); ends && cfg.MaxTime > 0 && time.Until(end)+moreThanAsked > cfg.MaxTime {
		return endless{ctx}
	}
	return ctx
}

// endless is a context that does not say when it ends.
type endless struct{ context.Context } //nolint:containedctx // it is one

func (endless) Deadline() (end time.Time, ends bool) { return time.Time{}, false }

// each calls f for every row that a query answers.
func (db *DB) each(ctx context.Context, doing, query string, f func(scan func(into ...any) error) error) (err error) {
	rows, err := db.conn.Query(db.cfg.limited(ctx), query)
	if err != nil {
		return faults.Of(doing, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
	}
	if err := rows.Err(); err != nil {
		return faults.Of(doing, err)
	}
	return nil
}

// rows returns what a query answers, which has these columns.
func rows[R any](ctx context.Context, db *DB, doing string, columns []column[R], query string) (list []*R, err error) {
	d := newReader(columns)
	err = db.each(ctx, doing, query, func(scan func(into ...any) error) error {
		r, err := d.read(scan)
		list = append(list, r)
		return err
	})
	return list, err
}

// number returns the one number that a query answers, 0 if it answers nothing.
func (db *DB) number(ctx context.Context, doing, query string) (n int64, err error) {
	err = db.each(ctx, doing, query, func(scan func(into ...any) error) error { return scan(&n) })
	return n, err
}
