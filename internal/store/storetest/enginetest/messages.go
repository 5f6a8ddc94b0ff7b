// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func messages(env tenant.Environment, of span.Span, at int64, prompts, completions span.Attributes) store.Messages {
	return store.Messages{
		Environment: env, TraceID: of.TraceID, SpanID: of.SpanID, Time: of.Start + at, Prompts: prompts, Completions: completions,
	}
}

func (b *fixture) log(list ...store.Messages) {
	b.t.Helper()
	require.NoError(b.t, storetest.WriteMessages(b.t.Context(), b, list))
}

func exerciseMessages(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	const role, content = "llm.prompts.0.role", "llm.prompts.0.content"
	t.Run("join their span, before or after it", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		before, later, none := storetest.Span(env, 1), storetest.Span(env, 2), storetest.Span(env, 3)
		b.log(messages(env, before, 1, storetest.Attributes(content, "first"), nil))
		b.pass(30 * time.Hour)
		b.write(storetest.Record(env, before), storetest.Record(env, later), storetest.Record(env, none))
		b.pass(30 * time.Hour)
		b.log(messages(env, later, 1, nil, storetest.Attributes("llm.completions.0.content", "second")))
		before.Prompts = storetest.Attributes(content, "first")
		later.Completions = storetest.Attributes("llm.completions.0.content", "second")
		for range 2 {
			storetest.RequireSpans(t, []span.Span{before, later, none}, b.all(env))
			b.reopen()
		}
	})
	t.Run("without a time stay until they expire", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		b.write(storetest.Record(env, s))
		m := messages(env, s, 1, storetest.Attributes(content, "text"), nil)
		m.Time = 0
		b.log(m)
		b.pass(env.Retention / 2)
		require.NoError(t, b.Expire(t.Context(), b.now()))
		require.Equal(t, m.Prompts, b.all(env)[0].Prompts)
	})
	t.Run("may have happened at any times", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		var list []store.Messages
		var spans []store.Record
		for i := range 150 {
			s := storetest.Span(env, i)
			m := messages(env, s, 1, storetest.Attributes(content, "text"), nil)
			m.Time = s.Start - int64(i)*int64(30*24*time.Hour)
			list, spans = append(list, m), append(spans, storetest.Record(env, s))
		}
		b.write(spans...)
		b.log(list...)
		for _, s := range b.all(env) {
			require.NotEmpty(t, s.Prompts)
		}
	})
	t.Run("several are joined by key, the later value counting", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		b.log(
			messages(env, s, 30, storetest.Attributes(content, "latest"), nil),
			messages(env, s, 10, storetest.Attributes(content, "earliest", role, "user"), nil),
			messages(env, s, 20, storetest.Attributes("llm.prompts.1.content", "other"), storetest.Attributes("llm.completions.0.content", "c")),
		)
		b.log(messages(env, s, 10, storetest.Attributes(content, "earliest", role, "user"), nil))
		b.write(storetest.Record(env, s))
		got := b.all(env)[0]
		require.Equal(t, storetest.Attributes(content, "latest", role, "user", "llm.prompts.1.content", "other"), got.Prompts)
		require.Equal(t, storetest.Attributes("llm.completions.0.content", "c"), got.Completions)
		for value, want := range map[string]int64{"latest": 1, "earliest": 0, "user": 1, "other": 1} {
			require.Equal(t, want, b.find(env, everything(filter(query.FieldColumn, "prompts", query.OpEquals, value))).Total, value)
		}
		require.Zero(t, b.find(env, everything(filter(query.FieldMessage, content, query.OpEquals, "earliest"))).Total)
	})
	t.Run("do not touch what the span has itself", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		s.Completions = nil
		b.write(storetest.Record(env, s))
		b.log(messages(env, s, 1, storetest.Attributes(content, "no"), storetest.Attributes("llm.completions.0.content", "yes")))
		got := b.all(env)[0]
		require.Equal(t, s.Prompts, got.Prompts)
		require.Equal(t, storetest.Attributes("llm.completions.0.content", "yes"), got.Completions)
		require.Zero(t, b.find(env, everything(filter(query.FieldColumn, "prompts", query.OpContains, "no"))).Total)
		require.EqualValues(t, 1, b.find(env, everything(filter(query.FieldColumn, "completions", query.OpContains, "ye"))).Total)
	})
	t.Run("are seen by every filter", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		own, apart, none := storetest.RichSpan(env, 1), storetest.Span(env, 2), storetest.Span(env, 3)
		b.write(storetest.Record(env, own), storetest.Record(env, apart), storetest.Record(env, none))
		b.log(messages(env, apart, 1, storetest.Attributes(content, "half is 50%", role, "user"), nil))
		for _, c := range []struct {
			kind  query.FieldKind
			name  string
			op    query.Operator
			value string
			want  []span.Span
		}{
			{query.FieldMessage, content, query.OpContains, "%", []span.Span{own, apart}},
			{query.FieldMessage, content, query.OpEquals, "half is 50%", []span.Span{apart}},
			{query.FieldMessage, content, query.OpNotEquals, "half is 50%", []span.Span{own, none}},
			{query.FieldMessage, content, query.OpStartsWith, "half", []span.Span{apart}},
			{query.FieldMessage, content, query.OpNotExists, "", []span.Span{none}},
			{query.FieldMessage, "llm.prompts.1.content", query.OpExists, "", nil},
			{query.FieldColumn, "prompts", query.OpEquals, "user", []span.Span{own, apart}},
			{query.FieldColumn, "prompts", query.OpContains, "50", []span.Span{apart}},
			{query.FieldColumn, "prompts", query.OpContains, content, nil},
			{query.FieldColumn, "prompts", query.OpExists, "", []span.Span{own, apart}},
			{query.FieldColumn, "prompts", query.OpNotExists, "", []span.Span{none}},
			{query.FieldColumn, "completions", query.OpNotExists, "", []span.Span{apart, none}},
		} {
			page := b.find(env, everything(filter(c.kind, c.name, c.op, c.value)))
			require.Equal(t, storetest.IDs(c.want), storetest.IDs(page.Spans), "%+v", c)
			require.EqualValues(t, len(c.want), page.Total, "%+v", c)
		}
	})
	t.Run("belong to their environment", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		other := storetest.Environment("stg")
		s := storetest.Span(env, 1)
		b.write(storetest.Record(env, s), storetest.Record(other, storetest.Span(other, 1)))
		b.log(messages(other, s, 1, storetest.Attributes(content, "theirs"), nil))
		require.Empty(t, b.all(env)[0].Prompts)
		require.NotEmpty(t, b.all(other)[0].Prompts)
		require.Zero(t, b.find(env, everything(filter(query.FieldMessage, content, query.OpExists, ""))).Total)
	})
	t.Run("alone are no span", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		b.log(messages(env, storetest.Span(env, 1), 1, storetest.Attributes(content, "text"), nil))
		require.Empty(t, b.all(env))
		require.Empty(t, b.find(env, everything(filter(query.FieldColumn, "prompts", query.OpContains, "text"))).Spans)
	})
	t.Run("are part of what a page has", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		const all, each = 12, 3 << 20
		want := make([]span.Span, all)
		for i := range want {
			want[i] = storetest.Span(env, i)
			want[i].Prompts = storetest.Attributes(content, strings.Repeat("x", each))
			sent := want[i]
			sent.Prompts = nil
			b.write(storetest.Record(env, sent))
			b.log(messages(env, sent, 1, want[i].Prompts, nil))
		}
		var got []span.Span
		for page, err := range storetest.Pages(t.Context(), b, env, everything()) {
			require.NoError(t, err)
			require.LessOrEqual(t, len(page.Spans)*each, query.PageBytes)
			got = append(got, page.Spans...)
		}
		require.Equal(t, storetest.IDs(want), storetest.IDs(got))
		for i := range got {
			require.Len(t, got[i].Prompts[0].Value, each)
		}
	})
}
