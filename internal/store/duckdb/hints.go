// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
)

// loadPile reads the next hints of a pile.
func (e *engine) loadPile(ctx context.Context, from *partition, p *pile, lend func(func(querier) error) error) error {
	b := e.backlog
	b.mu.Lock()
	p.loading = true
	mark := p.mark
	b.mu.Unlock()
	var list []hint
	var oldest int64
	var err error
	if from != nil && from.hold() {
		err = lend(func(q querier) (err error) {
			list, oldest, err = from.hints(ctx, q, mark, b.limit)
			return err
		})
		from.release()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		p.takeIncoming()
		return err
	}
	p.load(list, len(list) == b.limit, oldest)
	return nil
}

// hints reads the first limit hints of a partition behind mark and when the
// oldest behind those was deferred.
func (p *partition) hints(ctx context.Context, q querier, mark hint, limit int) (list []hint, oldest int64, err error) {
	if err := q.in(ctx, p); err != nil {
		return nil, 0, err
	}
	err = q.each(ctx, hintsSQL, []any{mark.due, mark.seq, limit}, func(rows *sql.Rows) error {
		var h hint
		err := rows.Scan(&h.due, &h.seq, &h.time)
		list = append(list, h)
		return err
	})
	if err != nil || len(list) < limit {
		return list, 0, err
	}
	last := list[limit-1]
	err = q.conn.QueryRowContext(ctx, oldestSQL, last.due, last.seq).Scan(&oldest)
	return list, oldest, err
}
