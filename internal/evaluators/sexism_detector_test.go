// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSexism(t *testing.T) {
	t.Parallel()
	for text, safe := range map[string]bool{
		"":   true,
		"ok": true,
		"Women are too stupid to vote, they should stay in the kitchen.": false,
		"wоmen bеlong in thе kitсhen and should obey men":                false,
		"How many women work in medicine?":                               true,
		"The pay gap between women and men grew smaller in 2020.":        true,
		"My sister is a pilot.":                                          true,
	} {
		require.Equal(t, safe, firstOutput(t, "sexism-detector", text, nil), text)
	}
	text := "Women are bad drivers."
	require.Equal(t, true, firstOutput(t, "sexism-detector", text, map[string]any{"threshold": 1}))
	require.Equal(t, false, firstOutput(t, "sexism-detector", text, map[string]any{"threshold": 0}))
}

func BenchmarkSexism(b *testing.B) {
	benchmarkText(b, func(text string) { sexismModel().Probability(text) })
}
