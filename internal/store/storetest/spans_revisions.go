// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// revised makes a verdict of a revision.
func revised(revision, at int64, value any) eval.Evaluation {
	v := verdict("set_1", "tone", at, "tone", value)
	v.Revision = revision
	return v
}

// revisionsOf reads all revisions of one span's evaluations.
func revisionsOf(t *testing.T, from OwedEngine, env tenant.Environment, s span.Span) []eval.Evaluation {
	t.Helper()
	list, err := from.Evaluations(t.Context(), []store.Location{{Environment: env.ID, Span: s.Key()}}, math.MinInt64, store.AllRevisions)
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0].Evaluations
}

// exerciseRevisions writes evaluations of higher revisions than those that are
// there.
func exerciseRevisions(t *testing.T, open OpenSpans) {
	env := environment("prd")
	t.Run("the highest counts, and its predecessors are kept", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s, other := rich(env, 1), rich(env, 2)
		first, owes, third := revised(0, 10, "sad"), deferred("set_1", "tone", epoch), revised(2, 30, "so-so")
		first.Usage.Cost, third.Usage.Cost = 8, 0.5
		owes.Revision = 1
		failed := owes
		failed.Status, failed.Reason, failed.Time, failed.Due = eval.Failed, "it broke", 20, 0
		count := verdict("set_2", "count", 15, "n", int64(1))
		b.write(record(env, s, first, count), record(env, other, revised(0, 10, "sad")))
		b.settle(evaluated(env, s, owes))
		require.Equal(t, []eval.Evaluation{first, count, owes}, revisionsOf(t, b, env, s))
		b.settle(evaluated(env, s, failed))
		require.Equal(t, []eval.Evaluation{count, failed}, b.evaluations(env, s), "what was owed has the same revision")
		b.pass(50 * time.Hour)
		b.write(record(env, simple(env, 3)))
		for range 2 {
			b.settle(evaluated(env, s, third))
			require.Equal(t, []eval.Evaluation{count, third}, b.evaluations(env, s))
			require.Equal(t, []eval.Evaluation{first, count, failed, third}, revisionsOf(t, b, env, s))
			require.Equal(t, []eval.Evaluation{revised(0, 10, "sad")}, revisionsOf(t, b, env, other))
			b.reopen()
		}
		requireLatestCounts(t, b, env, s, other)
	})
	t.Run("a lower one is passed over", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s := rich(env, 1)
		b.write(record(env, s, revised(2, 10, "sad")))
		owes := deferred("set_1", "tone", epoch)
		b.settle(evaluated(env, s, revised(1, 20, "glad")), evaluated(env, s, owes))
		require.Equal(t, []eval.Evaluation{revised(2, 10, "sad")}, revisionsOf(t, b, env, s))
		page, err := b.Owed(t.Context(), "", store.Due{}, 10)
		require.NoError(t, err)
		require.Zero(t, page)
		b.settle(evaluated(env, s, revised(3, 30, "glad"), revised(1, 20, "sad"), verdict("set_1", "count", 40, "n", int64(1))))
		require.Equal(t, []eval.Evaluation{revised(2, 10, "sad"), revised(3, 30, "glad"), verdict("set_1", "count", 40, "n", int64(1))}, revisionsOf(t, b, env, s))
	})
	t.Run("go with the content that they were made of", func(t *testing.T) {
		t.Parallel()
		for _, later := range []time.Duration{0, 50 * time.Hour} {
			b := newBench(t, open)
			s := rich(env, 1)
			b.write(record(env, s, revised(0, 10, "sad")), record(env, simple(env, 2)))
			b.settle(evaluated(env, s, revised(1, 20, "glad")))
			b.pass(later)
			b.reopen()
			s.Name = "changed"
			b.write(record(env, s, revised(0, 30, "so-so")))
			require.Equal(t, []eval.Evaluation{revised(0, 30, "so-so")}, revisionsOf(t, b, env, s))
			b.reopen()
			b.settle(evaluated(env, s, revised(1, 40, "sad")))
			require.Equal(t, []eval.Evaluation{revised(0, 30, "so-so"), revised(1, 40, "sad")}, revisionsOf(t, b, env, s))
		}
	})
}

// requireLatestCounts expects the verdict "so-so" of s, whatever was said before,
// and "sad" of other.
func requireLatestCounts(t *testing.T, b *bench, env tenant.Environment, s, other span.Span) {
	t.Helper()
	got, err := b.Get(t.Context(), env, []span.Key{s.Key()}, 0)
	require.NoError(t, err)
	value, _ := got[0].Attributes.Get("evaluation.tone.tone")
	require.Equal(t, "so-so", value)
	for value, want := range map[string][]span.Span{"sad": {other}, "so-so": {s}, "glad": nil} {
		f := filter(query.FieldEvaluation, "tone", query.OpEquals, value)
		f.Field.Output = "tone"
		require.Equal(t, ids(want), ids(b.find(env, everything(f)).Spans), value)
	}
	spent, err := store.ReadSpent(t.Context(), b, env.ID, "set_1", time.Unix(0, 0))
	require.NoError(t, err)
	require.InDelta(t, 0.5, spent, 0)
	tallies, err := store.ReadTallies(t.Context(), b, env, "set_1")
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
