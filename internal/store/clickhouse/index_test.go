// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/tokens"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// A filter by an exact attribute reads what the index says may have it, and finds what it
// found without: values that the index leaves out, those of the resource where the
// span has another, and a span that was replaced and has the value no more.
func TestExactAttributesAreFoundByAnIndex(t *testing.T) {
	t.Parallel()
	db, _ := open(t, t.Name(), func() time.Time { return storetest.Epoch }).(*DB)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	env := storetest.Environment("prd")
	long := strings.Repeat("v", tokens.Most)
	const spans = 20_000
	write := func(n int, user string) store.Record {
		s := storetest.Span(env, n)
		s.Attributes = span.NewAttributes([]span.Attribute{{Key: "user", Value: user}, {Key: "long", Value: long}})
		s.Resource = span.NewAttributes([]span.Attribute{{Key: "user", Value: "resource"}, {Key: "host", Value: "h" + strconv.Itoa(n%2)}})
		return storetest.Record(env, s)
	}
	var all []store.Record
	for n := range spans {
		all = append(all, write(n, "u"+strconv.Itoa(n/100)))
	}
	require.NoError(t, storetest.Write(t.Context(), db, all))
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{write(700, "u8")})) // was u7
	filter := func(kind query.FieldKind, key, value string) query.Filter {
		return query.Filter{Field: query.Field{Kind: kind, Name: key}, Operator: query.OpEquals, Value: value}
	}
	count := func(f query.Filter) int64 {
		page, err := db.Search(t.Context(), env, query.Query{
			From: math.MinInt64, To: math.MaxInt64, Filters: []query.Filter{f}, Order: query.Order{By: query.SortTimestamp}, Total: true, Limit: 1,
		})
		require.NoError(t, err)
		return page.Total
	}
	for _, x := range []struct {
		filter query.Filter
		want   int64
	}{
		{filter(query.FieldSpanAttribute, "user", "u7"), 99},
		{filter(query.FieldAttribute, "user", "u8"), 101},
		{filter(query.FieldAttribute, "user", "resource"), 0},
		{filter(query.FieldResourceAttribute, "user", "resource"), spans},
		{filter(query.FieldAttribute, "host", "h1"), spans / 2},
		{filter(query.FieldAttribute, "long", long), spans},
		{filter(query.FieldAttribute, "user", "nobody"), 0},
		{query.Filter{Field: query.Field{Kind: query.FieldAttribute, Name: "user"}, Operator: query.OpIn, Values: []string{"u1", "u2", long}}, 200},
		{query.Filter{Field: query.Field{Kind: query.FieldAttribute, Name: "user"}, Operator: query.OpNotEquals, Value: "u7"}, spans - 99},
		{query.Filter{Operator: query.OpAny, Filters: []query.Filter{filter(query.FieldAttribute, "user", "u7"), filter(query.FieldAttribute, "user", "u9")}}, 199},
	} {
		require.Equal(t, x.want, count(x.filter), "%v", x.filter)
	}

	var plan strings.Builder
	s := db.sourceOf(env.ID, math.MinInt64, math.MaxInt64)
	s.where += tokens.Having([]query.Filter{query.All(filter(query.FieldAttribute, "user", "u7"))})
	require.NoError(t, db.each(t.Context(), "explain", "EXPLAIN indexes = 1 SELECT count() FROM "+s.from(), func(scan func(into ...any) error) error {
		var line string
		err := scan(&line)
		plan.WriteString(line + "\n")
		return err
	}))
	_, by, found := strings.Cut(plan.String(), "Name: by_attribute")
	require.True(t, found, plan.String())
	granules := strings.Fields(by[strings.Index(by, "Granules: ")+len("Granules: "):])[0]
	some, of, _ := strings.Cut(granules, "/")
	require.NotEqual(t, of, some, "it leaves something out: %s", granules)
}

// What was stored before there was an index is read without it, beside what was stored since.
func TestSpansFromBeforeTheIndexAreFound(t *testing.T) {
	t.Parallel()
	db, _ := open(t, t.Name(), func() time.Time { return storetest.Epoch }).(*DB)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	env := storetest.Environment("prd")
	write := func(from int) {
		var list []store.Record
		for n := range 300 {
			s := storetest.Span(env, from+n)
			s.Attributes = span.NewAttributes([]span.Attribute{{Key: "user", Value: "u" + strconv.Itoa(n/10)}})
			list = append(list, storetest.Record(env, s))
		}
		require.NoError(t, storetest.Write(t.Context(), db, list))
	}
	require.NoError(t, db.conn.Exec(t.Context(), "SYSTEM STOP MERGES "+spansTable))
	require.NoError(t, db.conn.Exec(t.Context(), "ALTER TABLE "+spansTable+" DROP INDEX by_attribute"))
	write(0)
	require.NoError(t, db.conn.Exec(t.Context(), db.migrations()[1][0]))
	write(300)
	page, err := db.Search(t.Context(), env, query.Query{
		From: math.MinInt64, To: math.MaxInt64, Order: query.Order{By: query.SortTimestamp}, Total: true, Limit: 30,
		Filters: []query.Filter{{Field: query.Field{Kind: query.FieldAttribute, Name: "user"}, Operator: query.OpEquals, Value: "u7"}},
	})
	require.NoError(t, err)
	require.EqualValues(t, 20, page.Total)
	require.Len(t, page.Spans, 20)
}
