// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

func TestPIIThresholdAndEntities(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("pii-detector")
	has := func(text, config string) bool {
		got, err := fromSpan(t.Context(), e, parts{"output": text}, json.RawMessage(config))
		require.NoError(t, err)
		return got.Outputs[0].Value.(bool)
	}
	const text = "host ip 203.0.113.9, write to ada@example.com"
	require.True(t, has(text, ``))
	require.True(t, has(text, `{"entities": ["ip_address"]}`))
	require.False(t, has(text, `{"entities": "[\"US_SSN\"]"}`))
	require.False(t, has(text, `{"entities": []}`))
	require.False(t, has("ip 10.0.0.1", `{"probability_threshold": 0.8}`))
	require.True(t, has("at 10.0.0.1", `{"probability_threshold": 0.6}`))
	require.True(t, has("call (415) 555-0132", `{"probability_threshold": 1, "entities": ["PHONE_NUMBER"]}`))
	require.True(t, has("12345678", `{"probability_threshold": 0}`))
	require.ErrorContains(t, e.CheckConfig(json.RawMessage(`{"entities": ["NAME"]}`)), "config.entities has an unknown kind in element 1")
	require.ErrorContains(t, e.CheckConfig(json.RawMessage(`{"entities": {}}`)), "config.entities must be a JSON array of strings")
	require.True(t, fault.Is(e.CheckConfig(json.RawMessage(`{"entities": 7}`)), fault.Invalid))
}

func TestPIIReasonHoldsNoValues(t *testing.T) {
	t.Parallel()
	e, _ := Catalog().Get("pii-detector")
	got, err := fromSpan(t.Context(), e, parts{"output": "ada@example.com, card 4111111111111111"}, nil)
	require.NoError(t, err)
	require.Equal(t, "Found EMAIL_ADDRESS, CREDIT_CARD.", got.Outputs[1].Value)
}

func BenchmarkPII(b *testing.B) {
	e, _ := Catalog().Get("pii-detector")
	text := strings.Repeat("The quick brown fox of 2024 jumps over 12 lazy dogs, and nobody asks why. ", 13)
	for name, output := range map[string]string{
		"Clean":   text,
		"Found":   text + "Call me: +49 30 1234567, or write to ada@example.com.",
		"Hostile": strings.Repeat("call 555-0132 ", eval.MaxText/14),
	} {
		b.Run(name, func(b *testing.B) {
			span := parts{"output": output}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := fromSpan(b.Context(), e, span, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
