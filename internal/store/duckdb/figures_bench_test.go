// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

// BenchmarkFigures measures figures of all that BenchmarkQueries stored in
// TOUCHSTONE_BENCH_DIR: asked for the first time, and again.
func BenchmarkFigures(b *testing.B) {
	dir := os.Getenv("TOUCHSTONE_BENCH_DIR")
	if dir == "" {
		b.Skip("TOUCHSTONE_BENCH_DIR names no store of BenchmarkQueries")
	}
	db, err := Open(b.Context(), Config{Dir: dir, MinFreeBytes: -1})
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()
	db.awaitIndexes()
	env := newRecordSource(time.Hour, 1).Environments()[0]
	const day = 24 * time.Hour
	of := func(s query.Subject, step time.Duration, by []query.Field, figures ...query.Figure) query.Aggregate {
		return query.Aggregate{
			Subject: s, To: math.MaxInt64, Step: step, By: by, Limit: 10_000, Rollup: &query.Rollup{Top: 10, Series: 20_000},
			Figures: append([]query.Figure{{Measure: query.Count}}, figures...),
		}
	}
	number := query.Field{Kind: query.FieldOutput, Name: query.OutputNumber}
	duration := query.Column("duration")
	service := []query.Field{{Kind: query.FieldColumn, Name: "service_name"}}
	sum, counted := query.Figure{Measure: query.Sum, Of: number}, query.Figure{Measure: query.Count, Of: number}
	p95 := query.Figure{Measure: query.Quantile, Of: number, Percent: 95}
	ask := func(a query.Aggregate) func() error {
		return func() error {
			_, err := db.Aggregate(b.Context(), env, a)
			return err
		}
	}
	now := time.Now()
	for _, x := range []struct {
		name string
		ask  func() error
	}{
		{"verdicts by service", ask(of(query.Outputs, 0, service, sum, counted))},
		{"verdicts by service with p95", ask(of(query.Outputs, 0, service, sum, counted, p95))},
		{"verdicts by day", ask(of(query.Outputs, day, nil, sum, counted))},
		{"verdicts by day with p95", ask(of(query.Outputs, day, nil, sum, counted, p95))},
		{"spans by service", ask(of(query.Spans, 0, service, query.Figure{Measure: query.Sum, Of: duration}))},
		{"spans by service with p95", ask(of(query.Spans, 0, service, query.Figure{Measure: query.Quantile, Of: duration, Percent: 95}))},
		{"all setups", func() error {
			_, err := store.ReadSetupFigures(b.Context(), db, env, now.Add(-30*day).UnixNano(), now.UnixNano(), time.Hour, now)
			return err
		}},
		{"status of a setup", func() error {
			_, err := store.ReadEvaluationCounts(b.Context(), db, env, "set_1")
			return err
		}},
	} {
		b.Run(x.name, func(b *testing.B) {
			before := usage.CPUTime()
			require.NoError(b, x.ask())
			first := usage.CPUTime() - before
			before = usage.CPUTime()
			for b.Loop() {
				require.NoError(b, x.ask())
			}
			b.ReportMetric(float64(first.Microseconds())/1e3, "first-cpu-ms")
			b.ReportMetric(float64((usage.CPUTime()-before).Microseconds())/1e3/float64(b.N), "cpu-ms/op")
		})
	}
}
