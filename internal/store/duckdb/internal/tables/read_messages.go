// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"context"
	"database/sql"
	_ "embed"

	"github.com/touchstone-otel/touchstone/internal/span"
)

var (
	//go:embed sql/logged.sql
	loggedSQL string
	//go:embed sql/loggedkeys.sql
	loggedKeysSQL string
)

// MessagesRow is a row of messages: prompts and completions that came apart from
// their span, and when, in nanoseconds since 1970.
type MessagesRow struct {
	Happened             int64
	Prompts, Completions span.Attributes
}

// ReadMessages calls f for the messages of an environment, by its code, that came
// apart from spans of some traces, the first come first. Traces are the first
// halves of their ids as a key has them; the keys that f gets have no environment.
func ReadMessages(ctx context.Context, conn *sql.Conn, code int32, traces []int64, f func(Key, MessagesRow)) error {
	return Each(ctx, conn, loggedSQL, []any{code, traces}, func(rows *sql.Rows) error {
		var k Key
		var m MessagesRow
		var promptKeys, prompts, completionKeys, completions Texts
		err := rows.Scan(&k.Hi, &k.Lo, &k.ID, &m.Happened, &promptKeys, &prompts, &completionKeys, &completions)
		if err == nil {
			m.Prompts, m.Completions = zip(promptKeys, prompts), zip(completionKeys, completions)
			f(k, m)
		}
		return err
	})
}

// ReadMessageKeys calls f for the keys of all spans of an environment, by its code,
// of which there are messages that came apart from them, each once. The keys that f
// gets have the code.
func ReadMessageKeys(ctx context.Context, conn *sql.Conn, code int32, f func(Key)) error {
	return Each(ctx, conn, loggedKeysSQL, []any{code}, func(rows *sql.Rows) error {
		k := Key{Env: code}
		err := rows.Scan(&k.Hi, &k.Lo, &k.ID)
		if err == nil {
			f(k)
		}
		return err
	})
}
