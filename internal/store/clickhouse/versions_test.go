// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

// openCounting returns an engine whose parts are not merged, and how many queries that have
// some text in them it has asked.
func openCounting(t *testing.T, text string) (db *DB, queries *atomic.Int64) {
	t.Helper()
	queries = new(atomic.Int64)
	line := clickhousetest.Lossy(t, clickhousetest.Database(t, t.Name()), func(statement string) clickhousetest.Fate {
		if (strings.HasPrefix(statement, "SELECT") || strings.HasPrefix(statement, "WITH")) && strings.Contains(statement, text) {
			queries.Add(1)
		}
		return clickhousetest.Arrives
	})
	db, err := Open(t.Context(), Config{DSN: line.DSN(), Now: func() time.Time { return storetest.Epoch }, keepExpired: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.conn.Exec(t.Context(), "SYSTEM STOP MERGES "+spansTable))
	return db, queries
}

// The keys of a page are found among all versions of rows. What is read then tells which of
// them count, in a statement less than it would take to look them up; a page that was found by versions that do not is looked for again.
func TestPagesAreOfTheVersionsThatCount(t *testing.T) {
	t.Parallel()
	db, statements := openCounting(t, spansTable)
	env := storetest.Environment("prd")
	put := func(name string, tokens int64, numbers ...int) {
		var list []store.Record
		for _, n := range numbers {
			s := storetest.Span(env, n)
			s.Name, s.TotalTokens = name, tokens+int64(n)
			list = append(list, storetest.Record(env, s))
		}
		require.NoError(t, storetest.Write(t.Context(), db, list))
	}
	search := func(limit int, brief bool) (list []int64, more bool, took int64) {
		statements.Store(0)
		page, err := db.Search(t.Context(), env, query.Query{
			From: math.MinInt64, To: math.MaxInt64, Limit: limit, Brief: brief, Order: query.Order{By: query.SortTotalTokens, Descending: true},
			Filters: []query.Filter{{Field: query.Column("span_name"), Operator: query.OpEquals, Value: "first"}},
		})
		require.NoError(t, err)
		for _, s := range page.Spans {
			list = append(list, s.TotalTokens)
		}
		return list, page.Next != nil, statements.Load()
	}
	put("first", 0, 1, 2, 3, 4, 5)
	for _, brief := range []bool{false, true} {
		list, more, took := search(2, brief)
		require.Equal(t, []int64{5, 4}, list)
		require.True(t, more)
		require.EqualValues(t, 2, took, "one finds the keys, the other reads the rows")
		list, more, _ = search(5, brief)
		require.Len(t, list, 5)
		require.False(t, more)
	}
	put("second", 0, 5, 2, 1) // which does not match, and what was there before still does until parts are merged
	for _, brief := range []bool{false, true} {
		list, more, _ := search(2, brief)
		require.Equal(t, []int64{4, 3}, list)
		require.False(t, more, "the one that follows was replaced")
		list, more, _ = search(1, brief)
		require.Equal(t, []int64{4}, list)
		require.True(t, more)
	}
	put("first", 100, 3) // both versions match
	list, more, _ := search(1, false)
	require.Equal(t, []int64{103}, list)
	require.True(t, more)
	put("first", -100, 3) // which comes last now
	list, more, _ = search(5, false)
	require.Equal(t, []int64{4, -97}, list)
	require.False(t, more)
}

// Of spans that are known to be few the keys of all are looked for, and their number is the
// total: the same statement tells both.
func TestFewSpansAreCountedWhereTheyAreFound(t *testing.T) {
	t.Parallel()
	db, statements := openCounting(t, "FROM "+spansTable)
	env := storetest.Environment("prd")
	put := func(user string, numbers ...int) {
		var list []store.Record
		for _, n := range numbers {
			s := storetest.Span(env, n)
			s.Attributes = span.NewAttributes([]span.Attribute{{Key: "user", Value: user}})
			list = append(list, storetest.Record(env, s))
		}
		require.NoError(t, storetest.Write(t.Context(), db, list))
	}
	put("ada", 1, 2, 3, 4, 5, 6)
	put("ben", 6, 7) // one of which was another's
	q := query.Query{
		From: math.MinInt64, To: math.MaxInt64, Limit: 2, Total: true, Order: query.Order{By: query.SortTimestamp},
		Filters: []query.Filter{{Field: query.Field{Kind: query.FieldSpanAttribute, Name: "user"}, Operator: query.OpEquals, Value: "ada"}},
	}
	seen := map[span.ID]bool{}
	for page := range 3 {
		statements.Store(0)
		p, err := db.Search(t.Context(), env, q)
		require.NoError(t, err)
		require.EqualValues(t, 5, p.Total)
		for _, s := range p.Spans {
			seen[s.SpanID] = true
		}
		if page == 0 {
			require.EqualValues(t, 3, statements.Load(), "one finds what may match, one which of these do, and one reads the page")
		}
		require.Equal(t, page == 2, p.Next == nil)
		q.After = p.Next
	}
	require.Len(t, seen, 5)
}
