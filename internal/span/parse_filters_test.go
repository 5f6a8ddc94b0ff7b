// SPDX-License-Identifier: Apache-2.0

package span

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

func parseFilters(filters string) ([]Filter, error) {
	q, _, err := ParseQuery(url.Values{"from_timestamp_sec": {"1"}, "filters": {filters}})
	return q.Filters, err
}

func TestFiltersReadEveryOperator(t *testing.T) {
	t.Parallel()
	a := Field{Kind: FieldAttribute, Name: "a"}
	for value, want := range map[string]Filter{
		`"operator":"equals","value":"x"`:                 {Operator: OpEquals, Value: "x"},
		`"operator":"equals","value":""`:                  {Operator: OpEquals},
		`"operator":"equals","value":true`:                {Operator: OpEquals, Value: "true"},
		`"operator":"not_equals","value":1.50`:            {Operator: OpNotEquals, Value: "1.50"},
		`"operator":"contains","value":"%_\\\"'"`:         {Operator: OpContains, Value: `%_\"'`},
		`"operator":"starts_with","value":"\u0000\ud800"`: {Operator: OpStartsWith, Value: "\x00\uFFFD"},
		`"operator":"greater_than","value":-1e2`:          {Operator: OpGreaterThan, Value: "-1e2", Number: -100},
		`"operator":"greater_than_or_equal","value":"7"`:  {Operator: OpGreaterThanOrEqual, Value: "7", Number: 7},
		`"operator":"less_than","value":0.5`:              {Operator: OpLessThan, Value: "0.5", Number: 0.5},
		`"operator":"less_than_or_equal","value":0`:       {Operator: OpLessThanOrEqual, Value: "0"},
		`"operator":"in","value":["x",1,false]`:           {Operator: OpIn, Values: []string{"x", "1", "false"}},
		`"operator":"not_in","value":[9007199254740993]`:  {Operator: OpNotIn, Values: []string{"9007199254740993"}},
		`"operator":"exists"`:                             {Operator: OpExists},
		`"operator":"not_exists","value":null`:            {Operator: OpNotExists},
		`"operator":"exists","value":{"ignored":1}`:       {Operator: OpExists},
		`"OPERATOR":"equals","Value":1,"value_type":"x"`:  {Operator: OpEquals, Value: "1"},
	} {
		got, err := parseFilters(` [ {"id":"a",` + value + `} ] `)
		require.NoError(t, err, value)
		want.Field = a
		require.Equal(t, []Filter{want}, got, value)
	}
	none, err := parseFilters("[]")
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestFiltersRefuseNamingThePlace(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxFilterText+1)
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
		`[{"id":"a","operator":"not_in","value":["x",null]}]`:                        "filters[0].value[1]",
		`[{"id":"a","operator":"in","value":[` + strings.Repeat("1,", 1000) + `1]}]`: "filters[0].value",
		`[` + strings.Repeat(`{"id":"a","operator":"exists"},`, 100) + `{}]`:         "filters",
	} {
		_, err := parseFilters(filters)
		requireRefused(t, err, start)
		require.NotContains(t, err.Error(), "xxxxx", "the value is told to nobody")
	}
	_, _, err := ParseQuery(url.Values{
		"from_timestamp_sec": {"1"}, "a": {"1"},
		"filters": {`[` + strings.Repeat(`{"id":"a","operator":"exists"},`, 99) + `{"id":"a","operator":"exists"}]`},
	})
	requireRefused(t, err, "filters")
}

