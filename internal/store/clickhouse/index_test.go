// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/tokens"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
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
		{query.All(negated(filter(query.FieldAttribute, "user", "u7")), negated(filter(query.FieldResourceAttribute, "host", "h1"))), spans/2 - 49},
		{query.All(negated(filter(query.FieldAttribute, "user", "u8")), filter(query.FieldAttribute, "host", "h0")), spans/2 - 51},
		{query.Filter{Operator: query.OpAny, Filters: []query.Filter{filter(query.FieldAttribute, "user", "u7"), filter(query.FieldAttribute, "user", "u9")}}, 199},
	} {
		require.Equal(t, x.want, count(x.filter), "%v", x.filter)
	}

	source := db.sourceOf(env.ID, math.MinInt64, math.MaxInt64)
	source.where += tokens.Having([]query.Filter{query.All(filter(query.FieldAttribute, "user", "u7"))})
	some, of := granulesBy(t, db, "by_attribute", "SELECT count() FROM "+source.from())
	require.Less(t, some, of, "it leaves something out")
	lacking := &search{db: db, env: env, query: query.Query{Filters: []query.Filter{negated(filter(query.FieldAttribute, "user", "u7"))}}, source: db.sourceOf(env.ID, math.MinInt64, math.MaxInt64)}
	some, of = granulesBy(t, db, "by_attribute", lacking.difference())
	require.Less(t, some, of, "what is taken away is not looked for everywhere")
}

// What was stored before there was an index is read without it, with what was stored since.
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

// granulesBy returns how many granules an index leaves of how many for a statement, by the
// plan of the server.
func granulesBy(t *testing.T, db *DB, index, statement string) (some, of int) {
	t.Helper()
	plan := explained(t, db, "indexes = 1", statement)
	_, by, found := strings.Cut(plan, "Name: "+index)
	require.True(t, found, plan)
	return granulesOf(t, by)
}

// granulesOf returns what a part of a plan says first of granules.
func granulesOf(t *testing.T, plan string) (some, of int) {
	t.Helper()
	_, by, _ := strings.Cut(plan, "Granules: ")
	_, err := fmt.Sscanf(by, "%d/%d", &some, &of)
	require.NoError(t, err, plan)
	return some, of
}

// explained returns what the server says of how it would run a statement.
func explained(t *testing.T, db *DB, how, statement string) string {
	t.Helper()
	var plan strings.Builder
	require.NoError(t, db.each(t.Context(), "explain", "EXPLAIN "+how+" "+statement, func(scan func(into ...any) error) error {
		var line string
		err := scan(&line)
		plan.WriteString(line + "\n")
		return err
	}))
	return plan.String()
}

// negated returns the filter that lets through what another does not.
func negated(f query.Filter) query.Filter {
	f.Operator = map[query.Operator]query.Operator{query.OpEquals: query.OpNotEquals, query.OpIn: query.OpNotIn}[f.Operator]
	return f
}

// Totals of negated filters are right at every moment in which others write.
func TestTotalsOfWhatSpansLackWhileOthersWrite(t *testing.T) {
	t.Parallel()
	db, _ := open(t, t.Name(), func() time.Time { return storetest.Epoch }).(*DB)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	env := storetest.Environment("prd")
	const batches, perBatch = 15, 50
	var sent, stored atomic.Int64 // of the spans that are looked for, as many as there are others
	written := make(chan error, 1)
	go func() {
		for b := range batches {
			list := make([]store.Record, perBatch)
			for i := range list {
				s := storetest.Span(env, b*perBatch+i)
				s.Attributes = span.NewAttributes([]span.Attribute{{Key: "user", Value: "u" + strconv.Itoa(i%2)}})
				list[i] = storetest.Record(env, s)
			}
			sent.Add(perBatch / 2)
			if err := storetest.Write(t.Context(), db, list); err != nil {
				written <- err
				return
			}
			stored.Add(perBatch / 2)
		}
		written <- nil
	}()
	f := query.Filter{Field: query.Field{Kind: query.FieldAttribute, Name: "user"}, Operator: query.OpNotEquals, Value: "u0"}
	looks := 0
	for stored.Load() < batches*perBatch/2 {
		least := stored.Load()
		page, err := db.Search(t.Context(), env, query.Query{From: math.MinInt64, To: math.MaxInt64, Filters: []query.Filter{f}, Order: query.Order{By: query.SortTimestamp}, Total: true})
		require.NoError(t, err)
		require.GreaterOrEqual(t, page.Total, least)
		require.LessOrEqual(t, page.Total, sent.Load())
		looks++
		select {
		case err := <-written:
			require.NoError(t, err)
			require.Positive(t, looks)
			return
		default:
		}
	}
	require.NoError(t, <-written)
}

