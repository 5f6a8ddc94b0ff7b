// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func exerciseRetention(t *testing.T, open OpenSpans) {
	env := environment("prd")
	env.Retention = 10 * time.Hour
	t.Run("hides a span from the moment on", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s := simple(env, 0)
		s.Start = epoch.UnixNano()
		b.write(record(env, s, verdict("a", "b", 1, "c", "d")), record(env, simple(env, 1)))
		b.pass(env.Retention)
		requireSpans(t, []span.Span{s}, without(b.all(env)))
		list, err := evaluationsOf(t.Context(), b, env, s)
		require.NoError(t, err)
		require.Len(t, list, 1)
		b.pass(1)
		for range 2 {
			require.Empty(t, b.all(env))
			list, err = evaluationsOf(t.Context(), b, env, s)
			require.NoError(t, err)
			require.Empty(t, list)
			q := everything(filter(query.FieldColumn, "span_name", query.OpExists, ""))
			require.Zero(t, b.find(env, q).Total)
			require.NoError(t, b.Expire(t.Context(), b.now()))
		}
	})
	t.Run("is each environment's own", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		longer := environment("longer")
		longer.Retention = 20 * time.Hour
		b.write(record(env, simple(env, 1)), record(longer, simple(longer, 1)))
		b.pass(15 * time.Hour)
		require.NoError(t, b.Expire(t.Context(), b.now()))
		require.Empty(t, b.all(env))
		require.Len(t, b.all(longer), 1)
		b.reopen()
		require.Len(t, b.all(longer), 1)
	})
	t.Run("what expired may be written again and stays away", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		b.write(record(env, simple(env, 1)))
		b.pass(100 * time.Hour)
		require.NoError(t, b.Expire(t.Context(), b.now()))
		b.write(record(env, simple(env, 1)))
		require.Empty(t, b.all(env))
		late := simple(env, 2)
		late.Start = b.now().UnixNano()
		b.write(record(env, late))
		require.Len(t, b.all(env), 1)
		require.NoError(t, b.Expire(t.Context(), b.now()))
		require.Len(t, b.all(env), 1)
	})
	t.Run("a start in the future or the distant past is stored all the same", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		ahead, ancient := simple(env, 1), simple(env, 2)
		ahead.Start = b.now().Add(1000 * time.Hour).UnixNano()
		ancient.Start = 1
		b.write(record(env, ahead), record(env, ancient), record(env, simple(env, 3)))
		requireSpans(t, []span.Span{simple(env, 3), ahead}, b.all(env))
	})
}

// without takes the verdicts off.
func without(list []span.Span) []span.Span {
	for i := range list {
		list[i].Attributes = nil
	}
	return list
}
