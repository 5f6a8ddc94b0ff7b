// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
)

// walSuffix ends the name of a file's write-ahead log: see
// https://duckdb.org/docs/stable/operations_manual/footprint_of_duckdb/files_created_by_duckdb.
const walSuffix = ".wal"

// logSuffixes are those of the files that a killed process can leave beside a
// partition's, with what is to be worked into it.
var logSuffixes = []string{walSuffix, walSuffix + ".checkpoint", walSuffix + ".recovery"}

// How files are attached: the options of
// https://duckdb.org/docs/stable/sql/statements/attach. A checkpoint writes the
// last row group again, so with wide rows a small one saves far more than its size
// costs.
const attachOptions = "ROW_GROUP_SIZE 10240, STORAGE_VERSION 'latest'"

// How new files are made. Every column that a writer appends to and a reader
// reads holds at least one block in memory: with the engine's default of 256 KiB
// those of one transaction alone take 28 MiB.
const newOptions = attachOptions + ", BLOCK_SIZE 131072"

// Attach opens the partition's file to stay, making it if need be.
func (f *Files) Attach(ctx context.Context, p *Partition) error {
	if err := f.Alone(ctx, func(q *Querier) error { return q.attach(ctx, p) }); err != nil {
		return errors.Join(err, f.detach(ctx, p))
	}
	p.setAttached(true)
	return nil
}

// Make makes a partition that takes in spans of a class from now on.
func (f *Files) Make(ctx context.Context, l Label) (*Partition, error) {
	p := New(f.options.Dir, l)
	err := f.Attach(ctx, p)
	if err == nil {
		err = f.Alone(ctx, func(q *Querier) error { return f.Learn(ctx, q, p) })
	}
	if err != nil {
		return nil, errors.Join(err, f.detach(ctx, p), p.removeFiles())
	}
	return p, nil
}

// Learn leads the partition's file to the latest format and reads what is kept
// of it in memory.
func (f *Files) Learn(ctx context.Context, q *Querier, p *Partition) error {
	if err := q.In(ctx, p); err != nil {
		return err
	}
	if err := q.bring(ctx, p, f.options.Formats); err != nil {
		return err
	}
	if err := p.Protect(); err != nil {
		return err
	}
	return p.Learn(ctx, q)
}

// attach opens the partition's file, making it if need be, unless it is open.
func (q *Querier) attach(ctx context.Context, p *Partition) error {
	options := attachOptions
	if _, err := os.Stat(p.Path); errors.Is(err, fs.ErrNotExist) {
		options = newOptions
	}
	_, err := q.Conn.ExecContext(ctx, "ATTACH IF NOT EXISTS "+sqltext.Quoted(p.Path)+" AS "+p.Alias()+" ("+options+")")
	return err
}

// detach closes the partition's file, which works its log into it. A connection
// cannot detach what it uses.
func (q *Querier) detach(ctx context.Context, p *Partition) error {
	_, err := q.Conn.ExecContext(ctx, "USE store; DETACH DATABASE IF EXISTS "+p.Alias())
	return err
}

// detach does the same on a connection of its own.
func (f *Files) detach(ctx context.Context, p *Partition) error {
	return f.with(ctx, func(q *Querier) error { return q.detach(ctx, p) })
}
