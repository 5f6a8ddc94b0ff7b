// SPDX-License-Identifier: Apache-2.0

package queries_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	acme = tenant.Environment{ID: "acme", Retention: 720 * time.Hour}
	beta = tenant.Environment{ID: "beta", Retention: 720 * time.Hour}
)

// held is an engine whose searches wait until the test lets them go on. Without a DB they
// find nothing.
type held struct {
	*duckdb.DB
	begun chan tenant.EnvironmentID
	end   chan struct{}
}

func (h *held) Search(ctx context.Context, env tenant.Environment, q query.Query) (query.Page, error) {
	h.begun <- env.ID
	select {
	case <-h.end:
		if h.DB == nil {
			return query.Page{}, nil
		}
		return h.DB.Search(ctx, env, q)
	case <-ctx.Done():
		return query.Page{}, ctx.Err()
	}
}

func openEngine(t *testing.T) *duckdb.DB {
	t.Helper()
	db, err := duckdb.Open(t.Context(), duckdb.Config{Dir: filepath.Join(t.TempDir(), "spans"), MinFreeBytes: -1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func hold(t *testing.T) *held {
	return &held{DB: openEngine(t), begun: make(chan tenant.EnvironmentID), end: make(chan struct{})}
}

// page asks for the newest spans; contains looks through all texts.
func page() query.Query {
	return query.Query{To: 1 << 62, Limit: 10, Order: query.Order{By: query.SortTimestamp, Descending: true}}
}

func contains(text string) query.Query {
	q := page()
	q.Filters = []query.Filter{{Field: query.Field{Kind: query.FieldAttribute, Name: "customer"}, Operator: query.OpContains, Value: text}}
	return q
}

// ask searches in the background and returns where its error comes out.
func ask(t *testing.T, s *queries.Queries, env tenant.Environment, q query.Query) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := s.Search(t.Context(), env, q)
		done <- err
	}()
	return done
}

func waiting(t *testing.T, s *queries.Queries, k queries.Kind, n int64) {
	t.Helper()
	require.Eventually(t, func() bool { return s.Stats().Waiting[k] == n }, time.Minute, time.Millisecond)
}

func TestBeyondItsQueueAnEnvironmentIsRefusedAndOthersAreNot(t *testing.T) {
	t.Parallel()
	e := hold(t)
	s := queries.New(e, nil, queries.Limits{AtOnce: 2, Waiting: 1})
	var answers []<-chan error
	for range 2 {
		answers = append(answers, ask(t, s, acme, page()))
		require.Equal(t, acme.ID, <-e.begun)
	}
	answers = append(answers, ask(t, s, acme, page()))
	waiting(t, s, queries.Cheap, 1)
	for range 3 {
		_, err := s.Search(t.Context(), acme, page())
		require.Equal(t, fault.Limited, fault.KindOf(err), "%v", err)
		require.Equal(t, time.Second, fault.After(err))
		require.ErrorContains(t, err, "2 queries of it run at once")
	}
	answers = append(answers, ask(t, s, beta, page()))
	require.Equal(t, beta.ID, <-e.begun, "another environment has places of its own")
	e.end <- struct{}{}
	e.end <- struct{}{}
	e.end <- struct{}{}
	require.Equal(t, acme.ID, <-e.begun, "who waited comes next")
	e.end <- struct{}{}
	for _, answer := range answers {
		require.NoError(t, <-answer)
	}
	require.Equal(t, int64(3), s.Stats().Refused[queries.OverPlaces])
	require.Zero(t, s.Stats().Running)
	require.Zero(t, s.Stats().Waiting)
}

// Who comes first is asked of queries that all wait in their places: the bubble tells when they
// do.
func TestExpensiveQueriesRunOneAtATimeInTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &held{begun: make(chan tenant.EnvironmentID), end: make(chan struct{})}
		s := queries.New(e, nil, queries.Limits{AtOnce: 1, Waiting: 8})
		first := ask(t, s, acme, contains("a"))
		require.Equal(t, acme.ID, <-e.begun)
		var more []<-chan error
		for range 4 {
			more = append(more, ask(t, s, acme, contains("b")))
		}
		other := ask(t, s, beta, contains("c"))
		synctest.Wait()
		require.Equal(t, int64(5), s.Stats().Waiting[queries.Expensive])

		cheap := ask(t, s, acme, page())
		require.Equal(t, acme.ID, <-e.begun, "no cheap query waits for expensive ones")
		e.end <- struct{}{}
		e.end <- struct{}{}
		require.NoError(t, <-cheap)
		require.NoError(t, <-first)

		require.Equal(t, beta.ID, <-e.begun, "the other environment comes before the second of the first")
		require.Equal(t, int64(1), s.Stats().Running[queries.Expensive])
		e.end <- struct{}{}
		require.NoError(t, <-other)
		for range more {
			require.Equal(t, acme.ID, <-e.begun)
			require.Equal(t, int64(1), s.Stats().Running[queries.Expensive])
			e.end <- struct{}{}
		}
		for _, answer := range more {
			require.NoError(t, <-answer)
		}
	})
}

