// SPDX-License-Identifier: Apache-2.0

package opinions_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/opinions"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// shelf are real stores with a book over them, whose clock a test sets.
type shelf struct {
	engine  *duckdb.DB
	control *sqldb.DB
	book    *opinions.Book
	envs    []tenant.Environment

	mu  sync.Mutex
	now time.Time
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{now: time.Now()}
	var err error
	s.engine, err = duckdb.Open(t.Context(), duckdb.Config{Dir: filepath.Join(t.TempDir(), "spans"), MinFreeBytes: -1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.engine.Close()) })
	s.control, err = sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(t.TempDir(), "control.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.control.Close()) })
	org, keys := storetest.NewOrganization("acme", "prd", "dev")
	require.NoError(t, s.control.CreateOrganization(t.Context(), org, keys))
	s.envs = org.Projects[0].Environments
	s.open(t)
	return s
}

func (s *shelf) open(t *testing.T) {
	t.Helper()
	var err error
	s.book, err = opinions.Open(t.Context(), s.engine, s.control, func() time.Time {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.now
	})
	require.NoError(t, err)
}

func (s *shelf) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func (s *shelf) span(t *testing.T, env tenant.Environment, n byte) {
	t.Helper()
	x := span.Span{TraceID: span.TraceID{n}, SpanID: span.ID{n}, Start: time.Now().Add(-time.Minute).UnixNano()}
	_, err := s.engine.Write(t.Context(), store.Batch{Records: []store.Record{{Environment: env, Span: x}}})
	require.NoError(t, err)
}

func (s *shelf) of(t *testing.T, env tenant.Environment, n byte, which store.Revisions) []eval.Evaluation {
	t.Helper()
	at := []store.Location{{Environment: env.ID, Span: span.Key{TraceID: span.TraceID{n}, SpanID: span.ID{n}}}}
	found, err := s.engine.Evaluations(t.Context(), at, 0, which)
	require.NoError(t, err)
	if len(found) == 0 {
		return nil
	}
	return found[0].Evaluations
}

func oneOpinion(t *testing.T, name string, score float64, at int64) eval.Evaluation {
	t.Helper()
	o := opinion.Opinion{Source: eval.FromSDK, Name: name, Time: at, Outputs: []eval.Output{{Name: "score", Value: score}, {Name: "label", Value: "l"}}}
	e, err := o.Evaluation()
	require.NoError(t, err)
	return e
}

func given(n byte, list ...eval.Evaluation) opinions.Given {
	return opinions.Given{TraceID: span.TraceID{n}, SpanID: span.ID{n}, Evaluations: list}
}

func TestALaterOpinionTakesThePlaceOfAnEarlier(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	env := s.envs[0]
	s.span(t, env, 1)
	first, second := oneOpinion(t, "x", 1, 10), oneOpinion(t, "x", 0, 20)
	require.NoError(t, s.book.Add(t.Context(), env, []opinions.Given{given(1, first, oneOpinion(t, "y", 1, 10))}))
	for range 2 { // a request that comes again changes nothing
		require.NoError(t, s.book.Add(t.Context(), env, []opinions.Given{given(1, second)}))
		require.NoError(t, s.book.Add(t.Context(), env, []opinions.Given{given(1, first)}), "late, and older")
	}
	second.Revision = 1
	require.Equal(t, []eval.Evaluation{oneOpinion(t, "y", 1, 10), second}, s.of(t, env, 1, store.Latest))
	require.ElementsMatch(t, []eval.Evaluation{first, oneOpinion(t, "y", 1, 10), second}, s.of(t, env, 1, store.AllRevisions))
}

