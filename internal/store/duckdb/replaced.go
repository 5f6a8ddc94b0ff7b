// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
)

// A span that replaces one of another partition is committed first, together
// with a note of the row it replaces; DuckDB commits to one file at a time.
// Only then is the old row deleted, and the note with it. What a crash leaves
// undone of that is done at the next start.

// removeReplaced deletes rows of other partitions, by serial, that were replaced
// by rows of p.
func (e *engine) removeReplaced(ctx context.Context, p *partition, rows map[uint32][]place) error {
	if len(rows) == 0 {
		return nil
	}
	for serial, list := range rows {
		if err := e.removeRows(ctx, int64(serial), list); err != nil {
			return err
		}
	}
	return e.instance.Run("DELETE FROM " + p.alias() + ".replaced")
}

func (e *engine) removeRows(ctx context.Context, serial int64, rows []place) error {
	old := e.find(serial)
	if old == nil || !old.hold() {
		return nil // gone, with all its rows
	}
	defer old.release()
	if err := e.pinToWrite(ctx, old); err != nil {
		return err
	}
	defer old.unpin()
	owed, err := e.owedIn(ctx, old, rows)
	if err != nil {
		return err
	}
	for _, statement := range []string{"BEGIN TRANSACTION", deleteRows(old, rows), "COMMIT"} {
		if err := e.instance.Run(statement); err != nil {
			return errors.Join(err, e.instance.RollBack())
		}
	}
	old.changes.Add(1)
	old.mu.Lock()
	old.owed -= owed
	old.mu.Unlock()
	return e.alone(ctx, func(q querier) error {
		if err := q.in(ctx, old); err != nil {
			return err
		}
		return old.count(ctx, q)
	})
}

// owedIn returns how much is owed on rows of a partition.
func (e *engine) owedIn(ctx context.Context, p *partition, rows []place) (owed int64, err error) {
	if len(rows) == 0 || p.owes() == 0 {
		return 0, nil
	}
	seqs := make([]int64, len(rows))
	for i, r := range rows {
		seqs[i] = int64(r.seq)
	}
	err = e.alone(ctx, func(q querier) error {
		if err := q.in(ctx, p); err != nil {
			return err
		}
		return q.conn.QueryRowContext(ctx, owedRowsSQL, slices.Min(seqs), slices.Max(seqs), seqs).Scan(&owed)
	})
	return owed, err
}

// pinToWrite pins a partition whose rows are about to change. What its summary
// says is not so any more.
func (e *engine) pinToWrite(ctx context.Context, p *partition) error {
	if err := e.alone(ctx, func(q querier) error { return e.pin(ctx, q, p) }); err != nil {
		return err
	}
	if err := p.unsummarize(); err != nil {
		p.unpin()
		return err
	}
	return nil
}

// find returns the partition with this serial, nil if there is none.
func (e *engine) find(serial int64) *partition {
	e.mu.RLock()
	defer e.mu.RUnlock()
	for _, p := range e.partitions {
		if p.serial == serial {
			return p
		}
	}
	return nil
}

// replaced reads which rows the partition that the connection is in replaces, by
// serial of theirs.
func (q querier) replaced(ctx context.Context) (map[uint32][]place, error) {
	rows := map[uint32][]place{}
	err := q.each(ctx, "SELECT serial, seq FROM replaced", nil, func(r *sql.Rows) error {
		var serial, seq uint32
		err := r.Scan(&serial, &seq)
		rows[serial] = append(rows[serial], place{seq: seq})
		return err
	})
	return rows, err
}

// heal deletes the replaced rows that a crash left, by the partition with the
// note of them.
func (e *engine) heal(ctx context.Context, replaced map[*partition]map[uint32][]place) error {
	for p, rows := range replaced {
		e.cfg.Report("replaced spans that a crash left are deleted", nil)
		if err := e.pinToWrite(ctx, p); err != nil {
			return err
		}
		err := e.removeReplaced(ctx, p, rows)
		if err == nil {
			p.unhealed = false
		}
		p.unpin()
		if err != nil {
			return err
		}
	}
	return nil
}
