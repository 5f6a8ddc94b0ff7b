// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/recent"
)

//go:embed sql/owedrows.sql
var owedRowsSQL string

// A span that replaces one of another partition is committed first, together
// with a note of the row it replaces; DuckDB commits to one file at a time.
// Only then is the old row deleted, and the note with it. What a crash leaves
// undone of that is done at the next start.

// removeReplaced deletes rows of other partitions, by serial, that were replaced
// by rows of p.
func (e *engine) removeReplaced(ctx context.Context, p *partitions.Partition, rows map[uint32][]recent.Place) error {
	if len(rows) == 0 {
		return nil
	}
	for serial, list := range rows {
		if err := e.removeRows(ctx, int64(serial), list); err != nil {
			return err
		}
	}
	return e.instance.Run("DELETE FROM " + p.Alias() + ".replaced")
}

func (e *engine) removeRows(ctx context.Context, serial int64, rows []recent.Place) error {
	old := e.find(serial)
	if old == nil || !old.Hold() {
		return nil // gone, with all its rows
	}
	defer old.Release()
	if err := e.pinToWrite(ctx, old); err != nil {
		return err
	}
	defer old.EndWriting()
	old.Lock()
	defer old.Unlock()
	owed, err := e.owedIn(ctx, old, rows)
	if err != nil {
		return err
	}
	for _, statement := range []string{"BEGIN TRANSACTION", deleteRows(old, rows), "COMMIT"} {
		if err := e.instance.Run(statement); err != nil {
			return errors.Join(err, e.instance.RollBack())
		}
	}
	old.Committed(partitions.Change{Owed: -owed, Deleted: seqsOf(rows)})
	return e.files.Alone(ctx, func(q *partitions.Querier) error {
		if err := q.In(ctx, old); err != nil {
			return err
		}
		return old.Count(ctx, q)
	})
}

// owedIn returns how much is pending on rows of a partition.
func (e *engine) owedIn(ctx context.Context, p *partitions.Partition, rows []recent.Place) (owed int64, err error) {
	if len(rows) == 0 || p.Owes() == 0 {
		return 0, nil
	}
	seqs := seqsOf(rows)
	err = e.files.Alone(ctx, func(q *partitions.Querier) error {
		if err := q.In(ctx, p); err != nil {
			return err
		}
		return q.Conn.QueryRowContext(ctx, owedRowsSQL, slices.Min(seqs), slices.Max(seqs), seqs).Scan(&owed)
	})
	return owed, err
}

// pinToWrite pins a partition whose rows are about to change, until EndWriting. What its
// summary says is not so any more.
func (e *engine) pinToWrite(ctx context.Context, p *partitions.Partition) error {
	if err := e.files.Alone(ctx, func(q *partitions.Querier) error { return e.files.Pin(ctx, q, p) }); err != nil {
		return err
	}
	if err := p.Unsummarize(); err != nil {
		p.Unpin()
		return err
	}
	p.BeginWriting()
	return nil
}

// find returns the partition with this serial, nil if there is none.
func (e *engine) find(serial int64) *partitions.Partition {
	e.mu.RLock()
	defer e.mu.RUnlock()
	for _, p := range e.partitions {
		if p.Serial == serial {
			return p
		}
	}
	return nil
}

// replacedRows reads which rows the partition that the connection is in replaces, by
// serial of theirs.
func replacedRows(ctx context.Context, q *partitions.Querier) (map[uint32][]recent.Place, error) {
	rows := map[uint32][]recent.Place{}
	err := q.Each(ctx, "SELECT serial, seq FROM replaced", nil, func(r *sql.Rows) error {
		var serial, seq uint32
		err := r.Scan(&serial, &seq)
		rows[serial] = append(rows[serial], recent.Place{Seq: seq})
		return err
	})
	return rows, err
}

// heal deletes the replaced rows that a crash left, by the partition with the
// note of them.
func (e *engine) heal(ctx context.Context, replaced map[*partitions.Partition]map[uint32][]recent.Place) error {
	for p, rows := range replaced {
		e.cfg.Report("replaced spans that a crash left are deleted", nil)
		if err := e.pinToWrite(ctx, p); err != nil {
			return err
		}
		err := e.removeReplaced(ctx, p, rows)
		if err == nil {
			p.SetUnhealed(false)
		}
		p.EndWriting()
		if err != nil {
			return err
		}
	}
	return nil
}

// seqsOf returns the seqs of rows.
func seqsOf(rows []recent.Place) []int64 {
	seqs := make([]int64, len(rows))
	for i, r := range rows {
		seqs[i] = int64(r.Seq)
	}
	return seqs
}