func TestWhoWaitsTooLongIsToldToComeBack(t *testing.T) {
	t.Parallel()
	e := hold(t)
	s := queries.New(e, nil, queries.Limits{AtOnce: 1, Waiting: 8, Wait: 10 * time.Millisecond})
	first := ask(t, s, acme, contains("a"))
	<-e.begun
	for _, env := range []tenant.Environment{acme, beta} {
		_, err := s.Search(t.Context(), env, contains("b"))
		require.Equal(t, fault.Limited, fault.KindOf(err), "%v", err)
		require.Equal(t, 5*time.Second, fault.After(err))
	}
	e.end <- struct{}{}
	require.NoError(t, <-first)
	again := ask(t, s, beta, contains("b"))
	<-e.begun
	e.end <- struct{}{}
	require.NoError(t, <-again)
}

func TestAQueryThatTakesTooLongIsGivenUp(t *testing.T) {
	t.Parallel()
	e := hold(t)
	s := queries.New(e, nil, queries.Limits{AtOnce: 1, Timeout: 10 * time.Millisecond})
	late := ask(t, s, acme, page())
	<-e.begun
	err := <-late
	require.Equal(t, fault.TimedOut, fault.KindOf(err), "%v", err)
	require.Equal(t, "the query took longer than 10ms: ask for a shorter period, or filter by exact values", fault.Message(err))
	require.Equal(t, int64(1), s.Stats().Refused[queries.OverDeadline])

	s = queries.New(e, nil, queries.Limits{AtOnce: 1, Timeout: time.Minute})
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := s.Search(ctx, acme, page())
		gone <- err
	}()
	<-e.begun
	leave()
	require.ErrorIs(t, <-gone, context.Canceled)
	require.Zero(t, s.Stats().Refused, "a caller who leaves took no time from anybody")
	require.Zero(t, s.Stats().Running)
}

func TestTheEngineEndsAQueryAtItsDeadline(t *testing.T) {
	t.Parallel()
	db := openEngine(t)
	fill(t, db, 2000)
	g := spangen.New(spangen.Options{Seed: 1})
	s := queries.New(db, db, queries.Limits{AtOnce: 1, Timeout: time.Nanosecond})
	_, err := s.Search(t.Context(), g.Environments()[0], contains("a"))
	require.Equal(t, fault.TimedOut, fault.KindOf(err), "%v", err)
	_, err = s.Aggregate(t.Context(), g.Environments()[0], query.Aggregate{To: 1 << 62, Figures: []query.Figure{{Measure: query.Count}}})
	require.Equal(t, fault.TimedOut, fault.KindOf(err), "%v", err)
	_, err = s.Get(t.Context(), g.Environments()[0], nil, 0)
	require.True(t, err == nil || fault.Is(err, fault.TimedOut), "%v", err)
}

// fill stores spans of five environments, and returns how many of each.
func fill(t *testing.T, db *duckdb.DB, n int) map[tenant.EnvironmentID]int64 {
	t.Helper()
	g := spangen.New(spangen.Options{Seed: 1, Start: time.Now().Add(-24 * time.Hour), Period: 10 * time.Millisecond})
	counts := map[tenant.EnvironmentID]int64{}
	batch := store.Batch{}
	for range n {
		env, s := g.Next()
		counts[env.ID]++
		batch.Records = append(batch.Records, store.Record{Environment: env, Span: s})
	}
	_, err := db.Write(t.Context(), batch)
	require.NoError(t, err)
	return counts
}

func TestWhoReadsMoreThanHeMayWaits(t *testing.T) {
	t.Parallel()
	db := openEngine(t)
	fill(t, db, 2000)
	prd, stg := spangen.New(spangen.Options{}).Environments()[0], spangen.New(spangen.Options{}).Environments()[1]
	s := queries.New(db, db, queries.Limits{AtOnce: 4, Waiting: 1, PerSecond: 1024, Wait: 50 * time.Millisecond})
	s.Sent(stg.ID)
	_, err := s.Search(t.Context(), prd, contains("a"))
	require.NoError(t, err, "the first may read anything")
	_, err = s.Search(t.Context(), prd, contains("b"))
	require.Equal(t, fault.Limited, fault.KindOf(err), "%v", err)
	_, err = s.Search(t.Context(), stg, contains("a"))
	require.NoError(t, err, "another environment has its own")

	s = queries.New(db, db, queries.Limits{AtOnce: 4, PerSecond: 4 << 20, Shared: true})
	begun := time.Now()
	var read int64
	for range 4 {
		_, err = s.Search(t.Context(), prd, contains("a"))
		require.NoError(t, err)
		read += db.Extent(prd.ID, 0, 1<<62).Bytes / 3
	}
	least := time.Duration(float64(read)*3/4/(4<<20)*float64(time.Second)) - time.Second // what one second brings may go at once
	require.Greater(t, time.Since(begun), least)
}

