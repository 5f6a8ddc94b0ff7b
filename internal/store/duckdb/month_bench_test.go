// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

const monthPartitions = 720

// BenchmarkMonth opens a store of 720 partitions of an hour each, and reads a page
// of one hour and of all time. TOUCHSTONE_BENCH_MONTH names a directory that
// keeps the store for other runs.
func BenchmarkMonth(b *testing.B) {
	dir := os.Getenv("TOUCHSTONE_BENCH_MONTH")
	if dir == "" {
		dir = b.TempDir()
	}
	clk := newClock()
	cfg := Config{Dir: dir, Now: clk.now, PartitionRows: 20, MinFreeBytes: -1}
	env := testEnv("prd", 800*time.Hour)
	made, err := filepath.Glob(filepath.Join(dir, instance.PartitionDir, "*.duckdb"))
	require.NoError(b, err)
	if len(made) == 0 {
		db, err := Open(b.Context(), cfg)
		require.NoError(b, err)
		for i := range monthPartitions {
			var batch []store.Record
			for j := range 20 {
				batch = append(batch, numbered(env, i*20+j, clk.now()))
			}
			require.NoError(b, storetest.Write(b.Context(), db, batch))
			clk.pass(time.Hour)
		}
		require.NoError(b, db.Close())
	}
	clk.Store(newClock().Load() + int64(monthPartitions*time.Hour))
	b.ResetTimer()
	for range b.N {
		before := residentMiB(b)
		began := time.Now()
		db, err := Open(b.Context(), cfg)
		require.NoError(b, err)
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "open-ms")
		b.ReportMetric(residentMiB(b)-before, "opened-MiB")
		q := query.Query{From: clk.ago(360*time.Hour + time.Minute).UnixNano(), To: clk.ago(359*time.Hour + 2*time.Minute).UnixNano(), Limit: 50, Total: true, Order: query.Order{By: query.SortTimestamp, Descending: true}}
		for _, x := range []struct {
			unit string
			from int64
			to   int64
			by   query.SortKey
		}{
			{"hour-ms", q.From, q.To, query.SortTimestamp},
			{"all-ms", 0, 1<<63 - 1, query.SortTraceID},
		} {
			q.From, q.To, q.Order.By = x.from, x.to, x.by
			began = time.Now()
			page, err := db.Search(b.Context(), env, q)
			require.NoError(b, err)
			require.NotZero(b, page.Total)
			b.ReportMetric(float64(time.Since(began).Microseconds())/1e3, x.unit)
		}
		b.ReportMetric(residentMiB(b)-before, "queried-MiB")
		require.NoError(b, db.Close())
	}
}

// residentMiB returns the anonymous memory of the process, in MiB, 0 where /proc
// is not.
func residentMiB(tb testing.TB) float64 {
	tb.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(text), "\n") {
		if rest, found := strings.CutPrefix(line, "RssAnon:"); found {
			kib, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			require.NoError(tb, err)
			return kib / 1024
		}
	}
	return 0
}
