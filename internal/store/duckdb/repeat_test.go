// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// TestRepeatsAtRandom writes spans, again and changed, through a window and
// partitions that are far too small, opens the store again now and then, and
// expects the last of each span exactly once.
func TestRepeatsAtRandom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	clk := newClock()
	cfg := Config{Dir: t.TempDir(), Now: clk.now, WindowKeys: 16, PartitionRows: 60, files: 2, fileIdle: 4 * time.Millisecond}
	db := open(t, cfg)
	envs := []tenant.Environment{testEnv("a", 30*time.Hour), testEnv("b", 30*time.Hour), testEnv("c", 700*time.Hour)}
	want := make([]map[int]store.Record, len(envs))
	for i := range want {
		want[i] = map[int]store.Record{}
	}
	next := 0
	for round := range 60 {
		var batch []store.Record
		for range 1 + r.IntN(30) {
			e := r.IntN(len(envs))
			if n := r.IntN(next + 1); r.IntN(3) > 0 && want[e][n].Span.Name != "" {
				x := want[e][n]
				if r.IntN(2) == 0 {
					x.Span.Name = string(rune('a' + r.IntN(26)))
					_, last := span.BucketOf(x.Span.Start).Bounds() // behind which it would be another span
					x.Span.Start = min(x.Span.Start+int64(r.IntN(int(time.Minute))), last)
				}
				want[e][n] = x
				batch = append(batch, x)
				continue
			}
			next++
			x := numbered(envs[e], next, clk.ago(time.Duration(r.IntN(1000))*time.Second))
			want[e][next] = x
			batch = append(batch, x)
		}
		require.NoError(t, storetest.Write(t.Context(), db, batch))
		clk.pass(3 * time.Minute)
		if round%20 == 19 {
			require.NoError(t, db.Close())
			db = open(t, cfg)
			require.Positive(t, requireSummaries(t, db))
		}
		if round%10 == 9 {
			requireRecords(t, db, envs, want)
		}
	}
	require.Greater(t, len(db.engine.partitions), 4)
}

func requireRecords(t *testing.T, db *DB, envs []tenant.Environment, want []map[int]store.Record) {
	t.Helper()
	for i, env := range envs {
		found := stored(t, db, env)
		require.Len(t, found, len(want[i]))
		for n, x := range want[i] {
			require.Equal(t, x.Span.Name, found[n].Name)
			require.Equal(t, x.Span.Start, found[n].Start)
			if n%10 > 0 {
				continue
			}
			require.Len(t, evaluationsOf(t, db, env, x), 1)
		}
	}
}

// TestCrashBetweenTheTwoHalvesOfAReplacement leaves the old row in its partition,
// as a crash would after the new one was committed.
func TestCrashBetweenTheTwoHalvesOfAReplacement(t *testing.T) {
	t.Parallel()
	clk := newClock()
	reports := 0
	cfg := Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 1, Report: func(string, error) { reports++ }}
	db := open(t, cfg)
	env := testEnv("prd", 100*time.Hour)
	x := numbered(env, 1, clk.now())
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{x}))
	x.Span.Name = "changed"
	e := db.engine
	arrivals, err := e.arrivals(t.Context(), []*turns.Request{turns.NewRequest(store.Batch{Records: []store.Record{x}})})
	require.NoError(t, err)
	require.True(t, arrivals[0].stored)
	p, err := e.take(t.Context(), label.ClassOf(env.Retention))
	require.NoError(t, err)
	w := &commit{engine: e, partition: p, learnt: map[tenant.EnvironmentID]partitions.Bounds{}}
	b := &batch{arrivals: arrivals}
	require.NoError(t, w.prepare(t.Context(), b))
	require.NoError(t, w.do(b))
	w.remember(b)
	page, err := db.Search(t.Context(), env, query.Query{To: 1<<63 - 1, Limit: 10, Total: true, Order: query.Order{By: query.SortTraceID}})
	require.NoError(t, err)
	require.Len(t, page.Spans, 1, "a page has a span once, and the newer of two")
	require.Equal(t, "changed", page.Spans[0].Name)

	require.NoError(t, db.Close())
	db = open(t, cfg)
	require.Equal(t, 1, reports)
	found := stored(t, db, env)
	require.Len(t, found, 1)
	require.Equal(t, "changed", found[1].Name)
	require.NoError(t, db.Close())
	db = open(t, cfg)
	require.Len(t, stored(t, db, env), 1)
	require.Equal(t, 1, reports)
}
