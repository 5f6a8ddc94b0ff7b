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

func exerciseDrop(t *testing.T, open Open) {
	t.Run("removes one environment and nothing else", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		gone, kept := storetest.Environment("gone"), storetest.Environment("kept")
		var both []store.Record
		for n := range 10 {
			for _, env := range []tenant.Environment{gone, kept} {
				owed := storetest.Verdict("s", "owed", 1, "o", "v")
				owed.Status, owed.Outputs = eval.Deferred, nil
				both = append(both, storetest.Record(env, storetest.RichSpan(env, n), storetest.Verdict("s", "made", 1, "o", "v"), owed))
			}
		}
		b.write(both...)
		for _, env := range []tenant.Environment{gone, kept} {
			late := storetest.Span(env, 100)
			_, err := b.Write(t.Context(), store.Batch{
				Records:  []store.Record{storetest.Record(env, late)},
				Messages: []store.Messages{{Environment: env, TraceID: late.TraceID, SpanID: late.SpanID, Time: late.Start, Prompts: storetest.Attributes("p", env.Slug)}},
			})
			require.NoError(t, err)
		}
		before := b.all(kept)
		for range 2 {
			require.NoError(t, b.Delete(t.Context(), gone.ID, store.Part{Everything: true}))
			b.requireDropped(gone)
			storetest.RequireSpans(t, before, b.all(kept))
			list := b.evaluations(kept, storetest.RichSpan(kept, 3))
			require.Len(t, list, 2)
			owed, err := b.Owed(t.Context(), "", store.Due{At: -1 << 63}, 100)
			require.NoError(t, err)
			require.Len(t, owed.List, 10)
			counted, err := b.Owed(t.Context(), "", store.Due{}, 0)
			require.NoError(t, err)
			require.EqualValues(t, 10, counted.Evaluations)
			for _, d := range owed.List {
				require.Equal(t, kept.ID, d.Environment)
			}
			b.reopen()
		}
	})
	t.Run("leaves what is kept as it was to writers", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		gone, kept := storetest.Environment("gone"), storetest.Environment("kept")
		b.write(storetest.Record(kept, storetest.RichSpan(kept, 1)), storetest.Record(gone, storetest.RichSpan(gone, 1)), storetest.Record(gone, storetest.RichSpan(gone, 2)))
		require.NoError(t, b.Delete(t.Context(), gone.ID, store.Part{Everything: true}))
		changed := storetest.RichSpan(kept, 1)
		changed.Name = "another"
		b.write(storetest.Record(kept, storetest.RichSpan(kept, 1)), storetest.Record(kept, storetest.RichSpan(kept, 2)), storetest.Record(kept, changed))
		b.complete(store.Evaluated{Environment: kept.ID, Span: changed.Key(), Evaluations: []eval.Evaluation{storetest.Verdict("s", "e", 2, "o", "v")}})
		found := b.all(kept)
		require.Len(t, found, 2)
		require.Equal(t, "another", found[0].Name)
		require.Len(t, b.evaluations(kept, changed), 1)
		b.requireDropped(gone)
	})
	t.Run("lets the environment start again", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		gone, kept := storetest.Environment("gone"), storetest.Environment("kept")
		b.write(storetest.Record(gone, storetest.RichSpan(gone, 1)), storetest.Record(kept, storetest.RichSpan(kept, 1)))
		require.NoError(t, b.Delete(t.Context(), gone.ID, store.Part{Everything: true}))
		again := storetest.RichSpan(gone, 1)
		again.Name = "another"
		b.write(storetest.Record(kept, storetest.RichSpan(kept, 2)), storetest.Record(gone, again), storetest.Record(gone, storetest.RichSpan(gone, 2)))
		require.Len(t, b.all(gone), 2)
		require.Len(t, b.all(kept), 2)
		require.NoError(t, b.Delete(t.Context(), kept.ID, store.Part{Everything: true}))
		require.Len(t, b.all(gone), 2)
		b.requireDropped(kept)
	})
	t.Run("of what is not there changes nothing", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		env := storetest.Environment("prd")
		require.NoError(t, b.Delete(t.Context(), env.ID, store.Part{Everything: true}))
		b.write(storetest.Record(env, storetest.RichSpan(env, 1)))
		require.NoError(t, b.Delete(t.Context(), "env_pr", store.Part{Everything: true}))
		require.Len(t, b.all(env), 1)
	})
}

// requireDropped expects that nothing is there of an environment.
func (b *fixture) requireDropped(env tenant.Environment) {
	b.t.Helper()
	require.Empty(b.t, b.all(env))
	for n := range 3 {
		require.Empty(b.t, b.evaluations(env, storetest.RichSpan(env, n)))
		s := storetest.RichSpan(env, n)
		list, err := b.Get(b.t.Context(), env, []span.Key{s.Key()}, 1)
		require.NoError(b.t, err)
		require.Empty(b.t, list)
	}
	groups, err := b.Aggregate(b.t.Context(), env, query.Aggregate{
		Subject: query.Evaluations, From: -1 << 63, To: 1<<63 - 1, Figures: []query.Figure{{Measure: query.Count}},
	})
	require.NoError(b.t, err)
	for _, g := range groups {
		require.Zero(b.t, g.Values[0].Whole)
	}
}
