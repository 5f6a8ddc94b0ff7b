// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

// The server drops by its own clock what expired, whole parts, and nothing else: the rows
// of the shorter retention go with all that was made of them, without a call of Expire.
func TestTheServerDropsWhatExpired(t *testing.T) {
	t.Parallel()
	then := time.Now().Add(-48 * time.Hour)
	db, err := Open(t.Context(), Config{DSN: clickhousetest.Database(t, t.Name()), Now: func() time.Time { return then }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	short, long := storetest.Environment("short"), storetest.Environment("long")
	short.Retention, long.Retention = time.Hour, 30*24*time.Hour
	var batch store.Batch
	for n := range 10 {
		env := short
		if n%2 == 0 {
			env = long
		}
		s := storetest.Span(env, n)
		s.Start = then.UnixNano()
		batch.Records = append(batch.Records, storetest.Record(env, s, storetest.Verdict("set", "made", s.Start, "o", true)))
		batch.Messages = append(batch.Messages, store.Messages{Environment: env, TraceID: s.TraceID, SpanID: s.SpanID, Time: s.Start, Prompts: storetest.Attributes("k", "v")})
	}
	_, err = db.Write(t.Context(), batch)
	require.NoError(t, err)
	count := func(table string) int64 {
		n, err := db.number(t.Context(), "count", "SELECT toInt64(count()) FROM "+table)
		require.NoError(t, err)
		return n
	}
	for _, table := range []string{spansTable, messagesTable} {
		require.Eventually(t, func() bool {
			require.NoError(t, db.conn.Exec(t.Context(), "OPTIMIZE TABLE "+table+" FINAL")) // which the server does by itself, sooner or later
			return count(table) == 5
		}, 10*time.Minute, 100*time.Millisecond, table)
		n, err := db.number(t.Context(), "count", "SELECT toInt64(count()) FROM "+table+" WHERE env = "+sqltext.Literal(string(long.ID)))
		require.NoError(t, err)
		require.EqualValues(t, 5, n)
	}
	for _, table := range []string{lateTable, predecessorsTable} {
		n, err := db.number(t.Context(), "look", "SELECT toInt64(count()) FROM system.tables WHERE database = currentDatabase() AND name = '"+table+"' AND position(create_table_query, 'TTL toDateTime(gone)') > 0")
		require.NoError(t, err)
		require.EqualValues(t, 1, n, table)
	}
}