func TestOpinionsWaitForTheirSpans(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	env, other := s.envs[0], s.envs[1]
	s.span(t, env, 1)
	s.span(t, other, 2) // another tenant's span of the same ids is none of theirs
	made := oneOpinion(t, "x", 1, 10)
	require.NoError(t, s.book.Add(t.Context(), env, []opinions.Given{given(1, made), given(2, made), given(3, made)}))
	require.Equal(t, []eval.Evaluation{made}, s.of(t, env, 1, store.Latest))
	require.Equal(t, 1, s.book.Waiting())
	require.NoError(t, s.book.Add(t.Context(), env, []opinions.Given{given(1, made), given(2, made), given(3, made)}), "sent again")
	require.Equal(t, 1, s.book.Waiting())

	s.open(t) // what waits survives the process
	require.NoError(t, s.book.Round(t.Context()))
	require.Equal(t, 1, s.book.Waiting())
	s.span(t, env, 2)
	s.pass(time.Minute)
	require.NoError(t, s.book.Round(t.Context()))
	require.Equal(t, []eval.Evaluation{made}, s.of(t, env, 2, store.Latest))
	require.Empty(t, s.of(t, other, 2, store.Latest))
	require.Equal(t, 1, s.book.Waiting())

	s.span(t, env, 3)
	s.open(t)
	require.NoError(t, s.book.Round(t.Context()))
	require.Equal(t, []eval.Evaluation{made}, s.of(t, env, 3, store.Latest))
	require.Zero(t, s.book.Waiting())
	left, err := s.control.List(t.Context(), store.DocumentFilter{Kind: store.OpinionsKind})
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestOpinionsOnSpansThatNeverComeAreDroppedAndCounted(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	require.NoError(t, s.book.Add(t.Context(), s.envs[0], []opinions.Given{given(1, oneOpinion(t, "x", 1, 10), oneOpinion(t, "y", 1, 10))}))
	s.pass(opinions.Patience)
	require.NoError(t, s.book.Round(t.Context()))
	require.Zero(t, s.book.Waiting())
	require.Equal(t, opinions.Counts{Waited: 2, Dropped: 2}, s.book.Counts())
}

func TestHowManyOpinionsMayWait(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for i := range store.MaxWaitingOpinions {
		id := fmt.Sprint(i)
		_, err := s.control.Put(t.Context(), store.Document{Kind: store.OpinionsKind, Environment: s.envs[0].ID, ID: id, Name: id, CreatedAt: s.now, Body: []byte("{}")})
		require.NoError(t, err)
	}
	err := s.book.Add(t.Context(), s.envs[0], []opinions.Given{given(1, oneOpinion(t, "x", 1, 10))})
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	require.NoError(t, s.book.Add(t.Context(), s.envs[1], []opinions.Given{given(1, oneOpinion(t, "x", 1, 10))}), "another environment may")
}

func TestHowManyBytesOfOpinionsMayWait(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	large := opinion.Opinion{Source: eval.FromSDK, Name: "x", Outputs: []eval.Output{{Name: "explanation", Value: strings.Repeat("x", opinion.MaxText)}}}
	made, err := large.Evaluation()
	require.NoError(t, err)
	refused := 0
	for n := range 20 {
		var list []opinions.Given
		for i := range 20 {
			made.Time = int64(n)
			list = append(list, given(byte(i), made))
		}
		if err := s.book.Add(t.Context(), s.envs[0], list); err != nil {
			require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
			refused++
		}
	}
	require.Positive(t, refused)
	require.Less(t, refused, 20)
	s.open(t)
	s.pass(opinions.Patience)
	require.NoError(t, s.book.Round(t.Context()))
	require.Zero(t, s.book.Waiting())
	require.NoError(t, s.book.Add(t.Context(), s.envs[0], []opinions.Given{given(1, made)}), "there is room again")
}

// Many opinions wait for spans that have to be searched for, also over a restart.
func TestOpinionsAboutEntitiesWaitForTheirSpans(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	env := s.envs[0]
	of := func(id string) opinions.Given {
		return opinions.Given{About: &opinions.Entity{Keys: []string{"a", "b"}, ID: id}, Evaluations: []eval.Evaluation{oneOpinion(t, "x", 1, 10)}}
	}
	require.NoError(t, s.book.Add(t.Context(), env, []opinions.Given{of("1"), of("2"), of("3")}))
	require.Equal(t, 3, s.book.Waiting())
	s.open(t)
	require.NoError(t, s.book.Round(t.Context()))
	require.Equal(t, 3, s.book.Waiting())
	for n, pair := range [][2]string{{"b", "2"}, {"c", "3"}} {
		x := span.Span{TraceID: span.TraceID{byte(n + 1)}, SpanID: span.ID{byte(n + 1)}, Start: time.Now().UnixNano()}
		x.Attributes = span.NewAttributes([]span.Attribute{{Key: pair[0], Value: pair[1]}})
		_, err := s.engine.Write(t.Context(), store.Batch{Records: []store.Record{{Environment: env, Span: x}}})
		require.NoError(t, err)
	}
	s.pass(5 * time.Second)
	require.NoError(t, s.book.Round(t.Context()))
	require.Equal(t, 2, s.book.Waiting())
	require.Len(t, s.of(t, env, 1, store.Latest), 1)
	require.Empty(t, s.of(t, env, 2, store.Latest))
	s.pass(opinions.Patience)
	require.NoError(t, s.book.Round(t.Context()))
	require.Zero(t, s.book.Waiting())
	require.EqualValues(t, 2, s.book.Counts().Dropped)
}

func TestCorrecting(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	env := s.envs[0]
	key := span.Key{TraceID: span.TraceID{1}, SpanID: span.ID{1}}
	_, err := s.book.Correct(t.Context(), env, key, oneOpinion(t, "x", 1, 10), 0)
	require.True(t, fault.Is(err, fault.NotFound))
	s.span(t, env, 1)
	_, err = s.book.Correct(t.Context(), env, key, oneOpinion(t, "x", 1, 10), 1)
	require.True(t, fault.Is(err, fault.Conflict), "there is none to correct")

	const writers = 8
	var wg sync.WaitGroup
	revisions := make([]int64, writers)
	for i := range writers { // at once: each is a revision of its own
		wg.Go(func() {
			made, err := s.book.Correct(context.WithoutCancel(t.Context()), env, key, oneOpinion(t, "x", float64(i), 10), 0)
			if err == nil {
				revisions[i] = made.Revision
			} else {
				revisions[i] = -1
			}
		})
	}
	wg.Wait()
	require.ElementsMatch(t, []int64{0, 1, 2, 3, 4, 5, 6, 7}, revisions)
	require.Len(t, s.of(t, env, 1, store.AllRevisions), writers)
	_, err = s.book.Correct(t.Context(), env, key, oneOpinion(t, "x", 99, 10), writers-1)
	require.True(t, fault.Is(err, fault.Conflict), "another writer was faster")
	_, err = s.book.Correct(t.Context(), env, key, oneOpinion(t, "x", 99, 10), writers)
	require.NoError(t, err)
}
