// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
)

// Deleted rows stay in a file of DuckDB until others take their blocks. So what is
// to be gone is left out of a copy, and the copy takes the file's place: a crash
// leaves the one or the other, and copies that it left are removed at the next
// start. The file is copied while others read and write. A caller that writes to it
// meanwhile makes the copy worthless, and it is made again, the last time while
// there is no writer.

const (
	// dropTries is how often a file is copied before writes wait for it.
	dropTries = 4
	// dropMost is after how many copies of a file that is always in use the
	// caller is told to come again.
	dropMost = 3 * dropTries
	// dropPatience is how long writes wait for the queries of a file to end.
	dropPatience = time.Second
)

// leaveOut has no file any more that has something of a deletion, one file after the
// other: one that has nothing else goes as it is, any other is rewritten.
func (db *DB) leaveOut(ctx context.Context, what *deletion) error {
	const doing = "delete from the span store"
	select {
	case db.dropping <- struct{}{}:
		defer func() { <-db.dropping }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for tries := 1; ; tries++ {
		d := &dropping{db: db, what: what, stall: tries%dropTries == 0}
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

// dropping is one try to have one file without what is to go.
type dropping struct {
	db    *DB
	what  *deletion
	stall bool // keep the turn to write all the time

	engine  *engine
	p       *partitions.Partition
	gone    partitions.Gone
	changes int64 // of the partition, when copying began
	done    bool
}

// next does the next file, and reports whether there was one.
func (d *dropping) next(ctx context.Context) (more bool, err error) {
	if err := d.db.enter(ctx); err != nil {
		return false, err
	}
	turn := true
	leave := func() {
		if turn {
			d.db.queue.Leave()
			turn = false
		}
	}
	defer leave()
	if d.engine, err = d.db.running(ctx); err != nil {
		return false, err
	}
	alone, err := d.begin(ctx)
	if d.p == nil || err != nil {
		d.db.mu.RUnlock()
		return d.done, err
	}
	if alone {
		leave()
		defer d.db.mu.RUnlock()
		d.done = true
		return true, d.engine.drop(ctx, []*partitions.Partition{d.p})
	}
	if !d.stall {
		leave()
	}
	err = d.copyOnce(ctx)
	d.p.Release()
	d.db.mu.RUnlock()
	if err != nil {
		return false, err
	}
	if !turn {
		if err := d.db.enter(ctx); err != nil {
			return false, err
		}
		turn = true
	}
	err = d.exchange(context.WithoutCancel(ctx))
	return true, errors.Join(err, d.giveUp())
}

// begin looks into the next file that may have something to be deleted. If it does,
// it keeps the file until it is released, and from then on the file takes in no
// spans. One that has nothing else is on its way out instead, which alone says.
func (d *dropping) begin(ctx context.Context) (alone bool, err error) {
	e := d.engine
	if d.what.everything {
		e.window.Forget(d.what.env)
	}
	p := d.unseen()
	if p == nil {
		return false, nil
	}
	if !p.Hold() {
		return false, fault.New(fault.Unavailable, "a file of the span store is on its way out")
	}
	gone, err := d.what.in(ctx, e, p)
	if err != nil {
		p.Release()
		return false, err
	}
	if gone.Nothing() {
		p.Release()
		d.what.seen[p.Serial], d.done = true, true
		return false, nil
	}
	d.take(p)
	d.gone = gone
	if alone = gone.All && len(p.EnvironmentsByCode()) == 1; alone {
		e.retire(p)
		p.Release()
	}
	return alone, nil
}

// unseen returns a file that is yet to be looked into, nil if there is none.
func (d *dropping) unseen() *partitions.Partition {
	e := d.engine
	e.mu.RLock()
	defer e.mu.RUnlock()
	for _, p := range e.partitions {
		if _, found := p.BoundsOf(d.what.env); found && !d.what.seen[p.Serial] {
			return p
		}
	}
	return nil
}

// take makes a partition the one to be copied. From then on it takes in no spans.
func (d *dropping) take(p *partitions.Partition) {
	e := d.engine
	if e.current[p.Class] == p {
		delete(e.current, p.Class)
		p.Dictionaries.Forget()
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
	leave, err := d.db.readers.Enter(ctx, d.what.env)
	if err != nil {
		return err
	}
	err = d.copy(ctx)
	leave()
	if instance.OutOfMemory(err) {
		if leave, err = d.db.readers.EnterAlone(ctx, d.db.readers.Patience.Reader); err != nil {
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
	free, err := instance.FreeBytes(d.db.cfg.Dir)
	if err != nil {
		return err
	}
	size, err := d.p.Size()
	if err != nil {
		return err
	}
	if free < size+max(d.db.cfg.MinFreeBytes, 0) {
		return fault.New(fault.Unavailable, "the disk of the store has no room for a copy of a file of %d MiB", size>>20)
	}
	return nil
}

// exchange puts the copy in the place of the file, if the file is still what was
// copied and not in use. It has the turn to write.
func (d *dropping) exchange(ctx context.Context) error {
	e, err := d.db.running(ctx)
	if err != nil {
		return err
	}
	defer d.db.mu.RUnlock()
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
	d.what.forget(e, d.p)
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
