// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"bytes"
	"context"
	"database/sql/driver"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
)

// A query that waits for a file while closing that fails is made again with the engine that
// is opened in place of the old one. The test is not parallel: it looks for who waits among
// all goroutines.
func TestAQueryOutlivesAFileThatIsNotClosed(t *testing.T) {
	clk := newClock()
	var detached atomic.Pointer[func() error]
	cfg := Config{Dir: t.TempDir(), Now: clk.now, CheckpointBytes: 1, reattachBytes: 1}
	cfg.faults = instance.Faults{Pool: func(c driver.Connector) driver.Connector {
		return hooked{Connector: c, exec: func(query string, execute func() (driver.Result, error)) (driver.Result, error) {
			result, err := execute()
			if err == nil && strings.Contains(query, "DETACH") {
				if failed := detached.Swap(nil); failed != nil {
					return nil, (*failed)()
				}
			}
			return result, err
		}}
	}}
	db := open(t, cfg)
	s := &brokenStore{db: db, owed: backlogOf(t, db), clock: clk}
	require.NoError(t, s.write(t, 20))
	s.db.awaitIdle(t)

	env := testEnv("prd", 24*time.Hour)
	found := make(chan error, 1)
	failed := func() error {
		go func() {
			n, err := db.countFor(context.Background(), env)
			if err == nil && n != 21 {
				t.Errorf("found %d", n)
			}
			found <- err
		}()
		require.Eventually(t, func() bool {
			var stacks bytes.Buffer
			_ = pprof.Lookup("goroutine").WriteTo(&stacks, 2)
			return strings.Contains(stacks.String(), "partitions.(*Partition).pin(")
		}, time.Minute, time.Millisecond)
		return errBroken
	}
	detached.Store(&failed)
	require.NoError(t, s.write(t, 1))
	require.NoError(t, <-found)
	require.NoError(t, db.Close())
}
