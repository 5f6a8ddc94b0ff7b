// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"database/sql"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
)

// Examine reads every block of every table of the partition that the connection is
// in. The error is a Damage if one cannot be read.
func (q *Querier) Examine(ctx context.Context, p *Partition) error {
	if err := q.In(ctx, p); err != nil {
		return err
	}
	return instance.Blame(p.Path, q.readAll(ctx, p.Alias()))
}

// readAll reads all columns of all tables of an attached file.
func (q *Querier) readAll(ctx context.Context, alias string) error {
	var tables []string
	err := q.Each(ctx, "SELECT table_name FROM duckdb_tables() WHERE database_name = ? ORDER BY table_name", []any{alias}, func(rows *sql.Rows) error {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		tables = append(tables, name)
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range tables {
		var sum any
		table := alias + "." + identifier(t)
		// A hash of a row reads all of its columns.
		if err := q.Conn.QueryRowContext(ctx, "SELECT bit_xor(hash(t)) FROM "+table+" t").Scan(&sum); err != nil {
			return err
		}
	}
	return nil
}

// identifier spells a name in SQL.
func identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
