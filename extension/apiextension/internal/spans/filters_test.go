// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

func parseFilterList(filters string) ([]query.Filter, error) {
	q, _, err := parseQuery(url.Values{"from_timestamp_sec": {"1"}, "filters": {filters}})
	return q.Filters, err
}

func TestFiltersReadEveryOperator(t *testing.T) {
	t.Parallel()
	a := query.Field{Kind: query.FieldAttribute, Name: "a"}
	for value, want := range map[string]query.Filter{
		`"operator":"equals","value":"x"`:                 {Operator: query.OpEquals, Value: "x"},
		`"operator":"equals","value":""`:                  {Operator: query.OpEquals},
		`"operator":"equals","value":true`:                {Operator: query.OpEquals, Value: "true"},
		`"operator":"not_equals","value":1.50`:            {Operator: query.OpNotEquals, Value: "1.50"},
		`"operator":"contains","value":"%_\\\"'"`:         {Operator: query.OpContains, Value: `%_\"'`},
		`"operator":"starts_with","value":"\u0000\ud800"`: {Operator: query.OpStartsWith, Value: "\x00\uFFFD"},
		`"operator":"greater_than","value":-1e2`:          {Operator: query.OpGreaterThan, Value: "-1e2", Number: -100},
		`"operator":"greater_than_or_equal","value":"7"`:  {Operator: query.OpGreaterThanOrEqual, Value: "7", Number: 7},
		`"operator":"less_than","value":0.5`:              {Operator: query.OpLessThan, Value: "0.5", Number: 0.5},
		`"operator":"less_than_or_equal","value":0`:       {Operator: query.OpLessThanOrEqual, Value: "0"},
		`"operator":"in","value":["x",1,false]`:           {Operator: query.OpIn, Values: []string{"x", "1", "false"}},
		`"operator":"in","values":["x",1]`:                {Operator: query.OpIn, Values: []string{"x", "1"}},
		`"operator":"not_in","value":[9007199254740993]`:  {Operator: query.OpNotIn, Values: []string{"9007199254740993"}},
		`"operator":"exists"`:                             {Operator: query.OpExists},
		`"operator":"not_exists","value":null`:            {Operator: query.OpNotExists},
		`"operator":"exists","value":{"ignored":1}`:       {Operator: query.OpExists},
		`"OPERATOR":"equals","Value":1,"value_type":"x"`:  {Operator: query.OpEquals, Value: "1"},
	} {
		got, err := parseFilterList(` [ {"id":"a",` + value + `} ] `)
		require.NoError(t, err, value)
		want.Field = a
		require.Equal(t, []query.Filter{want}, got, value)
	}
	none, err := parseFilterList("[]")
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestFiltersRefuseNamingThePlace(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", query.MaxFilterText+1)
	for filters, start := range map[string]string{
		``:                             "filters",
		`null`:                         "filters",
		`{}`:                           "filters",
		`[`:                            "filters",
		`[]]`:                          "filters",
		`"[]"`:                         "filters",
		strings.Repeat("[", 100_000):   "filters",
		`[null]`:                       "filters[0]",
		`["a"]`:                        "filters[0]",
		`[{}]`:                         "filters[0].id",
		`[{"id":null}]`:                "filters[0].id",
		`[{"id":""}]`:                  "filters[0].id",
		`[{"id":7}]`:                   "filters[0].id",
		`[{"id":["a"]}]`:               "filters[0].id",
		`[{"id":"` + long + `"}]`:      "filters[0].id",
		`[{"id":"a","ID":"b"}]`:        "filters[0].id",
		`[{"id":"a"}]`:                 "filters[0].operator",
		`[{"id":"a","operator":1}]`:    "filters[0].operator",
		`[{"id":"a","operator":"eq"}]`: "filters[0].operator",
		`[{"id":"evaluation.a","operator":"exists"}]`:                                "filters[0].id",
		`[{"id":"resource_attributes","operator":"exists"}]`:                         "filters[0].id",
		`[{"id":"a","operator":"exists"},{"id":"a","operator":"equals"}]`:            "filters[1].value",
		`[{"id":"a","operator":"equals","value":null}]`:                              "filters[0].value",
		`[{"id":"a","operator":"equals","value":{}}]`:                                "filters[0].value",
		`[{"id":"a","operator":"equals","value":["x"]}]`:                             "filters[0].value",
		`[{"id":"a","operator":"equals","value":1,"value":2}]`:                       "filters[0].value",
		`[{"id":"a","operator":"contains","value":"` + long + `"}]`:                  "filters[0].value",
		`[{"id":"a","operator":"greater_than"}]`:                                     "filters[0].value",
		`[{"id":"a","operator":"greater_than","value":"x"}]`:                         "filters[0].value",
		`[{"id":"a","operator":"greater_than","value":true}]`:                        "filters[0].value",
		`[{"id":"a","operator":"less_than","value":1e999}]`:                          "filters[0].value",
		`[{"id":"a","operator":"less_than","value":"NaN"}]`:                          "filters[0].value",
		`[{"id":"a","operator":"less_than","value":"inf"}]`:                          "filters[0].value",
		`[{"id":"a","operator":"less_than","value":"0x10"}]`:                         "filters[0].value",
		`[{"id":"a","operator":"less_than_or_equal","value":" 1"}]`:                  "filters[0].value",
		`[{"id":"a","operator":"in"}]`:                                               "filters[0].value",
		`[{"id":"a","operator":"in","value":"x"}]`:                                   "filters[0].value",
		`[{"id":"a","operator":"in","value":[]}]`:                                    "filters[0].value",
		`[{"id":"a","operator":"in","values":"x"}]`:                                  "filters[0].values",
		`[{"id":"a","operator":"not_in","value":["x",null]}]`:                        "filters[0].value[1]",
		`[{"id":"a","operator":"in","value":[` + strings.Repeat("1,", 1000) + `1]}]`: "filters[0].value",
		`[` + strings.Repeat(`{"id":"a","operator":"exists"},`, 100) + `{}]`:         "filters",
	} {
		_, err := parseFilterList(filters)
		requireRefused(t, err, start)
		require.NotContains(t, err.Error(), "xxxxx", "the error has no values")
	}
	_, _, err := parseQuery(url.Values{
		"from_timestamp_sec": {"1"}, "a": {"1"},
		"filters": {`[` + strings.Repeat(`{"id":"a","operator":"exists"},`, 99) + `{"id":"a","operator":"exists"}]`},
	})
	requireRefused(t, err, "filters")
}

func FuzzFilters(f *testing.F) {
	f.Add(`[{"id":"a","operator":"equals","value":"x"},{"id":"duration","operator":"less_than","value":1e3}]`)
	f.Add(`[{"id":"a","operator":"in","value":["x",1,true]},{"id":"evaluation.a.b","operator":"not_exists"}]`)
	f.Add(`[{"id":"a","id":"b"},[[[[]]]],{"value":"\ud800"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		values := url.Values{"from_timestamp_sec": {"1"}, "filters": {text}}
		q, _, err := parseQuery(values)
		if err != nil {
			requireRefusedFilters(t, err)
			return
		}
		requireWellFormed(t, q)
		var items []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(text), &items))
		require.Len(t, q.Filters, len(items))
	})
}

func requireRefusedFilters(t *testing.T, err error) {
	t.Helper()
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.True(t, strings.HasPrefix(err.Error(), "filters"), err.Error())
}
