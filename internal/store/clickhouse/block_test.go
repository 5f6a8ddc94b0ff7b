// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/tokens"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
)

// What is stored of many spans is what was written, as UTF-8.
func TestBlocksOfSpans(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Config{DSN: clickhousetest.Database(t, t.Name()), Now: func() time.Time { return storetest.Epoch }, keepExpired: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	g := spangen.New(spangen.Options{Seed: 1, Start: storetest.Epoch.Add(-time.Hour)})
	env := g.Environments()[0]
	var list []store.Record
	for len(list) < 1000 { // some megabytes
		_, s := g.Next()
		s.Environment = env.Slug
		list = append(list, store.Record{Environment: env, Span: s, Evaluations: g.Evaluations(&s)})
	}
	broken := &list[0].Span
	broken.Input = "\xffa" + broken.Input
	broken.Attributes = span.NewAttributes([]span.Attribute{
		{Key: "k\xff", Value: "first"}, {Key: "k\xfe", Value: "second"}, {Key: "v", Value: "\xff"}, {Key: "traceloop.entity.input", Value: broken.Input},
	})
	require.NoError(t, storetest.Write(t.Context(), db, list))
	page, err := db.Search(t.Context(), env, query.Query{From: math.MinInt64, To: math.MaxInt64, Order: query.Order{By: query.SortTimestamp}, Limit: query.MaxLimit})
	require.NoError(t, err)
	require.Len(t, page.Spans, len(list))
	var found *span.Span
	for i := range page.Spans {
		got, want := &page.Spans[i], &list[i].Span // in the order in which they were made
		require.Equal(t, want.SpanID, got.SpanID)
		if got.SpanID == broken.SpanID {
			found = got
			continue
		}
		require.Equal(t, want.Input, got.Input)
		require.ElementsMatch(t, want.Resource, got.Resource)
		require.ElementsMatch(t, want.Prompts, got.Prompts)
		for _, a := range want.Attributes {
			value, _ := got.Attributes.Get(a.Key)
			require.Equal(t, a.Value, value, a.Key)
		}
	}
	require.NotNil(t, found)
	for key, want := range map[string]string{"k\uFFFD": "second", "v": "\uFFFD", "traceloop.entity.input": found.Input} {
		got, _ := found.Attributes.Get(key)
		require.Equal(t, want, got, key)
	}
}

// An attribute that is folded into its span's input is found as any other is.
func TestFoldedAttributesAreFound(t *testing.T) {
	t.Parallel()
	db, _ := open(t, t.Name(), func() time.Time { return storetest.Epoch }).(*DB)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	env := storetest.Environment("prd")
	long := string(make([]byte, tokens.Most)) + " needle"
	const key = "traceloop.entity.input"
	for n, x := range []struct{ input, attribute string }{{long, long}, {long, "other " + long}, {"short", "short"}, {long, ""}} {
		s := storetest.Span(env, n)
		s.Input, s.Attributes = x.input, nil
		if x.attribute != "" {
			s.Attributes = span.NewAttributes([]span.Attribute{{Key: key, Value: x.attribute}})
		}
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{storetest.Record(env, s)}))
	}
	folded, err := db.number(t.Context(), "count", "SELECT toInt64(countIf(has(folded, '"+key+"') AND NOT mapContains(attributes, '"+key+"'))) FROM "+spansTable)
	require.NoError(t, err)
	require.EqualValues(t, 1, folded)
	for _, x := range []struct {
		operator query.Operator
		value    string
		want     int
	}{
		{query.OpEquals, long, 1}, {query.OpEquals, "short", 1}, {query.OpNotEquals, long, 3}, {query.OpExists, "", 3}, {query.OpNotExists, "", 1}, {query.OpContains, "needle", 2}, {query.OpStartsWith, "other", 1},
	} {
		for _, kind := range []query.FieldKind{query.FieldAttribute, query.FieldSpanAttribute} {
			page, err := db.Search(t.Context(), env, query.Query{
				From: math.MinInt64, To: math.MaxInt64, Order: query.Order{By: query.SortTimestamp}, Total: true, Limit: 10,
				Filters: []query.Filter{{Field: query.Field{Kind: kind, Name: key}, Operator: x.operator, Value: x.value}},
			})
			require.NoError(t, err)
			require.EqualValues(t, x.want, page.Total, "%s %s", x.operator, kind)
			for _, s := range page.Spans {
				if got, has := s.Attributes.Get(key); has && got != "other "+long {
					require.Equal(t, s.Input, got)
				}
			}
		}
	}
}
