// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// saying makes the record of a span with these prompts.
func saying(env tenant.Environment, n int, clk *clock, texts ...string) store.Record {
	r := numbered(env, n, clk.now())
	for i, text := range texts {
		at := fmt.Sprintf("llm.prompts.%d", i)
		r.Span.Prompts = append(r.Span.Prompts, span.Attribute{Key: at + ".content", Value: text}, span.Attribute{Key: at + ".role", Value: "user"})
	}
	return r
}

// timesKept returns how often the file of a closed store's only partition has a text.
func timesKept(t *testing.T, dir, text string) (n int) {
	t.Helper()
	files := partitionFiles(t, dir)
	require.Len(t, files, 1)
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(t.Context(), "ATTACH "+sqltext.Quoted(files[0])+" AS p (READ_ONLY)")
	require.NoError(t, err)
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM p.texts WHERE text = ?", text).Scan(&n))
	require.NoError(t, db.Close())
	return n
}

// A text is kept once for each environment, and is gone with the last span that has it.
func TestTextsAreKeptOnceAndGoWithTheirSpans(t *testing.T) {
	t.Parallel()
	clk := newClock()
	dir := t.TempDir()
	a, b := testEnv("a", label.DayClass), testEnv("b", label.DayClass)
	db := open(t, Config{Dir: dir, Now: clk.now})
	const both, onlyA, twice, once = "a text of both environments", "a text of the first alone", "a text of two spans", "a text of one span"
	want := map[int]store.Record{}
	for _, r := range []store.Record{
		saying(a, 1, clk, both, onlyA), saying(a, 2, clk, both, onlyA),
		saying(b, 3, clk, both, twice, once), saying(b, 4, clk, both, twice), saying(b, 5, clk, both, twice, both),
	} {
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{r}))
		want[numberOf(&r.Span)] = r
	}
	check := func(env tenant.Environment, numbers ...int) {
		t.Helper()
		spans := stored(t, db, env)
		require.Len(t, spans, len(numbers))
		for _, n := range numbers {
			require.Equal(t, want[n].Span.Prompts, spans[n].Prompts)
		}
	}
	check(a, 1, 2)
	check(b, 3, 4, 5)
	require.NoError(t, db.Close())
	require.Equal(t, []int{2, 1, 1, 1}, []int{timesKept(t, dir, both), timesKept(t, dir, onlyA), timesKept(t, dir, twice), timesKept(t, dir, once)})
	require.Len(t, found(t, dir, []string{both, onlyA, twice, once}), 4, "the search finds what is there")

	db = open(t, Config{Dir: dir, Now: clk.now})
	require.NoError(t, db.Delete(t.Context(), a.ID, store.Part{Everything: true}))
	db.awaitIdle(t)
	require.ElementsMatch(t, []string{both, twice, once}, found(t, dir, []string{both, onlyA, twice, once}))
	check(a)
	check(b, 3, 4, 5)
	gone := want[3].Span
	require.NoError(t, db.Delete(t.Context(), b.ID, store.Part{Spans: []span.Key{gone.Key()}}))
	db.awaitIdle(t)
	require.ElementsMatch(t, []string{both, twice}, found(t, dir, []string{both, onlyA, twice, once}))
	check(b, 4, 5)
	require.NoError(t, db.Close())
	require.Equal(t, 1, timesKept(t, dir, both))

	// What was deleted is written once more, whatever ids there were.
	db = open(t, Config{Dir: dir, Now: clk.now})
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{want[3]}))
	check(b, 3, 4, 5)
}

// Rows of the first format, which have their texts themselves, and later ones are found
// by the same filters.
func TestRowsOfTheFirstFormatAreFoundBesideOthers(t *testing.T) {
	t.Parallel()
	clk := newClock()
	dir := unpack(t, 1)
	db := open(t, Config{Dir: dir, Now: clk.now})
	env := keptEnvs()[0]
	files := len(partitionFiles(t, dir))
	for n := 10; n < 13; n++ {
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{saying(env, n, clk, "How far is the sun?", fmt.Sprint("question ", n))}))
	}
	require.Len(t, partitionFiles(t, dir), files, "the file goes on taking in spans")
	entry := query.Field{Kind: query.FieldMessage, Name: "llm.prompts.0.content"}
	prompts := query.Column("prompts")
	for _, x := range []struct {
		filters []query.Filter
		want    []int
	}{
		{[]query.Filter{{Field: prompts, Operator: query.OpContains, Value: "far"}}, []int{1, 10, 11, 12}},
		{[]query.Filter{{Field: prompts, Operator: query.OpContains, Value: "moon"}}, []int{1}},
		{[]query.Filter{{Field: prompts, Operator: query.OpContains, Value: "question 11"}}, []int{11}},
		{[]query.Filter{{Field: prompts, Operator: query.OpNotContains, Value: "sun"}}, []int{1, 2}},
		{[]query.Filter{{Field: prompts, Operator: query.OpExists}}, []int{1, 10, 11, 12}},
		{[]query.Filter{{Field: prompts, Operator: query.OpNotExists}}, []int{2}},
		{[]query.Filter{{Field: entry, Operator: query.OpEquals, Value: "How far is the sun?"}}, []int{10, 11, 12}},
		{[]query.Filter{{Field: entry, Operator: query.OpEquals, Value: "How far is the moon?"}}, []int{1}},
		{[]query.Filter{{Field: entry, Operator: query.OpNotEquals, Value: "How far is the moon?"}}, []int{2, 10, 11, 12}},
		{[]query.Filter{{Field: entry, Operator: query.OpExists}}, []int{1, 10, 11, 12}},
		{[]query.Filter{
			{Field: prompts, Operator: query.OpContains, Value: "far"},
			{Field: query.Column("span_id"), Operator: query.OpEquals, Value: keyOf(11).SpanID.String()},
		}, []int{11}},
		{[]query.Filter{
			{Field: query.Field{Kind: query.FieldAttribute, Name: "k"}, Operator: query.OpStartsWith, Value: "v"},
			{Field: query.Field{Kind: query.FieldAttribute, Name: "k"}, Operator: query.OpContains, Value: "v"},
			{Field: prompts, Operator: query.OpContains, Value: "far"},
		}, []int{1}},
		{[]query.Filter{attribute("k", "v"), {Field: prompts, Operator: query.OpContains, Value: "far"}}, []int{1}},
	} {
		page, err := db.Search(t.Context(), env, query.Query{To: 1<<63 - 1, Limit: 50, Total: true, Filters: x.filters, Order: query.Order{By: query.SortTimestamp}})
		require.NoError(t, err)
		var got []int
		for i := range page.Spans {
			got = append(got, numberOf(&page.Spans[i]))
		}
		require.ElementsMatch(t, x.want, got, "%+v", x.filters)
	}
}

