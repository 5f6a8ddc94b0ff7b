// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"fmt"
	"math"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// parse reads a query string that has from_timestamp_sec=1 before it.
func parse(t *testing.T, raw string) (query.Query, error) {
	t.Helper()
	values, err := url.ParseQuery("from_timestamp_sec=1&" + raw)
	require.NoError(t, err)
	q, _, err := parseQuery(values)
	return q, err
}

func requireRefused(t *testing.T, err error, start string) {
	t.Helper()
	require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
	require.Truef(t, strings.HasPrefix(err.Error(), start+" "), "%q does not start with %q", err, start)
}

func TestQueryWithoutOptionsHasTheDefaults(t *testing.T) {
	t.Parallel()
	q, cursor, err := parseQuery(url.Values{"from_timestamp_sec": {"1700000000"}})
	require.NoError(t, err)
	require.Empty(t, cursor)
	require.Equal(t, query.Query{
		From:  1_700_000_000_000_000_000,
		To:    math.MaxInt64,
		Order: query.Order{By: query.SortTimestamp},
		Limit: query.DefaultLimit,
		Total: true,
	}, q)
}

func TestQueryReadsEveryKnownParameter(t *testing.T) {
	t.Parallel()
	values, err := url.ParseQuery("from_timestamp_sec=1&to_timestamp_sec=2&workflow=w&span_name=n&sort_order=desc" +
		"&sort_by=total_tokens&cursor=c-_&limit=500&attributes=%7B%22a%22%3A1.50%7D&filters=%5B%7B%22id%22%3A%22x%22%2C%22operator%22%3A%22exists%22%7D%5D")
	require.NoError(t, err)
	q, cursor, err := parseQuery(values)
	require.NoError(t, err)
	require.Equal(t, "c-_", cursor)
	require.Equal(t, query.Query{
		From: 1e9,
		To:   2e9,
		Filters: []query.Filter{
			{Field: query.Field{Kind: query.FieldAttribute, Name: "a"}, Operator: query.OpEquals, Value: "1.50"},
			{Field: query.Field{Kind: query.FieldAttribute, Name: "x"}, Operator: query.OpExists},
			{Field: query.Column("span_name"), Operator: query.OpEquals, Value: "n"},
			{Field: query.Field{Kind: query.FieldAlias, Name: span.AliasWorkflow}, Operator: query.OpEquals, Value: "w"},
		},
		Order: query.Order{By: query.SortTotalTokens, Descending: true},
		Limit: 500,
		Total: true,
	}, q)
}

func TestQueryTimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0":                    0,
		"-1":                   -1e9,
		"9223372036":           9223372036e9,
		"9223372037":           math.MaxInt64,
		"9223372036854775807":  math.MaxInt64,
		"-9223372037":          math.MinInt64,
		"-9223372036854775808": math.MinInt64,
	} {
		q, _, err := parseQuery(url.Values{"from_timestamp_sec": {text}})
		require.NoError(t, err, text)
		require.Equal(t, want, q.From, text)
	}
	for _, text := range []string{"", " 1", "1.5", "1e3", "now", "0x10", "99999999999999999999", "1\x00"} {
		_, _, err := parseQuery(url.Values{"from_timestamp_sec": {text}})
		requireRefused(t, err, "from_timestamp_sec")
		_, _, err = parseQuery(url.Values{"from_timestamp_sec": {"1"}, "to_timestamp_sec": {text}})
		requireRefused(t, err, "to_timestamp_sec")
	}
	_, _, err := parseQuery(nil)
	requireRefused(t, err, "from_timestamp_sec")
	_, err = parse(t, "to_timestamp_sec=0")
	requireRefused(t, err, "from_timestamp_sec")
	_, err = parse(t, "to_timestamp_sec=1")
	require.NoError(t, err)
}

