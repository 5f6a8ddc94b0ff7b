// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConditionsAreRead(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"model = gpt-4o":     `[{"id":"llm.request.model","operator":"equals","value":"gpt-4o"}]`,
		"status = error":     `[{"id":"status_code","operator":"equals","value":"STATUS_CODE_ERROR"}]`,
		"status in error,ok": `[{"id":"status_code","operator":"in","value":["STATUS_CODE_ERROR","STATUS_CODE_OK"]}]`,
		`status:error -name:"GET /" duration>2s`: `[{"id":"status_code","operator":"equals","value":"STATUS_CODE_ERROR"},
			{"id":"span_name","operator":"not_equals","value":"GET /"},{"id":"duration","operator":"greater_than","value":2000}]`,
		"duration > 2":          `[{"id":"duration","operator":"greater_than","value":2}]`,
		"service in a,b":        `[{"id":"service_name","operator":"in","value":["a","b"]}]`,
		"parent_span_id =":      `[{"id":"parent_span_id","operator":"not_exists"}]`,
		" parent_span_id  == ":  `[{"id":"parent_span_id","operator":"not_exists"}]`,
		"parent_span_id equals": `[{"id":"parent_span_id","operator":"not_exists"}]`,
		"parent_span_id !=":     `[{"id":"parent_span_id","operator":"exists"}]`,
		`note = ""`:             `[{"id":"note","operator":"equals","value":""}]`,
		`note != ""`:            `[{"id":"note","operator":"not_equals","value":""}]`,
		"note not_exists":       `[{"id":"note","operator":"not_exists"}]`,
	} {
		got, err := parseFilters([]string{typed})
		require.NoError(t, err, typed)
		b, err := json.Marshal(got)
		require.NoError(t, err)
		require.JSONEq(t, want, string(b), typed)
	}
	for _, wrong := range []string{"", "model", "note exists x"} {
		_, err := parseFilters([]string{wrong})
		require.ErrorContains(t, err, "--filter", wrong)
	}
}
