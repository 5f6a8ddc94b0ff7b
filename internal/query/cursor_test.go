// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"encoding/base64"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func newCursors(t testing.TB, secret byte) *Cursors {
	t.Helper()
	c, err := NewCursors(bytes.Repeat([]byte{secret}, CursorSecret))
	require.NoError(t, err)
	return c
}

func TestCursorComesBackForItsQuery(t *testing.T) {
	t.Parallel()
	c := newCursors(t, 1)
	for _, at := range []Position{
		{},
		{Number: math.MinInt64, TraceID: span.TraceID{1}, SpanID: span.ID{2}},
		{Number: math.MaxInt64, Text: "naïve \x00 %_'\"\\", TraceID: span.TraceID{15: 9}, SpanID: span.ID{7: 9}},
		{Text: "\xff not UTF-8"},
		{Real: math.Inf(-1), TraceID: span.TraceID{1}},
		{Real: -math.MaxFloat64, SpanID: span.ID{7: 1}},
		{Real: math.SmallestNonzeroFloat64},
		{Start: math.MinInt64},
		{Setup: "a", Evaluator: "bc", Output: "\x00"},
		{Text: "a", Output: "b\xff"},
	} {
		q := Query{From: 1, To: 2, Limit: 10}
		text := c.Seal("env", &q, at)
		require.Empty(t, strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"))
		q.Limit, q.After = 500, &at
		got, err := newCursors(t, 1).Open("env", &q, text)
		require.NoError(t, err)
		require.Equal(t, at, got)
	}
}

func TestCursorOpensForNothingElse(t *testing.T) {
	t.Parallel()
	c := newCursors(t, 1)
	q := Query{From: 1, To: 2, Filters: []Filter{{Field: Field{Kind: FieldAttribute, Name: "a"}, Operator: OpEquals, Value: "b"}}}
	text := c.Seal("env", &q, Position{Number: 7, TraceID: span.TraceID{1}})

	refuse := func(c *Cursors, environment string, q Query, text string) {
		t.Helper()
		_, err := c.Open(environment, &q, text)
		requireRefused(t, err, "cursor")
	}
	refuse(newCursors(t, 2), "env", q, text)
	refuse(c, "other", q, text)
	refuse(c, "", q, text)
	for _, change := range []func(*Query){
		func(q *Query) { q.Subject = Outputs },
		func(q *Query) { q.From++ },
		func(q *Query) { q.To++ },
		func(q *Query) { q.Order.By = SortDuration },
		func(q *Query) { q.Order.Descending = true },
		func(q *Query) { q.Order.Slug = "a" },
		func(q *Query) { q.Order.Output = "a" },
		func(q *Query) { q.Filters = nil },
		func(q *Query) {
			q.Filters = []Filter{{Field: Field{Kind: FieldAttribute, Name: "ab"}, Operator: OpEquals}}
		},
	} {
		other := q
		change(&other)
		refuse(c, "env", other, text)
	}
	for _, bad := range []string{"", "x", text[1:], text + "A", text + "=", text + "\n", "\r\n" + text, strings.ToLower(text), text + text, "1734451200000", "%", "\x00"} {
		refuse(c, "env", q, bad)
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	require.NoError(t, err)
	for i := range raw {
		forged := bytes.Clone(raw)
		forged[i] ^= 1
		refuse(c, "env", q, base64.RawURLEncoding.EncodeToString(forged))
	}
}

func TestCursorOfAnEarlierVersionIsRefused(t *testing.T) {
	t.Parallel()
	c := newCursors(t, 1)
	q := Query{From: 1, To: 2}
	b := append([]byte{2}, make([]byte, positionHead-1)...)
	_, err := c.Open("env", &q, base64.RawURLEncoding.EncodeToString(append(b, c.tag("env", &q, b)...)))
	requireRefused(t, err, "cursor")
}

func TestCursorSecretHasItsSize(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 16, 31, 33} {
		_, err := NewCursors(make([]byte, n))
		require.ErrorContains(t, err, "32")
	}
	secret := bytes.Repeat([]byte{1}, CursorSecret)
	c, err := NewCursors(secret)
	require.NoError(t, err)
	text := c.Seal("env", &Query{}, Position{})
	clear(secret)
	_, err = c.Open("env", &Query{}, text)
	require.NoError(t, err, "the codec keeps a copy of its own")
}

func TestFingerprintTellsQueriesApart(t *testing.T) {
	t.Parallel()
	field := Field{Kind: FieldAttribute, Name: "a"}
	queries := []Query{
		{},
		{From: 1},
		{To: 1},
		{Order: Order{Descending: true}},
		{Order: Order{By: SortName}},
		{Order: Order{By: SortEvaluation, Slug: "ab", Output: "c"}},
		{Order: Order{By: SortEvaluation, Slug: "a", Output: "bc"}},
		{Order: Order{By: SortEvaluation, Slug: "a", Output: "bc", Descending: true}},
		{Subject: Outputs},
		{Filters: []Filter{{}}},
		{Filters: []Filter{Any()}},
		{Filters: []Filter{All()}},
		{Filters: []Filter{All(Filter{}, Filter{})}},
		{Filters: []Filter{All(Filter{}), {}}},
		{Filters: []Filter{All(All(Filter{}))}},
		{Filters: []Filter{{Field: field}}},
		{Filters: []Filter{{Field: field}, {}}},
		{Filters: []Filter{{Field: field, Operator: OpEquals, Value: "bc"}}},
		{Filters: []Filter{{Field: field, Operator: OpIn, Values: []string{"b", "c"}}}},
		{Filters: []Filter{{Field: field, Operator: OpIn, Values: []string{"bc"}}}},
		{Filters: []Filter{{Field: field, Operator: OpIn, Values: []string{"bc", ""}}}},
		{Filters: []Filter{{Field: Field{Kind: FieldEvaluation, Name: "a", Output: "b"}}}},
		{Filters: []Filter{{Field: Field{Kind: FieldEvaluation, Name: "ab"}}}},
	}
	seen := map[Fingerprint]int{}
	for i, q := range queries {
		earlier, found := seen[q.Fingerprint()]
		require.Falsef(t, found, "queries %d and %d", earlier, i)
		seen[q.Fingerprint()] = i
		q.Limit, q.After, q.Total = 9, &Position{Number: 3}, true
		require.Equal(t, i, seen[q.Fingerprint()])
	}
}

func requireRefused(t *testing.T, err error, start string) {
	t.Helper()
	require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
	require.Truef(t, strings.HasPrefix(err.Error(), start+" "), "%q does not start with %q", err, start)
}

func FuzzCursor(f *testing.F) {
	c := newCursors(f, 1)
	q := Query{From: 1, To: 2}
	f.Add(c.Seal("env", &q, Position{Number: 7, Text: "x"}))
	f.Add("")
	f.Add("AQAAAAAAAAAH")
	f.Fuzz(func(t *testing.T, text string) {
		at, err := c.Open("env", &q, text)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		require.Equal(t, text, c.Seal("env", &q, at), "one position has one text")
	})
}
