// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConditionsAreRead(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"model = gpt-4o":        `[{"id":"model","operator":"equals","value":"gpt-4o"}]`,
		"duration > 2":          `[{"id":"duration","operator":"greater_than","value":2}]`,
		"service in a,b":        `[{"id":"service","operator":"in","values":["a","b"]}]`,
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
		require.JSONEq(t, want, got, typed)
	}
	for _, wrong := range []string{"", "model", "note exists x"} {
		_, err := parseFilters([]string{wrong})
		require.ErrorContains(t, err, "--filter", wrong)
	}
}
