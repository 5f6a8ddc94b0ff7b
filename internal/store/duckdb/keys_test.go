// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

// Every closed partition has a file of keys. Without it, or with one that is
// damaged or of another partition, a span that comes again is recognised all the
// same, and the file is there again.
func TestFilesOfKeysAreMadeAgain(t *testing.T) {
	t.Parallel()
	env := testEnv("prd", 700*time.Hour)
	for name, change := range map[string]func(t *testing.T, files []string){
		"none":    func(*testing.T, []string) {},
		"removed": func(t *testing.T, files []string) { require.NoError(t, os.Remove(files[0]+".keys")) },
		"torn":    func(t *testing.T, files []string) { require.NoError(t, os.Truncate(files[0]+".keys", 100)) },
		"flipped": func(t *testing.T, files []string) {
			b, err := os.ReadFile(files[0] + ".keys")
			require.NoError(t, err)
			b[len(b)/2] ^= 1
			require.NoError(t, os.WriteFile(files[0]+".keys", b, 0o600))
		},
		"of another": func(t *testing.T, files []string) {
			b, err := os.ReadFile(files[1] + ".keys")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(files[0]+".keys", b, 0o600))
		},
		"unfinished": func(t *testing.T, files []string) {
			require.NoError(t, os.WriteFile(files[0]+".keys-123", []byte("half"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clk := newClock()
			cfg := Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 10, WindowKeys: 2}
			db := open(t, cfg)
			at := clk.now()
			for i := range 3 {
				writeNumbered(t, db, env, i*10, 10, at)
			}
			require.NoError(t, db.Close())
			files := partitionFiles(t, cfg.Dir)
			require.Len(t, files, 3)
			for _, f := range files {
				require.FileExists(t, f+".keys")
			}
			change(t, files)
			db = open(t, cfg)
			for n := range 30 {
				found, err := db.Get(t.Context(), env, []span.Key{{TraceID: keyOf(n).TraceID, SpanID: keyOf(n).SpanID}}, 0)
				require.NoError(t, err)
				require.Len(t, found, 1, "%d", n)
			}
			for i := range 3 {
				writeNumbered(t, db, env, i*10, 10, at) // again
			}
			require.Len(t, stored(t, db, env), 30)
			total, err := db.countFor(t.Context(), env)
			require.NoError(t, err)
			require.Equal(t, 30, total)
			for _, f := range files {
				require.FileExists(t, f+".keys")
			}
			require.NoFileExists(t, files[0]+".keys-123")
			clk.pass(1000 * time.Hour)
			require.NoError(t, db.Expire(t.Context(), clk.now()))
			for _, f := range files {
				require.NoFileExists(t, f)
				require.NoFileExists(t, f+".keys")
			}
		})
	}
}

// After a crash the partition that took in spans has a file of keys of fewer rows
// than it has, or none.
func TestAFileOfKeysOfFewerRowsIsNotBelieved(t *testing.T) {
	t.Parallel()
	clk := newClock()
	env := testEnv("prd", 700*time.Hour)
	cfg := Config{Dir: t.TempDir(), Now: clk.now, WindowKeys: 2}
	db := open(t, cfg)
	at := clk.now()
	writeNumbered(t, db, env, 0, 10, at)
	require.NoError(t, db.Close())
	path := partitionFiles(t, cfg.Dir)[0] + ".keys"
	early, err := os.ReadFile(path)
	require.NoError(t, err)
	db = open(t, cfg)
	writeNumbered(t, db, env, 10, 10, at)
	require.NoError(t, db.Close())
	require.NoError(t, os.WriteFile(path, early, 0o600))
	db = open(t, cfg)
	writeNumbered(t, db, env, 0, 20, at)
	require.Len(t, stored(t, db, env), 20)
}

// Where the keys cannot be written down the store goes on, and says so.
func TestKeysThatCannotBeWrittenDown(t *testing.T) {
	t.Parallel()
	clk := newClock()
	env := testEnv("prd", 700*time.Hour)
	var reported []string
	cfg := Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 10, WindowKeys: 2, Report: func(message string, _ error) {
		reported = append(reported, message)
	}}
	db := open(t, cfg)
	at := clk.now()
	writeNumbered(t, db, env, 0, 10, at)
	path := partitionFiles(t, cfg.Dir)[0] + ".keys"
	require.NoError(t, os.MkdirAll(path+"/in/the/way", 0o700))
	writeNumbered(t, db, env, 10, 10, at)
	require.Contains(t, reported, "the keys of a partition could not be written down")
	writeNumbered(t, db, env, 0, 20, at)
	require.Len(t, stored(t, db, env), 20)
	require.NoError(t, os.RemoveAll(path))
}

// BenchmarkLate writes spans in order, then as many whose starts are spread over
// 25 minutes before now, then those of one client whose clock is an hour ahead and
// of an import of 30 days, and tells what each costs.
func BenchmarkLate(b *testing.B) {
	n := benchSpans(b)
	db, err := Open(b.Context(), Config{Dir: b.TempDir(), MinFreeBytes: -1})
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()
	now := time.Now()
	const size = 500
	random := func(i int) int64 { return int64(uint64(i) * 0x9e3779b97f4a7c15 >> 1) } // a Weyl sequence: spread evenly
	for range b.N {
		for _, x := range []struct {
			name  string
			start func(i int) time.Time
		}{
			{"in-order", func(i int) time.Time { return now.Add(time.Duration(i) * time.Millisecond) }},
			{"25-min", func(i int) time.Time { return now.Add(-time.Duration(random(i) % int64(25*time.Minute))) }},
			{"hour-ahead", func(i int) time.Time {
				if i%10 == 0 {
					return now.Add(time.Hour + time.Duration(i)*time.Millisecond)
				}
				return now.Add(time.Duration(n+i) * time.Millisecond)
			}},
			{"30-days", func(i int) time.Time { return now.Add(-time.Duration(random(i) % int64(30*24*time.Hour))) }},
		} {
			src := newRecordSource(time.Hour, n)
			var spent time.Duration
			for done := 0; done < n; done += size {
				batch := src.batch(size)
				for i := range batch {
					batch[i].Span.Start = x.start(done + i).UnixNano()
					copy(batch[i].Span.TraceID[8:], x.name) // not those of the others
				}
				before := usage.CPUTime()
				require.NoError(b, storetest.Write(b.Context(), db, batch))
				spent += usage.CPUTime() - before
			}
			b.ReportMetric(float64(spent.Nanoseconds())/1e3/float64(n), x.name+"-cpu-µs/span")
		}
	}
}
