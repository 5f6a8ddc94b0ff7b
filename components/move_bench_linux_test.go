// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/move"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// BenchmarkMigrateData moves a directory of TOUCHSTONE_BENCH_SPANS spans (20,000) with three
// evaluations each, some of which are pending or were revised, and kills the command in the middle.
func BenchmarkMigrateData(b *testing.B) {
	spans := 20_000
	if n, err := strconv.Atoi(os.Getenv("TOUCHSTONE_BENCH_SPANS")); err == nil {
		spans = n
	}
	file, err := binary()
	require.NoError(b, err)
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		fillDirectory(b, dir, spans)
		m := &measuredMove{
			file: file, dir: dir, spans: clickhousetest.Database(b, b.Name()), control: postgrestest.One(b).Database(b),
		}
		b.StartTimer()
		begun := time.Now()
		_, killed := m.run(b, int64(spans/2000)) // about half of them: 4 MiB of text are a thousand spans
		require.True(b, killed)
		out, killed := m.run(b, 1<<62)
		require.False(b, killed)
		b.ReportMetric(float64(spans)/time.Since(begun).Seconds(), "spans/s")
		b.ReportMetric(float64(m.memory)/(1<<20), "peak-MiB")
		b.ReportMetric(m.processor.Seconds(), "cpu-s")
		var r move.Result
		require.NoError(b, json.Unmarshal([]byte(out), &r), out)
		moved := int64(0)
		for _, e := range r.Environments {
			require.True(b, e.Equal)
			moved += e.Target.Spans
		}
		require.EqualValues(b, spans, moved)
	}
}

// measuredMove runs the command and notes what it took.
type measuredMove struct {
	file, dir, spans, control string
	memory                    int64 // the most, in bytes
	processor                 time.Duration
}

// run runs the command until it ends, or until so many pages of spans are stored. It reports
// whether it was killed.
func (m *measuredMove) run(b *testing.B, pages int64) (out string, killed bool) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), m.file, "migrate", "data", "--from-directory", m.dir, "--config", "../config/gateway.yaml", "-o", "json")
	var inserts atomic.Int64
	var dead atomic.Bool
	between := clickhousetest.Lossy(b, m.spans, func(statement string) clickhousetest.Fate {
		if strings.HasPrefix(statement, "INSERT INTO spans ") && inserts.Add(1) > pages {
			dead.Store(true)
			_ = cmd.Process.Kill()
			return clickhousetest.IsUnanswered
		}
		return clickhousetest.Arrives
	})
	cmd.Env = append(os.Environ(), "TOUCHSTONE_CLICKHOUSE="+between.DSN(), "TOUCHSTONE_POSTGRES="+m.control)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.memory = max(m.memory, used.Maxrss<<10) // of Linux, in KiB
	}
	m.processor += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	b.Log(stderr.String())
	if dead.Load() {
		return "", true
	}
	require.NoError(b, err, stderr.String())
	return stdout.String(), false
}

// fillDirectory makes a data directory with so many spans of five environments.
func fillDirectory(b *testing.B, dir string, spans int) {
	b.Helper()
	ctx := b.Context()
	control, err := sqldb.Open(ctx, sqldb.Config{Path: filepath.Join(dir, "control.db")})
	require.NoError(b, err)
	g := spangen.New(spangen.Options{Seed: 1, Start: time.Now().Add(-20 * 24 * time.Hour), Period: 20 * 24 * time.Hour / time.Duration(spans+1)})
	org := tenant.Organization{ID: "org_1", Name: "acme", Retention: 720 * time.Hour, CreatedAt: time.Now()}
	org.Projects = []tenant.Project{{ID: "prj_1", Slug: "default", Environments: g.Environments()}}
	require.NoError(b, control.CreateOrganization(ctx, org, []tenant.Key{storetest.NewKey(g.Environments()[0], "default")}))
	require.NoError(b, control.Close())
	engine, err := duckdb.Open(ctx, duckdb.Config{Dir: filepath.Join(dir, "spans")})
	require.NoError(b, err)
	var batch store.Batch
	for i := range spans {
		env, s := g.Next()
		made := g.Evaluations(&s)
		if i%20 == 0 {
			made = append(made, storetest.Deferred("set_2", "judge", time.Now()))
		}
		batch.Records = append(batch.Records, storetest.Record(env, s, made...))
		if i%20 == 1 {
			revised := made[0]
			revised.Revision, revised.Generation, revised.Time = 1, 2, revised.Time+1
			batch.Evaluations = append(batch.Evaluations, store.Evaluated{Environment: env.ID, Span: s.Key(), Evaluations: []eval.Evaluation{revised}})
		}
		if len(batch.Records) == 2000 || i == spans-1 {
			later := batch.Evaluations
			batch.Evaluations = nil
			_, err := engine.Write(ctx, batch)
			require.NoError(b, err)
			_, err = engine.Write(ctx, store.Batch{Evaluations: later})
			require.NoError(b, err)
			batch = store.Batch{}
		}
	}
	require.NoError(b, engine.Close())
}
