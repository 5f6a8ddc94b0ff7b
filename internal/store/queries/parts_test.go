// SPDX-License-Identifier: Apache-2.0

package queries_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// inTexts looks through all texts of attributes and of what was said.
func inTexts(text string, descending bool, limit int) query.Query {
	return query.Query{
		From: math.MinInt64, To: math.MaxInt64, Limit: limit, Total: true, InParts: true,
		Order: query.Order{By: query.SortTimestamp, Descending: descending},
		Filters: []query.Filter{query.Any(
			query.Filter{Field: query.Field{Kind: query.FieldAttribute, Name: "llm.user"}, Operator: query.OpContains, Value: text},
			query.Filter{Field: query.Column("prompts"), Operator: query.OpContains, Value: text},
		)},
	}
}

// pages returns all pages of a query.
func pages(t *testing.T, s storetest.Searcher, env tenant.Environment, q query.Query) (list []query.Page) {
	t.Helper()
	for page, err := range storetest.Pages(t.Context(), s, env, q) {
		require.NoError(t, err)
		require.Less(t, len(list), 10_000, "it does not come to an end")
		list = append(list, page)
	}
	return list
}

func spansOf(list []query.Page) (all []span.Span) {
	for _, p := range list {
		all = append(all, p.Spans...)
	}
	return all
}

// stored is an engine with spans, and the environment that has most of them.
func stored(t *testing.T, n int) (*duckdb.DB, tenant.Environment, store.Extent) {
	t.Helper()
	db := openEngine(t)
	fill(t, db, n)
	env := spangen.New(spangen.Options{}).Environments()[0]
	return db, env, db.Extent(env.ID, math.MinInt64, math.MaxInt64)
}

func TestASearchOverItsBoundIsAnsweredInParts(t *testing.T) {
	t.Parallel()
	db, env, all := stored(t, 300)
	for text, limits := range map[string][]int{"a": {40, 1000}, "zzz": {1}, "no text has this": {10}} {
		for _, descending := range []bool{false, true} {
			for _, limit := range limits {
				q := inTexts(text, descending, limit)
				want := spansOf(pages(t, db, env, q))
				s := queries.New(db, db, queries.Limits{Bytes: all.Bytes / 3})
				got := pages(t, s, env, q)
				require.Equal(t, want, spansOf(got), "%s %v %d", text, descending, limit)
				require.Positive(t, s.Stats().Partial)
				require.True(t, got[0].Partial)
				for i, p := range got {
					require.LessOrEqual(t, len(p.Spans), limit)
					require.GreaterOrEqual(t, p.Total, int64(len(p.Spans)))
					require.LessOrEqual(t, p.Total, int64(len(want)))
					if !p.Partial {
						require.Equal(t, int64(len(want)), p.Total)
					}
					if p.Next != nil && len(p.Spans) < limit {
						require.True(t, p.Partial, "a page that is not full tells why")
						require.Equal(t, p.Next.Start, p.SearchedTo)
					}
					if i > 0 && p.Next != nil {
						require.Negative(t, q.Order.Compare(got[i-1].Next, p.Next), "it gets on")
					}
				}
				require.Nil(t, got[len(got)-1].Next)
			}
		}
	}
}

func TestASearchWithinItsBoundIsWhole(t *testing.T) {
	t.Parallel()
	db, env, all := stored(t, 600)
	for _, descending := range []bool{false, true} {
		for _, limit := range []int{40, 1000} {
			q := inTexts("a", descending, limit)
			// Eight parts are within the bound, of which the whole is less than two.
			s := queries.New(db, db, queries.Limits{Bytes: 2 * all.Bytes})
			require.Equal(t, pages(t, db, env, q), pages(t, s, env, q))
			require.Zero(t, s.Stats().Partial)
			q.Total = false
			require.Equal(t, pages(t, db, env, q), pages(t, s, env, q))
		}
	}
}

