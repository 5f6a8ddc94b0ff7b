// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Deleted rows stay in a file of DuckDB until others take their blocks. So what is
// to be gone is left out of a copy, and the copy takes the file's place: a crash
// leaves the one or the other, and copies that it left are removed at the next
// start. The file is copied while others read and write. Whoever writes to it
// meanwhile makes the copy worthless, and it is made again, the last time while
// nobody writes.

// Steps of dropping, as tests are told of them.
const (
	stepCopied   = "copied"
	stepDetached = "detached"
	stepRenamed  = "renamed"
	stepAttached = "attached"
)

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
	select {
	case db.dropping <- struct{}{}:
		defer func() { <-db.dropping }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for tries := 1; ; tries++ {
		d := &dropping{DB: db, env: env, stall: tries%dropTries == 0}
		more, err := d.next(ctx)
		if err != nil || !more {
			return instance.Classify(db.cfg.Dir, "drop an environment", err)
		}
		switch {
		case d.done:
			tries = 0
		case tries >= dropMost:
			return fault.New(fault.Unavailable, "drop an environment: a file of the span store is always in use")
		}
	}
}

// dropping is one try to have one file without an environment.
type dropping struct {
	*DB
	env   tenant.EnvironmentID
	stall bool // keep the turn to write all the time

	engine  *engine
	p       *partition
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
	alone, err := d.begin()
	if d.p == nil || err != nil {
		d.mu.RUnlock()
		return false, err
	}
	if alone {
		leave()
		defer d.mu.RUnlock()
		d.done = true
		return true, d.engine.drop(ctx, []*partition{d.p})
	}
	if !d.stall {
		leave()
	}
	err = d.copyOnce(ctx)
	d.p.release()
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
	e.window.forget(d.env)
	e.mu.RLock()
	defer e.mu.RUnlock()
	for _, p := range e.partitions {
		if _, found := p.bound(d.env); !found {
			continue
		}
		if !p.hold() {
			return false, fault.New(fault.Unavailable, "a file of the span store is on its way out")
		}
		if e.current[p.class] == p {
			delete(e.current, p.class)
			e.files.adopt(p)
		}
		d.p, d.changes = p, p.changes.Load()
		if len(p.owners()) > 1 {
			return false, nil
		}
		p.retire()
		p.release()
		return true, nil
	}
	return false, nil
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
	err = d.copyFile(ctx)
	leave()
	if instance.OutOfMemory(err) {
		if leave, err = d.readers.EnterAlone(ctx, turns.ReaderPatience); err != nil {
			return err
		}
		err = d.copyFile(ctx)
		leave()
	}
	if instance.Invalidated(err) {
		d.engine.suspect.Store(true)
	}
	return err
}

// roomy refuses to begin a copy that the disk may have no room for.
func (d *dropping) roomy() error {
	free, err := instance.FreeBytes(d.cfg.Dir)
	if err != nil {
		return err
	}
	st, err := os.Stat(d.p.path)
	if err != nil {
		return err
	}
	if free < st.Size()+d.p.logSize()+max(d.cfg.MinFreeBytes, 0) {
		return fault.New(fault.Unavailable, "the disk of the store has no room for a copy of a file of %d MiB", st.Size()>>20)
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
	if e != d.engine || d.p.changes.Load() != d.changes {
		return nil
	}
	patience := dropPatience
	if d.stall {
		patience = drainPatience
	}
	swapped, err := e.swap(ctx, d.p, patience)
	if err != nil {
		e.suspect.Store(true) // opened again, it has the one file or the other
		return err
	}
	if !swapped {
		return nil
	}
	// What was known of the partition was of the other file.
	if err := e.alone(ctx, func(q querier) error { return e.learn(ctx, q, d.p) }); err != nil {
		e.suspect.Store(true)
		return err
	}
	e.cfg.faults.Reached(stepAttached)
	d.done = true
	return nil
}

// giveUp removes the copy of a file that is not to be had alone.
func (d *dropping) giveUp() error {
	if d.done {
		return nil
	}
	return (&partition{path: d.p.path + copySuffix}).removeFiles()
}

// swap puts the copy of a partition in its place, if nobody uses the file within
// patience, and reports whether it did. The file is closed then.
func (e *engine) swap(ctx context.Context, p *partition, patience time.Duration) (done bool, err error) {
	open, alone := p.shutOut(patience)
	if !alone {
		return false, nil
	}
	defer open()
	if p.isAttached() {
		if err := e.instance.Run("CHECKPOINT " + p.alias()); err != nil {
			if instance.Busy(err) {
				return false, nil
			}
			return false, err
		}
		if err := e.detach(ctx, p); err != nil {
			return false, err
		}
		p.setAttached(false)
		e.files.drop(p)
	}
	e.cfg.faults.Reached(stepDetached)
	// A log would be read into the copy.
	if p.logSize() > 0 {
		return false, errors.New("a file that was closed has a log")
	}
	if err := p.unsummarize(); err != nil {
		return false, err
	}
	if err := os.Rename(p.path+copySuffix, p.path); err != nil {
		return false, err
	}
	if err := syncDirectory(p.path); err != nil {
		return false, err
	}
	e.cfg.faults.Reached(stepRenamed)
	p.appended.Store(0)
	delete(e.grown, p)
	return true, nil
}
