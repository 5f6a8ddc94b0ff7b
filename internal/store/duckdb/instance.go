// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	duck "github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
)

const (
	mainFile     = "store.duckdb" // holds no spans: its lock keeps other processes out
	partitionDir = "spans"
	tempDir      = "tmp"

	// Connections of the pool: those of readers, of one who leases, of what a
	// writer must know, of checkpoints of closed partitions, and of who drops.
	connections = mostReaders + 5
)

// instance is one running DuckDB: connections for queries, and two for whoever
// has the turn to write, who so never waits for those who read.
type instance struct {
	pool   *sql.DB
	own    *sql.Conn // for what a writer must know
	shared mapping.Database
	writer mapping.Connection
	faults faults
}

// faults lets tests make statements fail; nothing fails by itself.
type faults struct {
	// pool may wrap what opens connections.
	pool func(driver.Connector) driver.Connector
	// writer is called before and after each statement of the writer, and what it
	// returns is the statement's error.
	writer func(statement string, done bool) error
	// step is told of the steps of dropping an environment.
	step func(name string)
}

// reached tells tests of a step.
func (f *faults) reached(step string) {
	if f.step != nil {
		f.step(step)
	}
}

// openInstance starts DuckDB on dir. It can then touch no file outside of dir,
// load no extension, and no statement can change that.
func openInstance(ctx context.Context, cfg Config) (*instance, error) {
	path := filepath.Join(cfg.Dir, mainFile)
	options := map[string]string{
		"threads":      strconv.Itoa(cfg.Threads),
		"memory_limit": strconv.FormatInt(cfg.MemoryLimit, 10) + "B",
		// Not by commits, which must either have happened or not: see compact.
		"checkpoint_threshold":         strconv.FormatInt(math.MaxInt64, 10) + "B",
		"temp_directory":               filepath.Join(cfg.Dir, tempDir),
		"preserve_insertion_order":     "false",
		"autoload_known_extensions":    "false",
		"autoinstall_known_extensions": "false",
		"allow_community_extensions":   "false",
		"allow_unsigned_extensions":    "false",
		// No merging of small row groups by checkpoints: it can rewrite the same
		// rows again and again, for several times the cost of the checkpoint.
		"max_vacuum_tasks": "0",
	}
	values := url.Values{}
	for k, v := range options {
		values.Set(k, v)
	}
	in := &instance{faults: cfg.faults}
	duckConnector, err := duck.NewConnector(path+"?"+values.Encode(), nil)
	if err != nil {
		return nil, err
	}
	var connector driver.Connector = duckConnector
	if in.faults.pool != nil {
		connector = in.faults.pool(connector)
	}
	in.pool = sql.OpenDB(connector)
	in.pool.SetMaxOpenConns(connections)
	in.pool.SetMaxIdleConns(connections)
	if in.own, err = in.pool.Conn(ctx); err != nil {
		return nil, errors.Join(err, in.close())
	}
	if err := in.connectWriter(path, options); err != nil {
		return nil, errors.Join(err, in.close())
	}
	for _, set := range []string{
		"SET allowed_directories = [" + sqltext.Quoted(cfg.Dir+string(filepath.Separator)) + "]",
		"SET enable_external_access = false",
		"SET lock_configuration = true",
	} {
		if _, err := in.pool.ExecContext(ctx, set); err != nil {
			return nil, errors.Join(err, in.close())
		}
	}
	return in, os.Chmod(path, 0o600)
}

// connectWriter opens a second handle of the same database, since the driver
// keeps the raw connection of its own to itself.
func (in *instance) connectWriter(path string, options map[string]string) error {
	var config mapping.Config
	if mapping.CreateConfig(&config) == mapping.StateError {
		return errors.New("make config")
	}
	defer mapping.DestroyConfig(&config)
	for name, value := range options {
		if mapping.SetConfig(config, name, value) == mapping.StateError {
			return fmt.Errorf("set %s", name)
		}
	}
	if mapping.SetConfig(config, "duckdb_api", "go") == mapping.StateError {
		return errors.New("set duckdb_api")
	}
	var message string
	if mapping.GetOrCreateFromCache(duck.GetInstanceCache(), path, &in.shared, config, &message) == mapping.StateError {
		return errors.New(message)
	}
	if mapping.Connect(in.shared, &in.writer) == mapping.StateError {
		return errors.New("connect the writer")
	}
	return nil
}

// run executes a statement made by this package on the writer's connection.
func (in *instance) run(statement string) error {
	if in.faults.writer != nil {
		if err := in.faults.writer(statement, false); err != nil {
			return err
		}
	}
	var result mapping.Result
	defer mapping.DestroyResult(&result)
	if mapping.Query(in.writer, statement, &result) == mapping.StateError {
		return errors.New(mapping.ResultError(&result))
	}
	if in.faults.writer != nil {
		return in.faults.writer(statement, true)
	}
	return nil
}

// rollBack ends the writer's transaction. A connection that cannot say that it
// did is given up for a new one, and its transaction goes with it.
func (in *instance) rollBack() error {
	if in.run("ROLLBACK") == nil {
		return nil
	}
	mapping.Disconnect(&in.writer)
	if mapping.Connect(in.shared, &in.writer) == mapping.StateError {
		return errors.New("connect the writer again")
	}
	return nil
}

func (in *instance) close() error {
	if in.writer.Ptr != nil {
		mapping.Disconnect(&in.writer)
	}
	var err error
	if in.own != nil {
		err = in.own.Close()
	}
	err = errors.Join(err, in.pool.Close())
	if in.shared.Ptr != nil {
		mapping.Close(&in.shared)
	}
	return err
}
