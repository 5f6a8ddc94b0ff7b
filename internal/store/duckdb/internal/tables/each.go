// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"context"
	"database/sql"
)

// Each calls scan for every row of a query.
func Each(ctx context.Context, conn *sql.Conn, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // Err says it
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
