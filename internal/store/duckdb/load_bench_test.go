// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

// benchSpans is how many spans BenchmarkLoaded loads, TOUCHSTONE_BENCH_SPANS or
// 200,000.
func benchSpans(b *testing.B) int {
	b.Helper()
	text := os.Getenv("TOUCHSTONE_BENCH_SPANS")
	if text == "" {
		return 200_000
	}
	n, err := strconv.Atoi(text)
	require.NoError(b, err)
	return n
}

// source makes records as the exporter would hand them over, three evaluations
// each.
type recordSource struct{ *spangen.Generator }

func newRecordSource(span time.Duration, n int) recordSource {
	return recordSource{spangen.New(spangen.Options{Seed: 1, Start: time.Now().Add(-span), Period: span / time.Duration(n)})}
}

func (s recordSource) batch(n int) []store.Record {
	list := make([]store.Record, n)
	now := time.Now().UnixNano()
	for i := range list {
		env, x := s.Next()
		x.Arrived = now
		list[i] = store.Record{Environment: env, Span: x, Evaluations: s.Evaluations(&x)}
	}
	return list
}

// BenchmarkWrite writes batches; an operation is one batch.
func BenchmarkWrite(b *testing.B) {
	for _, size := range []int{1, 500, 1000, 8192} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			db, err := Open(b.Context(), Config{Dir: b.TempDir(), MinFreeBytes: -1})
			require.NoError(b, err)
			defer func() { require.NoError(b, db.Close()) }()
			src := newRecordSource(48*time.Hour, 200_000)
			var spent time.Duration
			n := 0
			for b.Loop() {
				b.StopTimer()
				batch := src.batch(size)
				before := usage.CPUTime()
				b.StartTimer()
				require.NoError(b, storetest.Write(b.Context(), db, batch))
				b.StopTimer()
				spent += usage.CPUTime() - before
				n += size
				b.StartTimer()
			}
			b.ReportMetric(float64(spent.Nanoseconds())/1e3/float64(n), "cpu-µs/span")
		})
	}
}

