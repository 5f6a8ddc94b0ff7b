// SPDX-License-Identifier: Apache-2.0

package query_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

func TestLinesAreRead(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                 `null`,
		"status:error":     `[{"id":"status_code","operator":"equals","value":"STATUS_CODE_ERROR"}]`,
		"status:Error":     `[{"id":"status_code","operator":"equals","value":"STATUS_CODE_ERROR"}]`,
		"-status:ok,x":     `[{"id":"status_code","operator":"not_in","value":["STATUS_CODE_OK","x"]}]`,
		`name:"GET /"`:     `[{"id":"span_name","operator":"equals","value":"GET /"}]`,
		`-name:"GET /"`:    `[{"id":"span_name","operator":"not_equals","value":"GET /"}]`,
		"duration>2s":      `[{"id":"duration","operator":"greater_than","value":2000}]`,
		"took<=1.5ms":      `[{"id":"duration","operator":"less_than_or_equal","value":1.5}]`,
		"duration>2000":    `[{"id":"duration","operator":"greater_than","value":2000}]`,
		"duration>long":    `[{"id":"duration","operator":"greater_than","value":"long"}]`,
		"tokens>=10":       `[{"id":"llm.usage.total_tokens","operator":"greater_than_or_equal","value":10}]`,
		"name:chat*":       `[{"id":"span_name","operator":"starts_with","value":"chat"}]`,
		"url.path~/v1":     `[{"id":"url.path","operator":"contains","value":"/v1"}]`,
		"x:*  -y:*":        `[{"id":"x","operator":"exists"},{"id":"y","operator":"not_exists"}]`,
		`"a \"refund\""`:   `[{"id":"completions","operator":"contains","value":"a \"refund\""}]`,
		`model:gpt-4o "x"`: `[{"id":"llm.request.model","operator":"equals","value":"gpt-4o"},{"id":"completions","operator":"contains","value":"x"}]`,
		"evaluation.faithfulness.is_faithful:false": `[{"id":"evaluation.faithfulness.is_faithful","operator":"equals","value":"false"}]`,
		"evaluation.faithfulness:false":             `[{"id":"touchstone.evaluation.faithfulness.good","operator":"equals","value":"false"}]`,
		"evaluation.sdk:Their score.value>0.5":      `[{"id":"evaluation.sdk:Their score.value","operator":"greater_than","value":0.5}]`,
	} {
		got, err := query.ParseLine(line)
		require.NoError(t, err, line)
		b, err := json.Marshal(got)
		require.NoError(t, err)
		require.JSONEq(t, want, string(b), line)
		filters, err := query.Filters(got)
		if line == "duration>long" {
			require.ErrorContains(t, err, "q: duration must be compared with a number")
			continue
		}
		require.NoError(t, err, line)
		require.Len(t, filters, len(got))
	}
	for _, wrong := range []string{"status", "refund now", "a:", "-tokens>3", `a:"x`, "a:b\"c\"", ":x", "a=b"} {
		_, err := query.ParseLine(wrong)
		require.True(t, fault.Is(err, fault.Invalid), wrong)
		require.ErrorContains(t, err, "q: ", wrong)
	}
}

func TestTheClosestFieldIsFound(t *testing.T) {
	t.Parallel()
	known := []string{"llm.request.model", "llm.response.model", "service_name", "status_code", "user.id"}
	for name, want := range map[string]string{
		"model": "llm.request.model", "service": "service_name", "statuscode": "status_code", "STATUS_CODE": "status_code", "id": "user.id", "servce_name": "service_name", "weather": "", "x": "",
	} {
		require.Equal(t, want, query.Closest(name, known), name)
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add(`status:error -name:"GET /" duration>2s "x"`)
	f.Fuzz(func(t *testing.T, line string) {
		all, err := query.ParseLine(line)
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid))
			return
		}
		_, err = json.Marshal(all)
		require.NoError(t, err)
	})
}
