// SPDX-License-Identifier: Apache-2.0

package lexical

import (
	"strings"
	"testing"

	"github.com/kljensen/snowball/english"
	"github.com/stretchr/testify/require"
)

func TestWordsAreTold(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"the", "capit", "of", "franc", "pari", "is", "it", "3.14", "co2"}, Stems("The capitals of France: Paris' — is it 3.14, CO2?!"))
	require.Equal(t, []string{"run", "anna"}, Stems("Running Anna’s"))
	require.Equal(t, []string{"法", "国"}, Stems("法国。"))
	require.Equal(t, []string{"über"}, Stems("ÜBER"))
	require.Equal(t, []string{"fi"}, Stems("ﬁ"), "a ligature is its letters")
	require.Empty(t, Stems("?! … \x00"))
	require.Equal(t, strings.Repeat("a", 99)+"ing", Stem(strings.Repeat("A", 99)+"ing"), "no word is that long")
	words := Words("It is Rome. Here: Oslo")
	require.Equal(t, []bool{true, false, false, true, true}, []bool{words[0].First, words[1].First, words[2].First, words[3].First, words[4].First})
	require.Equal(t, []string{"It rained.", "Did it?", "Yes", "no"}, Sentences("It rained. Did it?\n\n* * *\nYes\nno\n!"))
}

// The list of usual words is only a shorter way.
func TestUsualWordsHaveTheirStems(t *testing.T) {
	t.Parallel()
	require.Greater(t, len(usual()), 5000)
	for word, stem := range usual() {
		folded, ends := Fold(word)
		require.True(t, ends)
		require.Equal(t, word, folded)
		require.Equal(t, english.Stem(word, false), stem)
	}
	require.Equal(t, map[string]string{"runs": "run", "running": "run", "a": "a"}, readForms("run runs running\na a\nlonely\n\n"))
}

func TestLongTextsHaveAnEnd(t *testing.T) {
	t.Parallel()
	require.Len(t, Sentences(strings.Repeat("a.\n", 10_000)), MostSentences)
}

func TestTextsAreCompared(t *testing.T) {
	t.Parallel()
	france := BagOf("the capital of France")
	require.InDelta(t, 1, Against(france).Cosine(BagOf("France: capitals of the")), 1e-6)
	require.InDelta(t, 1, F1(france, BagOf("France: capitals of the")), 1e-6)
	require.Zero(t, Against(france).Cosine(BagOf("it rained")))
	require.Zero(t, F1(france, BagOf("it rained")))
	require.Zero(t, Against(france).Cosine(Bag{}))
	require.InDelta(t, 1, Against(Bag{}).Cosine(Bag{}), 0)
	require.InDelta(t, 1, F1(Bag{}, Bag{}), 0)
	require.InDelta(t, 1, Coverage(Bag{}, france), 0)
	require.Zero(t, Coverage(france, Bag{}))
	require.Greater(t, Coverage(france, BagOf("France")), Coverage(france, BagOf("of the")), "telling words count most")
	require.True(t, Telling("franc"))
	require.False(t, Telling("the"))
	require.InDelta(t, Against(france).Cosine(BagOf("France is big")), Against(BagOf("France is big")).Cosine(france), 0)
}

func TestMalformedTablesAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x\n", "0\n", "10\nx the\n", "10\n2 rare\n", "10\n11 many\n"} {
		_, err := readTable(text)
		require.Error(t, err, "%q", text)
	}
	got, err := readTable("10\n9 the a\n3 cat\n")
	require.NoError(t, err)
	require.Len(t, got.weights, 3)
	require.Greater(t, got.weights["cat"], got.weights["the"])
	require.Greater(t, got.unseen, got.weights["cat"])
}

func FuzzWords(f *testing.F) {
	f.Add("It's 3.14 — 法国 \xff\x00")
	f.Fuzz(func(t *testing.T, text string) {
		bag := BagOf(text)
		require.InDelta(t, 1, Against(bag).Cosine(bag), 1e-6)
		other := BagOf("the capital of France")
		for _, n := range []float64{Against(bag).Cosine(other), F1(bag, other), Coverage(bag, other), Coverage(other, bag)} {
			require.True(t, n >= 0 && n <= 1)
		}
		Sentences(text)
	})
}
