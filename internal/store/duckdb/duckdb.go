// SPDX-License-Identifier: Apache-2.0

// Package duckdb is the embedded store.Engine: a directory of DuckDB
// files, one for each period of arrival and class of retention, opened by one
// process at a time. It has the engine: which partitions there are, how groups are
// committed, and how callers are answered. Its rooms, each importing only those
// above it:
//
//   - internal/sqltext spells values of ours as literals of SQL
//   - internal/tables has columns, rows and their encoding, and the formats' statements
//   - internal/instance is one running DuckDB, its lock and the meaning of its errors
//   - internal/turns says who may write or read when
//   - internal/journal keeps what is acknowledged and not yet committed
//   - internal/sidecar reads and writes the small files beside those of partitions
//   - internal/keyfilter says which spans cannot be in a partition
//   - internal/index is what closed partitions have so that filters need not scan them
//   - internal/recent recognises spans that are sent again
//   - internal/partitions keeps partitions, their files and the connections that use them
//   - internal/statements makes the SQL of queries
//
// See docs/adr/0003-duckdb-one-file-per-period-and-retention.md, docs/adr/0005-acknowledge-after-group-commit.md,
// and docs/adr/0015-duckdb-memory-bounds.md.
package duckdb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/journal"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
)

// connections are those of the pool: of readers, of one who leases, of what a
// writer must know, of checkpoints of closed partitions, and of who drops.
const connections = turns.MostReaders + 5

// Bounds of how many files of partitions that take in no more spans are attached
// at once. The fewest are as many as callers can use at the same time: those who
// read, one for whom no environment is asked, and those who write and check
// point.
const (
	defaultFiles = 32
	fewestFiles  = connections
	// heldShare is the part of the memory that attached files may hold, one in so many.
	heldShare = 4
	// fileIdle is for how long an unused file stays attached.
	fileIdle = time.Minute
)

// indexRows is the number of spans from which on a partition that takes in no more
// gets an index: fewer are scanned as fast.
const indexRows = 20_000

// Config says where the engine keeps its files and what it may use.
type Config struct {
	// Dir is the directory of the store; it is created if need be. Nothing else
	// may be kept in it.
	Dir string
	// MemoryLimit is what DuckDB may use, in bytes. Default 256 MiB.
	MemoryLimit int64
	// Threads is the number of threads that work on one query. Default 1: where there
	// are more, DuckDB's caller waits for the others without rest, and every commit
	// is a query.
	Threads int
	// CheckpointBytes is the size of a write-ahead log at which it is worked
	// into its file. What is in it lies in memory, too, in twice as many bytes: a larger one takes
	// more of that, stalls a write for longer when its time has come, and takes longer to
	// recover; a smaller one has more disk taken. Default 32 MiB.
	CheckpointBytes int64
	// MinFreeBytes is the free space on the disk below which writes are refused
	// as unavailable. Default 256 MiB; negative never refuses.
	MinFreeBytes int64
	// PartitionRows is the number of spans at which a partition is closed before
	// its period is over. Default 500,000.
	PartitionRows int64
	// WindowKeys is how many of the spans stored last are recognised from memory
	// when they are sent again, at most; older ones are looked up. About 43 bytes each.
	// Default 400,000.
	WindowKeys int
	// AttachedFiles is how many files of partitions that take in no more spans are
	// attached at once, at most. Default 32, fewest 12: as many as callers can use
	// at the same time.
	AttachedFiles int
	// Now is the clock. Default time.Now.
	Now func() time.Time
	// What follows is for tests; files is AttachedFiles without a lower bound.
	files         int
	faults        instance.Faults
	reattachBytes int64
	indexRows     int64
	indexRoom     int64         // bytes that are sorted at once for an index
	waitingTime   time.Duration // for how long something waits in the journal; negative has nothing wait
	formats       tables.Formats
	fileIdle      time.Duration
	// What the engine is told by the store: paths of files that are to be read before they
	// are used, and who reads.
	doubted []string
	readers *turns.Readers
	// Report is told of what goes on without a caller who could be told: healed
	// partitions, work that will be tried again. Default: there is no report.
	Report func(message string, err error)
}

