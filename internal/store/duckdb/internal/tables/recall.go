// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"context"
	"database/sql"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
)

// Recall remembers rows of the small tables of one partition, which never change, by
// the name of the table and their number.
type Recall interface {
	Get(kind, name string, number int64) (any, bool)
	Put(kind, name string, number int64, value any, bytes int)
}

// rowBytes is what a row takes in memory besides its texts, about.
const rowBytes = 200

// smallTable is a table of few rows, each of which has a number.
type smallTable[T any] struct {
	table string
	// statement reads rows, up to the list of their numbers.
	statement string
	scan      func(row *sql.Rows) (id int32, x T, err error)
	bytes     func(T) int // of its texts
}

// read returns rows by their numbers, which may repeat: those that r remembers, and
// what the table has of the others.
func (s *smallTable[T]) read(ctx context.Context, conn *sql.Conn, r Recall, ids []int32) (map[int32]T, error) {
	rows := make(map[int32]T, len(ids))
	var missing []int32
	for _, id := range distinct(ids) {
		if x, found := r.Get(s.table, "", int64(id)); found {
			rows[id], _ = x.(T)
			continue
		}
		missing = append(missing, id)
	}
	if len(missing) == 0 {
		return rows, nil
	}
	err := Each(ctx, conn, s.statement+"("+sqltext.Numbers(missing)+")", nil, func(row *sql.Rows) error {
		id, x, err := s.scan(row)
		if err != nil {
			return err
		}
		rows[id] = x
		r.Put(s.table, "", int64(id), x, rowBytes+s.bytes(x))
		return nil
	})
	return rows, err
}
