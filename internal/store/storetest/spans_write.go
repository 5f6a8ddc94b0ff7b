// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func exerciseWrite(t *testing.T, open OpenSpans) {
	env := environment("prd")
	t.Run("a span comes back as it was", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		want := []span.Span{simple(env, 1), rich(env, 2)}
		b.write(record(env, want[0]), record(env, want[1]))
		requireSpans(t, want, b.all(env))
		b.reopen()
		requireSpans(t, want, b.all(env))
	})
	t.Run("extreme numbers and ids come back", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s := simple(env, 1)
		s.TraceID, s.SpanID = span.TraceID{0x7f, 8: 0xff}, span.ID{0xff, 7: 0xff}
		s.ParentSpanID = span.ID{0x80}
		s.Start, s.Duration = 1<<63-1, 1<<62
		s.InputTokens, s.OutputTokens, s.TotalTokens = 0, 1<<40, 1<<62
		b.write(record(env, s))
		requireSpans(t, []span.Span{s}, b.all(env))
	})
	t.Run("nothing to write is written", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		require.NoError(t, b.Write(t.Context(), nil))
		require.NoError(t, b.WriteMessages(t.Context(), nil))
	})
	t.Run("environments of all retentions share a call", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		var records []store.Record
		var envs []tenant.Environment
		for i, hours := range []int{2, 24, 25, 168, 169, 720, 721, 100_000} {
			e := environment("e" + string(rune('a'+i)))
			e.Retention = time.Duration(hours) * time.Hour
			envs = append(envs, e)
			records = append(records, record(e, simple(e, i)))
		}
		b.write(records...)
		for i, e := range envs {
			requireSpans(t, []span.Span{records[i].Span}, b.all(e))
		}
		b.reopen()
		for i, e := range envs {
			requireSpans(t, []span.Span{records[i].Span}, b.all(e))
		}
	})
	t.Run("many callers write at once", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		const callers, calls = 8, 10
		var wg sync.WaitGroup
		errs := make(chan error, callers*calls)
		for c := range callers {
			wg.Go(func() {
				for i := range calls {
					n := c*calls + i
					errs <- b.Write(t.Context(), []store.Record{record(env, simple(env, n)), record(env, simple(env, n))})
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
		b := newBench(t, open)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, b.Write(ctx, []store.Record{record(env, simple(env, 1))}), context.Canceled)
		require.Empty(t, b.all(env))
	})
	t.Run("a batch larger than any buffer", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		var records []store.Record
		for i := range 5000 {
			s := simple(env, i)
			s.Attributes = attributes("n", string(rune('a'+i%26)))
			records = append(records, record(env, s))
		}
		b.write(records...)
		q := everything(filter(span.FieldSpanAttribute, "n", span.OpEquals, "c"))
		require.EqualValues(t, 193, b.find(env, q).Total)
		q.Filters = nil
		require.EqualValues(t, 5000, b.find(env, q).Total)
	})
}

