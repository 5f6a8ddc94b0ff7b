// SPDX-License-Identifier: Apache-2.0

// Package lexical compares texts by the words they share. It knows which words
// are common and which are telling, and nothing of what they mean: a
// paraphrase in other words is a different text to it. Stems are those of
// English; other languages are compared by their words as they are written.
package lexical

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
	"github.com/clipperhouse/uax29/v2/words"
	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// longestWord is the size in bytes up to which a word is stemmed.
const longestWord = 40

// Word is one word of a text.
type Word struct {
	// Text is the word as it stands.
	Text string
	// Stem is what it is compared by: folded, and without an English ending.
	Stem string
	// First says that the word seems to begin its sentence.
	First bool
}

// Words returns the words of a text, punctuation left out.
func Words(text string) []Word {
	return slices.Collect(EachWord(text))
}

// EachWord returns the words one after the other: to whom the first few are
// enough need not wait for the last.
func EachWord(text string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		first := true
		tokens := words.FromString(norm.NFKC.String(text))
		for tokens.Next() {
			token := tokens.Value()
			switch {
			case isWord(token):
				if !yield(Word{Text: token, Stem: Stem(token), First: first}) {
					return
				}
				first = false
			case strings.ContainsAny(token, ".!?:\n\"“*-•"):
				first = true
			}
		}
	}
}

func isWord(token string) bool {
	for _, r := range token {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

// Stem folds a word and takes off its English ending.
func Stem(word string) string {
	word, ends := Fold(word)
	if !ends {
		return word
	}
	if stem, ok := usual()[word]; ok {
		return stem
	}
	return english.Stem(word, false)
}

// Fold returns a word in lower case without its possessive, and reports whether
// it may have an English ending.
func Fold(word string) (string, bool) {
	word = strings.ToLower(word)
	word = strings.ReplaceAll(word, "’", "'")
	word = strings.TrimSuffix(word, "'s")
	if len(word) > longestWord {
		return word, false
	}
	for i := range len(word) {
		if c := word[i]; c >= utf8.RuneSelf || c >= '0' && c <= '9' {
			return word, false
		}
	}
	return word, true
}

// Stems returns the stems of a text in their order.
func Stems(text string) []string {
	stems := make([]string, 0, len(text)/6) // about as many as an English text has
	for w := range EachWord(text) {
		stems = append(stems, w.Stem)
	}
	return stems
}

// MostSentences is how many sentences of a text are looked at.
const MostSentences = 2000

// Sentences returns the sentences of a text that have words, the first
// MostSentences of them. A line ends one.
func Sentences(text string) []string { return FirstSentences(text, MostSentences) }

// FirstSentences returns the first n sentences.
func FirstSentences(text string, n int) []string {
	var all []string
	for line := range strings.Lines(text) {
		split := sentences.FromString(line)
		for split.Next() {
			if len(all) == n {
				return all
			}
			if s := strings.TrimSpace(split.Value()); isWord(s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// Blank reports whether a text is nothing but white space.
func Blank(text string) bool { return strings.TrimSpace(text) == "" }