// Texts of completions of the second format, which lie among those of prompts there, and
// later ones are found by the same filters, and so are prompts that have the same texts.
func TestCompletionsOfTheSecondFormatAreFoundBesideOthers(t *testing.T) {
	t.Parallel()
	clk := newClock()
	dir := unpack(t, 2)
	db := open(t, Config{Dir: dir, Now: clk.now})
	env := keptEnvs()[0]
	files := len(partitionFiles(t, dir))
	const earlier, later = "About 384,400 km.", "About 150 million km."
	for n := 10; n < 13; n++ {
		r := saying(env, n, clk, earlier, "question")
		r.Span.Completions = span.Attributes{{Key: "llm.completions.0.content", Value: later}}
		if n == 12 {
			r.Span.Completions[0].Value = earlier
		}
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{r}))
	}
	require.Len(t, partitionFiles(t, dir), files, "the file goes on taking in spans")
	entry := query.Field{Kind: query.FieldMessage, Name: "llm.completions.0.content"}
	prompts, completions := query.Column("prompts"), query.Column("completions")
	check := func() {
		t.Helper()
		for _, x := range []struct {
			filter query.Filter
			want   []int
		}{
			{query.Filter{Field: completions, Operator: query.OpContains, Value: "384"}, []int{1, 12}},
			{query.Filter{Field: completions, Operator: query.OpContains, Value: "million"}, []int{10, 11}},
			{query.Filter{Field: completions, Operator: query.OpNotContains, Value: "384"}, []int{2, 10, 11}},
			{query.Filter{Field: completions, Operator: query.OpContains, Value: "question"}, nil},
			{query.Filter{Field: prompts, Operator: query.OpContains, Value: "384"}, []int{10, 11, 12}},
			{query.Filter{Field: prompts, Operator: query.OpContains, Value: "million"}, nil},
			{query.Filter{Field: entry, Operator: query.OpEquals, Value: earlier}, []int{1, 12}},
			{query.Filter{Field: entry, Operator: query.OpExists}, []int{1, 10, 11, 12}},
		} {
			page, err := db.Search(t.Context(), env, query.Query{
				To: 1<<63 - 1, Limit: 50, Total: true, Filters: []query.Filter{x.filter}, Order: query.Order{By: query.SortTimestamp},
			})
			require.NoError(t, err)
			got := map[int]string{}
			for i := range page.Spans {
				got[numberOf(&page.Spans[i])], _ = page.Spans[i].Completions.Get("llm.completions.0.content")
			}
			require.ElementsMatch(t, x.want, slices.Collect(maps.Keys(got)), "%+v", x.filter)
			for n, text := range got {
				require.Equal(t, map[int]string{1: earlier, 2: "", 10: later, 11: later, 12: earlier}[n], text)
			}
		}
	}
	check()
	gone := keptRecords(clk.now())[2].Span // of the other environment, whose file is another
	require.NoError(t, db.Delete(t.Context(), keptEnvs()[1].ID, store.Part{Spans: []span.Key{gone.Key()}}))
	more := saying(env, 13, clk, "one that goes")
	more.Span.Completions = span.Attributes{{Key: "llm.completions.0.content", Value: "an answer that goes"}}
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{more}))
	require.NoError(t, db.Delete(t.Context(), env.ID, store.Part{Spans: []span.Key{more.Span.Key()}})) // the file is rewritten
	db.awaitIdle(t)
	check()
	require.NoError(t, db.Close())
	require.Empty(t, found(t, dir, []string{"one that goes", "an answer that goes"}))
	db = open(t, Config{Dir: dir, Now: clk.now})
	check()
}

// What a commit of one span adds to the log does not have the texts of those before it.
func TestTheLogHasATextOnce(t *testing.T) {
	t.Parallel()
	clk := newClock()
	env := testEnv("a", label.DayClass)
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now})
	const spans, bytes = 200, 3000
	for n := range spans {
		text := strings.Repeat(fmt.Sprintf("%09d ", n), bytes/20)
		r := saying(env, n, clk, text)
		r.Span.Input = ""
		r.Span.Completions = span.Attributes{{Key: "llm.completions.0.content", Value: "answer " + text}}
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{r}))
	}
	logged := db.logSize()
	require.Greater(t, logged, int64(spans*bytes))
	require.Less(t, logged, int64(4*spans*bytes))
}