func (c Config) withDefaults() Config {
	if c.MemoryLimit <= 0 {
		c.MemoryLimit = 256 << 20
	}
	if c.Threads <= 0 {
		c.Threads = 1
	}
	if c.CheckpointBytes <= 0 {
		c.CheckpointBytes = 32 << 20
	}
	if c.MinFreeBytes == 0 {
		c.MinFreeBytes = 256 << 20
	}
	if c.PartitionRows <= 0 {
		c.PartitionRows = 500_000
	}
	if c.WindowKeys <= 0 {
		c.WindowKeys = 400_000
	}
	if c.AttachedFiles <= 0 {
		c.AttachedFiles = defaultFiles
	}
	c.AttachedFiles = max(c.AttachedFiles, fewestFiles)
	if c.files > 0 {
		c.AttachedFiles = c.files
	}
	if c.fileIdle == 0 {
		c.fileIdle = fileIdle
	}
	if c.reattachBytes == 0 {
		c.reattachBytes = partitions.ReattachBytes
	}
	if c.indexRows == 0 {
		c.indexRows = indexRows
	}
	if c.waitingTime == 0 {
		c.waitingTime = waitingTime
	}
	if c.formats == nil {
		c.formats = tables.KnownFormats()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Report == nil {
		c.Report = func(string, error) {}
	}
	return c
}

// groupBytes returns how many bytes of records go into one commit: what a
// transaction adds lies in memory until it is committed.
func (c Config) groupBytes() int {
	const fewest, most = 1 << 20, 16 << 20
	return int(min(max(c.MemoryLimit/16, fewest), most))
}

// DB is an open store. Its methods may be called concurrently.
type DB struct {
	cfg  Config
	lock *instance.Lock

	queue   turns.Queue      // of writes
	journal *journal.Journal // of the caller that has the write turn
	waiting atomic.Pointer[waiting]
	due     chan struct{} // has a value when something waits whose time is not yet counted
	closing chan struct{} // closed when the store is to be closed
	flusher sync.WaitGroup
	readers *turns.Readers
	overall chan struct{} // the turn of what concerns no single environment
	// dropping is the turn of who drops an environment.
	dropping chan struct{}

	// mu is held for reading by the caller that uses engine, and for writing while it is
	// exchanged.
	mu     sync.RWMutex
	engine *engine // nil when closed, or when opening it again did not work
	closed bool
	ended  atomic.Bool // Close was called
	// upkeep is what goes on behind the answers of writes.
	upkeep sync.WaitGroup

	// attempt is when the engine was last opened again, by the machine's clock.
	attempt time.Time
}

var _ store.Engine = (*DB)(nil)

// Open opens the store in cfg.Dir, or makes one. While another process has it
// open the answer is Unavailable.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	cfg = cfg.withDefaults()
	if cfg.Dir == "" {
		return nil, fault.New(fault.Invalid, "span store: a directory is required")
	}
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("open span store: %w", err)
	}
	cfg.Dir, cfg.readers = dir, turns.NewReaders(cfg.MemoryLimit)
	l, err := instance.LockDirectory(cfg.Dir)
	if err != nil {
		return nil, err
	}
	e, err := openSound(ctx, cfg, nil)
	if err != nil {
		return nil, errors.Join(instance.Classify(cfg.Dir, "open span store", err), l.Release())
	}
	db := &DB{
		cfg: cfg, lock: l, queue: turns.NewQueue(cfg.groupBytes()), readers: cfg.readers, due: make(chan struct{}, 1), closing: make(chan struct{}),
		overall: make(chan struct{}, 1), dropping: make(chan struct{}, 1), engine: e,
	}
	if err := db.openJournal(ctx); err != nil {
		err = instance.Classify(cfg.Dir, "open span store", err)
		if db.engine != nil { // it may have been closed for what it met
			err = errors.Join(err, db.engine.close())
		}
		return nil, errors.Join(err, l.Release())
	}
	db.flusher.Go(db.flushDue)
	return db, nil
}

// openJournal opens the journal, and commits what it has.
func (db *DB) openJournal(ctx context.Context) (err error) {
	var found journal.Found
	if db.journal, found, err = journal.Open(db.cfg.Dir); err != nil {
		return err
	}
	return db.restore(ctx, &found)
}

// AttachedFiles returns how many files of partitions are attached, those that take
// in spans included.
func (db *DB) AttachedFiles() int {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.engine == nil {
		return 0
	}
	return db.engine.files.Attached()
}

// Close ends the engine after the running calls. Safe to call twice.
func (db *DB) Close() error {
	if db.ended.Swap(true) {
		return nil
	}
	close(db.closing)
	db.flusher.Wait()
	if err := db.enter(context.Background()); err != nil {
		db.cfg.Report("what is in the journal could not be committed; it will be when the store is opened again", err)
	} else {
		defer db.queue.Leave()
	}
	db.mu.Lock()
	db.closed = true
	db.mu.Unlock()
	db.upkeep.Wait()
	db.mu.Lock()
	defer db.mu.Unlock()
	var err error
	if db.engine != nil {
		err = db.engine.close()
		db.engine = nil
	}
	return errors.Join(err, db.journal.Close(), db.lock.Release())
}

// FreeBytes returns the space on dir's disk that this process may still use, in
// bytes.
func FreeBytes(dir string) (int64, error) { return instance.FreeBytes(dir) }
