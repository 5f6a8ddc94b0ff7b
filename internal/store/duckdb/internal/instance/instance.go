// SPDX-License-Identifier: Apache-2.0

// Package instance is one running DuckDB on the directory of a store: its lock, its
// settings, its connections, the meaning of its errors, and the space on its disk.
package instance

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

// What is in the directory of a store.
const (
	PartitionDir = "spans"        // the files of partitions
	mainFile     = "store.duckdb" // holds no spans: its lock keeps other processes out
	tempDir      = "tmp"
)

// Options say where a running DuckDB keeps its files and what it may use.
type Options struct {
	Dir         string // absolute
	MemoryLimit int64  // bytes
	Threads     int    // of one query
	Connections int    // of the pool
	Faults      Faults
}

// Instance is one running DuckDB: connections for queries, and two for the caller that
// has the turn to write, who so never waits for those who read.
type Instance struct {
	// Pool has the connections of all but a caller that writes.
	Pool   *sql.DB
	keep   bool
	own    *sql.Conn // for what a writer must know
	shared mapping.Database
	writer mapping.Connection
	faults Faults

	memoryLimit int64 // bytes
	asker       *sql.DB
	memory      map[Use]*sql.Stmt
}

// Faults lets tests make statements fail; nothing fails by itself.
type Faults struct {
	// Pool may wrap what opens connections.
	Pool func(driver.Connector) driver.Connector
	// Writer is called before and after each statement of the writer, and what it
	// returns is the statement's error.
	Writer func(statement string, done bool) error
	// Step is told of the steps of dropping an environment, and of those of the journal.
	Step func(name string)
}

// Reached tells tests that a step was done.
func (f *Faults) Reached(step string) {
	if f.Step != nil {
		f.Step(step)
	}
}

// Reached tells tests that a step was done.
func (in *Instance) Reached(step string) { in.faults.Reached(step) }

// Open starts DuckDB on o.Dir. It can then touch no file outside of it, load no
// extension, and no statement can change that, nor any setting but the limit of memory: see
// https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview. The
// names of the settings are those of
// https://duckdb.org/docs/stable/configuration/overview.
func Open(ctx context.Context, o Options) (*Instance, error) {
	path := filepath.Join(o.Dir, mainFile)
	options := map[string]string{
		"threads":      strconv.Itoa(o.Threads),
		"memory_limit": strconv.FormatInt(o.MemoryLimit, 10) + "B",
		// Not by commits, which must either have happened or not: the engine asks for it.
		"checkpoint_threshold":         strconv.FormatInt(math.MaxInt64, 10) + "B",
		"temp_directory":               filepath.Join(o.Dir, tempDir),
		"preserve_insertion_order":     "false",
		"autoload_known_extensions":    "false",
		"autoinstall_known_extensions": "false",
		"allow_community_extensions":   "false",
		"allow_unsigned_extensions":    "false",
		// No merging of small row groups by checkpoints: it can rewrite the same
		// rows again and again, for several times the cost of the checkpoint.
		"max_vacuum_tasks": "0",
		// A large insert, as the copy of a file is, keeps so many whole row groups in memory
		// before it writes them: 41,000 rows.
		"write_buffer_row_group_count": "2",
	}
	values := url.Values{}
	for k, v := range options {
		values.Set(k, v)
	}
	in := &Instance{faults: o.Faults, memoryLimit: o.MemoryLimit}
	duckConnector, err := duck.NewConnector(path+"?"+values.Encode(), nil)
	if err != nil {
		return nil, Blame(path, err)
	}
	var connector driver.Connector = duckConnector
	if in.faults.Pool != nil {
		connector = in.faults.Pool(connector)
	}
	in.Pool = sql.OpenDB(connector)
	in.Pool.SetMaxOpenConns(o.Connections)
	in.Pool.SetMaxIdleConns(o.Connections)
	if in.own, err = in.Pool.Conn(ctx); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if err := in.prepareMemory(ctx, duckConnector); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if err := in.connectWriter(path, options); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	for _, set := range []string{
		"SET allowed_directories = [" + sqltext.Quoted(o.Dir+string(filepath.Separator)) + "]",
		"SET enable_external_access = false",
		// Of which GiveBack makes use.
		"SET allowed_configs = ['memory_limit']",
		"SET lock_configuration = true",
	} {
		if _, err := in.Pool.ExecContext(ctx, set); err != nil {
			return nil, errors.Join(err, in.Close())
		}
	}
	return in, os.Chmod(path, 0o600)
}