// BenchmarkLoaded loads a store in batches of 1000 and reports what that took,
// then measures queries on it.
func BenchmarkLoaded(b *testing.B) {
	n := benchSpans(b)
	dir := b.TempDir()
	db, err := Open(b.Context(), Config{Dir: dir, MinFreeBytes: -1})
	require.NoError(b, err)
	src := newRecordSource(time.Duration(n)*300*time.Millisecond, n)
	const size = 1000
	var spent time.Duration
	var stalls []time.Duration
	for done := 0; done < n; done += size {
		batch := src.batch(size)
		before, began := usage.CPUTime(), time.Now()
		require.NoError(b, storetest.Write(b.Context(), db, batch))
		stalls = append(stalls, time.Since(began))
		spent += usage.CPUTime() - before
	}
	slices.Sort(stalls)
	disk, memory := diskBytes(b, dir), usage.PeakMemory()
	b.Run("load", func(b *testing.B) {
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(spent.Nanoseconds())/1e3/float64(n), "cpu-µs/span")
		b.ReportMetric(ms(stalls[len(stalls)/2]), "p50-ms")
		b.ReportMetric(ms(stalls[len(stalls)*95/100]), "p95-ms")
		b.ReportMetric(ms(stalls[len(stalls)-1]), "max-ms")
		b.ReportMetric(float64(disk)/float64(n), "B/span")
		b.ReportMetric(float64(memory>>20), "peak-MiB")
	})
	b.Run("restart", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, db.Close())
			db, err = Open(b.Context(), Config{Dir: dir, MinFreeBytes: -1})
			require.NoError(b, err)
		}
		b.ReportMetric(float64(diskBytes(b, dir))/float64(n), "B/span")
	})
	defer func() { require.NoError(b, db.Close()) }()
	env := src.Environments()[0]
	_, sample := src.Next()
	customer, _ := sample.Attributes.Get("customer_id")
	all := query.Query{From: 0, To: 1<<63 - 1, Limit: 50, Total: true, Order: query.Order{By: query.SortTimestamp, Descending: true}}
	for _, q := range []struct {
		name  string
		query func(q *query.Query)
	}{
		{"newest 50", func(*query.Query) {}},
		{"newest 50 of the last hour", func(q *query.Query) { q.From = time.Now().Add(-time.Hour).UnixNano() }},
		{"newest 1000", func(q *query.Query) { q.Limit = 1000 }},
		{"attribute", func(q *query.Query) {
			q.Filters = []query.Filter{attribute("customer_id", customer)}
		}},
		{"attribute without a total", func(q *query.Query) {
			q.Total, q.Filters = false, []query.Filter{attribute("customer_id", customer)}
		}},
		{"attribute total", func(q *query.Query) {
			q.Limit, q.Filters = 0, []query.Filter{attribute("customer_id", customer)}
		}},
		{"resource", func(q *query.Query) { q.Filters = []query.Filter{attribute("service.name", "service-7")} }},
		{"most tokens", func(q *query.Query) {
			q.Order.By = query.SortTotalTokens
			q.Filters = []query.Filter{{Field: query.Field{Kind: query.FieldAlias, Name: span.AliasTotalTokens}, Operator: query.OpGreaterThan, Number: 3000}}
		}},
		{"completion contains", func(q *query.Query) {
			q.Filters = []query.Filter{{Field: query.Column("completions"), Operator: query.OpContains, Value: "zuzu"}}
		}},
		{"verdict", func(q *query.Query) {
			q.Filters = []query.Filter{{Field: query.Field{Kind: query.FieldEvaluation, Name: "char-count", Output: "char_count"}, Operator: query.OpGreaterThan, Number: 4000}}
		}},
		{"by verdict", func(q *query.Query) {
			q.Order.By, q.Order.Slug, q.Order.Output = query.SortEvaluation, "char-count", "char_count"
		}},
		{"trace", func(q *query.Query) {
			q.Filters = []query.Filter{{Field: query.TraceField, Operator: query.OpEquals, Value: sample.TraceID.String()}}
		}},
	} {
		b.Run(q.name, func(b *testing.B) {
			want := all
			q.query(&want)
			measure(b, func() (int64, error) {
				page, err := db.Search(b.Context(), env, want)
				return page.Total, err
			})
		})
	}
	for _, by := range []query.SortKey{query.SortTimestamp, query.SortMetric, query.SortNumber} {
		b.Run("outputs by "+string(by), func(b *testing.B) {
			q := query.Query{Subject: query.Outputs, To: 1<<63 - 1, Order: query.Order{By: by, Descending: true}, Limit: 50, Total: true}
			measure(b, func() (int64, error) {
				page, err := db.Search(b.Context(), env, q)
				return page.Total, err
			})
		})
	}
	service, duration := query.Column("service_name"), query.Column("duration")
	count, number := query.Figure{Measure: query.Count}, query.Field{Kind: query.FieldOutput, Name: query.OutputNumber}
	ofSlug := query.Filter{Field: query.Field{Kind: query.FieldOutput, Name: query.OutputEvaluator}, Operator: query.OpEquals, Value: "char-count"}
	for name, a := range map[string]query.Aggregate{
		"spans by hour":            {Limit: 10_000, Step: time.Hour, Figures: []query.Figure{count}},
		"spans by service":         {By: []query.Field{service}, Figures: []query.Figure{count}},
		"percentiles of spans":     {Step: time.Hour, Figures: []query.Figure{count, {Measure: query.Quantile, Of: duration, Percent: 90}}},
		"an output by hour":        {Subject: query.Outputs, Filters: []query.Filter{ofSlug}, Step: time.Hour, Figures: []query.Figure{count, {Measure: query.Sum, Of: number}}},
		"percentiles of an output": {Subject: query.Outputs, Filters: []query.Filter{ofSlug}, By: []query.Field{service}, Figures: []query.Figure{{Measure: query.Quantile, Of: number, Percent: 90}}},
		"evaluations by status":    {Subject: query.Evaluations, By: []query.Field{query.Record(query.RecordStatus)}, Step: time.Hour, Figures: []query.Figure{count}},
		"evaluations of setups":    {Subject: query.Evaluations, Limit: 10_000, By: []query.Field{query.Record(query.RecordSetup)}, Step: time.Hour, Figures: []query.Figure{{Measure: query.CountSpans}}},
	} {
		b.Run("figures/"+name, func(b *testing.B) {
			a.To = 1<<63 - 1
			measure(b, func() (int64, error) {
				groups, err := db.Aggregate(b.Context(), env, a)
				return int64(len(groups)), err
			})
		})
	}
	b.Run("tallies", func(b *testing.B) {
		measure(b, func() (int64, error) {
			list, err := store.ReadEvaluationCounts(b.Context(), db, env, "set_1")
			return list[0].Count, err
		})
	})
}

func attribute(key, value string) query.Filter {
	return query.Filter{Field: query.Field{Kind: query.FieldAttribute, Name: key}, Operator: query.OpEquals, Value: value}
}

// measure times calls that say how much they found in all.
func measure(b *testing.B, call func() (int64, error)) {
	b.Helper()
	var times []time.Duration
	var total int64
	before := usage.CPUTime()
	for b.Loop() {
		began := time.Now()
		var err error
		total, err = call()
		require.NoError(b, err)
		times = append(times, time.Since(began))
	}
	b.ReportMetric(ms(usage.CPUTime()-before)/float64(len(times)), "cpu-ms/op")
	slices.Sort(times)
	b.ReportMetric(ms(times[len(times)/2]), "p50-ms")
	b.ReportMetric(float64(total), "total")
	b.ReportMetric(float64(usage.PeakMemory()>>20), "peak-MiB")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

func diskBytes(tb testing.TB, dir string) (n int64) {
	tb.Helper()
	require.NoError(tb, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		n += st.Size()
		return err
	}))
	return n
}
