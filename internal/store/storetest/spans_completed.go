// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// exerciseCompleted writes evaluations of stored spans: an engine knows no rule
// about them.
func exerciseCompleted(t *testing.T, open OpenSpans) {
	env := environment("prd")
	t.Run("takes the place of what is there, whatever that is", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s := rich(env, 1)
		was := verdict("set_1", "tone", 1, "tone", "sad")
		b.write(record(env, s, was, verdict("set_2", "tone", 2, "tone", "glad")), record(env, simple(env, 2), was))
		owed := deferred("set_1", "tone", epoch)
		for range 2 {
			b.settle(evaluated(env, s, owed))
			require.Equal(t, []eval.Evaluation{verdict("set_2", "tone", 2, "tone", "glad"), owed}, b.evaluations(env, s))
			b.reopen()
		}
		b.settle(evaluated(env, s, judged(owed, epoch), was))
		require.Equal(t, []eval.Evaluation{was, verdict("set_2", "tone", 2, "tone", "glad")}, b.evaluations(env, s), "of two the later counts")
		require.Equal(t, []eval.Evaluation{was}, b.evaluations(env, simple(env, 2)))
	})
	t.Run("counts for the content that it was made of", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s := rich(env, 1)
		b.write(record(env, s))
		early := owed(env, s, verdict("set_1", "tone", 1, "tone", "sad"))
		s.Name = "changed"
		b.write(record(env, s))
		late := owed(env, s, verdict("set_1", "tone", 2, "tone", "glad"))
		for range 2 {
			b.settle(early)
			require.Empty(t, b.evaluations(env, s))
			b.pass(50 * time.Hour)
			b.reopen()
		}
		b.settle(late, early)
		require.Equal(t, late.Evaluations, b.evaluations(env, s))
		list, err := b.Evaluations(t.Context(), []store.Location{late.Location()}, 0, store.Latest)
		require.NoError(t, err)
		require.Equal(t, []store.Evaluated{late}, list)
	})
	t.Run("is passed over without its span", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		short := environment("short")
		short.Retention = 2 * time.Hour
		b.write(record(env, simple(env, 1)), record(short, simple(short, 1)))
		x := verdict("set_1", "tone", 1, "tone", "sad")
		b.pass(time.Hour + 2*time.Second)
		b.settle(evaluated(env, simple(env, 2), x), evaluated(short, simple(short, 1), x), evaluated(environment("none"), simple(env, 1), x))
		require.Empty(t, b.evaluations(env, simple(env, 1)))
		require.Empty(t, b.evaluations(short, simple(short, 1)))
		page, err := b.Owed(t.Context(), "", store.Due{}, 10)
		require.NoError(t, err)
		require.Zero(t, page)
	})
	t.Run("says what a write replaced", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s := rich(env, 1)
		b.write(record(env, s), record(env, simple(env, 2)))
		changed := s
		changed.Name = "changed"
		written, err := b.Write(t.Context(), store.Batch{Records: []store.Record{
			record(env, changed), record(env, simple(env, 2)), record(env, simple(env, 3)),
		}})
		require.NoError(t, err)
		require.Equal(t, store.Written{Replaced: []store.Location{{Environment: env.ID, Span: s.Key()}}}, written)
	})
}

// exerciseOwed lists what is deferred.
func exerciseOwed(t *testing.T, open OpenSpans) {
	env, other := environment("prd"), environment("stg")
	t.Run("comes in the order in which it falls due, page by page", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		const spans = 40
		for i := range spans {
			e := env
			if i%3 == 0 {
				e = other
				e.Retention = 10 * time.Hour
			}
			x := deferred("set_1", "tone", epoch.Add(time.Duration(i%4)*time.Second))
			x.Time -= int64(i)
			b.write(record(e, simple(e, i), x, verdict("set_1", "count", 1, "n", int64(1))))
		}
		b.settle(evaluated(env, simple(env, 1), judged(deferred("set_1", "tone", epoch), epoch)))
		for range 2 {
			var all []store.Due
			for _, limit := range []int{1, 7, spans - 1, 100} {
				all = nil
				var behind store.Due
				for {
					page, err := b.Owed(t.Context(), "", behind, limit)
					require.NoError(t, err)
					require.EqualValues(t, spans-1, page.Evaluations)
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
