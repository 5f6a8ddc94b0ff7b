// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func exerciseWrite(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("a span comes back as it was", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		want := []span.Span{storetest.Span(env, 1), storetest.RichSpan(env, 2)}
		b.write(storetest.Record(env, want[0]), storetest.Record(env, want[1]))
		storetest.RequireSpans(t, want, b.all(env))
		b.reopen()
		storetest.RequireSpans(t, want, b.all(env))
	})
	t.Run("extreme numbers and ids come back", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		s.TraceID, s.SpanID = span.TraceID{0x7f, 8: 0xff}, span.ID{0xff, 7: 0xff}
		s.ParentSpanID = span.ID{0x80}
		s.Start, s.Duration = 1<<63-1, 1<<62
		s.InputTokens, s.OutputTokens, s.TotalTokens = 0, 1<<40, 1<<62
		b.write(storetest.Record(env, s))
		storetest.RequireSpans(t, []span.Span{s}, b.all(env))
	})
	t.Run("nothing to write is written", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		require.NoError(t, storetest.Write(t.Context(), b, nil))
		require.NoError(t, storetest.WriteMessages(t.Context(), b, nil))
	})
	t.Run("environments of all retentions share a call", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		var records []store.Record
		var envs []tenant.Environment
		for i, hours := range []int{2, 24, 25, 168, 169, 720, 721, 100_000} {
			e := storetest.Environment("e" + string(rune('a'+i)))
			e.Retention = time.Duration(hours) * time.Hour
			envs = append(envs, e)
			records = append(records, storetest.Record(e, storetest.Span(e, i)))
		}
		b.write(records...)
		for i, e := range envs {
			storetest.RequireSpans(t, []span.Span{records[i].Span}, b.all(e))
		}
		b.reopen()
		for i, e := range envs {
			storetest.RequireSpans(t, []span.Span{records[i].Span}, b.all(e))
		}
	})
	t.Run("many callers write at once", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		const callers, calls = 8, 10
		var wg sync.WaitGroup
		errs := make(chan error, callers*calls)
		for c := range callers {
			wg.Go(func() {
				for i := range calls {
					n := c*calls + i
					errs <- storetest.Write(t.Context(), b, []store.Record{storetest.Record(env, storetest.Span(env, n)), storetest.Record(env, storetest.Span(env, n))})
				}
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
		require.Len(t, b.all(env), callers*calls)
	})
	t.Run("a call that was cancelled before it began does nothing", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, storetest.Write(ctx, b, []store.Record{storetest.Record(env, storetest.Span(env, 1))}), context.Canceled)
		require.Empty(t, b.all(env))
	})
	t.Run("a batch larger than any buffer", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		var records []store.Record
		for i := range 5000 {
			s := storetest.Span(env, i)
			s.Attributes = storetest.Attributes("n", string(rune('a'+i%26)))
			records = append(records, storetest.Record(env, s))
		}
		b.write(records...)
		q := everything(filter(query.FieldSpanAttribute, "n", query.OpEquals, "c"))
		require.EqualValues(t, 193, b.find(env, q).Total)
		q.Filters = nil
		require.EqualValues(t, 5000, b.find(env, q).Total)
	})
}

// exerciseRepeat writes spans again.
func exerciseRepeat(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("the same span is stored once", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		b.write(storetest.Record(env, s))
		b.write(storetest.Record(env, s), storetest.Record(env, storetest.Span(env, 2)))
		require.Len(t, b.all(env), 2)
		b.reopen()
		b.write(storetest.Record(env, s), storetest.Record(env, storetest.Span(env, 2)))
		require.Len(t, b.all(env), 2)
	})
	t.Run("a span that differs replaces the earlier one with its evaluations", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		b.write(storetest.Record(env, s, storetest.Verdict("set_1", "char-count", 1, "char_count", int64(5))), storetest.Record(env, storetest.Span(env, 2)))
		s.Output = "another"
		b.write(storetest.Record(env, s, storetest.Verdict("set_1", "word-count", 2, "word_count", int64(7))))
		got := b.all(env)
		require.Len(t, got, 2)
		require.Equal(t, "another", got[0].Output)
		_, old := got[0].Attributes.Get("evaluation.char-count.char_count")
		require.False(t, old)
		value, _ := got[0].Attributes.Get("evaluation.word-count.word_count")
		require.Equal(t, "7", value)
		list, err := storetest.EvaluationsOf(t.Context(), b, env, s)
		require.NoError(t, err)
		require.Len(t, list, 1)
	})
	t.Run("a span that differs replaces one that came long before", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		b.write(storetest.Record(env, s))
		b.pass(50 * time.Hour)
		b.reopen()
		b.write(storetest.Record(env, storetest.Span(env, 2)))
		s.Start += int64(time.Millisecond)
		b.write(storetest.Record(env, s))
		storetest.RequireSpans(t, []span.Span{s, storetest.Span(env, 2)}, b.all(env))
		b.reopen()
		b.write(storetest.Record(env, s))
		storetest.RequireSpans(t, []span.Span{s, storetest.Span(env, 2)}, b.all(env))
	})
	t.Run("the last of equal spans in a call counts", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		first, last := storetest.Span(env, 1), storetest.Span(env, 1)
		last.Name = "last"
		b.write(storetest.Record(env, first, storetest.Verdict("s", "e", 1, "o", "first")), storetest.Record(env, last, storetest.Verdict("s", "e", 1, "o", "last")))
		got := b.all(env)
		require.Len(t, got, 1)
		require.Equal(t, "last", got[0].Name)
		value, _ := got[0].Attributes.Get("evaluation.e.o")
		require.Equal(t, "last", value)
	})
	t.Run("the same ids in two environments are two spans", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		other := storetest.Environment("stg")
		mine, theirs := storetest.Span(env, 1), storetest.Span(other, 1)
		b.write(storetest.Record(env, mine), storetest.Record(other, theirs))
		storetest.RequireSpans(t, []span.Span{mine}, b.all(env))
		storetest.RequireSpans(t, []span.Span{theirs}, b.all(other))
	})
	t.Run("a span of another trace with the same span id is another", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		one, two := storetest.Span(env, 1), storetest.Span(env, 2)
		two.SpanID = one.SpanID
		b.write(storetest.Record(env, one), storetest.Record(env, two))
		require.Len(t, b.all(env), 2)
	})
}
