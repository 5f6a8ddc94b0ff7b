// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// walSuffix ends the name of a file's write-ahead log: see
// https://duckdb.org/docs/stable/operations_manual/footprint_of_duckdb/files_created_by_duckdb.
const walSuffix = ".wal"

// logSuffixes are those of the files that a killed process can leave next to a
// partition's, with what is to be worked into it.
var logSuffixes = []string{walSuffix, walSuffix + ".checkpoint", walSuffix + ".recovery"}

// How files are attached: the options of
// https://duckdb.org/docs/stable/sql/statements/attach. What is appended after
// a checkpoint begins a row group, and a checkpoint writes the row groups that changed
// since the one before: with wide rows large ones stall those who write.
const attachOptions = "ROW_GROUP_SIZE 20480, STORAGE_VERSION 'latest'"

// How new files are made. Every column that a writer appends to and a reader
// reads holds at least one block in memory: with the engine's default of 256 KiB
// those of one transaction alone take 28 MiB.
const newOptions = attachOptions + ", BLOCK_SIZE 131072"

// Attach opens the partition's file to stay.
func (f *Files) Attach(ctx context.Context, p *Partition) error {
	if err := f.Alone(ctx, func(q *Querier) error { return f.blame(p, q.attach(ctx, p)) }); err != nil {
		return errors.Join(err, f.detach(ctx, p))
	}
	f.setAttached(p, true)
	return nil
}

// Make makes a partition that takes in spans of a class from now on.
func (f *Files) Make(ctx context.Context, l label.Label) (*Partition, error) {
	p := New(f.options.Dir, l)
	err := p.begin()
	if err == nil {
		err = f.Alone(ctx, func(q *Querier) error { return q.make(ctx, p) })
	}
	if err == nil {
		f.setAttached(p, true)
		err = f.Alone(ctx, func(q *Querier) error { return f.learn(ctx, q, p, q.fill) })
	}
	if err != nil {
		err = errors.Join(err, f.detach(ctx, p), p.removeFiles(), p.begun())
		f.setAttached(p, false)
		return nil, err
	}
	return p, nil
}

// Learn leads the partition's file to the latest format and reads what is kept
// of it in memory.
func (f *Files) Learn(ctx context.Context, q *Querier, p *Partition) error {
	return f.learn(ctx, q, p, q.bring)
}

// learn does the same with a function that leads the file to the latest format.
func (f *Files) learn(ctx context.Context, q *Querier, p *Partition, format func(context.Context, *Partition, tables.Formats) error) error {
	if err := q.In(ctx, p); err != nil {
		return err
	}
	if err := format(ctx, p, f.options.Formats); err != nil {
		return err
	}
	if err := p.Protect(); err != nil {
		return err
	}
	if err := p.Learn(ctx, q); err != nil {
		return err
	}
	return p.begun()
}

// attach opens the partition's file unless it is open. DuckDB would make one that is
// not there: the error of that is a Damage.
func (q *Querier) attach(ctx context.Context, p *Partition) error {
	st, err := os.Stat(p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return &instance.Damage{Path: p.Path, Cause: err}
	}
	if err != nil {
		return err
	}
	if err := p.checkLog(); err != nil {
		return err
	}
	if err := q.attachWith(ctx, p, attachOptions); err != nil {
		return err
	}
	p.setOpened(st)
	return nil
}

// make makes the partition's file and opens it.
func (q *Querier) make(ctx context.Context, p *Partition) error {
	if err := q.attachWith(ctx, p, newOptions); err != nil {
		return err
	}
	st, err := os.Stat(p.Path)
	p.setOpened(st)
	return err
}

func (q *Querier) attachWith(ctx context.Context, p *Partition, options string) error {
	_, err := q.Conn.ExecContext(ctx, "ATTACH IF NOT EXISTS "+sqltext.Quoted(p.Path)+" AS "+p.Alias()+" ("+options+")")
	return err
}

// detach closes the partition's file, which works its log into it. A connection
// cannot detach what it uses.
func (q *Querier) detach(ctx context.Context, p *Partition) error {
	_, err := q.Conn.ExecContext(ctx, "USE store; DETACH DATABASE IF EXISTS "+p.Alias())
	return err
}

// detach does the same on a connection of its own. After an error it is not known whether
// the file is attached, and the files are suspect.
func (f *Files) detach(ctx context.Context, p *Partition) error {
	err := f.with(ctx, func(q *Querier) error { return q.detach(ctx, p) })
	if err != nil {
		f.SetSuspect()
	}
	return err
}
