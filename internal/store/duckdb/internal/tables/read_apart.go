// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"context"
	"database/sql"
	_ "embed"
)

// The statements of all messages of a partition, each explained in its file.
var (
	//go:embed sql/apart.sql
	apartSQL string
	//go:embed sql/allapart.sql
	allApartSQL string
)

// ReadMessagesBehind calls f for the messages of all environments from behind a row on, in
// the order of the rows: as many as have no more than some bytes of text and are no more than
// most, but one. It returns the last row, or the one that it was given where there is none
// behind it. The keys that f gets have the code of the environment.
func ReadMessagesBehind(ctx context.Context, conn *sql.Conn, row int64, most, bytes int, f func(Key, MessagesRow)) (int64, error) {
	last, used := row, 0
	err := Each(ctx, conn, apartSQL, []any{row, most}, func(rows *sql.Rows) error {
		var at int64
		var size int
		err := rows.Scan(&at, &size)
		if used += size; err == nil && (used <= bytes || last == row) {
			last = at
		}
		return err
	})
	if err != nil || last == row {
		return row, err
	}
	return last, Each(ctx, conn, allApartSQL, []any{row, last}, func(rows *sql.Rows) error {
		var k Key
		var m MessagesRow
		var promptKeys, prompts, completionKeys, completions Texts
		err := rows.Scan(&k.Env, &k.Hi, &k.Lo, &k.ID, &m.Happened, &promptKeys, &prompts, &completionKeys, &completions)
		if err == nil {
			m.Prompts, m.Completions = zip(promptKeys, prompts), zip(completionKeys, completions)
			f(k, m)
		}
		return err
	})
}
