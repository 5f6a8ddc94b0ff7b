// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
)

// Write stores a batch, what belongs to one class of retention in one commit.
func (db *DB) Write(ctx context.Context, b store.Batch) (store.Written, error) {
	if b.Rows() == 0 {
		return store.Written{}, ctx.Err()
	}
	r := turns.NewRequest(b)
	err := db.submit(ctx, r)
	return store.Written{Replaced: r.Replaced}, err
}

func (db *DB) submit(ctx context.Context, r *turns.Request) error {
	working := context.WithoutCancel(ctx)
	return db.queue.Submit(ctx, r,
		func(group []*turns.Request) { db.commit(working, group) },
		func() { db.endTurn(working) })
}

// commit writes what the requests of a group want, or has it wait in the journal, and
// fills in their errors.
func (db *DB) commit(ctx context.Context, group []*turns.Request) {
	if db.postpone(ctx, group) {
		return
	}
	err := db.flushNow(ctx)
	if err == nil {
		err = db.checkFreeSpace()
	}
	if err == nil {
		db.commitNow(ctx, group)
		return
	}
	for _, r := range group {
		r.Err = err
	}
}

// commitNow writes what the requests of a group want, and fills in their errors.
// When memory is short it does so again while there is no reader, in ever smaller
// parts: a caller is refused only when even one record is too much. What is in logs is
// worked into the files before: it is held in memory, also by an engine opened again.
func (db *DB) commitNow(ctx context.Context, group []*turns.Request) {
	db.commitOnce(ctx, group)
	if !instance.OutOfMemory(group[0].Err) {
		db.classifyAll(group)
		return
	}
	if leave, err := db.enterAlone(ctx, db.readers.Patience.Writer); err == nil {
		defer leave()
	}
	db.relieve(ctx)
	db.commitParts(ctx, group)
	db.classifyAll(group)
}

func (db *DB) classifyAll(group []*turns.Request) {
	for _, r := range group {
		r.Err = instance.Classify(db.cfg.Dir, "write spans", r.Err)
	}
}

// commitParts commits a group or, if memory is too short for that, its halves.
func (db *DB) commitParts(ctx context.Context, group []*turns.Request) {
	db.commitOnce(ctx, group)
	if !instance.OutOfMemory(group[0].Err) {
		return
	}
	if n := len(group); n > 1 {
		db.commitParts(ctx, group[:n/2])
		db.commitParts(ctx, group[n/2:])
		return
	}
	parts := group[0].Halves()
	if len(parts) == 1 {
		return
	}
	for _, part := range parts {
		db.commitParts(ctx, []*turns.Request{part})
	}
	group[0].Adopt(parts)
}

// commitOnce commits a group at once, or a request that is too large for that
// in parts, and fills in the errors of its requests.
func (db *DB) commitOnce(ctx context.Context, group []*turns.Request) {
	if len(group) == 1 && group[0].Bytes > db.queue.Bytes {
		if parts := group[0].Halves(); len(parts) > 1 {
			for _, part := range parts {
				db.commitOnce(ctx, []*turns.Request{part})
			}
			group[0].Adopt(parts)
			return
		}
	}
	err := db.commitGroup(ctx, group)
	for _, r := range group {
		r.Err = err
	}
}

func (db *DB) commitGroup(ctx context.Context, group []*turns.Request) error {
	e, err := db.running(ctx)
	if err != nil {
		return err
	}
	defer db.mu.RUnlock()
	err = e.write(ctx, group)
	// What ran out of memory before it was committed was rolled back. After anything else
	// only the files can tell what happened.
	if err != nil && !instance.OutOfMemory(err) {
		e.doubt(err)
		e.files.SetSuspect()
	}
	return err
}

// checkFreeSpace refuses writes while the disk is about to be full.
func (db *DB) checkFreeSpace() error {
	if db.cfg.MinFreeBytes < 0 {
		return nil
	}
	free, err := instance.FreeBytes(db.cfg.Dir)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "write spans: the disk of the store does not answer")
	}
	if free < db.cfg.MinFreeBytes {
		return fault.New(fault.Unavailable, "write spans: the disk of the store is full")
	}
	return nil
}
