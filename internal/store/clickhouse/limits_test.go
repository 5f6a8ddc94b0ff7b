// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

// What a query may take reaches the server, and one that takes more is refused in a sentence
// that says nothing of the statement, to be tried again.
func TestQueriesAreLimited(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	db, err := Open(t.Context(), Config{DSN: clickhousetest.Database(t, t.Name()), Now: time.Now, MaxTime: 2 * time.Second, MaxMemory: 64 * mib, MaxThreads: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	for name, want := range map[string]int64{"max_execution_time": 2, "max_memory_usage": 64 * mib, "max_threads": 1} {
		n, err := db.number(t.Context(), "look at the settings", "SELECT toInt64(getSetting('"+name+"'))")
		require.NoError(t, err)
		require.Equal(t, want, n, name)
	}
	for what, statement := range map[string]string{
		"time":   "SELECT toInt64(count()) FROM numbers(1000000000000) WHERE cityHash64(number) = 1",
		"memory": "SELECT toInt64(length(groupArray(number))) FROM numbers(100000000)",
	} {
		begun := time.Now()
		_, err := db.number(t.Context(), "count spans", statement)
		require.Error(t, err, what)
		require.Equal(t, "ClickHouse cannot count spans now", fault.Message(err), what)
		require.Equal(t, fault.Unavailable, fault.KindOf(err), what)
		require.Less(t, time.Since(begun), time.Minute, what)
	}
	n, err := db.number(t.Context(), "count spans", "SELECT toInt64(7)")
	require.NoError(t, err, "the connection goes on")
	require.EqualValues(t, 7, n)
}