func TestOnlyWhoTakesPartsGetsThem(t *testing.T) {
	t.Parallel()
	db, env, all := stored(t, 500)
	s := queries.New(db, db, queries.Limits{Bytes: all.Bytes / 3})
	q := inTexts("a", true, 10)
	q.InParts = false
	_, err := s.Search(t.Context(), env, q)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.NotContains(t, fault.Message(err), "part by part")

	q.InParts, q.Order.By = true, query.SortDuration
	_, err = s.Search(t.Context(), env, q)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.Contains(t, fault.Message(err), "or in the order of timestamp, in which a search goes on part by part")

	q = inTexts("a", true, 0)
	_, err = s.Search(t.Context(), env, q)
	require.Equal(t, fault.Invalid, fault.KindOf(err), "a total alone is exact or refused")
	require.Zero(t, s.Stats().Partial)
}

// A page has no more text than one of the engine, whatever the parts that it is made of.
func TestAPageOfPartsHasNoMoreTextThanAnother(t *testing.T) {
	t.Parallel()
	db := openEngine(t)
	g := spangen.New(spangen.Options{Seed: 3, Start: time.Now().Add(-time.Hour), Period: time.Minute})
	env := g.Environments()[0]
	const each = 3 << 20
	for range 12 {
		_, s := g.Next()
		s.Output = strings.Repeat("a", each)
		_, err := db.Write(t.Context(), store.Batch{Records: []store.Record{{Environment: env, Span: s}}})
		require.NoError(t, err)
	}
	all := db.Extent(env.ID, math.MinInt64, math.MaxInt64)
	q := inTexts("a", false, 100)
	q.Filters = []query.Filter{{Field: query.Column("output"), Operator: query.OpContains, Value: "aa"}}
	s := queries.New(db, db, queries.Limits{Bytes: 4 * all.Bytes})
	got := pages(t, s, env, q)
	require.Equal(t, spansOf(pages(t, db, env, q)), spansOf(got))
	for _, p := range got {
		require.Equal(t, int64(12), p.Total)
		require.LessOrEqual(t, len(p.Spans), query.PageBytes/each)
	}
}

// A search looks on for as long as it may, each part of it a second, and the next goes on.
func TestASearchEndsAtItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := queries.New(slow{}, even{}, queries.Limits{Search: 4500 * time.Millisecond, Timeout: time.Minute})
		q := inTexts("a", true, 10)
		ended := q.Order.Beyond(math.MaxInt64)
		for range 3 {
			began := time.Now()
			page, err := s.Search(t.Context(), acme, q)
			require.NoError(t, err)
			require.True(t, page.Partial)
			require.Empty(t, page.Spans)
			require.LessOrEqual(t, time.Since(began), 5*time.Second)
			require.GreaterOrEqual(t, time.Since(began), 4*time.Second)
			require.Positive(t, q.Order.Compare(page.Next, &ended), "it gets on")
			require.Equal(t, page.Next.Start, page.SearchedTo)
			q.After, ended = page.Next, *page.Next
		}
		require.Equal(t, int64(3), s.Stats().Partial)
		require.Zero(t, s.Stats().Refused)
	})
}

