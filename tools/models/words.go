// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/spelling"
)

const (
	// usualWord is how many made-up attacks have a word that matters.
	usualWord = 5
	// meantWord is how often harmless texts have a word that is no slip.
	meantWord = 2
)

// injectionWords returns the English words that made-up attacks use, one in a
// line, the most frequent first: what slips of the keyboard are mended to. Behind
// them are, with a minus, the words that look like slips of these and are none:
// harmless texts have them.
func injectionWords(data string) ([]byte, error) {
	counts := map[string]int{}
	for _, grammar := range []string{injectionGrammar, injectionGamesGrammar, injectionRolesGrammar} {
		made, err := sentences(grammar)
		if err != nil {
			return nil, err
		}
		for _, e := range made {
			if e.class != none {
				countWords(e.text, counts)
			}
		}
	}
	words := frequent(counts)
	clean, err := injectionClean(data)
	if err != nil {
		return nil, err
	}
	counts = map[string]int{}
	for _, e := range clean {
		countWords(e.text, counts)
	}
	speller := spelling.New(words, lexical.Usual)
	var text strings.Builder
	for _, word := range words {
		text.WriteString(word + "\n")
	}
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		if counts[word] >= meantWord {
			if _, ok := speller.Meant(word); ok {
				text.WriteString("-" + word + "\n")
			}
		}
	}
	return []byte(text.String()), nil
}

func countWords(text string, counts map[string]int) {
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		counts[word]++
	}
}

// frequent returns the long words that come often, the most frequent first.
func frequent(counts map[string]int) []string {
	var words []string
	for _, word := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	}) {
		if len(word) >= spelling.Shortest && counts[word] >= usualWord {
			words = append(words, word)
		}
	}
	return words
}