// connectWriter opens a second handle of the same database, since the driver
// keeps the raw connection of its own to itself.
func (in *Instance) connectWriter(path string, options map[string]string) error {
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

// Own returns the connection of the caller that has the write turn, which no other call
// else uses: a new one after GiveUpOwn.
func (in *Instance) Own(ctx context.Context) (*sql.Conn, error) {
	if in.own == nil {
		conn, err := in.Pool.Conn(ctx)
		if err != nil {
			return nil, err
		}
		in.own = conn
	}
	return in.own, nil
}

// GiveUpOwn makes the next Own open another connection: for when it was closed.
func (in *Instance) GiveUpOwn() { in.own = nil }

// Writer returns the connection for rows that are appended, on which Run
// executes its statements.
func (in *Instance) Writer() mapping.Connection { return in.writer }

// Run executes a statement in which nothing is written by users on the writer's connection.
func (in *Instance) Run(statement string) error {
	if in.faults.Writer != nil {
		if err := in.faults.Writer(statement, false); err != nil {
			return err
		}
	}
	var result mapping.Result
	defer mapping.DestroyResult(&result)
	if mapping.Query(in.writer, statement, &result) == mapping.StateError {
		return errors.New(mapping.ResultError(&result))
	}
	if in.faults.Writer != nil {
		return in.faults.Writer(statement, true)
	}
	return nil
}

// Use is what memory is used for. See
// https://duckdb.org/docs/stable/sql/meta/duckdb_table_functions#duckdb_memory
type Use string

// What memory is asked for: indexes, which the engine has loaded and gives up with their
// file alone, and tables that are in no file.
const (
	ForIndexes Use = "ART_INDEX"
	ForTables  Use = "IN_MEMORY_TABLE"
)

// prepareMemory prepares the statements of Memory. A parameter would have the engine plan them
// each time, which is most of the work.
func (in *Instance) prepareMemory(ctx context.Context, connector driver.Connector) error {
	in.asker, in.memory = sql.OpenDB(connector), make(map[Use]*sql.Stmt)
	in.asker.SetMaxOpenConns(1)
	for _, use := range []Use{ForIndexes, ForTables} {
		stmt, err := in.asker.PrepareContext(ctx, "SELECT memory_usage_bytes FROM duckdb_memory() WHERE tag = "+sqltext.Quoted(string(use))) //nolint:gosec,sqlclosecheck // of one of two constants, and closed with the pool
		if err != nil {
			return err
		}
		in.memory[use] = stmt
	}
	return nil
}

// Memory returns how much memory the engine has for a use, in bytes.
func (in *Instance) Memory(ctx context.Context, use Use) (bytes int64, err error) {
	err = in.memory[use].QueryRowContext(ctx).Scan(&bytes)
	return bytes, err
}

// GiveBack gives memory that was freed back to the system. The engine's allocator keeps it
// for later and gives it back while a thread of the scheduler rests, and with one thread
// a query there is none; it does so, too, when the limit is set, if only to what it is.
func (in *Instance) GiveBack(ctx context.Context) error { return in.limit(ctx, in.memoryLimit) }

// GiveBackAll gives back what blocks of files take in memory, too. No one else may be using the
// engine: it has no memory to work with meanwhile.
func (in *Instance) GiveBackAll(ctx context.Context) error {
	const little = 1 << 20
	ctx = context.WithoutCancel(ctx)
	if err := in.limit(ctx, little); err != nil && !OutOfMemory(err) {
		return err
	}
	return in.GiveBack(ctx)
}

func (in *Instance) limit(ctx context.Context, bytes int64) error {
	_, err := in.Pool.ExecContext(ctx, "SET memory_limit = '"+strconv.FormatInt(bytes, 10)+"B'")
	return err
}

// RollBack ends the writer's transaction. A connection that cannot say that it
// did is given up for a new one, and its transaction goes with it.
func (in *Instance) RollBack() error {
	if in.Run("ROLLBACK") == nil {
		return nil
	}
	mapping.Disconnect(&in.writer)
	if mapping.Connect(in.shared, &in.writer) == mapping.StateError {
		return errors.New("connect the writer again")
	}
	return nil
}

// KeepFiles has Close leave the files of what is attached as they are: it works no
// log into them. Neither what a damaged file still has nor what is sound in one may be
// written over with what is doubtful in memory.
func (in *Instance) KeepFiles() { in.keep = true }

// Close ends all connections, and with them the running DuckDB.
func (in *Instance) Close() error {
	if in.keep {
		// https://duckdb.org/docs/stable/configuration/pragmas#checkpointing
		if _, err := in.Pool.ExecContext(context.Background(), "PRAGMA disable_checkpoint_on_shutdown"); err != nil && !Invalidated(err) {
			return errors.Join(err, in.closeAll())
		}
	}
	return in.closeAll()
}

func (in *Instance) closeAll() error {
	if in.writer.Ptr != nil {
		mapping.Disconnect(&in.writer)
	}
	var err error
	if in.own != nil {
		err = in.own.Close()
	}
	err = errors.Join(err, in.Pool.Close())
	if in.asker != nil {
		err = errors.Join(err, in.asker.Close())
	}
	if in.shared.Ptr != nil {
		mapping.Close(&in.shared)
	}
	return err
}
