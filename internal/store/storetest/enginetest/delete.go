// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// deletable is a span with a verdict of two revisions, one that is pending, and messages
// that came apart from it.
func (b *fixture) deletable(env tenant.Environment, n int) span.Span {
	b.t.Helper()
	s := storetest.Span(env, n)
	owed := storetest.Deferred("s", "owed", storetest.Epoch)
	_, err := b.Write(b.t.Context(), store.Batch{
		Records:  []store.Record{storetest.Record(env, s, storetest.Verdict("s", "made", 1, "o", "first"), owed)},
		Messages: []store.Messages{{Environment: env, TraceID: s.TraceID, SpanID: s.SpanID, Time: s.Start, Prompts: storetest.Attributes("p", s.SpanID.String())}},
	})
	require.NoError(b.t, err)
	again := storetest.Verdict("s", "made", 2, "o", "second")
	again.Revision = 1
	b.complete(store.Evaluated{Environment: env.ID, Span: s.Key(), Evaluations: []eval.Evaluation{again}})
	return s
}

func exerciseDelete(t *testing.T, open Open) {
	t.Run("removes spans with all that is stored of them", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		env, other := storetest.Environment("prd"), storetest.Environment("other")
		var all, gone []span.Span
		for n := range 10 {
			all = append(all, b.deletable(env, n))
			b.deletable(other, n)
		}
		gone = append(gone, all[2], all[7])
		before := b.all(other)
		for range 2 {
			require.NoError(t, b.Delete(t.Context(), env.ID, store.Part{Spans: []span.Key{gone[0].Key(), gone[1].Key(), storetest.KeyOf(storetest.Span(env, 99))}}))
			require.Len(t, b.all(env), 8)
			storetest.RequireSpans(t, before, b.all(other))
			for i := range all {
				deleted := i == 2 || i == 7
				found, err := b.Get(t.Context(), env, []span.Key{all[i].Key()}, 0)
				require.NoError(t, err)
				if deleted {
					require.Empty(t, found)
					at := []store.Location{{Environment: env.ID, Span: all[i].Key()}}
					list, err := b.Evaluations(t.Context(), at, -1<<63, store.AllRevisions)
					require.NoError(t, err)
					require.Empty(t, list)
					continue
				}
				revisions := storetest.RevisionsOf(t, b, env, all[i])
				require.Len(t, found, 1)
				text, _ := found[0].Prompts.Get("p")
				require.Equal(t, all[i].SpanID.String(), text)
				require.Len(t, revisions, 3)
			}
			owed, err := b.Owed(t.Context(), env.ID, store.Due{At: -1 << 63}, 100)
			require.NoError(t, err)
			require.Len(t, owed.List, 8)
			b.requireMade(env, 16)
			b.requireMade(other, 20)
			b.reopen()
		}
	})
	t.Run("lets a span come again as a new one, without its messages", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		env := storetest.Environment("prd")
		s := b.deletable(env, 1)
		kept := b.deletable(env, 2)
		require.NoError(t, b.Delete(t.Context(), env.ID, store.Part{Spans: []span.Key{s.Key()}}))
		b.complete(store.Evaluated{Environment: env.ID, Span: s.Key(), Evaluations: []eval.Evaluation{storetest.Verdict("s", "late", 3, "o", "v")}})
		require.Empty(t, b.evaluations(env, s), "what comes of it is passed over")
		b.write(storetest.Record(env, s), storetest.Record(env, kept))
		found := b.all(env)
		require.Len(t, found, 2)
		require.Empty(t, found[0].Prompts)
		require.NotEmpty(t, found[1].Prompts)
		require.Empty(t, b.evaluations(env, s))
		require.Len(t, b.evaluations(env, kept), 2, "it is the same as before")
		require.NoError(t, b.Delete(t.Context(), env.ID, store.Part{Spans: []span.Key{s.Key()}}))
		require.Len(t, b.all(env), 1)
	})
	t.Run("of nothing, and of another environment's spans, changes nothing", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		env, other := storetest.Environment("prd"), storetest.Environment("other")
		s := b.deletable(env, 1)
		require.NoError(t, b.Delete(t.Context(), env.ID, store.Part{}))
		require.NoError(t, b.Delete(t.Context(), other.ID, store.Part{Spans: []span.Key{s.Key()}}))
		require.Len(t, b.all(env), 1)
		require.Len(t, b.evaluations(env, s), 2)
	})
	t.Run("tells spans of the same ids apart", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		env := storetest.Environment("prd")
		first := storetest.Span(env, 1)
		second := first
		second.Start += int64(3600e9)
		b.write(storetest.Record(env, first), storetest.Record(env, second))
		require.NoError(t, b.Delete(t.Context(), env.ID, store.Part{Spans: []span.Key{first.Key()}}))
		found := b.all(env)
		require.Len(t, found, 1)
		require.Equal(t, second.Start, found[0].Start)
	})
}

// requireMade expects so many evaluations that count in an environment.
func (b *fixture) requireMade(env tenant.Environment, want int64) {
	b.t.Helper()
	groups, err := b.Aggregate(b.t.Context(), env, query.Aggregate{
		Subject: query.Evaluations, From: -1 << 63, To: 1<<63 - 1, Figures: []query.Figure{{Measure: query.Count}},
	})
	require.NoError(b.t, err)
	require.Len(b.t, groups, 1)
	require.Equal(b.t, want, groups[0].Values[0].Whole)
}