// slow is an engine whose searches take a second.
type slow struct{ queries.Engine }

func (slow) Search(context.Context, tenant.Environment, query.Query) (query.Page, error) {
	time.Sleep(time.Second)
	return query.Page{}, nil
}

// An environment that is alone does not wait, and pays nothing for that later; next to others that
// ask or only send, it keeps to what it may read, until they are gone.
func TestWhoIsAloneReadsAsMuchAsItLikes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := queries.Limits{AtOnce: 1, PerSecond: 1 << 20}
		took := func(s *queries.Queries, env tenant.Environment) time.Duration {
			begun := time.Now()
			_, err := s.Search(t.Context(), env, contains("a"))
			require.NoError(t, err)
			return time.Since(begun)
		}
		for name, come := range map[string]func(*queries.Queries){
			"asks":  func(s *queries.Queries) { took(s, beta) },
			"sends": func(s *queries.Queries) { s.Sent(beta.ID) },
		} {
			s := queries.New(slow{}, huge{}, limits)
			for range 100 {
				require.Equal(t, time.Second, took(s, acme), name)
			}
			come(s)
			require.Equal(t, time.Second, took(s, acme), "what was read alone is no debt: %s", name)
			s.Sent(acme.ID) // it is no other to itself
			require.Greater(t, took(s, acme), 5*time.Second, name)
			require.Equal(t, time.Second, took(s, acme), "the other is gone: %s", name)
		}

		limits.Shared = true
		s := queries.New(slow{}, huge{}, limits)
		require.Equal(t, time.Second, took(s, acme))
		require.Greater(t, took(s, acme), 5*time.Second, "others may ask other processes")
	})
}

// An environment whose only query takes long is there for as long as it does.
func TestWhoAsksIsThere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &held{begun: make(chan tenant.EnvironmentID), end: make(chan struct{})}
		s := queries.New(e, huge{}, queries.Limits{AtOnce: 1, PerSecond: 1 << 20, Wait: time.Second})
		other := ask(t, s, beta, contains("a"))
		require.Equal(t, beta.ID, <-e.begun)
		time.Sleep(time.Hour)
		mine := ask(t, s, acme, contains("a"))
		require.Equal(t, acme.ID, <-e.begun)
		time.Sleep(time.Minute)
		e.end <- struct{}{}
		e.end <- struct{}{}
		require.NoError(t, <-mine)
		require.NoError(t, <-other)
		_, err := s.Search(t.Context(), acme, contains("b"))
		require.Equal(t, fault.Limited, fault.KindOf(err), "%v", err)
	})
}

// huge says that every environment has a hundred million spans.
type huge struct{}

func (huge) Spans(tenant.EnvironmentID) int64 { return 100_000_000 }

func (huge) Extent(tenant.EnvironmentID, int64, int64) store.Extent {
	return store.Extent{Spans: 100_000_000, Bytes: 100_000_000_000}
}

// A count that would read gigabytes by its estimate, and took a moment, does not hold up
// the next.
func TestAQueryIsTakenForWhatItTookWhereThatIsLess(t *testing.T) {
	t.Parallel()
	db := openEngine(t)
	fill(t, db, 2000)
	prd := spangen.New(spangen.Options{}).Environments()[0]
	s := queries.New(db, huge{}, queries.Limits{AtOnce: 1, PerSecond: 512 << 20, Wait: 5 * time.Second})
	for range 5 {
		_, err := s.Aggregate(t.Context(), prd, query.Aggregate{To: 1 << 62, Figures: []query.Figure{{Measure: query.Count}}})
		require.NoError(t, err)
	}
}

// Several queries of one answer wait for a place once, together; their environment's
// others wait until they are done.
func TestQueriesOfOneAnswerHaveOnePlace(t *testing.T) {
	t.Parallel()
	e := hold(t)
	s := queries.New(e, nil, queries.Limits{AtOnce: 1, Waiting: 2})
	together := make(chan error, 1)
	go func() {
		together <- s.Together(t.Context(), acme.ID, func(ctx context.Context) error {
			for range 2 {
				if _, err := s.Search(ctx, acme, page()); err != nil {
					return err
				}
			}
			return nil
		})
	}()
	require.Equal(t, acme.ID, <-e.begun)
	other := ask(t, s, acme, page())
	waiting(t, s, queries.Cheap, 1)
	e.end <- struct{}{}
	require.Equal(t, acme.ID, <-e.begun)
	waiting(t, s, queries.Cheap, 1)
	e.end <- struct{}{}
	require.NoError(t, <-together)
	require.Equal(t, acme.ID, <-e.begun, "the other comes now")
	e.end <- struct{}{}
	require.NoError(t, <-other)
	require.Zero(t, s.Stats().Running)
}
