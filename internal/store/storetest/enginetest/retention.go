// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

func exerciseRetention(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	env.Retention = 10 * time.Hour
	t.Run("hides a span from the moment on", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 0)
		s.Start = storetest.Epoch.UnixNano()
		b.write(storetest.Record(env, s, storetest.Verdict("a", "b", 1, "c", "d")), storetest.Record(env, storetest.Span(env, 1)))
		b.pass(env.Retention)
		storetest.RequireSpans(t, []span.Span{s}, without(b.all(env)))
		list, err := storetest.EvaluationsOf(t.Context(), b, env, s)
		require.NoError(t, err)
		require.Len(t, list, 1)
		b.pass(1)
		for range 2 {
			require.Empty(t, b.all(env))
			list, err = storetest.EvaluationsOf(t.Context(), b, env, s)
			require.NoError(t, err)
			require.Empty(t, list)
			q := everything(filter(query.FieldColumn, "span_name", query.OpExists, ""))
			require.Zero(t, b.find(env, q).Total)
			require.NoError(t, b.Expire(t.Context(), b.now()))
		}
	})
	t.Run("is each environment's own", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		longer := storetest.Environment("longer")
		longer.Retention = 20 * time.Hour
		b.write(storetest.Record(env, storetest.Span(env, 1)), storetest.Record(longer, storetest.Span(longer, 1)))
		b.pass(15 * time.Hour)
		require.NoError(t, b.Expire(t.Context(), b.now()))
		require.Empty(t, b.all(env))
		require.Len(t, b.all(longer), 1)
		b.reopen()
		require.Len(t, b.all(longer), 1)
	})
	t.Run("what expired may be written again and stays away", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		b.write(storetest.Record(env, storetest.Span(env, 1)))
		b.pass(100 * time.Hour)
		require.NoError(t, b.Expire(t.Context(), b.now()))
		b.write(storetest.Record(env, storetest.Span(env, 1)))
		require.Empty(t, b.all(env))
		late := storetest.Span(env, 2)
		late.Start = b.now().UnixNano()
		b.write(storetest.Record(env, late))
		require.Len(t, b.all(env), 1)
		require.NoError(t, b.Expire(t.Context(), b.now()))
		require.Len(t, b.all(env), 1)
	})
	t.Run("a start in the future or the distant past is stored all the same", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		ahead, ancient := storetest.Span(env, 1), storetest.Span(env, 2)
		ahead.Start = b.now().Add(1000 * time.Hour).UnixNano()
		ancient.Start = 1
		b.write(storetest.Record(env, ahead), storetest.Record(env, ancient), storetest.Record(env, storetest.Span(env, 3)))
		storetest.RequireSpans(t, []span.Span{storetest.Span(env, 3), ahead}, b.all(env))
	})
}

// without takes the verdicts off.
func without(list []span.Span) []span.Span {
	for i := range list {
		list[i].Attributes = nil
	}
	return list
}
