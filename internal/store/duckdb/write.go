// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
)

// Write stores a batch, what belongs to one class of retention in one commit.
func (db *DB) Write(ctx context.Context, b store.Batch) (store.Written, error) {
	if len(b.Records) == 0 && len(b.Messages) == 0 && len(b.Evaluations) == 0 {
		return store.Written{}, ctx.Err()
	}
	r := newRequest(request{records: b.Records, messages: b.Messages, evaluations: b.Evaluations})
	err := db.submit(ctx, r)
	return store.Written{Replaced: r.replaced}, err
}

func (db *DB) submit(ctx context.Context, r *request) error {
	working := context.WithoutCancel(ctx)
	return db.queue.submit(ctx, r,
		func(group []*request) { db.commit(working, group) },
		func() { db.endTurn(working) })
}

// commit writes what the requests of a group want, and fills in their errors.
// When memory is short it does so again while nobody reads, in ever smaller
// parts: a caller is refused only when even one record is too much.
func (db *DB) commit(ctx context.Context, group []*request) {
	db.commitOnce(ctx, group)
	if !instance.OutOfMemory(group[0].err) {
		db.classifyAll(group)
		return
	}
	if leave, err := db.readers.enterAlone(ctx, writerPatience); err == nil {
		defer leave()
	}
	db.commitParts(ctx, group)
	db.classifyAll(group)
}

func (db *DB) classifyAll(group []*request) {
	for _, r := range group {
		r.err = instance.Classify(db.cfg.Dir, "write spans", r.err)
	}
}

// commitParts commits a group or, if memory is too short for that, its halves.
func (db *DB) commitParts(ctx context.Context, group []*request) {
	db.commitOnce(ctx, group)
	if !instance.OutOfMemory(group[0].err) {
		return
	}
	if n := len(group); n > 1 {
		db.commitParts(ctx, group[:n/2])
		db.commitParts(ctx, group[n/2:])
		return
	}
	parts := group[0].halves()
	if len(parts) == 1 {
		return
	}
	for _, part := range parts {
		db.commitParts(ctx, []*request{part})
	}
	group[0].adopt(parts)
}

// commitOnce commits a group at once, or a request that is too large for that
// in parts, and gives its requests their error.
func (db *DB) commitOnce(ctx context.Context, group []*request) {
	if len(group) == 1 && group[0].bytes > db.queue.bytes {
		if parts := group[0].halves(); len(parts) > 1 {
			for _, part := range parts {
				db.commitOnce(ctx, []*request{part})
			}
			group[0].adopt(parts)
			return
		}
	}
	err := db.commitGroup(ctx, group)
	for _, r := range group {
		r.err = err
	}
}

func (db *DB) commitGroup(ctx context.Context, group []*request) error {
	if err := db.spacious(); err != nil {
		return err
	}
	e, err := db.running(ctx)
	if err != nil {
		return err
	}
	defer db.mu.RUnlock()
	err = e.write(ctx, group)
	// What ran out of memory was rolled back. After anything else only the files
	// can tell what happened.
	if err != nil && !instance.OutOfMemory(err) {
		e.suspect.Store(true)
	}
	return err
}

// spacious refuses writes while the disk is about to be full.
func (db *DB) spacious() error {
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