// exerciseRepeat writes spans again.
func exerciseRepeat(t *testing.T, open OpenSpans) {
	env := environment("prd")
	t.Run("the same span is stored once", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s := rich(env, 1)
		b.write(record(env, s))
		b.write(record(env, s), record(env, simple(env, 2)))
		require.Len(t, b.all(env), 2)
		b.reopen()
		b.write(record(env, s), record(env, simple(env, 2)))
		require.Len(t, b.all(env), 2)
	})
	t.Run("a span that differs replaces the earlier one with its evaluations", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s := rich(env, 1)
		b.write(record(env, s, verdict("set_1", "char-count", 1, "char_count", int64(5))), record(env, simple(env, 2)))
		s.Output = "another"
		b.write(record(env, s, verdict("set_1", "word-count", 2, "word_count", int64(7))))
		got := b.all(env)
		require.Len(t, got, 2)
		require.Equal(t, "another", got[0].Output)
		_, old := got[0].Attributes.Get("evaluation.char-count.char_count")
		require.False(t, old)
		value, _ := got[0].Attributes.Get("evaluation.word-count.word_count")
		require.Equal(t, "7", value)
		list, err := b.Evaluations(t.Context(), env, s.TraceID, s.SpanID)
		require.NoError(t, err)
		require.Len(t, list, 1)
	})
	t.Run("a span that differs replaces one that came long before", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s := rich(env, 1)
		b.write(record(env, s))
		b.pass(50 * time.Hour)
		b.reopen()
		b.write(record(env, simple(env, 2)))
		s.Start += int64(time.Millisecond)
		b.write(record(env, s))
		requireSpans(t, []span.Span{s, simple(env, 2)}, b.all(env))
		b.reopen()
		b.write(record(env, s))
		requireSpans(t, []span.Span{s, simple(env, 2)}, b.all(env))
	})
	t.Run("the last of equal spans in a call counts", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		first, last := simple(env, 1), simple(env, 1)
		last.Name = "last"
		b.write(record(env, first, verdict("s", "e", 1, "o", "first")), record(env, last, verdict("s", "e", 1, "o", "last")))
		got := b.all(env)
		require.Len(t, got, 1)
		require.Equal(t, "last", got[0].Name)
		value, _ := got[0].Attributes.Get("evaluation.e.o")
		require.Equal(t, "last", value)
	})
	t.Run("the same ids in two environments are two spans", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		other := environment("stg")
		mine, theirs := simple(env, 1), simple(other, 1)
		b.write(record(env, mine), record(other, theirs))
		requireSpans(t, []span.Span{mine}, b.all(env))
		requireSpans(t, []span.Span{theirs}, b.all(other))
	})
	t.Run("a span of another trace with the same span id is another", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		one, two := simple(env, 1), simple(env, 2)
		two.SpanID = one.SpanID
		b.write(record(env, one), record(env, two))
		require.Len(t, b.all(env), 2)
	})
}

// exerciseText stores what is hard to store.
func exerciseText(t *testing.T, open OpenSpans) {
	env := environment("prd")
	for name, text := range map[string]string{
		"quotes":         `it's "quoted" ''twice'' $1 ? ; --`,
		"wildcards":      `100% _ * ? [a-z] \% \_`,
		"backslashes":    `C:\new\table \\ \" \u0041`,
		"control":        "a\x00b\x01\x1f\x7f\r\n\t",
		"emoji":          "👩‍👩‍👧‍👦 naïve Ω 漢字 \u202e \ufeff",
		"json":           `{"a":[1,"2",{"b":null}],"c":"\ud83d"}`,
		"spaces":         "  leading and trailing  ",
		"twelve":         "123456789012",
		"thirteen":       "1234567890123",
		"a mebibyte":     strings.Repeat("0123456789abcdef", 1<<16),
		"NULL":           "NULL",
		"list and map":   "[a, b] {k=v}",
		"looks negative": "-1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, open)
			s := rich(env, 1)
			s.Name, s.StatusMessage, s.Input, s.Output, s.Workflow, s.TraceState = text, text, text, text, text, text
			key := text[:min(len(text), 100)]
			s.Attributes = attributes("plain", text, key, text, "traceloop.entity.input", text)
			s.Resource = attributes(key, text)
			s.Prompts = attributes("llm.prompts.0."+key, text)
			s.Completions = attributes("llm.completions.0.content", text)
			s.Events = []span.Event{{Name: key, Time: 1, Attributes: attributes(key, text)}}
			b.write(record(env, s, verdict(key, key, 1, key, text)), record(env, simple(env, 2)))
			for _, f := range []span.Filter{
				filter(span.FieldColumn, "span_name", span.OpEquals, text),
				filter(span.FieldSpanAttribute, key, span.OpEquals, text),
				filter(span.FieldResourceAttribute, key, span.OpContains, text),
				filter(span.FieldMessage, "llm.prompts.0."+key, span.OpStartsWith, text),
				filter(span.FieldColumn, "completions", span.OpContains, text),
				{Field: span.Field{Kind: span.FieldEvaluation, Name: key, Output: key}, Operator: span.OpIn, Values: []string{text, "x"}},
			} {
				got := b.find(env, everything(f))
				require.EqualValues(t, 1, got.Total, f.Field)
				want := s
				want.Attributes = append(span.Attributes(nil), s.Attributes...).With("evaluation."+key+"."+key, text)
				requireSpans(t, []span.Span{want}, got.Spans)
			}
		})
	}
	t.Run("bytes that are no UTF-8 become replacement characters", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s := simple(env, 1)
		s.Name = "a\xff\xfeb"
		s.Attributes = attributes("k\xc3", "v\xe2\x82")
		b.write(record(env, s))
		got := b.all(env)
		require.Equal(t, "a\uFFFDb", got[0].Name)
		require.Equal(t, attributes("k\uFFFD", "v\uFFFD"), got[0].Attributes)
		require.Zero(t, b.find(env, everything(filter(span.FieldColumn, "span_name", span.OpEquals, "a\xff\xfeb"))).Total)
		require.EqualValues(t, 1, b.find(env, everything(filter(span.FieldColumn, "span_name", span.OpNotEquals, "\xff"))).Total)
		b.write(record(env, s))
		require.Len(t, b.all(env), 1)
	})
	t.Run("thousands of attributes", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		s := simple(env, 1)
		for i := range 5000 {
			s.Attributes = append(s.Attributes, span.Attribute{Key: "key." + string(rune('a'+i%26)) + strings.Repeat("x", i/26), Value: "v"})
		}
		s.Attributes = span.NewAttributes(s.Attributes)
		b.write(record(env, s))
		requireSpans(t, []span.Span{s}, b.all(env))
	})
	t.Run("every span has keys of its own", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		var want []span.Span
		var records []store.Record
		for i := range 600 {
			s := simple(env, i)
			key := strings.Repeat(string(rune('a'+i%26)), 500) + s.SpanID.String()
			s.Attributes, s.Resource = attributes(key, "1"), attributes(key, "2")
			want = append(want, s)
			records = append(records, record(env, s))
		}
		b.write(records[:300]...)
		b.write(records[300:]...)
		requireSpans(t, want, b.all(env))
		key := want[123].Attributes[0].Key
		require.EqualValues(t, 1, b.find(env, everything(filter(span.FieldAttribute, key, span.OpEquals, "1"))).Total)
	})
}

