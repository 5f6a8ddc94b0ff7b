// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTones(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                          "neutral",
		" \t\n\u200b":               "neutral",
		"...":                       "neutral",
		"😀":                         "joy",
		"😡😡":                        "anger",
		":'(":                       "sadness",
		"The bus is late 😡":         "anger",
		"I am so happy 😭":           "joy",
		"✅ Done":                    "neutral",
		"I am terrified of spiders": "fear",
		"This is disgusting and makes me want to puke": "disgust",
		"Shut up, you make me so angry":                "anger",
		"Thank you so much, I love it!":                "joy",
		"I'm so sorry for your loss":                   "sadness",
		"Wow, really? I had no idea!":                  "surprise",
		"THANK YOU SO MUCH, I LOVE IT!":                "joy",
		"The file has three columns.":                  "neutral",
		strings.Repeat("I am so happy. ", 10_000):      "joy",
	} {
		require.Equal(t, want, firstOutput(t, "tone-detection", text, nil), text[:min(60, len(text))])
	}
}

func TestToneScores(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"x", "hello", "I am so happy", strings.Repeat("great ", 100_000), "\xff a"} {
		_, score, ok := toneModel().Best(text)
		require.True(t, ok)
		require.Greater(t, score, 1.0/7-1e-9)
		require.LessOrEqual(t, score, 1.0)
	}
	var labels []string
	for _, c := range toneModel().Classes() {
		labels = append(labels, c.Label)
	}
	require.Equal(t, []string{"anger", "disgust", "fear", "joy", "neutral", "sadness", "surprise"}, labels, "sorted, so that ties go by the alphabet")
}

func BenchmarkTone(b *testing.B) {
	benchmarkText(b, func(text string) { toneModel().Best(text) })
}
