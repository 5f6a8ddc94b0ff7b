// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// exerciseCompleted writes evaluations of stored spans: an engine knows no rule
// about them.
func exerciseCompleted(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("takes the place of what is there, whatever that is", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		was := storetest.Verdict("set_1", "tone", 1, "tone", "sad")
		b.write(storetest.Record(env, s, was, storetest.Verdict("set_2", "tone", 2, "tone", "glad")), storetest.Record(env, storetest.Span(env, 2), was))
		owed := storetest.Deferred("set_1", "tone", storetest.Epoch)
		for range 2 {
			b.complete(storetest.Evaluated(env, s, owed))
			require.Equal(t, []eval.Evaluation{storetest.Verdict("set_2", "tone", 2, "tone", "glad"), owed}, b.evaluations(env, s))
			b.reopen()
		}
		b.complete(storetest.Evaluated(env, s, storetest.Judged(owed, storetest.Epoch), was))
		require.Equal(t, []eval.Evaluation{was, storetest.Verdict("set_2", "tone", 2, "tone", "glad")}, b.evaluations(env, s), "of two the later counts")
		require.Equal(t, []eval.Evaluation{was}, b.evaluations(env, storetest.Span(env, 2)))
	})
	t.Run("counts for the content that it was made of", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		b.write(storetest.Record(env, s))
		early := storetest.Owed(env, s, storetest.Verdict("set_1", "tone", 1, "tone", "sad"))
		s.Name = "changed"
		b.write(storetest.Record(env, s))
		late := storetest.Owed(env, s, storetest.Verdict("set_1", "tone", 2, "tone", "glad"))
		for range 2 {
			b.complete(early)
			require.Empty(t, b.evaluations(env, s))
			b.pass(50 * time.Hour)
			b.reopen()
		}
		b.complete(late, early)
		require.Equal(t, late.Evaluations, b.evaluations(env, s))
		list, err := b.Evaluations(t.Context(), []store.Location{late.Location()}, 0, store.Latest)
		require.NoError(t, err)
		require.Equal(t, []store.Evaluated{late}, list)
	})
	t.Run("is passed over without its span", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		short := storetest.Environment("short")
		short.Retention = 2 * time.Hour
		b.write(storetest.Record(env, storetest.Span(env, 1)), storetest.Record(short, storetest.Span(short, 1)))
		x := storetest.Verdict("set_1", "tone", 1, "tone", "sad")
		b.pass(time.Hour + 2*time.Second)
		b.complete(storetest.Evaluated(env, storetest.Span(env, 2), x), storetest.Evaluated(short, storetest.Span(short, 1), x), storetest.Evaluated(storetest.Environment("none"), storetest.Span(env, 1), x))
		require.Empty(t, b.evaluations(env, storetest.Span(env, 1)))
		require.Empty(t, b.evaluations(short, storetest.Span(short, 1)))
		page, err := b.Owed(t.Context(), "", store.Due{}, 10)
		require.NoError(t, err)
		require.Zero(t, page)
	})
	t.Run("says what a write replaced", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		b.write(storetest.Record(env, s), storetest.Record(env, storetest.Span(env, 2)))
		changed := s
		changed.Name = "changed"
		written, err := b.Write(t.Context(), store.Batch{Records: []store.Record{
			storetest.Record(env, changed), storetest.Record(env, storetest.Span(env, 2)), storetest.Record(env, storetest.Span(env, 3)),
		}})
		require.NoError(t, err)
		require.Equal(t, store.Written{Replaced: []store.Location{{Environment: env.ID, Span: s.Key()}}}, written)
	})
}

// exerciseOwed lists what is deferred.
func exerciseOwed(t *testing.T, open Open) {
	env, other := storetest.Environment("prd"), storetest.Environment("stg")
	t.Run("comes in the order in which it falls due, page by page", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		const spans = 40
		for i := range spans {
			e := env
			if i%3 == 0 {
				e = other
				e.Retention = 10 * time.Hour
			}
			x := storetest.Deferred("set_1", "tone", storetest.Epoch.Add(time.Duration(i%4)*time.Second))
			x.Time -= int64(i)
			b.write(storetest.Record(e, storetest.Span(e, i), x, storetest.Verdict("set_1", "count", 1, "n", int64(1))))
		}
		b.complete(storetest.Evaluated(env, storetest.Span(env, 1), storetest.Judged(storetest.Deferred("set_1", "tone", storetest.Epoch), storetest.Epoch)))
		for range 2 {
			counted, err := b.Owed(t.Context(), "", store.Due{}, 0)
			require.NoError(t, err)
			require.EqualValues(t, spans-1, counted.Evaluations)
			require.ElementsMatch(t, []tenant.EnvironmentID{env.ID, other.ID}, counted.Environments)
			for _, e := range counted.Environments {
				page, err := b.Owed(t.Context(), e, store.Due{}, 100)
				require.NoError(t, err)
				require.NotEmpty(t, page.List)
				for _, d := range page.List {
					require.Equal(t, e, d.Environment)
				}
			}
			var all []store.Due
			for _, limit := range []int{1, 7, spans - 1, 100} {
				all = nil
				var behind store.Due
				for {
					page, err := b.Owed(t.Context(), "", behind, limit)
					require.NoError(t, err)
					require.LessOrEqual(t, len(page.List), limit)
					all = append(all, page.List...)
					if !page.More {
						break
					}
					behind = page.Last
				}
				require.Len(t, all, spans-1)
				seen := map[store.Location]bool{}
				for i, d := range all {
					require.False(t, seen[d.Location])
					seen[d.Location] = true
					if i > 0 {
						require.GreaterOrEqual(t, d.At, all[i-1].At)
					}
					require.NotZero(t, d.Span.Start)
				}
			}
			page, err := b.Owed(t.Context(), "", store.Due{}, 5)
			require.NoError(t, err)
			oldest := slices.MinFunc(all[5:], func(a, b store.Due) int { return cmp.Compare(a.Since, b.Since) })
			require.Equal(t, oldest.Since, page.Oldest, "of what is behind the page")
			b.reopen()
		}
	})
}
