// SPDX-License-Identifier: Apache-2.0

//go:build unix

package duckdb

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	writers    = 3
	perRequest = 20
)

// crashEnvs are two classes of retention.
func crashEnvs() [2]tenant.Environment {
	return [2]tenant.Environment{testEnv("day", 24*time.Hour), testEnv("month", 720*time.Hour)}
}

// request makes a request of one writer, of spans of both environments.
func requestOf(writer, n int, now time.Time) []store.Record {
	var list []store.Record
	for i := range perRequest {
		number := (writer*1_000_000 + n*perRequest + i)
		list = append(list, numbered(crashEnvs()[i%2], number, now))
	}
	return list
}

// childWriter writes until it is killed and prints what was acknowledged.
func childWriter(dir string) error {
	ctx := context.Background()
	db, err := Open(ctx, Config{Dir: dir, MinFreeBytes: -1, PartitionRows: 1000, CheckpointBytes: 1 << 20, files: 1, fileIdle: 4 * time.Millisecond, indexRows: 1})
	if err != nil {
		return err
	}
	now := newClock().now()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := 0; ; n++ {
				if err := storetest.Write(ctx, db, requestOf(w, n, now)); err != nil {
					panic(err)
				}
				mu.Lock()
				fmt.Printf("acked %d %d\n", w, n)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return nil
}

// TestKilledProcessLosesNothingAcknowledged kills a process that writes, and
// expects what it acknowledged exactly once, also when it is all sent again.
func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := start(t, "writer", dir)
	acked := map[[2]int]bool{}
	for range 250 {
		var w, n int
		_, err := fmt.Sscan(c.expect(t, "acked "), &w, &n)
		require.NoError(t, err)
		acked[[2]int{w, n}] = true
	}
	require.NoError(t, c.Process.Kill())
	for c.out.Scan() { // what it said before it died
		var w, n int
		if _, err := fmt.Sscanf(c.out.Text(), "acked %d %d", &w, &n); err == nil {
			acked[[2]int{w, n}] = true
		}
	}
	require.Error(t, c.Wait())

	clk := newClock()
	db := open(t, Config{Dir: dir, Now: clk.now, PartitionRows: 1000})
	requireSummaries(t, db)
	check := func() {
		for i, env := range crashEnvs() {
			found := stored(t, db, env)
			for k := range acked {
				for j, r := range requestOf(k[0], k[1], clk.now()) {
					if j%2 == i {
						require.Contains(t, found, numberOf(&r.Span))
					}
				}
			}
		}
	}
	check()
	before := len(stored(t, db, crashEnvs()[0]))
	for k := range acked {
		require.NoError(t, storetest.Write(t.Context(), db, requestOf(k[0], k[1], clk.now())))
	}
	require.Len(t, stored(t, db, crashEnvs()[0]), before)
	check()
}

// childHolder has the store open until its input ends.
func childHolder(dir string) error {
	db, err := Open(context.Background(), Config{Dir: dir})
	if err != nil {
		return err
	}
	fmt.Println("open")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return db.Close()
}

func TestStoreInUseIsUnavailable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := start(t, "holder", dir)
	c.expect(t, "open")
	_, err := Open(t.Context(), Config{Dir: dir})
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Equal(t, "span store "+dir+" is in use by another process", fault.Message(err))

	// The engine's own lock keeps out who does not know of the other.
	require.NoError(t, os.Remove(dir+"/LOCK"))
	_, err = Open(t.Context(), Config{Dir: dir})
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Equal(t, "span store "+dir+" is in use by another process", fault.Message(err))

	require.NoError(t, c.in.Close())
	require.NoError(t, c.Wait())
	db := open(t, Config{Dir: dir})
	_, err = Open(t.Context(), Config{Dir: dir})
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "opened twice by one process")
	require.NoError(t, db.Close())
	open(t, Config{Dir: dir})
}
