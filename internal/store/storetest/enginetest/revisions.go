// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// revised returns a verdict of a revision.
func revised(revision, at int64, value any) eval.Evaluation {
	v := storetest.Verdict("set_1", "tone", at, "tone", value)
	v.Revision = revision
	return v
}

// exerciseRevisions writes evaluations of higher revisions than those that are
// there.
func exerciseRevisions(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("the highest counts, and its predecessors are kept", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s, other := storetest.RichSpan(env, 1), storetest.RichSpan(env, 2)
		first, owes, third := revised(0, 10, "sad"), storetest.Deferred("set_1", "tone", storetest.Epoch), revised(2, 30, "so-so")
		first.Usage.Cost, third.Usage.Cost = 8, 0.5
		owes.Revision = 1
		failed := owes
		failed.Status, failed.Reason, failed.Time, failed.Due = eval.Failed, "it broke", 20, 0
		count := storetest.Verdict("set_2", "count", 15, "n", int64(1))
		b.write(storetest.Record(env, s, first, count), storetest.Record(env, other, revised(0, 10, "sad")))
		b.complete(storetest.Evaluated(env, s, owes))
		require.Equal(t, []eval.Evaluation{first, count, owes}, storetest.RevisionsOf(t, b, env, s))
		b.complete(storetest.Evaluated(env, s, failed))
		require.Equal(t, []eval.Evaluation{count, failed}, b.evaluations(env, s), "the pending one has the same revision")
		b.pass(50 * time.Hour)
		b.write(storetest.Record(env, storetest.Span(env, 3)))
		for range 2 {
			b.complete(storetest.Evaluated(env, s, third))
			require.Equal(t, []eval.Evaluation{count, third}, b.evaluations(env, s))
			require.Equal(t, []eval.Evaluation{first, count, failed, third}, storetest.RevisionsOf(t, b, env, s))
			require.Equal(t, []eval.Evaluation{revised(0, 10, "sad")}, storetest.RevisionsOf(t, b, env, other))
			b.reopen()
		}
		requireLatestCounts(t, b, env, s, other)
	})
	t.Run("a lower one is passed over", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		b.write(storetest.Record(env, s, revised(2, 10, "sad")))
		owes := storetest.Deferred("set_1", "tone", storetest.Epoch)
		b.complete(storetest.Evaluated(env, s, revised(1, 20, "glad")), storetest.Evaluated(env, s, owes))
		require.Equal(t, []eval.Evaluation{revised(2, 10, "sad")}, storetest.RevisionsOf(t, b, env, s))
		page, err := b.Owed(t.Context(), "", store.Due{}, 10)
		require.NoError(t, err)
		require.Zero(t, page)
		b.complete(storetest.Evaluated(env, s, revised(3, 30, "glad"), revised(1, 20, "sad"), storetest.Verdict("set_1", "count", 40, "n", int64(1))))
		require.Equal(t, []eval.Evaluation{revised(2, 10, "sad"), revised(3, 30, "glad"), storetest.Verdict("set_1", "count", 40, "n", int64(1))}, storetest.RevisionsOf(t, b, env, s))
	})
	t.Run("go with the content that they were made of", func(t *testing.T) {
		t.Parallel()
		for _, later := range []time.Duration{0, 50 * time.Hour} {
			b := newFixture(t, open)
			s := storetest.RichSpan(env, 1)
			b.write(storetest.Record(env, s, revised(0, 10, "sad")), storetest.Record(env, storetest.Span(env, 2)))
			b.complete(storetest.Evaluated(env, s, revised(1, 20, "glad")))
			b.pass(later)
			b.reopen()
			s.Name = "changed"
			b.write(storetest.Record(env, s, revised(0, 30, "so-so")))
			require.Equal(t, []eval.Evaluation{revised(0, 30, "so-so")}, storetest.RevisionsOf(t, b, env, s))
			b.reopen()
			b.complete(storetest.Evaluated(env, s, revised(1, 40, "sad")))
			require.Equal(t, []eval.Evaluation{revised(0, 30, "so-so"), revised(1, 40, "sad")}, storetest.RevisionsOf(t, b, env, s))
		}
	})
}

// requireLatestCounts expects the verdict "so-so" of s, whatever was said before,
// and "sad" of other.
func requireLatestCounts(t *testing.T, b *fixture, env tenant.Environment, s, other span.Span) {
	t.Helper()
	got, err := b.Get(t.Context(), env, []span.Key{s.Key()}, 0)
	require.NoError(t, err)
	value, _ := got[0].Attributes.Get("evaluation.tone.tone")
	require.Equal(t, "so-so", value)
	for value, want := range map[string][]span.Span{"sad": {other}, "so-so": {s}, "glad": nil} {
		f := filter(query.FieldEvaluation, "tone", query.OpEquals, value)
		f.Field.Output = "tone"
		require.Equal(t, storetest.IDs(want), storetest.IDs(b.find(env, everything(f)).Spans), value)
	}
	spent, err := store.ReadSpent(t.Context(), b, env.ID, "set_1", time.Unix(0, 0))
	require.NoError(t, err)
	require.InDelta(t, 0.5, spent, 0)
	tallies, err := store.ReadEvaluationCounts(t.Context(), b, env, "set_1")
	require.NoError(t, err)
	for _, x := range tallies {
		require.Equal(t, eval.Done, x.Status)
		require.EqualValues(t, 2, x.Count)
	}
	require.Len(t, tallies, 1)
	q := everything()
	q.Subject = query.Outputs
	q.Order = query.Order{By: query.SortMetric}
	texts := map[string]int{}
	for _, o := range b.find(env, q).Outputs {
		texts[o.Output.Text()]++
	}
	require.Equal(t, map[string]int{"1": 1, "so-so": 1, "sad": 1}, texts)
}
