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
	//go:embed sql/loggedsizes.sql
	loggedSizesSQL string
	//go:embed sql/loggedkeys.sql
	loggedKeysSQL string
)

// MessagesRow is a row of messages: prompts and completions that came apart from
// their span, and when, in nanoseconds since 1970.
type MessagesRow struct {
	Happened             int64
	Prompts, Completions span.Attributes
}

// Apart says of which spans messages are read: lists of the first halves of their traces'
// ids and of their own ids, as keys have them. Others that have both may come along.
type Apart struct{ Traces, IDs []int64 }

// Add adds a span.
func (a *Apart) Add(k Key) {
	a.Traces, a.IDs = append(a.Traces, k.Hi), append(a.IDs, k.ID)
}

// ReadMessages calls f for the messages of an environment, by its code, that came
// apart from some spans, the first come first. The keys that f gets have no environment.
func ReadMessages(ctx context.Context, conn *sql.Conn, code int32, of Apart, f func(Key, MessagesRow)) error {
	return Each(ctx, conn, loggedSQL, []any{code, of.Traces, of.IDs}, func(rows *sql.Rows) error {
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

// ReadMessageSizes calls f with how many bytes of text the messages of each span have that
// ReadMessages reads.
func ReadMessageSizes(ctx context.Context, conn *sql.Conn, code int32, of Apart, f func(Key, int64)) error {
	return Each(ctx, conn, loggedSizesSQL, []any{code, of.Traces, of.IDs}, func(rows *sql.Rows) error {
		var k Key
		var bytes int64
		err := rows.Scan(&k.Hi, &k.Lo, &k.ID, &bytes)
		if err == nil {
			f(k, bytes)
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