// Both parts of the total of a negated filter are counted of the same parts of the table, so
// that it is right when rows are stored between the one and the other, whatever the user of
// the DSN is set to: the setting that does this is the store's own.
func TestBothPartsOfATotalAreOfOneMoment(t *testing.T) {
	t.Parallel()
	dsn := clickhousetest.Database(t, t.Name())
	db, err := Open(t.Context(), Config{DSN: dsn + "?" + oneMoment + "=0", Now: func() time.Time { return storetest.Epoch }, keepExpired: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	const perBatch, batches = 20, 3
	env, from := storetest.Environment("prd"), 0
	write := func() {
		var list []store.Record
		for range perBatch {
			s := storetest.Span(env, from)
			s.Attributes = span.NewAttributes([]span.Attribute{{Key: "user", Value: "u" + strconv.Itoa(from%2)}})
			list = append(list, storetest.Record(env, s))
			from++
		}
		require.NoError(t, storetest.Write(t.Context(), db, list))
	}
	write()
	s := &search{db: db, env: env, source: db.sourceOf(env.ID, math.MinInt64, math.MaxInt64)}
	s.query.Filters = []query.Filter{{Field: query.Field{Kind: query.FieldAttribute, Name: "user"}, Operator: query.OpNotEquals, Value: "u1"}}
	// between answers the statement, whose second part the server comes to after it has
	// waited, and stores rows meanwhile; it reports whether these came in between.
	between := func(settings string) (total int64, is bool) {
		const behind = " UNION ALL "
		wait := "(SELECT sleep(1)) = " + strconv.Itoa(from) + " - " + strconv.Itoa(from) // which differs each time
		first, second, found := strings.Cut(s.difference(), behind)
		require.True(t, found)
		answered := make(chan error, 1)
		go func() {
			var err error
			total, err = db.number(t.Context(), "count spans", first+" AND "+wait+behind+second+settings)
			answered <- err
		}()
		require.Eventually(t, func() bool {
			n, err := db.number(t.Context(), "look what is under way", "SELECT toInt64(count()) FROM system.processes WHERE position(query, '"+wait+"') > 0 AND position(query, 'system.processes') = 0")
			require.NoError(t, err)
			return n > 0
		}, time.Minute, time.Millisecond)
		write()
		select {
		case err := <-answered:
			require.NoError(t, err)
			return total, false
		default:
		}
		require.NoError(t, <-answered)
		return total, true
	}
	for range batches {
		before := int64(from)
		total, _ := between("")
		require.Contains(t, []int64{before / 2, (before + perBatch) / 2}, total)
	}
	require.Eventually(t, func() bool {
		before := int64(from)
		total, is := between(" SETTINGS " + oneMoment + " = 0")
		return is && total == (before-perBatch)/2
	}, 5*time.Minute, time.Millisecond, "without it the second part counts what came meanwhile")
}

// A filter by a verdict finds the same where verdicts came later, of which those are looked
// at alone that may do: of spans that were replaced, and of verdicts that others came after,
// before parts are merged and after.
func TestVerdictsThatCameLaterAreFound(t *testing.T) {
	t.Parallel()
	db, _ := open(t, t.Name(), func() time.Time { return storetest.Epoch }).(*DB)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	for _, table := range tables {
		require.NoError(t, db.conn.Exec(t.Context(), "SYSTEM STOP MERGES "+table.name))
	}
	now, later := storetest.Environment("now"), storetest.Environment("later")
	long := strings.Repeat("v", 300)
	topic := func(n int) string { return "topic " + strconv.Itoa(n/10) }
	record := func(env tenant.Environment, n int, topic string) store.Record {
		v := storetest.Verdict("s", "guess", 1, "topic", topic)
		v.Outputs = append(v.Outputs, eval.Output{Name: "long", Value: long}, eval.Output{Name: "score", Value: int64(n / 10)}, eval.Output{Name: "odd", Value: n%2 == 1})
		x := storetest.Span(env, n)
		x.Name = topic // another content than that of another topic
		return storetest.Record(env, x, v)
	}
	const spans, judged = 4_000, 2_000
	for _, env := range []tenant.Environment{now, later} {
		var list []store.Record
		for n := range spans {
			list = append(list, record(env, n, topic(n)))
		}
		require.NoError(t, storetest.Write(t.Context(), db, list))
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{record(env, 70, topic(80)), record(env, spans-1, topic(80))})) // were of others
	}
	// Of the last spans of the one environment a model says later what they are, and of
	// one in ten of these another than was guessed.
	var said []store.Evaluated
	for n := spans - judged; n < spans; n++ {
		s := storetest.Span(later, n)
		v := storetest.Verdict("s", "model", 2, "sure", n%1000 != 0)
		again := storetest.Verdict("s", "guess", 2, "topic", topic(n))
		if n%10 == 0 {
			again = storetest.Verdict("s", "guess", 2, "topic", "another")
		}
		said = append(said, store.Evaluated{Environment: later.ID, Span: span.Key{TraceID: s.TraceID, SpanID: s.SpanID, Start: s.Start}, Evaluations: []eval.Evaluation{v, again}})
	}
	_, err := db.Write(t.Context(), store.Batch{Evaluations: said})
	require.NoError(t, err)

	is := func(evaluator, output string, values ...string) query.Filter {
		return query.Filter{Field: query.Field{Kind: query.FieldEvaluation, Name: evaluator, Output: output}, Operator: query.OpIn, Values: values}
	}
	either := query.Filter{Operator: query.OpAny, Filters: []query.Filter{is("guess", "topic", topic(500)), is("guess", "topic", topic(600))}}
	const few = 3 // of the filters, which suffice of what is alike
	look := func(when string) {
		for i, x := range []struct {
			filter     query.Filter
			now, later int64
		}{
			{is("guess", "topic", topic(70)), 9, 9},
			{is("guess", "topic", topic(80)), 12, 11}, // the last was said to be what it had been
			{is("guess", "topic", topic(spans-10)), 9, 9},
			{is("guess", "topic", topic(spans-20), topic(0)), 20, 19},
			{is("guess", "topic", "another"), 0, judged / 10},
			{is("guess", "topic", "no other"), 0, 0},
			{is("guess", "long", long), spans, spans - judged}, // the last say nothing of it
			{is("guess", "score", "7"), 10, 10},
			{is("guess", "odd", "true"), spans / 2, (spans - judged) / 2},
			{is("model", "sure", "false"), 0, judged / 1000},
			{is("model", "sure", "true"), 0, judged - judged/1000},
			{query.All(is("guess", "topic", "another"), is("model", "sure", "false")), 0, judged / 1000},
			{either, 20, 20},
			{query.Filter{Field: is("guess", "score").Field, Operator: query.OpGreaterThan, Number: 396.5}, 30, 0},
		} {
			for _, env := range []tenant.Environment{now, later} {
				if when == "merged" && env.ID == later.ID && i >= few {
					continue
				}
				want := map[tenant.EnvironmentID]int64{now.ID: x.now, later.ID: x.later}[env.ID]
				page, err := db.Search(t.Context(), env, query.Query{
					From: math.MinInt64, To: math.MaxInt64, Filters: []query.Filter{x.filter}, Order: query.Order{By: query.SortTimestamp}, Total: true, Limit: 15,
				})
				require.NoError(t, err)
				require.Equal(t, want, page.Total, "%s, %s: %v", env.Slug, when, x.filter)
				require.Len(t, page.Spans, int(min(want, 15)), "%s, %s: %v", env.Slug, when, x.filter)
				if i < few && (env.ID == now.ID || i == 0) {
					page, err := db.Search(t.Context(), env, query.Query{
						From: math.MinInt64, To: math.MaxInt64, Filters: []query.Filter{negated(x.filter)}, Order: query.Order{By: query.SortTimestamp}, Total: true,
					})
					require.NoError(t, err)
					require.Equal(t, spans-want, page.Total, "%s, %s: not %v", env.Slug, when, x.filter)
				}
				if when == "unmerged" || i >= few {
					continue
				}
				groups, err := db.Aggregate(t.Context(), env, query.Aggregate{
					Subject: query.Spans, From: math.MinInt64, To: math.MaxInt64, Filters: []query.Filter{x.filter}, Figures: []query.Figure{{Measure: query.Count}},
				})
				require.NoError(t, err)
				require.Len(t, groups, int(min(want, 1)))
				if want > 0 {
					require.Equal(t, want, groups[0].Values[0].Whole, "%s, %s: %v", env.Slug, when, x.filter)
				}
			}
		}
	}
	look("unmerged")
	for _, table := range tables {
		require.NoError(t, db.conn.Exec(t.Context(), "SYSTEM START MERGES "+table.name))
		require.NoError(t, db.conn.Exec(t.Context(), "OPTIMIZE TABLE "+table.name+" FINAL"))
	}
	look("merged")
}