func TestFilterIdsFindTheirField(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]Field{
		"environment":                          {Kind: FieldColumn, Name: "environment"},
		"timestamp":                            {Kind: FieldColumn, Name: "timestamp"},
		"trace_id":                             {Kind: FieldColumn, Name: "trace_id"},
		"span_id":                              {Kind: FieldColumn, Name: "span_id"},
		"parent_span_id":                       {Kind: FieldColumn, Name: "parent_span_id"},
		"trace_state":                          {Kind: FieldColumn, Name: "trace_state"},
		"span_name":                            {Kind: FieldColumn, Name: "span_name"},
		"span_kind":                            {Kind: FieldColumn, Name: "span_kind"},
		"service_name":                         {Kind: FieldColumn, Name: "service_name"},
		"service.name":                         {Kind: FieldColumn, Name: "service_name"},
		"scope_name":                           {Kind: FieldColumn, Name: "scope_name"},
		"scope_version":                        {Kind: FieldColumn, Name: "scope_version"},
		"duration":                             {Kind: FieldColumn, Name: "duration"},
		"duration_ms":                          {Kind: FieldColumn, Name: "duration"},
		"status_code":                          {Kind: FieldColumn, Name: "status_code"},
		"status_message":                       {Kind: FieldColumn, Name: "status_message"},
		"prompts":                              {Kind: FieldColumn, Name: "prompts"},
		"completions":                          {Kind: FieldColumn, Name: "completions"},
		"input":                                {Kind: FieldColumn, Name: "input"},
		"output":                               {Kind: FieldColumn, Name: "output"},
		"workflow":                             {Kind: FieldAlias, Name: AliasWorkflow},
		"traceloop.workflow.name":              {Kind: FieldAlias, Name: AliasWorkflow},
		"platform.workflow.name":               {Kind: FieldAlias, Name: AliasWorkflow},
		"traceloop_workflow_name":              {Kind: FieldAlias, Name: AliasWorkflow},
		"entity":                               {Kind: FieldAlias, Name: AliasEntity},
		"platform.entity.name":                 {Kind: FieldAlias, Name: AliasEntity},
		"total_tokens":                         {Kind: FieldAlias, Name: AliasTotalTokens},
		"llm.usage.total_tokens":               {Kind: FieldAlias, Name: AliasTotalTokens},
		"llm.usage.input_tokens":               {Kind: FieldAlias, Name: AliasInputTokens},
		"llm.usage.output_tokens":              {Kind: FieldAlias, Name: AliasOutputTokens},
		"llm.vendor":                           {Kind: FieldAlias, Name: AliasVendor},
		"llm.request.model":                    {Kind: FieldAlias, Name: AliasRequestModel},
		"llm.response.model":                   {Kind: FieldAlias, Name: AliasResponseModel},
		"llm_response_model":                   {Kind: FieldAlias, Name: AliasResponseModel},
		"gen_ai.operation.name":                {Kind: FieldAttribute, Name: "gen_ai.operation.name"},
		"gen_ai.usage.input_tokens":            {Kind: FieldAttribute, Name: "gen_ai.usage.input_tokens"},
		"Trace_ID":                             {Kind: FieldAttribute, Name: "Trace_ID"},
		"span_attributes.":                     {Kind: FieldAttribute, Name: "span_attributes."},
		"span_attributes.trace_id":             {Kind: FieldSpanAttribute, Name: "trace_id"},
		"span_attributes.llm.vendor":           {Kind: FieldSpanAttribute, Name: "llm.vendor"},
		"span_attributes.evaluation.e.o":       {Kind: FieldEvaluation, Name: "e", Output: "o"},
		"span_attributes.gen_ai.prompt.0.role": {Kind: FieldMessage, Name: "llm.prompts.0.role"},
		"resource_attributes.service.name":     {Kind: FieldResourceAttribute, Name: "service.name"},
		"resource_attributes.evaluation.e.o":   {Kind: FieldResourceAttribute, Name: "evaluation.e.o"},
		"evaluation.char-count.char_count":     {Kind: FieldEvaluation, Name: "char-count", Output: "char_count"},
		"llm.prompts.0.content":                {Kind: FieldMessage, Name: "llm.prompts.0.content"},
		"gen_ai.prompt.12.tool_calls.0.name":   {Kind: FieldMessage, Name: "llm.prompts.12.tool_calls.0.name"},
		"llm.completions.0.finish_reason":      {Kind: FieldMessage, Name: "llm.completions.0.finish_reason"},
		"gen_ai.completion.1.role":             {Kind: FieldMessage, Name: "llm.completions.1.role"},
		"gen_ai.prompt.x.role":                 {Kind: FieldAttribute, Name: "gen_ai.prompt.x.role"},
		"gen_ai.prompt.1":                      {Kind: FieldAttribute, Name: "gen_ai.prompt.1"},
		"gen_ai.prompt..role":                  {Kind: FieldAttribute, Name: "gen_ai.prompt..role"},
		"gen_ai.prompt.1.":                     {Kind: FieldAttribute, Name: "gen_ai.prompt.1."},
	} {
		got, err := parseField("id", id)
		require.NoError(t, err, id)
		require.Equal(t, want, got, id)
	}
}

func FuzzFilters(f *testing.F) {
	f.Add(`[{"id":"a","operator":"equals","value":"x"},{"id":"duration","operator":"less_than","value":1e3}]`)
	f.Add(`[{"id":"a","operator":"in","value":["x",1,true]},{"id":"evaluation.a.b","operator":"not_exists"}]`)
	f.Add(`[{"id":"a","id":"b"},[[[[]]]],{"value":"\ud800"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		values := url.Values{"from_timestamp_sec": {"1"}, "filters": {text}}
		q, _, err := ParseQuery(values)
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
