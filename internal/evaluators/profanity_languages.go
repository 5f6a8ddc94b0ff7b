// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
)

//go:embed profanity_languages.txt
var profanityLanguages string

// profanityOwn are the languages other than English that have words of their own.
var profanityOwn = map[string]bool{"de": true, "es": true, "fr": true, "it": true, "pt": true}

// anyLanguage is the section of words that are rude in one language and mean
// nothing in the others.
const anyLanguage = "any"

// profanityLexicons make the lexicon of each language when it is needed first: its
// own words before those of every text, so that what it passes over is passed over.
// Under "" is that of English and of texts whose language has none.
var profanityLexicons = func() map[string]func() *linear.Phrases {
	section := func(code string) string {
		_, rules, _ := strings.Cut(profanityLanguages, "\n["+code+"]\n")
		rules, _, _ = strings.Cut(rules, "\n[")
		return rules + "\n"
	}
	every := profanityRules + section(anyLanguage) + profanityTerms
	lexicons := map[string]func() *linear.Phrases{"": sync.OnceValue(func() *linear.Phrases { return linear.MustPhrases(every) })}
	for code := range profanityOwn {
		lexicons[code] = sync.OnceValue(func() *linear.Phrases { return linear.MustPhrases(section(code) + every) })
	}
	return lexicons
}()

// profanityIn returns the lexicon for texts in a language.
func profanityIn(code string) *linear.Phrases {
	if !profanityOwn[code] {
		code = ""
	}
	return profanityLexicons[code]()
}

// apart parts what an apostrophe joins in other languages: l'enculé.
// Every letter keeps its place.
var apart = strings.NewReplacer("'", " ", "’", "   ")

// tilded keeps a word of Spanish apart from one that it would be read as, whatever
// language a text seems to be in: coño is no cono.
var tilded = strings.NewReplacer("coño", "conyo", "Coño", "Conyo", "COÑO", "CONYO", "con\u0303o", "conyo", "Con\u0303o", "Conyo", "CON\u0303O", "CONYO")
