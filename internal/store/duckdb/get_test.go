// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// A span is looked for where it can be: of closed partitions that have others no file
// is opened, neither for it nor for its evaluations, and neither after a restart.
func TestOneSpanOpensOneFile(t *testing.T) {
	t.Parallel()
	clk := newClock()
	cfg := Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 10}
	env := testEnv("prd", 700*time.Hour)
	const all = 60
	db := open(t, cfg)
	for n := range all {
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{owing(env, n, clk.now().Add(time.Duration(n)*time.Minute), clk.now())}))
	}
	for range 2 {
		closed := db.engine.partitions[:len(db.engine.partitions)-1]
		require.Len(t, closed, all/10-1)
		opened := func(look func()) (list []int64) {
			db.awaitIndexes()
			require.NoError(t, db.engine.files.ShutIdle(time.Now().Add(time.Hour)))
			look()
			for _, p := range closed {
				if p.IsAttached() {
					list = append(list, p.Serial)
				}
			}
			return list
		}
		for _, n := range []int{3, 25, all - 1} {
			var in []int64
			if n < all-10 {
				in = []int64{closed[n/10].Serial}
			}
			begun := clk.now().Add(time.Duration(n) * time.Minute).UnixNano()
			for _, key := range []span.Key{{SpanID: keyOf(n).SpanID, TraceID: keyOf(n).TraceID}, {SpanID: keyOf(n).SpanID, TraceID: keyOf(n).TraceID, Start: begun}} {
				require.Equal(t, in, opened(func() {
					found, err := db.Get(t.Context(), env, []span.Key{key}, 0)
					require.NoError(t, err)
					require.Len(t, found, 1)
					require.Equal(t, n, numberOf(&found[0]))
				}), "%d", n)
				require.Equal(t, in, opened(func() {
					made, err := db.Evaluations(t.Context(), []store.Location{{Environment: env.ID, Span: key}}, 0, store.Latest)
					require.NoError(t, err)
					require.Len(t, made, 1)
					require.Len(t, made[0].Evaluations, 3)
				}), "%d", n)
			}
		}
		require.Empty(t, opened(func() {
			found, err := db.Get(t.Context(), env, []span.Key{keyOf(all)}, 0)
			require.NoError(t, err)
			require.Empty(t, found)
		}))
		require.NoError(t, db.Close())
		db = open(t, cfg)
	}
}

// What was acknowledged is found at once, however partitions are closed meanwhile.
func TestSpansAreFoundWhilePartitionsClose(t *testing.T) {
	t.Parallel()
	db := open(t, Config{Dir: t.TempDir(), PartitionRows: 2, files: 1, fileIdle: 4 * time.Millisecond})
	env := testEnv("prd", 700*time.Hour)
	begun := time.Now()
	const all = 200
	var there atomic.Int64
	var reading sync.WaitGroup
	for reader := range 3 {
		reading.Go(func() {
			for i := reader; there.Load() < all; i += 7 {
				n := there.Load()
				if n == 0 {
					continue
				}
				latest := int(n) - 1 - i%int(min(n, 25))
				key := keyOf(latest)
				key.Start = 0
				found, err := db.Get(t.Context(), env, []span.Key{key}, 0)
				if err != nil || len(found) != 1 {
					t.Errorf("span %d of %d: %d found, %v", latest, n, len(found), err)
					return
				}
			}
		})
	}
	for n := range all {
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{owing(env, n, begun.Add(time.Duration(n)*time.Second), begun)}))
		there.Store(int64(n + 1))
	}
	reading.Wait()
}
