// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const walSuffix = ".wal"

// logSuffixes are those of the files that a killed process can leave beside a partition's, with
// what is to be worked into it.
var logSuffixes = []string{walSuffix, walSuffix + ".checkpoint", walSuffix + ".recovery"}

// How files are attached. A checkpoint writes the last row group again, so with
// wide rows a small one saves far more than its size costs.
const attachOptions = "ROW_GROUP_SIZE 10240, STORAGE_VERSION 'latest'"

// How new files are made. Every column that a writer appends to and a reader
// reads holds at least one block in memory: with the engine's default of 256 KiB
// those of one transaction alone take 28 MiB.
const newOptions = attachOptions + ", BLOCK_SIZE 131072"

// attach opens the partition's file to stay, making it if need be.
func (e *engine) attach(ctx context.Context, p *partition) error {
	if err := e.alone(ctx, func(q querier) error { return q.attach(ctx, p) }); err != nil {
		return errors.Join(err, e.detach(ctx, p))
	}
	p.setAttached(true)
	return nil
}

// make makes a partition that takes in spans of a class from now on.
func (e *engine) make(ctx context.Context, l label) (*partition, error) {
	p := newPartition(e.cfg.Dir, l)
	err := e.attach(ctx, p)
	if err == nil {
		err = e.alone(ctx, func(q querier) error { return e.learn(ctx, q, p) })
	}
	if err != nil {
		return nil, errors.Join(err, e.detach(ctx, p), p.removeFiles())
	}
	return p, nil
}

// learn leads the partition's file to the latest format and reads what is kept
// of it in memory.
func (e *engine) learn(ctx context.Context, q querier, p *partition) error {
	if err := q.in(ctx, p); err != nil {
		return err
	}
	if err := q.bring(ctx, p, e.cfg.formats); err != nil {
		return err
	}
	if err := p.protect(); err != nil {
		return err
	}
	if err := p.learn(ctx, q); err != nil {
		return err
	}
	return p.learnOwed(ctx, q)
}

// attach opens the partition's file, making it if need be, unless it is open.
func (q querier) attach(ctx context.Context, p *partition) error {
	options := attachOptions
	if _, err := os.Stat(p.path); errors.Is(err, fs.ErrNotExist) {
		options = newOptions
	}
	_, err := q.conn.ExecContext(ctx, "ATTACH IF NOT EXISTS "+sqltext.Quoted(p.path)+" AS "+p.alias()+" ("+options+")")
	return err
}

// detach closes the partition's file, which works its log into it. A connection
// cannot detach what it uses.
func (q querier) detach(ctx context.Context, p *partition) error {
	_, err := q.conn.ExecContext(ctx, "USE store; DETACH DATABASE IF EXISTS "+p.alias())
	return err
}

func (e *engine) detach(ctx context.Context, p *partition) error {
	return e.with(ctx, func(q querier) error { return q.detach(ctx, p) })
}

// protect keeps the partition's files from other users, should the directory be
// opened to them.
func (p *partition) protect() error {
	err := os.Chmod(p.path, 0o600)
	if werr := os.Chmod(p.path+walSuffix, 0o600); werr != nil && !errors.Is(werr, fs.ErrNotExist) {
		err = errors.Join(err, werr)
	}
	return err
}

// learn reads what the partition keeps in memory.
func (p *partition) learn(ctx context.Context, q querier) error {
	var n tables.Numbering
	err := q.conn.QueryRowContext(ctx, numbersSQL).Scan(&p.next, &p.codes, &n.Origins, &n.Shapes, &n.Judgements)
	if err != nil {
		return err
	}
	p.dictionaries = tables.NewDictionaries(n)
	return p.count(ctx, q)
}

// learnOwed reads how much the partition owes.
func (p *partition) learnOwed(ctx context.Context, q querier) error {
	var owed, latest int64
	if err := q.conn.QueryRowContext(ctx, owingSQL).Scan(&owed, &latest); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owed, p.latest = owed, latest
	return nil
}

// count reads what is in the partition, by environment.
func (p *partition) count(ctx context.Context, q querier) error {
	envs := map[tenant.EnvironmentID]bounds{}
	err := q.each(ctx, environmentsSQL, nil, func(rows *sql.Rows) error {
		var b bounds
		var id tenant.EnvironmentID
		err := rows.Scan(&b.code, &id, &b.retention, &b.spans, &b.messages, &b.min, &b.max)
		envs[id] = b
		return err
	})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.envs = envs
	return nil
}

// take returns the partition that takes in spans of a class now: the one that
// did so far, unless its period is over or it is full.
func (e *engine) take(ctx context.Context, class time.Duration) (*partition, error) {
	now := e.cfg.Now()
	old := e.current[class]
	if old != nil && now.Before(old.until()) && old.next < e.cfg.PartitionRows {
		// What is not checkpointed lies in memory: two such logs at once are too much.
		if e.sealing.Load() > 0 && old.logSize() > e.cfg.CheckpointBytes/2 {
			e.work.Wait()
		}
		return old, nil
	}
	e.serial++
	p, err := e.make(ctx, label{class: class, opened: now.Truncate(periodOf(class)), serial: e.serial})
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.partitions = append(e.partitions, p)
	e.mu.Unlock()
	e.current[class] = p
	if old != nil {
		e.seal(context.WithoutCancel(ctx), old)
	}
	return p, nil
}

// How often, and with what pause between, a closed partition is tried to be
// checkpointed while somebody writes to it.
const (
	sealTries = 20
	sealPause = 50 * time.Millisecond
)

// seal works the log of a partition into its file and closes it, now that
// nothing more will come, which frees the memory that writing took.
func (e *engine) seal(ctx context.Context, p *partition) {
	p.dictionaries.Forget()
	e.sealing.Add(1)
	e.work.Go(func() {
		defer e.sealing.Add(-1)
		if !p.hold() {
			return
		}
		defer p.release()
		p.pin()
		_, err := e.instance.Pool.ExecContext(ctx, "CHECKPOINT "+p.alias())
		for tries := 0; instance.Busy(err) && tries < sealTries; tries++ { // settlements go on
			time.Sleep(sealPause)
			_, err = e.instance.Pool.ExecContext(ctx, "CHECKPOINT "+p.alias())
		}
		p.unpin()
		if err != nil {
			e.cfg.Report("a closed partition could not be checkpointed; it will be when its file is closed", err)
			e.files.adopt(p)
			return
		}
		open, alone := p.shutOut(drainPatience)
		if !alone {
			e.files.adopt(p)
			return
		}
		defer open()
		if err := e.with(ctx, func(q querier) error { return e.shut(ctx, q, p) }); err != nil {
			e.cfg.Report("the file of a closed partition could not be closed", err)
		}
	})
}