func TestQueryLimits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"1": 1, "1000": 1000, "1001": 1000, "9223372036854775807": 1000} {
		q, err := parse(t, "limit="+text)
		require.NoError(t, err, text)
		require.Equal(t, want, q.Limit, text)
	}
	for _, text := range []string{"", "0", "-1", "-99999999999999999999999", "99999999999999999999", "1.0", "ten"} {
		_, err := parse(t, "limit="+text)
		requireRefused(t, err, "limit")
	}
}

func TestQueryOrders(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]query.SortKey{
		"timestamp": query.SortTimestamp, "duration_ms": query.SortDuration, "duration": query.SortDuration, "span_name": query.SortName,
		"trace_id": query.SortTraceID, "total_tokens": query.SortTotalTokens, "llm_usage_total_tokens": query.SortTotalTokens,
		"platform_workflow_name": query.SortWorkflow, "traceloop_workflow_name": query.SortWorkflow,
		"platform_entity_name": query.SortEntity, "traceloop_entity_name": query.SortEntity, "llm_response_model": query.SortResponseModel,
	} {
		q, err := parse(t, "sort_by="+text)
		require.NoError(t, err, text)
		require.Equal(t, query.Order{By: want}, q.Order, text)
	}
	for text, want := range map[string][2]string{
		"evaluation.char-count.char_count": {"char-count", "char_count"},
		"evaluation.a.b.c":                 {"a", "b.c"},
		"evaluation.'%25.%22 --":           {"'%", `" --`},
	} {
		q, err := parse(t, "sort_order=DESC&sort_by="+text)
		require.NoError(t, err, text)
		require.Equal(t, query.Order{By: query.SortEvaluation, Slug: want[0], Output: want[1], Descending: true}, q.Order, text)
	}
	for text, want := range map[string]bool{"ASC": false, "asc": false, "DESC": true, "dEsC": true} {
		q, err := parse(t, "sort_order="+text)
		require.NoError(t, err, text)
		require.Equal(t, want, q.Order.Descending, text)
	}
	for _, bad := range []string{
		"sort_by=", "sort_by=id", "sort_by=evaluation", "sort_by=evaluation.", "sort_by=evaluation.a", "sort_by=evaluation.a.",
		"sort_by=evaluation..b", "sort_by=evaluation.a." + strings.Repeat("x", query.MaxFilterText), "sort_by=Evaluation.a.b", "sort_order=", "sort_order=descending",
	} {
		_, err := parse(t, bad)
		name, _, _ := strings.Cut(bad, "=")
		requireRefused(t, err, name)
	}
}

func TestQueryRefusesARepeatedKnownParameter(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"from_timestamp_sec", "to_timestamp_sec", "workflow", "span_name", "attributes",
		"sort_order", "sort_by", "cursor", "limit", "filters",
	} {
		_, _, err := parseQuery(url.Values{"from_timestamp_sec": {"1"}, name: {"1", "1"}})
		requireRefused(t, err, name)
	}
}

func TestUnknownParametersAreEqualityFilters(t *testing.T) {
	t.Parallel()
	q, err := parse(t, "llm.vendor=openai&user=b&user=a&k=%25_%5C%22'%00&attributes%5Btrace_id%5D=x&empty=")
	require.NoError(t, err)
	require.Equal(t, []query.Filter{
		{Field: query.Field{Kind: query.FieldAttribute, Name: "trace_id"}, Operator: query.OpEquals, Value: "x"},
		{Field: query.Field{Kind: query.FieldAttribute, Name: "empty"}, Operator: query.OpEquals},
		{Field: query.Field{Kind: query.FieldAttribute, Name: "k"}, Operator: query.OpEquals, Value: "%_\\\"'\x00"},
		{Field: query.Field{Kind: query.FieldAlias, Name: span.AliasVendor}, Operator: query.OpEquals, Value: "openai"},
		{Field: query.Field{Kind: query.FieldAttribute, Name: "user"}, Operator: query.OpIn, Values: []string{"b", "a"}},
	}, q.Filters)
}

