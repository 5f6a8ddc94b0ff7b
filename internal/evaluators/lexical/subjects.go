// SPDX-License-Identifier: Apache-2.0

package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Touches returns the share of a topic's words that a text has, telling words
// counting most, for the topic of which it has most.
func Touches(subjects []string, text string) float64 {
	words := Words(text)
	have := Bag{}
	for _, w := range words {
		have[w.Stem]++
	}
	best := 0.0
	for _, subject := range subjects {
		if spelledOut(subject, words) {
			return 1
		}
		if want := BagOf(subject); len(want) > 0 {
			best = max(best, Coverage(want, have))
		}
	}
	return best
}

// spelledOut reports whether a text has the abbreviation that a topic's words
// make, or the words that an abbreviated topic stands for.
func spelledOut(subject string, words []Word) bool {
	named := Words(subject)
	if short := initials(named); utf8.RuneCountInString(short) > 1 {
		for _, w := range words {
			if w.Text == short {
				return true
			}
		}
	}
	short := strings.TrimSpace(subject)
	n := utf8.RuneCountInString(short)
	if n < 2 || n > 6 || strings.ContainsFunc(short, func(r rune) bool { return !unicode.IsUpper(r) }) {
		return false
	}
	for i := 0; i+n <= len(words); i++ {
		if initials(words[i:i+n]) == short {
			return true
		}
	}
	return false
}

// initials are the first letters of words, as capitals.
func initials(words []Word) string {
	var b strings.Builder
	for _, w := range words {
		r, _ := utf8.DecodeRuneInString(w.Text)
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}
