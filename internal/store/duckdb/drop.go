// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Deleted rows stay in a file of DuckDB until others take their blocks. So what is
// to be gone is left out of a copy, and the copy takes the file's place: a crash
// leaves the one or the other, and copies that it left are removed at the next
// start. The file is copied while others read and write. Whoever writes to it
// meanwhile makes the copy worthless, and it is made again, the last time while
// nobody writes.

const (
	// dropTries is how often a file is copied before writes wait for it.
	dropTries = 4
	// dropMost is after how many copies of a file that somebody always uses the
	// caller is told to come again.
	dropMost = 3 * dropTries
	// dropPatience is how long writes wait for the queries of a file to end.
	dropPatience = time.Second
)

// Drop removes all that is stored of an environment, one file after the other:
// one that has nothing else goes as it is, any other is written anew.
func (db *DB) Drop(ctx context.Context, env tenant.EnvironmentID) error {
	return db.leaveOut(ctx, "drop an environment", env, nil)
}

// leaveOut has no file any more that has what is to go of an environment: some
// spans, or all of it with nil.
func (db *DB) leaveOut(ctx context.Context, doing string, env tenant.EnvironmentID, spans *deletion) error {
	select {
	case db.dropping <- struct{}{}:
		defer func() { <-db.dropping }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for tries := 1; ; tries++ {
		d := &dropping{DB: db, env: env, spans: spans, stall: tries%dropTries == 0}
		more, err := d.next(ctx)
		if err != nil || !more {
			return instance.Classify(db.cfg.Dir, doing, err)
		}
		switch {
		case d.done:
			tries = 0
		case tries >= dropMost:
			return fault.New(fault.Unavailable, "%s: a file of the span store is always in use", doing)
		}
	}
}

// dropping is one try to have one file without an environment, or without some
// spans of it.
type dropping struct {
	*DB
	env   tenant.EnvironmentID
	spans *deletion // nil for all
	stall bool      // keep the turn to write all the time

	engine  *engine
	p       *partitions.Partition
	gone    partitions.Gone
	changes int64 // of the partition, when copying began
	done    bool
}

// next does the next file, and reports whether there was one.
func (d *dropping) next(ctx context.Context) (more bool, err error) {
	if err := d.queue.Enter(ctx); err != nil {
		return false, err
	}
	turn := true
	leave := func() {
		if turn {
			d.queue.Leave()
			turn = false
		}
	}
	defer leave()
	if d.engine, err = d.running(ctx); err != nil {
		return false, err
	}
	begin := d.begin
	if d.spans != nil {
		begin = func() (bool, error) { return false, d.beginSpans(ctx) }
	}
	alone, err := begin()
	if d.p == nil || err != nil {
		d.mu.RUnlock()
		return d.done, err
	}
	if alone {
		leave()
		defer d.mu.RUnlock()
		d.done = true
		return true, d.engine.drop(ctx, []*partitions.Partition{d.p})
	}
	if !d.stall {
		leave()
	}
	err = d.copyOnce(ctx)
	d.p.Release()
	d.mu.RUnlock()
	if err != nil {
		return false, err
	}
	if !turn {
		if err := d.queue.Enter(ctx); err != nil {
			return false, err
		}
		turn = true
	}
	err = d.exchange(context.WithoutCancel(ctx))
	return true, errors.Join(err, d.giveUp())
}

// begin finds a file and keeps it until it is released. From then on it takes in
// no spans. One that has nothing but the environment's is on its way out instead,
// which alone says.
func (d *dropping) begin() (alone bool, err error) {
	e := d.engine
	e.window.Forget(d.env)
	e.mu.RLock()
	defer e.mu.RUnlock()
	for _, p := range e.partitions {
		b, found := p.BoundsOf(d.env)
		if !found {
			continue
		}
		if !p.Hold() {
			return false, fault.New(fault.Unavailable, "a file of the span store is on its way out")
		}
		d.take(p)
		d.gone = partitions.Gone{Code: b.Code, All: true}
		if len(p.EnvironmentsByCode()) > 1 {
			return false, nil
		}
		e.retire(p)
		p.Release()
		return true, nil
	}
	return false, nil
}

// take makes a partition the one to be copied. From then on it takes in no spans.
func (d *dropping) take(p *partitions.Partition) {
	e := d.engine
	if e.current[p.Class] == p {
		delete(e.current, p.Class)
		e.keys.Close(p)
		e.files.Adopt(p)
	}
	d.p, d.changes = p, p.Changes()
}

// copyOnce makes the copy, a second time and alone if memory was too short.
func (d *dropping) copyOnce(ctx context.Context) error {
	if err := d.roomy(); err != nil {
		return err
	}
	leave, err := d.readers.Enter(ctx, d.env)
	if err != nil {
		return err
	}
	err = d.copy(ctx)
	leave()
	if instance.OutOfMemory(err) {
		if leave, err = d.readers.EnterAlone(ctx, turns.ReaderPatience); err != nil {
			return err
		}
		err = d.copy(ctx)
		leave()
	}
	if instance.Invalidated(err) {
		d.engine.files.SetSuspect()
	}
	return err
}

// copy writes the copy.
func (d *dropping) copy(ctx context.Context) error {
	return d.engine.files.CopyWithout(ctx, d.p, &d.gone)
}

// roomy refuses to begin a copy that the disk may have no room for.
func (d *dropping) roomy() error {
	free, err := instance.FreeBytes(d.cfg.Dir)
	if err != nil {
		return err
	}
	size, err := d.p.Size()
	if err != nil {
		return err
	}
	if free < size+max(d.cfg.MinFreeBytes, 0) {
		return fault.New(fault.Unavailable, "the disk of the store has no room for a copy of a file of %d MiB", size>>20)
	}
	return nil
}

// exchange puts the copy in the place of the file, if the file is still what was
// copied and nobody uses it. It has the turn to write.
func (d *dropping) exchange(ctx context.Context) error {
	e, err := d.running(ctx)
	if err != nil {
		return err
	}
	defer d.mu.RUnlock()
	if e != d.engine || d.p.Changes() != d.changes {
		return nil
	}
	patience := dropPatience
	if d.stall {
		patience = partitions.DrainPatience
	}
	swapped, err := e.files.Swap(ctx, d.p, patience)
	if err != nil {
		e.files.SetSuspect() // opened again, it has the one file or the other
		return err
	}
	if !swapped {
		return nil
	}
	delete(e.grown, d.p)
	if d.spans != nil {
		d.spans.forget(e, d.env, d.p)
	}
	// What was known of the partition was of the other file.
	if err := e.files.Alone(ctx, func(q *partitions.Querier) error { return e.files.Learn(ctx, q, d.p) }); err != nil {
		e.files.SetSuspect()
		return err
	}
	e.instance.Reached(partitions.StepAttached)
	d.done = true
	e.indexLater(d.p)
	return nil
}

// giveUp removes the copy of a file that is not to be had alone.
func (d *dropping) giveUp() error {
	if d.done {
		return nil
	}
	return d.p.RemoveCopy()
}
