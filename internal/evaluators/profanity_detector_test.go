// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProfanity(t *testing.T) {
	t.Parallel()
	for text, safe := range map[string]bool{
		"":                                    true,
		"   \n":                               true,
		"ok":                                  true,
		"😀":                                   true,
		"What the fuck is this?":              false,
		"WTF, shiiiit":                        false,
		"f u c k off":                         false,
		"fսck":                                false,
		"f\u200bu\u200bc\u200bk":              false,
		"this is bullsh1t":                    false,
		"The class assessed the passive mass": true,
		"Scunthorpe and Penistone are towns":  true,
		"Please reset the nonce and slit the envelope": true,
		"Dick Van Dyke sang":                           false, // a name that is a word: told in the model card
		"Grüße aus Österreich":                         true,
		strings.Repeat("All is well. ", 500) + "shit":  false,
	} {
		require.Equal(t, safe, firstOutput(t, "profanity-detector", text, nil), text[max(0, len(text)-60):])
	}
}

func TestEveryTermOfTheLexiconIsFound(t *testing.T) {
	t.Parallel()
	terms := strings.Split(strings.TrimSpace(profanityTerms), "\n")
	require.Greater(t, len(terms), 1000)
	for _, term := range terms {
		_, found := profanityLexicon().Find("well, " + term + "?")
		require.True(t, found, term)
	}
}

func BenchmarkProfanity(b *testing.B) {
	benchmarkText(b, func(text string) {
		if _, found := profanityLexicon().Find(text); !found {
			profanityModel().Probability(text)
		}
	})
}
