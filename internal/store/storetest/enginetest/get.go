// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// traceOf returns spans of one trace, a second apart; n is the trace.
func traceOf(env tenant.Environment, n, spans int) []span.Span {
	var list []span.Span
	for i := range spans {
		s := storetest.RichSpan(env, 1000*n+i)
		s.TraceID = span.TraceID{0xa0, 15: byte(n)}
		list = append(list, s)
	}
	return list
}

// exerciseGet asks for spans by their keys.
func exerciseGet(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	get := func(b *fixture, siblings int, list ...span.Span) []span.Span {
		b.t.Helper()
		var keys []span.Key
		for _, s := range list {
			keys = append(keys, s.Key())
		}
		got, err := b.Get(b.t.Context(), env, keys, siblings)
		require.NoError(b.t, err)
		return got
	}
	t.Run("gives all, however large they are", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		list := traceOf(env, 1, 4)
		for i := range list {
			list[i].Output = strings.Repeat("x", 6<<20)
			b.write(storetest.Record(env, list[i]))
		}
		for _, got := range [][]span.Span{get(b, 0, list...), get(b, 3, list[0])} {
			var names []span.ID
			for i := range got {
				names = append(names, got[i].SpanID)
			}
			require.Equal(t, []span.ID{list[0].SpanID, list[1].SpanID, list[2].SpanID, list[3].SpanID}, names)
		}
	})
	t.Run("gives spans, and their traces", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		one, two := traceOf(env, 1, 6), traceOf(env, 2, 3)
		other := storetest.Environment("stg")
		theirs := traceOf(other, 1, 7)
		for _, list := range [][]span.Span{one[3:], two, theirs, one[:3]} {
			for _, s := range list {
				e := env
				if s.Environment == other.Slug {
					e = other
				}
				b.write(storetest.Record(e, s))
			}
			b.pass(30 * time.Hour)
		}
		for range 2 {
			require.Empty(t, get(b, 10))
			require.Empty(t, get(b, 10, storetest.Span(env, 7), theirs[6]))
			storetest.RequireSpans(t, []span.Span{one[2]}, get(b, 0, one[2]))
			storetest.RequireSpans(t, []span.Span{two[0], two[2], one[1]}, get(b, 0, two[2], one[1], two[0], two[2], storetest.Span(env, 7)))
			storetest.RequireSpans(t, one, get(b, 100, one[2]))
			storetest.RequireSpans(t, slices.Concat(two, one), get(b, 100, two[1], one[5]))
			storetest.RequireSpans(t, []span.Span{one[0], one[1], one[5]}, get(b, 2, one[5]))
			storetest.RequireSpans(t, []span.Span{one[0], one[1], one[2], one[3]}, get(b, 2, one[0], one[1]))
			storetest.RequireSpans(t, []span.Span{one[0], one[4]}, get(b, -1, one[4], one[0]))
			require.Empty(t, get(b, 5, span.Span{TraceID: one[0].TraceID, SpanID: span.ID{9}}), "siblings of a span that is not there")
			b.reopen()
		}
	})
	t.Run("has messages and verdicts merged in", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		list := traceOf(env, 1, 2)
		list[0].Prompts = nil
		b.write(storetest.Record(env, list[0], storetest.Verdict("set_1", "tone", 1, "tone", "sad")), storetest.Record(env, list[1], storetest.Deferred("set_1", "tone", storetest.Epoch)))
		require.NoError(t, storetest.WriteMessages(t.Context(), b, []store.Messages{{
			Environment: env, TraceID: list[0].TraceID, SpanID: list[0].SpanID, Time: list[0].Start,
			Prompts: storetest.Attributes("llm.prompts.0.content", "logged"),
		}}))
		b.complete(storetest.Evaluated(env, list[1], storetest.Judged(storetest.Deferred("set_1", "tone", storetest.Epoch), storetest.Epoch)))
		want := slices.Clone(list)
		want[0].Prompts = storetest.Attributes("llm.prompts.0.content", "logged")
		want[0].Attributes = want[0].Attributes.With("evaluation.tone.tone", "sad")
		want[1].Attributes = want[1].Attributes.With("evaluation.tone.score", "0.5")
		storetest.RequireSpans(t, want, get(b, 5, list[1]))
		storetest.RequireSpans(t, want, b.all(env))
	})
	t.Run("ends with the retention", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		list := traceOf(env, 1, 3)
		short := env
		short.Retention = 2*time.Hour - time.Duration(b.now().UnixNano()-list[0].Start)
		for _, s := range list {
			b.write(storetest.Record(env, s))
		}
		b.pass(2*time.Hour - time.Duration(b.now().UnixNano()-list[1].Start))
		short.Retention = 2 * time.Hour
		got, err := b.Get(t.Context(), short, []span.Key{storetest.KeyOf(list[2]), storetest.KeyOf(list[0])}, 10)
		require.NoError(t, err)
		storetest.RequireSpans(t, list[1:], got)
	})
	t.Run("gives the newer of a span that was replaced", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		list := traceOf(env, 1, 2)
		b.write(storetest.Record(env, list[0]), storetest.Record(env, list[1]))
		b.pass(30 * time.Hour)
		list[1].Name = "changed"
		b.write(storetest.Record(env, list[1]))
		storetest.RequireSpans(t, list, get(b, 5, list[0]))
	})
	t.Run("gives hundreds, of a trace of thousands", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		var records []store.Record
		var want []span.Span
		for i := range 4000 {
			s := storetest.Span(env, i)
			s.TraceID = span.TraceID{1}
			records = append(records, storetest.Record(env, s))
			if i < 50 || i%10 == 0 {
				want = append(want, s)
			}
		}
		b.write(records...)
		var asked []span.Span
		for i := 3990; i >= 0; i -= 10 {
			asked = append(asked, records[i].Span)
		}
		storetest.RequireSpans(t, want, get(b, 45, asked...))
	})
	t.Run("that was cancelled says so", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := b.Get(ctx, env, []span.Key{{}}, 0)
		require.ErrorIs(t, err, context.Canceled)
		_, err = store.ReadProgress(ctx, b, env)
		require.ErrorIs(t, err, context.Canceled)
		_, err = store.ReadSpent(ctx, b, env.ID, "set_1", storetest.Epoch)
		require.ErrorIs(t, err, context.Canceled)
	})
}