func TestQueryRefusesBadParametersByTheirName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", query.MaxFilterText+1)
	for raw, start := range map[string]string{
		"=x":                                  "query",
		"k=%ff":                               "k",
		"%ff=k":                               "\uFFFD",
		"k=" + long:                           "k",
		"workflow=" + long:                    "workflow",
		"evaluation.x=1":                      "evaluation.x",
		"span_attributes=1":                   "span_attributes",
		"attributes%5B%5D=1":                  "attributes[]",
		"attributes%5Bx=1":                    "attributes[x",
		"attributes%5Bevaluation.%5D=1":       "attributes[evaluation.]",
		"attributes=":                         "attributes",
		"attributes=a":                        "attributes",
		"attributes=%5B%5D":                   "attributes",
		"attributes={\"a\":1,\"a\":2}":        "attributes.a",
		"attributes={\"a\":null}":             "attributes.a",
		"attributes={\"a\":[1]}":              "attributes.a",
		"attributes={\"\":1}":                 "attributes",
		"attributes={\"evaluation.a\":1}":     "attributes.evaluation.a",
		"attributes={\"a\":\"" + long + "\"}": "attributes.a",
		"attributes={\"a\":1}x":               "attributes",
	} {
		_, err := parse(t, raw)
		requireRefused(t, err, start)
	}
	_, err := parse(t, long+"=1")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.Less(t, len(err.Error()), 300)
}

func TestQueryBoundsTheNumberOfFilters(t *testing.T) {
	t.Parallel()
	values := url.Values{"from_timestamp_sec": {"1"}}
	for i := range query.MaxFilters {
		values.Set(fmt.Sprintf("k%03d", i), "v")
	}
	q, _, err := parseQuery(values)
	require.NoError(t, err)
	require.Len(t, q.Filters, query.MaxFilters)

	values.Set("z", "v")
	_, _, err = parseQuery(values)
	requireRefused(t, err, "z")

	_, _, err = parseQuery(url.Values{"from_timestamp_sec": {"1"}, "k": make([]string, query.MaxFilterValues+1)})
	requireRefused(t, err, "k")
	q, _, err = parseQuery(url.Values{"from_timestamp_sec": {"1"}, "k": {}})
	require.NoError(t, err)
	require.Empty(t, q.Filters)
}

func FuzzSpanQuery(f *testing.F) {
	f.Add("from_timestamp_sec=1&to_timestamp_sec=2&sort_by=duration&sort_order=desc&limit=7&k=v&k=w")
	f.Add("from_timestamp_sec=1&attributes={\"a\":[]}&attributes%5Ba%5D=1&=&%00=%ff")
	f.Fuzz(func(t *testing.T, raw string) {
		values, err := url.ParseQuery(raw)
		if err != nil {
			return // not a query that reaches the parser
		}
		q, _, err := parseQuery(values)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			require.Equal(t, query.Query{}, q)
			return
		}
		requireWellFormed(t, q)
		again, _, err := parseQuery(values)
		require.NoError(t, err)
		require.Equal(t, q.Fingerprint(), again.Fingerprint())
	})
}

// requireWellFormed checks what stores rely on.
func requireWellFormed(t *testing.T, q query.Query) {
	t.Helper()
	require.LessOrEqual(t, q.From, q.To)
	require.GreaterOrEqual(t, q.Limit, 1)
	require.LessOrEqual(t, q.Limit, query.MaxLimit)
	require.LessOrEqual(t, len(q.Filters), query.MaxFilters)
	require.Nil(t, q.After)
	for _, f := range q.Filters {
		require.NotEmpty(t, f.Field.Name)
		require.Equal(t, f.Field.Kind == query.FieldEvaluation, f.Field.Output != "")
		require.Equal(t, f.Operator == query.OpIn || f.Operator == query.OpNotIn, len(f.Values) > 0)
		require.LessOrEqual(t, len(f.Values), query.MaxFilterValues)
		require.LessOrEqual(t, len(f.Value), query.MaxFilterText)
		require.False(t, math.IsNaN(f.Number) || math.IsInf(f.Number, 0))
	}
}
