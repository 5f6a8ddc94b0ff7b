// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

// BenchmarkWrite stores spans like those of applications with three verdicts each, a
// commit of eight requests of 500 at a time, and says what CPU time of this process a span takes.
func BenchmarkWrite(b *testing.B) {
	db, err := Open(b.Context(), Config{DSN: clickhousetest.Database(b, b.Name()), Now: time.Now})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	g := spangen.New(spangen.Options{Seed: 1, Start: time.Now()})
	const perBatch = 4000
	records := func() []store.Record {
		list := make([]store.Record, perBatch)
		for i := range list {
			env, s := g.Next()
			list[i] = store.Record{Environment: env, Span: s, Evaluations: g.Evaluations(&s)}
		}
		return list
	}
	var used time.Duration
	spans := 0
	for b.Loop() {
		b.StopTimer()
		list := records()
		before := usage.CPUTime()
		b.StartTimer()
		require.NoError(b, storetest.Write(b.Context(), db, list))
		used += usage.CPUTime() - before
		spans += perBatch
	}
	b.ReportMetric(float64(used.Microseconds())/float64(spans), "µs-CPU/span")
}
