// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
)

// A commit for which memory was too short is made again by an engine that was opened
// again, since what the first has in memory may not be what is in its files.
func TestAfterACommitWithoutMemoryFilesAreReadAnew(t *testing.T) {
	t.Parallel()
	clk := newClock()
	var fails atomic.Bool
	var worked atomic.Int64 // logs into their files
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now, faults: instance.Faults{Writer: func(statement string, done bool) error {
		if statement == "COMMIT" && !done && fails.CompareAndSwap(true, false) {
			return errors.New("TransactionContext Error: Failed to commit: could not allocate block of size 128.0 KiB (191.9 MiB/192.0 MiB used)")
		}
		if done && strings.HasPrefix(statement, "CHECKPOINT ") {
			worked.Add(1)
		}
		return nil
	}}})
	env := testEnv("a", 720*time.Hour)
	write := func(n int) {
		_, err := db.Write(t.Context(), store.Batch{Records: []store.Record{numbered(env, n, clk.now())}})
		require.NoError(t, err)
	}
	write(0)
	before := db.engine
	fails.Store(true)
	write(1)
	require.False(t, fails.Load())
	require.NotSame(t, before, db.engine)
	require.EqualValues(t, 1, worked.Load(), "what the log holds in memory is not in the way of the next try")
	write(2)
	page, err := db.Search(t.Context(), env, query.Query{To: math.MaxInt64, Limit: 10, Total: true, Order: query.Order{By: query.SortTimestamp}})
	require.NoError(t, err)
	require.EqualValues(t, 3, page.Total)
}
