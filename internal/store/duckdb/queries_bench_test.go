// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

// BenchmarkQueries measures what pages of the UI and of the API cost on many
// closed partitions. With TOUCHSTONE_BENCH_DIR the store is kept there, and made
// only if it is empty.
func BenchmarkQueries(b *testing.B) {
	n := benchSpans(b)
	dir := os.Getenv("TOUCHSTONE_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	began := time.Now()
	db, err := Open(b.Context(), Config{Dir: dir, MinFreeBytes: -1})
	require.NoError(b, err)
	b.Logf("opened in %v", time.Since(began))
	defer func() { require.NoError(b, db.Close()) }()
	src := newRecordSource(min(time.Duration(n)*300*time.Millisecond, 29*24*time.Hour), n) // within their retention
	env := src.Environments()[0]
	newest := query.Query{To: 1<<63 - 1, Limit: 50, Total: true, Order: query.Order{By: query.SortTimestamp, Descending: true}}
	page, err := db.Search(b.Context(), env, newest)
	require.NoError(b, err)
	if page.Total == 0 {
		before := usage.CPUTime()
		for done := 0; done < n; done += 1000 {
			require.NoError(b, storetest.Write(b.Context(), db, src.batch(1000)))
		}
		b.Logf("loaded at %d ns of CPU a span, generating included", (usage.CPUTime()-before).Nanoseconds()/int64(n))
		page, err = db.Search(b.Context(), env, newest)
		require.NoError(b, err)
	}
	before := usage.CPUTime()
	db.awaitIndexes()
	b.Logf("indexes took %v of CPU", usage.CPUTime()-before)
	b.Logf("%d spans of the environment, %d bytes of disk", page.Total, diskBytes(b, dir))
	customer, _ := page.Spans[7].Attributes.Get("customer_id")
	session, _ := page.Spans[7].Attributes.Get("traceloop.association.properties.session_id")
	verdict := func(evaluator, output string, f query.Filter) query.Filter {
		f.Field = query.Field{Kind: query.FieldEvaluation, Name: evaluator, Output: output}
		return f
	}
	column := func(name, value string) query.Filter {
		return query.Filter{Field: query.Column(name), Operator: query.OpEquals, Value: value}
	}
	not := func(f query.Filter) query.Filter {
		f.Operator = query.OpNotEquals
		return f
	}
	last := page.Spans[0].Start
	for _, c := range []struct {
		name  string
		query func(q *query.Query)
	}{
		{"newest", func(*query.Query) {}},
		{"newest of a day", func(q *query.Query) { q.From = last - int64(24*time.Hour) }},
		{"attribute of few", func(q *query.Query) {
			q.Filters = []query.Filter{attribute("traceloop.association.properties.session_id", session)}
		}},
		{"attribute", func(q *query.Query) { q.Filters = []query.Filter{attribute("customer_id", customer)} }},
		{"attribute of all", func(q *query.Query) {
			q.Filters = []query.Filter{attribute("traceloop.association.properties.plan", "enterprise")}
		}},
		{"attribute of no span", func(q *query.Query) { q.Filters = []query.Filter{attribute("customer_id", "nobody")} }},
		{"not attribute", func(q *query.Query) { q.Filters = []query.Filter{not(attribute("customer_id", customer))} }},
		{"attribute exists", func(q *query.Query) {
			q.Filters = []query.Filter{{Field: query.Field{Kind: query.FieldAttribute, Name: "gen_ai.request.temperature"}, Operator: query.OpExists}}
		}},
		{"attribute in", func(q *query.Query) {
			q.Filters = []query.Filter{{Field: query.Field{Kind: query.FieldAttribute, Name: "release"}, Operator: query.OpIn, Values: []string{"2025.11.3", "2025.11.4"}}}
		}},
		{"attribute of the last hour", func(q *query.Query) {
			q.From, q.Filters = last-int64(time.Hour), []query.Filter{attribute("cache.hit", "true")}
		}},
		{"resource", func(q *query.Query) { q.Filters = []query.Filter{attribute("service.version", "1.7.0")} }},
		{"service", func(q *query.Query) { q.Filters = []query.Filter{column("service_name", "service-7")} }},
		{"model", func(q *query.Query) {
			q.Filters = []query.Filter{{Field: query.Field{Kind: query.FieldAlias, Name: span.AliasRequestModel}, Operator: query.OpEquals, Value: "gpt-4o"}}
		}},
		{"status", func(q *query.Query) { q.Filters = []query.Filter{column("status_code", "STATUS_CODE_ERROR")} }},
		{"verdict", func(q *query.Query) {
			q.Filters = []query.Filter{verdict("json-validator", "is_valid_json", query.Filter{Operator: query.OpEquals, Value: "true"})}
		}},
		{"verdict is not", func(q *query.Query) {
			q.Filters = []query.Filter{verdict("json-validator", "is_valid_json", query.Filter{Operator: query.OpNotEquals, Value: "true"})}
		}},
		{"verdict of few", func(q *query.Query) {
			q.Filters = []query.Filter{verdict("char-count", "char_count", query.Filter{Operator: query.OpEquals, Value: "1234"})}
		}},
		{"verdict above", func(q *query.Query) {
			q.Filters = []query.Filter{verdict("char-count", "char_count", query.Filter{Operator: query.OpGreaterThan, Number: 4000})}
		}},
		{"verdict exists", func(q *query.Query) {
			q.Filters = []query.Filter{verdict("char-count", "char_count", query.Filter{Operator: query.OpExists})}
		}},
		{"by verdict", func(q *query.Query) {
			q.Order.By, q.Order.Slug, q.Order.Output = query.SortEvaluation, "char-count", "char_count"
		}},
		{"by tokens", func(q *query.Query) { q.Order.By = query.SortTotalTokens }},
		{"by duration", func(q *query.Query) { q.Order.By = query.SortDuration }},
		{"contains in an hour", func(q *query.Query) {
			q.From = last - int64(time.Hour)
			q.Filters = []query.Filter{{Field: query.Column("completions"), Operator: query.OpContains, Value: "zuzu"}}
		}},
		{"attribute and contains", func(q *query.Query) {
			q.Filters = []query.Filter{attribute("customer_id", customer), {Field: query.Column("completions"), Operator: query.OpContains, Value: "zuzu"}}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			want := newest
			c.query(&want)
			measure(b, func() (int64, error) {
				found, err := db.Search(b.Context(), env, want)
				return found.Total, err
			})
		})
	}
	day := query.Query{From: last - int64(24*time.Hour), To: last}
	count := query.Figure{Measure: query.Count}
	for _, c := range []struct {
		name string
		of   query.Aggregate
	}{
		{"a day by hour", query.Aggregate{Step: time.Hour, Figures: []query.Figure{count, {Measure: query.Sum, Of: query.Column("cost")}}}},
		{"a day by service", query.Aggregate{By: []query.Field{query.Column("service_name")}, Figures: []query.Figure{count}}},
		{"percentiles of a day", query.Aggregate{Step: time.Hour, Figures: []query.Figure{{Measure: query.Quantile, Of: query.Column("duration"), Percent: 90}}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.of.From, c.of.To, c.of.Limit = day.From, day.To, 10_000
			measure(b, func() (int64, error) {
				groups, err := db.Aggregate(b.Context(), env, c.of)
				return int64(len(groups)), err
			})
		})
	}
	b.ReportMetric(residentMiB(b), "anonymous-MiB")
}
