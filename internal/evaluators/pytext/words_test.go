// SPDX-License-Identifier: Apache-2.0

package pytext

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryByteOfASCIIIsTold(t *testing.T) {
	t.Parallel()
	for at := range 20 {
		for c := range rune(0x80) {
			text := strings.Repeat("x", at) + string(c) + strings.Repeat("x", 19-at)
			require.Len(t, SplitWords(text), CountWords(text), "%q", text)
		}
	}
}

func TestWordsAreCountedAsTheyAreSplit(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"a", "word", " ", "  ", "\t", "\n", "\r", "\v", "\f", "\x1c", "\x1f", "\x20", "\x08", "\x0e", "\x1b", "\x21", "\x7f", "\x00",
		"é", "\u00a0", "\u0085", "\u3000", "\u2028", "語", "\U0001f600", "\xff", "\xc2", "abcdefgh", "        ",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		require.Len(t, SplitWords(b.String()), CountWords(b.String()), "%q", b.String())
	}
}

func FuzzCountWords(f *testing.F) {
	f.Add("a b\x1cc\u3000d \xff")
	f.Fuzz(func(t *testing.T, text string) { require.Len(t, SplitWords(text), CountWords(text)) })
}

func BenchmarkCountWords(b *testing.B) {
	for name, text := range map[string]string{
		"english": strings.Repeat("Please summarise the quarterly report for the board of directors, and tell me what has changed. ", 20),
		"french":  strings.Repeat("Résumez le rapport trimestriel à l'intention du conseil, et dites-moi ce qui a changé depuis l'été. ", 20),
		"chinese": strings.Repeat("请为董事会总结季度报告并告诉我发生了什么变化。 ", 20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				CountWords(text)
			}
		})
	}
}
