// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMetricsAreRefusedNamingTheField(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	many := strings.Repeat(`{"field":"trace_id","operator":"exists"},`, 100) + `{"field":"trace_id","operator":"exists"}`
	long := strings.Repeat("x", 4097)
	for body, want := range map[string]string{
		``:                         "from_timestamp_sec is required",
		`"from_timestamp_sec":"x"`: "from_timestamp_sec must be",
		`"from_timestamp_sec":2,"to_timestamp_sec":1`:                                                                "from_timestamp_sec must not be after",
		`"from_timestamp_sec":1,"environments":"prd"`:                                                                "environments must be an array",
		`"from_timestamp_sec":1,"environments":[7]`:                                                                  "environments[0] must be a string",
		`"from_timestamp_sec":1,"metric_name":7`:                                                                     "metric_name must be a string",
		`"from_timestamp_sec":1,"sort_by":"name"`:                                                                    "sort_by must be one of",
		`"from_timestamp_sec":1,"sort_order":"up"`:                                                                   "sort_order must be",
		`"from_timestamp_sec":1,"limit":0`:                                                                           "limit must be",
		`"from_timestamp_sec":1,"limit":1.5`:                                                                         "limit must be",
		`"from_timestamp_sec":1,"limit":{}`:                                                                          "limit must be",
		`"from_timestamp_sec":1,"filters":{}`:                                                                        "filters must be an array",
		`"from_timestamp_sec":1,"filters":[` + many + `]`:                                                            "filters must have at most 100",
		`"from_timestamp_sec":1,"filters":[7]`:                                                                       "filters[0] must be a JSON object",
		`"from_timestamp_sec":1,"filters":[{}]`:                                                                      "filters[0].field is required",
		`"from_timestamp_sec":1,"filters":[{"field":"` + long + `"}]`:                                                "filters[0].field must be at most",
		`"from_timestamp_sec":1,"filters":[{"field":"trace_id"}]`:                                                    "filters[0].operator is required",
		`"from_timestamp_sec":1,"filters":[{"field":"trace_id","operator":"like","value":"x"}]`:                      "filters[0].operator must be one of",
		`"from_timestamp_sec":1,"filters":[{"field":"trace_id","operator":"equals"}]`:                                "filters[0].value is required",
		`"from_timestamp_sec":1,"filters":[{"field":"trace_id","operator":"equals","value":[]}]`:                     "filters[0].value must be a string",
		`"from_timestamp_sec":1,"filters":[{"field":"trace_id","operator":"equals","value":"` + long + `"}]`:         "filters[0].value must be at most",
		`"from_timestamp_sec":1,"filters":[{"field":"trace_id","operator":"in","values":[]}]`:                        "filters[0].values must contain at least one",
		`"from_timestamp_sec":1,"filters":[{"field":"trace_id","operator":"in","value":"x"}]`:                        "filters[0].values is required",
		`"from_timestamp_sec":1,"filters":[{"field":"trace_id","operator":"in","values":"x"}]`:                       "filters[0].values must be an array",
		`"from_timestamp_sec":1,"filters":[{"field":"trace_id","operator":"in","value":["x",{}]}]`:                   "filters[0].value[1] must be a string",
		`"from_timestamp_sec":1,"filters":[{"field":"numeric_value","operator":"less_than","value":"nan"}]`:          "filters[0].value must be a finite number",
		`"from_timestamp_sec":1,"filters":[{"field":"nothing","operator":"exists"}]`:                                 "filters[0].field is none of metrics",
		`"from_timestamp_sec":1,"filters":[{"field":"labels.","operator":"exists"}]`:                                 "filters[0].field is none of metrics",
		`"from_timestamp_sec":1,"filters":[{"field":"attributes.","operator":"exists"}]`:                             "filters[0].field is none of metrics",
		`"from_timestamp_sec":1,"filters":[{"field":"attributes.evaluation.a.b","operator":"exists"}]`:               "filters[0].field must name an attribute",
		`"from_timestamp_sec":1,"filters":[{"field":"labels.insert_time","operator":"exists"}]`:                      "filters[0].field: points cannot be filtered",
		`"from_timestamp_sec":1,"filters":[{"field":"metric_name","operator":"less_than","value":1}]`:                "filters[0]: metric_name is no number",
		`"from_timestamp_sec":1,"filters":[{"field":"metric_name","operator":"in","values":` + manyNames(101) + `}]`: "filters[0] must name outputs of at most 100 evaluators",
		`"from_timestamp_sec":1,"filters":[{"field":"metric_source","operator":"contains","value":"x"}]`:             "filters[0]: metric_source knows",
		`"from_timestamp_sec":1,"logical_operator":"XOR","filters":[{"field":"trace_id","operator":"exists"}]`:       "logical_operator must be",
	} {
		r := h.call(t, "POST", metricsPath, key, `{`+body+`}`)
		require.Equal(t, http.StatusBadRequest, r.status, "%.200s", body)
		require.Contains(t, r.message(t), want)
	}
	for params, want := range map[string]string{
		"":                                     "from_timestamp_sec is required",
		"from_timestamp_sec=":                  "from_timestamp_sec is required",
		"from_timestamp_sec=1;a":               "query is not",
		"from_timestamp_sec=1&limit=1&limit=2": "limit must be given once",
		"from_timestamp_sec=1&sort_by=timestamp&sort_by=": "sort_by must be given once",
		"from_timestamp_sec=1&filters=[]&filters=[]":      "filters must be given once",
		"from_timestamp_sec=1&filters=x":                  "filters must be a JSON array",
		"from_timestamp_sec=1&filters={}":                 "filters must be an array",
		"from_timestamp_sec=1&filters=[{}]":               "filters[0].field is required",
		"from_timestamp_sec=1&limit=x":                    "limit must be",
		"from_timestamp_sec=1&cursor=x":                   "cursor is not one",
	} {
		r := h.call(t, "GET", metricsPath+"?"+params, key, "")
		require.Equal(t, http.StatusBadRequest, r.status, params)
		require.Contains(t, r.message(t), want)
	}
}

// manyNames returns a JSON array of the names of outputs of n evaluators.
func manyNames(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"e%d.o"`, i)
	}
	return "[" + strings.Join(list, ",") + "]"
}