// Where what a part reads takes too long, a search begins with a smaller one.
func TestASearchOfASlowEngineBeginsWithLess(t *testing.T) {
	t.Parallel()
	for perSecond, want := range map[int64]time.Duration{
		1 << 30:   10 * time.Second, // two parts of 4 GiB, and the time is over in the third
		100 << 20: 11 * time.Second, // the second part of 64 MiB comes too late
		10 << 20:  12 * time.Second, // two tries of five seconds, and a part of 24 MiB
	} {
		synctest.Test(t, func(t *testing.T) {
			s := queries.New(reading{perSecond: perSecond}, even{}, queries.Limits{Search: 10 * time.Second, Timeout: 20 * time.Second})
			began := time.Now()
			page, err := s.Search(t.Context(), acme, inTexts("a", true, 10))
			require.NoError(t, err)
			require.True(t, page.Partial)
			require.Less(t, page.SearchedTo, began.UnixNano())
			require.InDelta(t, want.Seconds(), time.Since(began).Seconds(), 1, "%d", perSecond)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := queries.New(reading{perSecond: 1 << 20}, even{}, queries.Limits{Search: 10 * time.Second, Timeout: 20 * time.Second})
		_, err := s.Search(t.Context(), acme, inTexts("a", true, 10))
		require.True(t, fault.Is(err, fault.TimedOut), "%v", err)
	})
}

// reading is an engine that reads so many bytes of texts a second, and finds nothing.
type reading struct {
	queries.Engine
	perSecond int64
}

func (e reading) Search(ctx context.Context, env tenant.Environment, q query.Query) (query.Page, error) {
	took := time.Duration(float64(even{}.Extent(env.ID, q.From, q.To).Bytes) / float64(e.perSecond) * float64(time.Second))
	select {
	case <-time.After(took):
		return query.Page{}, nil
	case <-ctx.Done():
		return query.Page{}, ctx.Err()
	}
}

// even says that a hundred gigabytes started evenly over ten days.
type even struct{ huge }

func (even) Extent(_ tenant.EnvironmentID, from, to int64) store.Extent {
	now := time.Now().UnixNano()
	first, last := max(from, now-int64(10*24*time.Hour)), min(to, now)
	part := max(float64(last)-float64(first), 0) / float64(10*24*time.Hour)
	return store.Extent{Spans: int64(part * 1e8), Bytes: int64(part * 1e11), First: first, Last: last}
}

// Between two parts of a search others have their turn.
func TestPartsTakeTurnsWithOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &held{begun: make(chan tenant.EnvironmentID), end: make(chan struct{})}
		s := queries.New(e, even{}, queries.Limits{AtOnce: 1, Waiting: 8, Expensive: 1, Bytes: 1 << 40})
		mine := ask(t, s, acme, inTexts("a", true, 10))
		require.Equal(t, acme.ID, <-e.begun)
		other := ask(t, s, beta, contains("b"))
		synctest.Wait()
		e.end <- struct{}{}
		require.Equal(t, beta.ID, <-e.begun, "the other does not wait for all of the search")
		e.end <- struct{}{}
		require.NoError(t, <-other)
		var parts int
		for done := false; !done; {
			select {
			case env := <-e.begun:
				require.Equal(t, acme.ID, env)
				parts++
				e.end <- struct{}{}
			case err := <-mine:
				require.NoError(t, err)
				done = true
			}
		}
		require.Greater(t, parts, 50, "a hundred gigabytes are many parts")
	})
}

// Who finds no place any more between two parts keeps what was found.
func TestWhatWasFoundIsKeptWhereOthersComeBetween(t *testing.T) {
	t.Parallel()
	db, env, all := stored(t, 1000)
	e := &held{DB: db, begun: make(chan tenant.EnvironmentID), end: make(chan struct{})}
	s := queries.New(e, db, queries.Limits{AtOnce: 1, Waiting: 1, Expensive: 1, Bytes: 2 * all.Bytes})
	got := make(chan query.Page, 1)
	go func() {
		page, err := s.Search(t.Context(), env, inTexts("a", true, 1000))
		if err == nil {
			got <- page
		}
		close(got)
	}()
	require.Equal(t, env.ID, <-e.begun)
	stg := spangen.New(spangen.Options{}).Environments()[1]
	other, following := ask(t, s, stg, contains("b")), ask(t, s, env, contains("c"))
	waiting(t, s, queries.Expensive, 2)
	e.end <- struct{}{}
	require.Equal(t, stg.ID, <-e.begun)
	page := <-got // the second part finds no room in the queue of its environment
	require.True(t, page.Partial)
	require.NotEmpty(t, page.Spans)
	e.end <- struct{}{}
	require.Equal(t, env.ID, <-e.begun)
	e.end <- struct{}{}
	require.NoError(t, <-other)
	require.NoError(t, <-following)

	want := pages(t, db, env, inTexts("a", true, 1000))[0]
	require.Equal(t, want.Spans[:len(page.Spans)], page.Spans)
	require.False(t, slices.ContainsFunc(want.Spans[len(page.Spans):], func(x span.Span) bool { return x.Start >= page.SearchedTo }))
}
