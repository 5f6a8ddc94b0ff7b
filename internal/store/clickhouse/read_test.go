// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
)

// What queries read is bounded: of the rows that they count the narrow columns alone, and
// of a page the granules that its spans lie in.
func TestWhatQueriesRead(t *testing.T) {
	t.Parallel()
	const batches, perBatch, granule = 5, 4000, 256
	begun := time.Now().Add(-time.Hour)
	counted := clickhousetest.Counted(t, clickhousetest.Database(t, t.Name()))
	db, err := Open(t.Context(), Config{DSN: counted.DSN(), Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	g := spangen.New(spangen.Options{Seed: 1, Start: begun})
	env := g.Environments()[0]
	var newest store.Record
	var again []store.Record
	for range batches {
		list := make([]store.Record, perBatch)
		for i := range list {
			owner, s := g.Next()
			list[i] = store.Record{Environment: owner, Span: s, Evaluations: g.Evaluations(&s)}
			if owner.ID == env.ID {
				newest = list[i]
			}
		}
		again = list
		require.NoError(t, storetest.Write(t.Context(), db, list))
	}
	require.NoError(t, db.conn.Exec(t.Context(), "OPTIMIZE TABLE "+spansTable+" FINAL"))
	all, err := db.number(t.Context(), "count", "SELECT toInt64(count()) FROM "+spansTable+" WHERE env = "+sqltext.Literal(string(env.ID)))
	require.NoError(t, err)
	// They are in as many granules and, in each part, in what they have of two others.
	parts, err := db.number(t.Context(), "count parts", "SELECT toInt64(count()) FROM system.parts WHERE database = currentDatabase() AND table = '"+spansTable+"' AND active")
	require.NoError(t, err)
	all += 2 * granule * parts

	descending := query.Order{By: query.SortTimestamp, Descending: true}
	customer, _ := newest.Span.Attributes.Get(spangen.Unpromoted)
	verdict := query.Filter{Field: query.Field{Kind: query.FieldEvaluation, Name: "word-count", Output: "word_count"}, Operator: query.OpGreaterThan, Number: 100}
	attribute := query.Filter{Field: query.Field{Kind: query.FieldAttribute, Name: spangen.Unpromoted}, Operator: query.OpEquals, Value: customer}
	const (
		narrow = 72               // bytes of a row's key, version and place in an order
		wide   = 3500             // bytes of a row
		page   = 10               // so few that who reads all rows once more reads more than is allowed
		bucket = 6000 + 2*granule // rows of ten minutes, of all environments at most
		// Of a span two granules are read at most: its own and, where it is near the end of it, the
		// next. The row of the page also says whether another one follows.
		spans = (page + 1) * granule * 2
		// The server may read the rest of a key when it has put the rows in order.
		found = (page + 1 + spareVersions) * granule * 2
	)
	require.Less(t, int64(found+spans), 2*all, "who reads all rows again reads more than is allowed")
	byTokens := query.Query{Order: query.Order{By: query.SortTotalTokens, Descending: true}, Limit: page}
	for _, x := range []struct {
		what        string
		q           query.Query
		rows, bytes int64
	}{
		// The first time it is looked, too, in which parts buckets lie.
		{"the first page with its total", query.Query{Order: descending, Total: true, Limit: page}, 3*all + spans, 2*all*narrow + all*16 + spans*wide},
		{"the first page with its total once more", query.Query{Order: descending, Total: true, Limit: page}, all + spans, all*narrow + spans*wide},
		{"the first page alone", query.Query{Order: descending, Limit: page}, all + spans, all*narrow + spans*wide},
		{"the total by an attribute", query.Query{Order: descending, Total: true, Filters: []query.Filter{attribute}}, all / 2, all / 2 * 1000},
		{"the total by a verdict", query.Query{Order: descending, Total: true, Filters: []query.Filter{verdict}}, all, all * 400},
		{"the total by a verdict once more", query.Query{Order: descending, Total: true, Filters: []query.Filter{verdict}}, granule, granule * 100},
		{"a page in the order of tokens", byTokens, all + found + spans, (all+found)*narrow + spans*wide},
	} {
		x.q.To = time.Now().Add(24 * time.Hour).UnixNano()
		counted.Take()
		_, err := db.Search(t.Context(), env, x.q)
		require.NoError(t, err, x.what)
		rows, bytes := counted.Take()
		require.Positive(t, rows, x.what)
		t.Logf("%s: %d rows of %d at most, %d bytes of %d", x.what, rows, x.rows, bytes, x.bytes)
		require.LessOrEqual(t, rows, x.rows, x.what)
		require.LessOrEqual(t, bytes, x.bytes, x.what)
	}

	// That nothing is deferred, and that nothing costs something, is seen by a column of all rows.
	counted.Take()
	owed := query.Aggregate{
		Subject: query.Evaluations, To: time.Now().Add(24 * time.Hour).UnixNano(), By: []query.Field{query.Record(query.RecordSetup)}, Figures: []query.Figure{{Measure: query.CountSpans}},
		Filters: []query.Filter{{Field: query.Record(query.RecordStatus), Operator: query.OpEquals, Value: string(eval.Deferred)}},
	}
	costs := owed
	costs.Filters = []query.Filter{{Field: query.Record(query.RecordCost), Operator: query.OpGreaterThan, Value: "0"}}
	for _, a := range []query.Aggregate{owed, costs} {
		groups, err := db.Aggregate(t.Context(), env, a)
		require.NoError(t, err)
		require.Empty(t, groups)
		rows, bytes := counted.Take()
		require.Positive(t, rows)
		require.LessOrEqual(t, rows, all)
		require.LessOrEqual(t, bytes, all*120, "%v", a.Filters)
	}

	// Who writes spans looks whether they are there, and reads no more of the others than
	// their keys.
	counted.Take()
	require.NoError(t, storetest.Write(t.Context(), db, again[:1]))
	rows, bytes := counted.Take()
	require.LessOrEqual(t, rows, int64(2*granule+bucket/4))
	require.LessOrEqual(t, bytes, rows*300)
}
