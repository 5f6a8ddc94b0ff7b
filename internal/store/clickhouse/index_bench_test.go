// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

// BenchmarkExactAttribute counts the spans with a value of an attribute, of 100,000 with
// 20 attributes each, with the index of attributes and without.
func BenchmarkExactAttribute(b *testing.B) {
	for _, index := range []string{"with", "without"} {
		b.Run(index, func(b *testing.B) {
			db, err := Open(b.Context(), Config{DSN: clickhousetest.Database(b, b.Name()), Now: func() time.Time { return storetest.Epoch }, keepExpired: true})
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, db.Close()) })
			if index == "without" {
				require.NoError(b, db.conn.Exec(b.Context(), "ALTER TABLE spans DROP INDEX by_attribute"))
			}
			env := storetest.Environment("prd")
			const batches, perBatch = 10, 10_000
			var took time.Duration
			for i := range batches {
				list := make([]store.Record, perBatch)
				for j := range list {
					n := i*perBatch + j
					s := storetest.Span(env, n)
					attributes := []span.Attribute{{Key: "user", Value: "u" + strconv.Itoa(n%5000)}}
					for k := range 19 {
						attributes = append(attributes, span.Attribute{Key: "key." + strconv.Itoa(k), Value: "value " + strconv.Itoa(n*k%1000)})
					}
					s.Attributes = span.NewAttributes(attributes)
					list[j] = storetest.Record(env, s)
				}
				begun := time.Now()
				require.NoError(b, storetest.Write(b.Context(), db, list))
				took += time.Since(begun)
			}
			q := query.Query{
				From: math.MinInt64, To: math.MaxInt64, Order: query.Order{By: query.SortTimestamp}, Total: true,
				Filters: []query.Filter{{Field: query.Field{Kind: query.FieldAttribute, Name: "user"}, Operator: query.OpEquals, Value: "u77"}},
			}
			for b.Loop() {
				page, err := db.Search(b.Context(), env, q)
				require.NoError(b, err)
				require.EqualValues(b, batches*perBatch/5000, page.Total)
			}
			b.ReportMetric(float64(batches*perBatch)/took.Seconds(), "stored/s")
			bytes, err := db.number(b.Context(), "size", "SELECT toInt64(sum(secondary_indices_compressed_bytes)) FROM system.parts WHERE database = currentDatabase() AND active")
			require.NoError(b, err)
			b.ReportMetric(float64(bytes)/batches/perBatch, "indexB/span")
		})
	}
}