// exerciseLife opens and closes.
func exerciseLife(t *testing.T, open OpenSpans) {
	env := environment("prd")
	t.Run("a closed store is unavailable", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		b.write(record(env, simple(env, 1)))
		require.NoError(t, b.Close())
		require.NoError(t, b.Close())
		require.Equal(t, fault.Unavailable, fault.KindOf(b.Write(t.Context(), []store.Record{record(env, simple(env, 2))})))
		require.Equal(t, fault.Unavailable, fault.KindOf(b.WriteMessages(t.Context(), []store.Messages{{Environment: env}})))
		_, err := b.Find(t.Context(), env, everything())
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		_, err = b.Evaluations(t.Context(), env, span.TraceID{1}, span.ID{1})
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.Equal(t, fault.Unavailable, fault.KindOf(b.Expire(t.Context(), b.now())))
	})
	t.Run("an empty store has nothing", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		require.Empty(t, b.all(env))
		require.NoError(t, b.Expire(t.Context(), b.now()))
		b.reopen()
		require.Empty(t, b.all(env))
	})
	t.Run("reading and writing at once", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		var wg sync.WaitGroup
		errs := make(chan error, 100)
		for r := range 4 {
			wg.Go(func() {
				for i := range 5 {
					errs <- b.Write(t.Context(), []store.Record{record(env, rich(env, r*100+i))})
					page, err := b.Find(t.Context(), env, everything())
					errs <- err
					if int(page.Total) < i+1 {
						errs <- fault.New(fault.Internal, "a span that was written is not found")
					}
				}
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
	})
	t.Run("a cancelled call says so", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, open)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := b.Find(ctx, env, everything())
		require.ErrorIs(t, err, context.Canceled)
		_, err = b.Evaluations(ctx, env, span.TraceID{1}, span.ID{1})
		require.ErrorIs(t, err, context.Canceled)
	})
}
