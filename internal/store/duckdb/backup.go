// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/touchstone-otel/touchstone/internal/durable"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
)

// A backup is a directory of files as they were at one moment, while writes waited.
// What can be is copied before that: in rounds, each of the files that changed since
// the round before, until little is left. A partition that takes in spans takes in no
// more when a backup begins and when it ends, so that its file can be closed.

const (
	// backupRounds is how often files are copied before writes wait for the rest, at
	// most.
	backupRounds = 5
	// backupLeft is how many bytes writes wait for, if that is to be had in so many
	// rounds.
	backupLeft = 64 << 20
	// backupTries is how often files that are in use are waited for, a moment
	// each, while writes wait.
	backupTries = 10
	// backupPatience is that moment.
	backupPatience = time.Second
)

// BackupProgress tells how far a backup is.
type BackupProgress struct {
	// Files is how many files of spans it has by now, and Bytes their size.
	Files, Bytes int64
	// Total is how many bytes there were to copy when it began, about.
	Total int64
}

// Backup copies the store as it is at one moment before the call ends into a
// directory, which is made and must not be there. It holds everything that was
// written before that moment and nothing that was written after it, and is itself the
// directory of a store that can be opened. What is on its way there is told. An
// environment that is being dropped waits meanwhile. After an error the directory may
// be there, and is of no use.
//
// It answers Unavailable where the disk has no room, or where a file is always in use.
func (db *DB) Backup(ctx context.Context, dir string, tell func(BackupProgress)) (moment time.Time, err error) {
	select {
	case db.dropping <- struct{}{}:
		defer func() { <-db.dropping }()
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
	b := &backup{db: db, into: filepath.Join(dir, instance.PartitionDir), tell: tell, copies: map[int64]backupCopy{}}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return time.Time{}, instance.Classify(db.cfg.Dir, "make a backup", err)
	}
	if err := os.Mkdir(b.into, 0o700); err != nil {
		return time.Time{}, instance.Classify(db.cfg.Dir, "make a backup", err)
	}
	moment, err = b.make(ctx)
	b.indexRotated()
	return moment, instance.Classify(db.cfg.Dir, "make a backup", err)
}

// backup is one call of Backup.
type backup struct {
	db   *DB
	into string
	tell func(BackupProgress)

	engine   *engine // that the copies were made of
	copies   map[int64]backupCopy
	rotated  []*partitions.Partition // of the engine
	progress BackupProgress
}

// backupCopy is what was copied of a partition.
type backupCopy struct {
	partition *partitions.Partition
	changes   int64 // that the copy has
	bytes     int64
}

func (b *backup) make(ctx context.Context) (time.Time, error) {
	for round := range backupRounds {
		left, err := b.begin(ctx, round == 0)
		if err != nil {
			return time.Time{}, err
		}
		if round == 0 {
			b.progress.Total = bytesOf(left)
			b.tell(b.progress)
		}
		few := bytesOf(left) <= backupLeft
		for _, p := range left {
			if err == nil && !few {
				err = b.copyWhileWriting(ctx, p)
			}
			p.Release()
		}
		if err != nil {
			return time.Time{}, err
		}
		if few {
			break
		}
	}
	for try := 1; ; try++ {
		moment, done, err := b.end(ctx)
		if done || err != nil {
			return moment, err
		}
		if try == backupTries {
			return time.Time{}, fault.New(fault.Unavailable, "make a backup: a file of the span store is always in use")
		}
	}
}

// begin returns the partitions of which there is no copy, or an older one, each to be
// released. With rotate those that take in spans are among them, and take in no more.
func (b *backup) begin(ctx context.Context, rotate bool) ([]*partitions.Partition, error) {
	if err := b.db.enter(ctx); err != nil {
		return nil, err
	}
	defer b.db.queue.Leave()
	e, err := b.db.running(ctx)
	if err != nil {
		return nil, err
	}
	defer b.db.mu.RUnlock()
	return b.left(e, rotate)
}

// left is begin, for the caller that has the write turn.
func (b *backup) left(e *engine, rotate bool) ([]*partitions.Partition, error) {
	if b.engine != e { // opened again: its partitions count their changes again
		for serial := range b.copies {
			if err := b.forget(serial); err != nil {
				return nil, err
			}
		}
		b.engine, b.rotated = e, nil
	}
	if rotate {
		b.rotated = append(b.rotated, e.rotate()...)
	}
	all := e.holdAll()
	there := map[int64]bool{}
	var left []*partitions.Partition
	for _, p := range all {
		there[p.Serial] = true
		c, found := b.copies[p.Serial]
		if e.current[p.Class] == p || found && c.changes == p.Changes() {
			p.Release()
			continue
		}
		left = append(left, p)
	}
	for serial := range b.copies {
		if there[serial] {
			continue
		}
		if err := b.forget(serial); err != nil { // past its retention
			for _, p := range left {
				p.Release()
			}
			return nil, err
		}
	}
	return left, nil
}

// copyWhileWriting copies a partition, unless another call uses its file all the
// time: then a later round does.
func (b *backup) copyWhileWriting(ctx context.Context, p *partitions.Partition) error {
	b.db.mu.RLock()
	defer b.db.mu.RUnlock()
	switch {
	case b.db.closed:
		return fault.New(fault.Unavailable, "the span store is closed")
	case b.db.engine != b.engine || b.engine.files.IsSuspect():
		return nil // it is being opened again
	}
	_, err := b.copy(ctx, p)
	return err
}

// end copies what changed since it was copied while writes wait, and reports whether
// that is all there was to copy.
func (b *backup) end(ctx context.Context) (moment time.Time, done bool, err error) {
	if err := b.db.enter(ctx); err != nil {
		return time.Time{}, false, err
	}
	defer b.db.queue.Leave()
	e, err := b.db.running(ctx)
	if err != nil {
		return time.Time{}, false, err
	}
	defer b.db.mu.RUnlock()
	moment = b.db.cfg.Now()
	left, err := b.left(e, true)
	done = true
	for _, p := range left {
		if err == nil {
			var copied bool
			copied, err = b.copy(ctx, p)
			done = done && copied
		}
		p.Release()
	}
	if err != nil || !done {
		return time.Time{}, false, err
	}
	return moment, true, errors.Join(durable.Directory(b.into), durable.Directory(filepath.Dir(b.into)))
}

// copy copies a partition, and reports whether its file was to be had.
func (b *backup) copy(ctx context.Context, p *partitions.Partition) (bool, error) {
	size, err := p.Size()
	if err != nil {
		return false, err
	}
	free, err := instance.FreeBytes(b.into)
	if err != nil {
		return false, err
	}
	if free < size+max(b.db.cfg.MinFreeBytes, 0) {
		return false, fault.New(fault.Unavailable, "the disk of the backup has no room for a file of %d MiB", size>>20)
	}
	changes, done, err := b.engine.files.Backup(ctx, p, b.into, backupPatience)
	if !done || err != nil {
		return false, err
	}
	b.progress.Bytes += size - b.copies[p.Serial].bytes
	b.copies[p.Serial] = backupCopy{partition: p, changes: changes, bytes: size}
	b.progress.Files = int64(len(b.copies))
	b.progress.Total = max(b.progress.Total, b.progress.Bytes)
	b.tell(b.progress)
	return true, nil
}

// forget removes the copy of a partition.
func (b *backup) forget(serial int64) error {
	c := b.copies[serial]
	delete(b.copies, serial)
	b.progress.Bytes -= c.bytes
	return partitions.RemoveBackup(c.partition.Label, b.into)
}

// rotate lets the partitions that take in spans take in no more, but for those that
// have none, and returns them, for the caller that has the write turn.
func (e *engine) rotate() (list []*partitions.Partition) {
	for class, p := range e.current {
		if len(p.EnvironmentsByCode()) == 0 {
			continue
		}
		delete(e.current, class)
		p.Dictionaries.Forget()
		e.keys.Close(p)
		e.files.Adopt(p)
		list = append(list, p)
	}
	return list
}

// indexRotated has the indexes made of what was closed for the backup, now that no one
// waits for these files. An engine that was opened again makes them by itself.
func (b *backup) indexRotated() {
	b.db.mu.RLock()
	defer b.db.mu.RUnlock()
	if !b.db.closed && b.engine != nil && b.db.engine == b.engine {
		b.engine.indexLater(b.rotated...)
	}
}

// bytesOf returns the size of the files of partitions.
func bytesOf(list []*partitions.Partition) (sum int64) {
	for _, p := range list {
		if size, err := p.Size(); err == nil { // one that is not there is noticed when it is copied
			sum += size
		}
	}
	return sum
}
